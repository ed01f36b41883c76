//! How much an organisation may have that each change of its components reads.

use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore};
use allclear_application::stamp::Stamp;
use allclear_application::transition::{Committed, Transition};
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, IncidentId, MaintenanceId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::maintenance::{Maintenance, MaintenancePatch, MaintenanceStatus};
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use crate::backend::clock;
use crate::contract;
use crate::maintenance::component::draft as maintenance_draft;
use crate::organisation_fixture::{OrganisationFixture, attaching, draft, open_on, set};

contract!(
    unresolved_incidents_beyond_the_limit_are_refused,
    components_of_unresolved_incidents_beyond_the_limit_are_refused,
    maintenances_beyond_the_limit_are_refused_until_others_are_over,
    components_of_maintenances_beyond_the_limit_are_refused,
);

async fn limited(database: &Database, limits: UsageLimits) -> OrganisationFixture {
    OrganisationFixture::new(&database.clone().limited(limits), "acme").await
}

/// Limits by which the incidents that are open may have 1,000 components together, and so may the
/// maintenances that are not over.
fn few_components() -> UsageLimits {
    UsageLimits {
        components: Some(20),
        ..UsageLimits::default()
    }
}

/// As many components as ten incidents or maintenances may not have all of. They are created
/// without a limit.
async fn hundred_and_one(database: &Database) -> Vec<ComponentId> {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let mut components = Vec::new();
    for number in 0..101 {
        components.push(fixture.component(&format!("API {number}")).await);
    }
    components
}

fn assert_refused<T>(outcome: Result<T, Error>, setting: &str) {
    match outcome {
        Err(Error::Conflict(message)) => assert!(message.contains(setting), "{message}"),
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("{setting} does not hold"),
    }
}

async fn open(
    fixture: &OrganisationFixture,
    components: &[Attachment],
) -> Result<IncidentId, Error> {
    let create = draft("Down", components);
    let components = components.to_vec();
    let created = IncidentStore::insert(&fixture.database, &fixture.id, create, components);
    Ok(created.await?.state.incident.id)
}

async fn reopen(fixture: &OrganisationFixture, incident: IncidentId) -> Result<(), Error> {
    let rule: Transition<Incident> = Box::new(|incident, stamp| {
        let patch = set(IncidentStatus::Investigating);
        Ok(incident.edit(patch, false, stamp.committed_at)?)
    });
    let changed = IncidentStore::change(&fixture.database, &fixture.id, incident, rule);
    changed.await.map(|found| assert!(found.is_some()))
}

async fn unresolved_incidents_beyond_the_limit_are_refused(database: &Database) {
    let limits = UsageLimits {
        open_incidents: Some(2),
        ..UsageLimits::default()
    };
    let fixture = limited(database, limits).await;
    let setting = "ALLCLEAR_LIMIT_OPEN_INCIDENTS";
    let first = open(&fixture, &[]).await.unwrap();
    open(&fixture, &[]).await.unwrap();
    assert_refused(open(&fixture, &[]).await, setting);
    fixture.edit(first, set(IncidentStatus::Resolved)).await;
    open(&fixture, &[]).await.unwrap();
    assert_refused(reopen(&fixture, first).await, setting);
    assert!(fixture.found(first).await.resolved_at.is_some());
    let other = OrganisationFixture::new(&fixture.database, "other").await;
    open(&other, &[]).await.unwrap();
}

async fn components_of_unresolved_incidents_beyond_the_limit_are_refused(database: &Database) {
    let components = hundred_and_one(database).await;
    let fixture = limited(database, few_components()).await;
    let all: Vec<_> = components
        .iter()
        .map(|id| open_on(*id, ComponentStatus::Degraded))
        .collect();
    let setting = "ALLCLEAR_LIMIT_COMPONENTS";
    let first = open(&fixture, &all).await.unwrap();
    for _ in 0..8 {
        open(&fixture, &all).await.unwrap();
    }
    assert_refused(open(&fixture, &all).await, setting);
    let tenth = open(&fixture, &all[..91]).await.unwrap();
    let attach = async |number: usize| {
        let more = all[number..=number].to_vec();
        let rule = attaching(&more);
        let (database, organisation) = (&fixture.database, &fixture.id);
        IncidentStore::attach(database, organisation, tenth, more, rule).await
    };
    assert_refused(attach(91).await, setting);
    fixture.edit(first, set(IncidentStatus::Resolved)).await;
    attach(91).await.unwrap().unwrap();
    assert_refused(reopen(&fixture, first).await, setting);
}

async fn plan(
    fixture: &OrganisationFixture,
    components: &[ComponentId],
) -> Result<MaintenanceId, Error> {
    let create = maintenance_draft(clock().now() + TimeDelta::hours(1), None, components);
    let planned = MaintenanceStore::insert(&fixture.database, &fixture.id, create);
    Ok(planned.await?.state.maintenance.id)
}

async fn edit(
    fixture: &OrganisationFixture,
    id: MaintenanceId,
    patch: MaintenancePatch,
) -> Result<Committed<MaintenanceReport>, Error> {
    let rule = Box::new(move |found: Maintenance, stamp: Stamp| {
        Ok(found.edit(patch, true, stamp.wall_time)?)
    });
    let edited = MaintenanceStore::change(&fixture.database, &fixture.id, id, rule);
    Ok(edited.await?.unwrap())
}

fn with_status(status: MaintenanceStatus) -> MaintenancePatch {
    MaintenancePatch {
        status: Some(status),
        ..Default::default()
    }
}

async fn maintenances_beyond_the_limit_are_refused_until_others_are_over(database: &Database) {
    let limits = UsageLimits {
        maintenances: Some(2),
        ..UsageLimits::default()
    };
    let fixture = limited(database, limits).await;
    let setting = "ALLCLEAR_LIMIT_MAINTENANCES";
    let first = plan(&fixture, &[]).await.unwrap();
    plan(&fixture, &[]).await.unwrap();
    assert_refused(plan(&fixture, &[]).await, setting);
    // One that is over already does not count.
    let ago = |hours| clock().now() - TimeDelta::hours(hours);
    let over = maintenance_draft(ago(2), Some(ago(1)), &[]);
    let over = MaintenanceStore::insert(&fixture.database, &fixture.id, over);
    over.await.unwrap();
    let cancelled = with_status(MaintenanceStatus::Cancelled);
    edit(&fixture, first, cancelled).await.unwrap();
    plan(&fixture, &[]).await.unwrap();
    let restored = with_status(MaintenanceStatus::Scheduled);
    assert_refused(edit(&fixture, first, restored).await, setting);
}

async fn components_of_maintenances_beyond_the_limit_are_refused(database: &Database) {
    let components = hundred_and_one(database).await;
    let fixture = limited(database, few_components()).await;
    let setting = "ALLCLEAR_LIMIT_COMPONENTS";
    let first = plan(&fixture, &components).await.unwrap();
    for _ in 0..8 {
        plan(&fixture, &components).await.unwrap();
    }
    assert_refused(plan(&fixture, &components).await, setting);
    let tenth = plan(&fixture, &components[..91]).await.unwrap();
    let components_of = |number: usize| MaintenancePatch {
        components: Some(components[..number].to_vec()),
        ..Default::default()
    };
    assert_refused(edit(&fixture, tenth, components_of(92)).await, setting);
    edit(&fixture, first, components_of(100)).await.unwrap();
    edit(&fixture, tenth, components_of(92)).await.unwrap();
}
