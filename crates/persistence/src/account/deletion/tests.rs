use sea_orm::{IntoActiveModel, PaginatorTrait};

use super::*;
use crate::entity::incident;
use crate::fixture::{add_organisation, insert, on_each_database};

/// More than one transaction changes.
const MANY: u128 = MAX_ROWS as u128 + 100;
const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// An incident with many updates by a person, and an audit log with many items about the person.
/// The last one is of a request without a caller.
async fn fill(database: &Database, name: &str, person: UserId, begin: u128) {
    add_organisation(database, name).await;
    let uuid = move |number: u128| Uuid::from_u128(begin + number);
    let incident = incident::Model {
        id: uuid(0),
        organisation_id: name.to_owned(),
        code: format!("i{name}"),
        title: "Down".into(),
        description: String::new(),
        status: "INVESTIGATING".into(),
        occured_at: AT,
        resolved_at: None,
        created_at: AT,
        updated_at: AT,
        version: 0,
        first_status: "INVESTIGATING".into(),
        monitoring_at: None,
    };
    insert(database, vec![incident.into_active_model()]).await;
    let update = |number| incident_update::ActiveModel {
        incident_id: Set(uuid(0)),
        id: Set(uuid(number)),
        status: Set("INVESTIGATING".into()),
        message: Set(String::new()),
        user_id: Set(person.to_string()),
        user_name: Set("Ann".into()),
        created_at: Set(AT),
        version: Set(0),
        display_at: Set(AT),
        edited_at: Set(None),
    };
    insert(database, (0..MANY).map(update).collect()).await;
    let item = |number: u128| {
        let (actor_type, actor_id, actor_name) = if number < MANY - 1 {
            ("USER", Some(person.to_string()), "Ann")
        } else {
            ("PROVIDER", None, "Identity provider")
        };
        audit_item::ActiveModel {
            id: Set(uuid(number)),
            organisation_id: Set(name.to_owned()),
            created_at: Set(AT),
            actor_type: Set(actor_type.into()),
            actor_id: Set(actor_id),
            actor_name: Set(actor_name.into()),
            address: Set(Some("192.0.2.1".into())),
            action: Set(Action::AccountUpdated.to_string()),
            target_type: Set("USER".into()),
            target_id: Set(person.to_string()),
            target_name: Set(Some("Ann".into())),
            state_before: Set(Some("{}".into())),
            state_after: Set(Some("{}".into())),
            ..Default::default()
        }
    };
    insert(database, (0..MANY).map(item).collect()).await;
}

/// Number of updates, and of items about people, that name a person.
async fn named(database: &Database) -> (u64, u64) {
    use audit_item::Column as Item;

    let updates = incident_update::Entity::find()
        .filter(incident_update::Column::UserName.ne(Author::DELETED))
        .count(database.read());
    let names_person = Item::ActorName
        .eq("Ann")
        .or(Item::TargetName.ne(Author::DELETED))
        .or(Item::Address.is_not_null())
        .or(Item::StateBefore.is_not_null())
        .or(Item::StateAfter.is_not_null());
    let items = audit_item::Entity::find()
        .filter(Item::TargetType.eq("USER"))
        .filter(names_person)
        .count(database.read());
    (updates.await.unwrap(), items.await.unwrap())
}

async fn name_is_replaced_in_batches_and_those_of_others_stay(database: &Database) {
    let (ann, bob) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
    let many = u64::try_from(MANY).unwrap();
    fill(database, "acme", ann, 1).await;
    fill(database, "other", bob, 1 << 64).await;
    assert_eq!(named(database).await, (2 * many, 2 * many));
    for rows in named_rows(ann) {
        database.remove_name_from(&rows).await.unwrap();
    }
    assert_eq!(named(database).await, (many, many));
    // The last transaction changes the rows from an identifier on.
    let first_left = Uuid::from_u128((1 << 64) + MANY - 1);
    for rows in named_rows(bob) {
        let removal = rows.removal_since(first_left);
        database
            .write_unaudited(NoAuditItem::Upkeep, move |transaction| {
                transaction.run_statement(&removal)
            })
            .await
            .unwrap();
    }
    assert_eq!(named(database).await, (many - 1, many - 1));
}

on_each_database!(name_is_replaced_in_batches_and_those_of_others_stay);
