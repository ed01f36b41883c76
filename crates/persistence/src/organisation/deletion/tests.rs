use allclear_application::organisation::OrganisationStore;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ConnectionTrait, IntoActiveModel, PaginatorTrait, Statement};

use super::*;
use crate::entity::{membership, user};
use crate::fixture::{add_organisation, insert, on_each_database, sqlite};
use crate::query_plan::plan;

/// More than one transaction removes.
const MANY: u128 = MAX_ROWS as u128 + 100;
const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// An organisation with many rows of each kind. The identifiers of different organisations begin at
/// different numbers.
async fn filled(database: &Database, name: &str, begin: u128) -> OrganisationId {
    let id = add_organisation(database, name).await;
    add_subscribers(database, &id, begin).await;
    add_incident(database, &id, begin).await;
    add_notices(database, &id, begin).await;
    add_history(database, &id, begin).await;
    id
}

fn component(id: Uuid, organisation: &str, code: String) -> component::ActiveModel {
    let state = component::Model {
        id,
        organisation_id: organisation.to_owned(),
        code,
        name: "API".into(),
        description: String::new(),
        status: "OPERATIONAL".into(),
        status_source: "OPERATOR".into(),
        created_at: AT,
        updated_at: AT,
        version: 0,
        show_uptime: true,
        start_date: None,
        only_show_when_affected: false,
        history_version: 0,
        group_id: None,
        position: 1,
        deleted_at: None,
    };
    state.into_active_model()
}

async fn add_subscribers(database: &Database, organisation: &OrganisationId, begin: u128) {
    let (owner, uuid) = (organisation.to_string(), move |n: u128| {
        Uuid::from_u128(begin + n)
    });
    let chosen = component(uuid(0), &owner, format!("c{owner}"));
    insert(database, vec![chosen]).await;
    let subscriber = |n| -> subscriber::ActiveModel {
        let state = subscriber::Model {
            id: uuid(n),
            organisation_id: owner.clone(),
            target: format!("{n}@example.com"),
            target_key: format!("{n}@example.com"),
            status: "SUBSCRIBED".into(),
            is_verified: true,
            round: 0,
            confirmed_revision: 0,
            created_at: AT,
            updated_at: AT,
            channel: "email".into(),
            scope: "COMPONENTS".into(),
            incident_id: None,
            mute_maintenances: false,
            secret_number: 0,
            secret_rotated_at: None,
            failing_reason: None,
            failing_since: None,
            earlier_secrets: None,
            by_visitor: false,
        };
        state.into_active_model()
    };
    insert(database, (0..MANY).map(subscriber).collect()).await;
    let chosen = |n| subscriber_component::ActiveModel {
        subscriber_id: Set(uuid(n)),
        component_id: Set(uuid(0)),
        place: Set(0),
    };
    insert(database, (0..MANY).map(chosen).collect()).await;
    let waiting = |_| delivery::ActiveModel {
        organisation_id: Set(owner.clone()),
        subscriber_id: Set(uuid(0)),
        notice_id: Set(None),
        created_at: Set(AT),
        due_at: Set(Some(AT)),
        attempts: Set(0),
        by_mail: Set(true),
        ..Default::default()
    };
    insert(database, (0..MANY).map(waiting).collect()).await;
}

fn notice(id: Uuid, organisation: &str, subject: Uuid) -> notice::ActiveModel {
    notice::ActiveModel {
        id: Set(id),
        organisation_id: Set(organisation.to_owned()),
        revision: Set(1),
        part: Set(0),
        subject_id: Set(subject),
        content: Set("{}".into()),
        created_at: Set(AT),
        reached: Set(None),
        expanded_at: Set(None),
        batches: Set(0),
    }
}

async fn add_incident(database: &Database, organisation: &OrganisationId, begin: u128) {
    let (owner, uuid) = (organisation.to_string(), move |n: u128| {
        Uuid::from_u128(begin + n)
    });
    let incident = incident::Model {
        id: uuid(0),
        organisation_id: owner.clone(),
        code: format!("i{owner}"),
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
    let update = |n| incident_update::ActiveModel {
        incident_id: Set(uuid(0)),
        id: Set(uuid(n)),
        status: Set("INVESTIGATING".into()),
        message: Set(String::new()),
        user_id: Set("1".into()),
        user_name: Set("Ann".into()),
        created_at: Set(AT),
        version: Set(0),
        display_at: Set(AT),
        edited_at: Set(None),
    };
    insert(database, (0..MANY).map(update).collect()).await;
    insert(database, vec![notice(uuid(0), &owner, uuid(0))]).await;
    let concerned = |n| notice_component::ActiveModel {
        notice_id: Set(uuid(0)),
        component_id: Set(uuid(n)),
        group_id: Set(None),
        is_attached: Set(true),
    };
    insert(database, (0..MANY).map(concerned).collect()).await;
}

/// The notices of a component that changed its status many times.
async fn add_notices(database: &Database, organisation: &OrganisationId, begin: u128) {
    let (owner, uuid) = (organisation.to_string(), move |n: u128| {
        Uuid::from_u128(begin + n)
    });
    let changed = component(uuid(MANY), &owner, format!("n{owner}"));
    insert(database, vec![changed]).await;
    let of_change = |n| notice(uuid(n), &owner, uuid(MANY));
    insert(database, (1..MANY).map(of_change).collect()).await;
    let concerned = |n| notice_component::ActiveModel {
        notice_id: Set(uuid(n)),
        component_id: Set(uuid(MANY)),
        group_id: Set(None),
        is_attached: Set(true),
    };
    insert(database, (1..MANY).map(concerned).collect()).await;
}

async fn add_history(database: &Database, organisation: &OrganisationId, begin: u128) {
    let (owner, uuid) = (organisation.to_string(), move |n: u128| {
        Uuid::from_u128(begin + n)
    });
    let period = |n| component_period::ActiveModel {
        id: Set(uuid(n)),
        organisation_id: Set(owner.clone()),
        component_id: Set(uuid(0)),
        status: Set("DEGRADED".into()),
        start_at: Set(AT),
        end_at: Set(Some(AT)),
        cause_type: Set("OPERATOR".into()),
        version: Set(0),
        ..Default::default()
    };
    insert(database, (0..MANY).map(period).collect()).await;
    let item = |n| audit_item::ActiveModel {
        id: Set(uuid(n)),
        organisation_id: Set(owner.clone()),
        created_at: Set(AT),
        actor_type: Set("USER".into()),
        actor_name: Set("Ann".into()),
        action: Set("incident.updated".into()),
        target_type: Set("INCIDENT".into()),
        target_id: Set("1".into()),
        ..Default::default()
    };
    insert(database, (0..MANY).map(item).collect()).await;
    let commit = |n| outbox::ActiveModel {
        organisation_id: Set(owner.clone()),
        revision: Set(i64::try_from(n).unwrap()),
        events: Set("[]".into()),
        packed: Set(None),
        created_at: Set(AT),
    };
    insert(database, (0..MANY).map(commit).collect()).await;
}

/// Number of rows of all organisations.
async fn counts(database: &Database) -> Vec<(&'static str, u64)> {
    let connection = database.read();
    macro_rules! counts {
        ($($table:ident),+) => {
            vec![$((stringify!($table), $table::Entity::find().count(connection).await.unwrap())),+]
        };
    }
    counts!(
        subscriber,
        subscriber_component,
        delivery,
        incident,
        incident_update,
        notice,
        notice_component,
        component_period,
        audit_item,
        outbox
    )
}

async fn most_rows_are_removed_in_batches_and_those_of_other_organisations_stay(
    database: &Database,
) {
    let other = filled(database, "other", 1 << 64).await;
    let of_one = counts(database).await;
    let acme = filled(database, "acme", 1).await;
    for removal in &removals_of_organisation(&acme)[2..] {
        let removed = database.run_removal(&acme, None, removal).await.unwrap();
        assert_eq!(removed, MAX_ROWS, "a batch");
    }
    database.remove_rows_of(&acme, None).await.unwrap();
    assert_eq!(counts(database).await, of_one);
    assert!(
        OrganisationStore::delete(database, &acme, None)
            .await
            .unwrap()
    );
    assert_eq!(counts(database).await, of_one);
    assert!(
        OrganisationStore::delete(database, &other, None)
            .await
            .unwrap()
    );
    assert!(counts(database).await.iter().all(|(_, rows)| *rows == 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn removal_with_a_sole_member_ends_when_another_account_joins() {
    let (database, _folder) = sqlite().await;
    let acme = filled(&database, "acme", 1).await;
    let before = counts(&database).await;
    let newcomer = user::Model {
        id: Uuid::from_u128(1),
        name: "Bob".into(),
        email: "bob@example.com".into(),
        email_key: "bob@example.com".into(),
        password: "hash".into(),
        administrator: false,
        needs_address: false,
        created_at: AT,
        has_password: true,
    };
    let membership = membership::Model {
        organisation_id: acme.to_string(),
        user_id: newcomer.id,
        role: "editor".into(),
        created_at: AT,
    };
    insert(&database, vec![newcomer.into_active_model()]).await;
    insert(&database, vec![membership.into_active_model()]).await;
    let sole_member = UserId(Uuid::from_u128(2));
    let ended = database.remove_rows_of(&acme, Some(sole_member)).await;
    assert!(matches!(ended, Err(Error::Conflict(_))));
    assert_eq!(counts(&database).await, before);
}

on_each_database!(most_rows_are_removed_in_batches_and_those_of_other_organisations_stay);

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    let acme = OrganisationId::parse("acme").unwrap();
    let owners = [Uuid::from_u128(1), Uuid::from_u128(2)];
    let mut statements = removals_of_organisation(&acme).to_vec();
    statements.extend(Owner::ALL.iter().flat_map(|owner| owner.removals(&owners)));
    for statement in statements {
        let plan = plan(database.read(), &statement).await;
        assert!(!plan.contains("SCAN"), "{statement:?}:\n{plan}");
    }
}

/// Columns that refer to organisations although no index begins with them. An index without the
/// rows of no organisation will do.
const WITHOUT_INDEX: &str = "SELECT tables.name || '.' || keys.\"from\" AS \"column\" \
    FROM sqlite_master tables, pragma_foreign_key_list(tables.name) keys \
    WHERE keys.\"table\" = 'organisations' AND NOT EXISTS ( \
    SELECT 1 FROM pragma_index_list(tables.name) indexes, pragma_index_info(indexes.name) columns \
    LEFT JOIN sqlite_master definitions ON definitions.name = indexes.name \
    WHERE columns.seqno = 0 AND columns.name = keys.\"from\" AND (NOT indexes.partial \
    OR definitions.sql LIKE '%WHERE \"' || keys.\"from\" || '\" IS NOT NULL'))";

/// The deletion of an organisation looks for the rows that refer to it.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_begins_with_each_column_that_refers_to_organisations() {
    let (database, _folder) = sqlite().await;
    let connection = database.read();
    let query = Statement::from_string(connection.backend(), WITHOUT_INDEX);
    let rows = connection.query_all_raw(query).await.unwrap();
    let columns = rows.iter().map(|row| row.try_get("", "column").unwrap());
    assert_eq!(columns.collect::<Vec<String>>(), [""; 0]);
}
