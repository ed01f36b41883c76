use allclear_domain::incident::{IncidentDraft, IncidentStatus};
use allclear_domain::organisation::Revision;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, PaginatorTrait};

use super::*;
use crate::audit::NoAuditItem;
use crate::fixture::{add_organisation, insert, on_each_database, sqlite};
use crate::removal::MAX_ROWS;

/// More than one transaction removes.
const MANY: u64 = MAX_ROWS + 100;
const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// An organisation, and an incident with many updates.
async fn filled(database: &Database) -> (OrganisationId, Incident) {
    let acme = add_organisation(database, "acme").await;
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "All of it".into(),
        status: IncidentStatus::Investigating,
        ..IncidentDraft::default()
    };
    let create: CreateTransition<Incident> = Box::new(move |stamp| {
        let (id, now) = (IncidentId(stamp.id), stamp.committed_at);
        Ok(Incident::create(id, draft, &[], false, now)?)
    });
    let created = IncidentStore::insert(database, &acme, create, Vec::new()).await;
    let incident = created.unwrap().state.incident;
    let update = |number| incident_update::ActiveModel {
        incident_id: Set(incident.id.0),
        id: Set(Uuid::from_u128(number)),
        status: Set("INVESTIGATING".into()),
        message: Set(String::new()),
        user_id: Set("1".into()),
        user_name: Set("Ann".into()),
        created_at: Set(AT),
        version: Set(0),
        display_at: Set(AT),
        edited_at: Set(None),
    };
    insert(database, (1..=u128::from(MANY)).map(update).collect()).await;
    (acme, incident)
}

/// Deletes an incident if it has this version.
async fn delete(
    database: &Database,
    organisation: &OrganisationId,
    incident: IncidentId,
    version: Revision,
) -> Result<Option<Committed<()>>, Error> {
    let precondition = Precondition::OneOf(vec![version]);
    let rule: Transition<IncidentAndAttached, ()> = Box::new(|found, _| Ok(found.delete()));
    IncidentStore::delete(database, organisation, incident, precondition, rule).await
}

/// Number of updates of all incidents.
async fn updates(database: &Database) -> u64 {
    let updates = incident_update::Entity::find();
    updates.count(database.read()).await.unwrap()
}

async fn incident_with_many_updates_is_removed_with_all_of_them_unless_it_has_another_version(
    database: &Database,
) {
    let (acme, incident) = filled(database).await;
    let other = incident.version.next();
    let refused = delete(database, &acme, incident.id, other).await;
    assert!(matches!(refused, Err(Error::Stale)));
    assert_eq!(updates(database).await, MANY);
    let deleted = delete(database, &acme, incident.id, incident.version).await;
    assert!(deleted.unwrap().is_some());
    assert_eq!(updates(database).await, 0);
}

on_each_database!(
    incident_with_many_updates_is_removed_with_all_of_them_unless_it_has_another_version
);

#[tokio::test(flavor = "multi_thread")]
async fn edit_does_not_stop_a_deletion_that_has_begun() {
    let (database, _folder) = sqlite().await;
    let (acme, incident) = filled(&database).await;
    let edit = "CREATE TRIGGER edit AFTER DELETE ON incident_updates \
                BEGIN UPDATE incidents SET version = version + 1 WHERE id = OLD.incident_id; END";
    let created = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
        Box::pin(async move {
            let created = transaction.execute_unprepared(edit).await;
            created.map(drop).map_err(broken)
        })
    });
    created.await.unwrap();
    let deleted = delete(&database, &acme, incident.id, incident.version).await;
    assert!(deleted.unwrap().is_some());
    let found = IncidentStore::find(&database, &acme, incident.id).await;
    assert!(found.unwrap().is_none());
}
