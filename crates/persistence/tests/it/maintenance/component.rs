use allclear_application::component::ComponentStore;
use allclear_application::component_group::ComponentGroupStore;
use allclear_application::error::Error;
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore};
use allclear_application::outbox::Commit;
use allclear_application::page::Page;
use allclear_application::precondition::Precondition;
use allclear_application::stamp::Stamp;
use allclear_application::status_page::SnapshotStore;
use allclear_application::transition::{Committed, CreateTransition};
use allclear_domain::component::{Component, ComponentPatch, ComponentStatus};
use allclear_domain::component_group::{ComponentGroup, ComponentGroupPatch};
use allclear_domain::id::{ComponentGroupId, ComponentId, MaintenanceId, OrganisationId};
use allclear_domain::maintenance::{
    Maintenance, MaintenanceDraft, MaintenancePatch, MaintenanceStatus, NewEnd,
};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, from_str};

use super::{deletion, edit, in_days, notifying};
use crate::backend::{author, clock, organisation};
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, open_on};

contract!(
    maintenance_names_the_components_that_it_affects,
    component_of_another_organisation_is_refused_and_nothing_stored,
    deleted_component_keeps_its_name_in_maintenances,
    clock_begins_and_ends_the_maintenance_of_each_component_in_one_revision,
    clock_publishes_a_component_of_several_maintenances_once,
    commit_says_how_many_events_the_clock_will_publish_because_of_it,
    change_by_an_operator_begins_and_ends_the_maintenance_of_components,
    component_is_under_maintenance_until_none_of_its_maintenances_is_in_progress,
    group_is_under_maintenance_if_one_of_its_components_is,
    maintenance_leaves_the_status_of_its_components_and_their_versions,
    components_of_another_organisation_are_not_under_maintenance,
);

pub(crate) fn draft(
    start_at: DateTime<Utc>,
    end_at: Option<DateTime<Utc>>,
    components: &[ComponentId],
) -> CreateTransition<Maintenance> {
    let draft = MaintenanceDraft {
        title: "Move".into(),
        description: "d".into(),
        start_at,
        end_at,
        status: MaintenanceStatus::default(),
        notify: None,
        components: components.to_vec(),
    };
    Box::new(move |stamp| {
        let id = MaintenanceId(stamp.id);
        Ok(Maintenance::create(id, draft, notifying(stamp))?)
    })
}

/// Creates a maintenance that affects some components.
pub(crate) async fn plan(
    fixture: &OrganisationFixture,
    start_at: DateTime<Utc>,
    end_at: Option<DateTime<Utc>>,
    components: &[ComponentId],
) -> Committed<MaintenanceReport> {
    let create = draft(start_at, end_at, components);
    MaintenanceStore::insert(&fixture.database, &fixture.id, create)
        .await
        .unwrap()
}

fn replaced(components: &[ComponentId]) -> MaintenancePatch {
    MaintenancePatch {
        components: Some(components.to_vec()),
        ..Default::default()
    }
}

fn cancelled() -> MaintenancePatch {
    MaintenancePatch {
        status: Some(MaintenanceStatus::Cancelled),
        ..Default::default()
    }
}

fn names(report: &MaintenanceReport) -> Vec<&str> {
    let components = report.components.iter();
    components
        .map(|affected| affected.component.name.as_str())
        .collect()
}

/// The events of a commit: their names, and for a component its name with its flag.
fn event_names(commit: Option<Commit>) -> Vec<String> {
    let event = |event: &allclear_application::outbox::PublicEvent| {
        let args: Value = from_str(event.args.get()).unwrap();
        match args[0]["underMaintenance"].as_bool() {
            Some(flag) => format!("{} {flag}", args[0]["name"].as_str().unwrap()),
            None => event.name.clone(),
        }
    };
    commit.map_or(Vec::new(), |commit| {
        commit.events.iter().map(event).collect()
    })
}

async fn is_under_maintenance(fixture: &OrganisationFixture, id: ComponentId) -> bool {
    let found = ComponentStore::find(&fixture.database, &fixture.id, id).await;
    found.unwrap().unwrap().under_maintenance
}

/// The flags of the snapshot, by name.
async fn flags(
    database: &Database,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Vec<String> {
    let snapshot = database.snapshot(organisation, now).await.unwrap().unwrap();
    let mut flags: Vec<_> = snapshot
        .components
        .iter()
        .filter(|component| component.under_maintenance)
        .map(|component| component.name.clone())
        .collect();
    flags.sort();
    flags
}

async fn maintenance_names_the_components_that_it_affects(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let created = plan(&fixture, in_days(1), None, &[api, web]).await.state;
    let id = created.maintenance.id;
    assert_eq!(names(&created), ["Web", "API"]);
    let found = super::find(database, &fixture.id, id).await.unwrap();
    assert_eq!(found.components, created.components);
    let code = api.code().to_string();
    assert_eq!(found.components[1].component.code, code);
    let listed = MaintenanceStore::list(database, &fixture.id, Page::default()).await;
    assert_eq!(listed.unwrap().items[0].components, created.components);
    let snapshot = database.snapshot(&fixture.id, clock().now()).await;
    let shown = snapshot.unwrap().unwrap().maintenances.pop().unwrap();
    assert_eq!(shown.components, created.components);
    let replaced_by = edit(database, &fixture.id, id, replaced(&[web])).await;
    assert_eq!(names(&replaced_by.state), ["Web"]);
    let same = edit(database, &fixture.id, id, replaced(&[web])).await;
    assert!(same.commit.is_none());
    let emptied = edit(database, &fixture.id, id, replaced(&[])).await;
    assert!(emptied.state.components.is_empty());
    assert_eq!(event_names(emptied.commit), ["maintenance-updated"]);
}

async fn component_of_another_organisation_is_refused_and_nothing_stored(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let theirs = OrganisationFixture::new(database, "other")
        .await
        .component("API")
        .await;
    let web = fixture.component("Web").await;
    let result = MaintenanceStore::insert(
        database,
        &fixture.id,
        draft(in_days(1), None, &[web, theirs]),
    )
    .await;
    let Err(Error::Invalid(invalid)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(invalid.errors[0].field, "components[1]");
    assert_eq!(invalid.errors[0].message, "This component does not exist");
    let listed = MaintenanceStore::list(database, &fixture.id, Page::default()).await;
    assert!(listed.unwrap().items.is_empty());
    let planned = plan(&fixture, in_days(1), None, &[web]).await.state;
    let patch = MaintenancePatch {
        title: Some("Other".into()),
        ..replaced(&[theirs])
    };
    let rule = Box::new(move |found: Maintenance, stamp: Stamp| {
        Ok(found.edit(patch, true, stamp.wall_time)?)
    });
    let id = planned.maintenance.id;
    let result = MaintenanceStore::change(database, &fixture.id, id, rule).await;
    assert!(matches!(result, Err(Error::Invalid(_))));
    let found = super::find(database, &fixture.id, id).await.unwrap();
    assert_eq!(
        (found.maintenance.title.as_str(), names(&found)),
        ("Move", vec!["Web"])
    );
}

async fn deleted_component_keeps_its_name_in_maintenances(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let started = plan(&fixture, in_days(-1), None, &[api, web]).await.state;
    let id = started.maintenance.id;
    fixture.delete_component(api).await;
    let found = super::find(database, &fixture.id, id).await.unwrap();
    assert_eq!(names(&found), ["Web", "API"]);
    // What is read may be sent back.
    let same = edit(database, &fixture.id, id, replaced(&[web, api])).await;
    assert!(same.commit.is_none());
    let ended = edit(database, &fixture.id, id, cancelled()).await;
    assert_eq!(
        event_names(ended.commit),
        ["maintenance-updated", "Web false"]
    );
    edit(database, &fixture.id, id, replaced(&[web])).await;
    let rule = Box::new(move |found: Maintenance, stamp: Stamp| {
        Ok(found.edit(replaced(&[api]), true, stamp.wall_time)?)
    });
    let result = MaintenanceStore::change(database, &fixture.id, id, rule).await;
    assert!(matches!(result, Err(Error::Invalid(_))));
}

async fn clock_begins_and_ends_the_maintenance_of_each_component_in_one_revision(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    fixture.component("Mail").await;
    let (start, end) = (in_days(1), in_days(2));
    let after = end + TimeDelta::milliseconds(1);
    let planned = plan(&fixture, start, Some(end), &[api, web]).await;
    assert_eq!(event_names(planned.commit), ["new-maintenance"]);
    let before = start - TimeDelta::milliseconds(1);
    assert_eq!(flags(database, &fixture.id, before).await, [""; 0]);
    // The page knows it before the scheduler has published it.
    assert_eq!(flags(database, &fixture.id, start).await, ["API", "Web"]);
    let started = database.publish_due(&fixture.id, start).await.unwrap();
    assert_eq!(
        event_names(started),
        ["maintenance-updated", "API true", "Web true"]
    );
    let again = database.publish_due(&fixture.id, start).await.unwrap();
    assert_eq!(event_names(again), [""; 0]);
    assert_eq!(flags(database, &fixture.id, end).await, ["API", "Web"]);
    let over = database.publish_due(&fixture.id, after).await.unwrap();
    assert_eq!(
        event_names(over),
        ["maintenance-updated", "API false", "Web false"]
    );
    assert_eq!(flags(database, &fixture.id, after).await, [""; 0]);
}

async fn clock_publishes_a_component_of_several_maintenances_once(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let mut components = Vec::new();
    // Three times as many do not fit in one statement.
    for number in 0..400 {
        components.push(fixture.component(&format!("API {number}")).await);
    }
    let start = in_days(1);
    for _ in 0..3 {
        plan(&fixture, start, None, &components).await;
    }
    let started = database.publish_due(&fixture.id, start).await.unwrap();
    let mut expected = vec!["maintenance-updated".to_owned(); 3];
    expected.extend((0..400).map(|number| format!("API {number} true")));
    assert_eq!(event_names(started), expected);
}

async fn commit_says_how_many_events_the_clock_will_publish_because_of_it(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let scheduled = |commit: Option<Commit>| commit.map(|commit| commit.scheduled_events);
    let planned = plan(&fixture, in_days(1), Some(in_days(3)), &[api]).await;
    let id = planned.state.maintenance.id;
    assert_eq!(scheduled(planned.commit), Some(4));
    let moved = MaintenancePatch {
        start_at: Some(in_days(2)),
        ..Default::default()
    };
    let restored = MaintenancePatch {
        status: Some(MaintenanceStatus::Scheduled),
        ..Default::default()
    };
    for (patch, expected) in [
        (moved, 0),
        (replaced(&[api, web]), 2),
        (cancelled(), 0),
        (restored, 6),
    ] {
        let edited = edit(database, &fixture.id, id, patch).await;
        assert_eq!(scheduled(edited.commit), Some(expected));
    }
    // What the clock has published is not scheduled again.
    let begun = MaintenanceStore::publish_due(database, &fixture.id, in_days(2)).await;
    assert_eq!(scheduled(begun.unwrap()), Some(0));
}

async fn change_by_an_operator_begins_and_ends_the_maintenance_of_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let started = plan(&fixture, in_days(-1), None, &[api]).await;
    let id = started.state.maintenance.id;
    assert_eq!(event_names(started.commit), ["new-maintenance", "API true"]);
    let changed = edit(database, &fixture.id, id, replaced(&[web])).await;
    let expected = ["maintenance-updated", "API false", "Web true"];
    assert_eq!(event_names(changed.commit), expected);
    let ended = MaintenancePatch {
        end_at: Some(NewEnd::At(clock().now())),
        ..Default::default()
    };
    let ended = edit(database, &fixture.id, id, ended).await;
    assert_eq!(
        event_names(ended.commit),
        ["maintenance-updated", "Web false"]
    );
    let reopened = MaintenancePatch {
        end_at: Some(NewEnd::Open),
        ..Default::default()
    };
    let reopened = edit(database, &fixture.id, id, reopened).await;
    assert_eq!(
        event_names(reopened.commit),
        ["maintenance-updated", "Web true"]
    );
    let cancelled = edit(database, &fixture.id, id, cancelled()).await;
    assert_eq!(
        event_names(cancelled.commit),
        ["maintenance-updated", "Web false"]
    );
    let restored = MaintenancePatch {
        status: Some(MaintenanceStatus::Scheduled),
        ..Default::default()
    };
    edit(database, &fixture.id, id, restored).await;
    assert!(is_under_maintenance(&fixture, web).await);
    let any = Precondition::Any;
    let deleted = MaintenanceStore::delete(database, &fixture.id, id, any, deletion()).await;
    let deleted = deleted.unwrap().unwrap();
    assert_eq!(
        event_names(deleted.commit),
        ["maintenance-deleted", "Web false"]
    );
    assert!(!is_under_maintenance(&fixture, web).await);
}

async fn component_is_under_maintenance_until_none_of_its_maintenances_is_in_progress(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let first = plan(&fixture, in_days(-1), None, &[api]).await.state;
    let second = plan(&fixture, in_days(-2), None, &[api]).await.state;
    let ended = edit(database, &fixture.id, first.maintenance.id, cancelled()).await;
    assert_eq!(
        event_names(ended.commit),
        ["maintenance-updated", "API true"]
    );
    assert!(is_under_maintenance(&fixture, api).await);
    edit(database, &fixture.id, second.maintenance.id, cancelled()).await;
    assert!(!is_under_maintenance(&fixture, api).await);
}

async fn group_is_under_maintenance_if_one_of_its_components_is(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, _) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let name = ComponentGroupPatch {
        name: Some("Core".into()),
        ..Default::default()
    };
    let create: CreateTransition<ComponentGroup> = Box::new(move |stamp| {
        let id = ComponentGroupId(stamp.id);
        Ok(ComponentGroup::create(id, name, stamp.committed_at)?)
    });
    let created = ComponentGroupStore::insert(database, &fixture.id, create).await;
    let group = created.unwrap().state.group.id;
    let patch = ComponentPatch {
        group: Some(Some(group)),
        ..Default::default()
    };
    let rule = Box::new(move |component: Component, stamp: Stamp| {
        Ok(component.edit(patch, stamp.zone, stamp.committed_at)?)
    });
    ComponentStore::change(database, &fixture.id, api, rule, author())
        .await
        .unwrap();
    let flag = async || {
        let found = ComponentGroupStore::find(database, &fixture.id, group).await;
        found.unwrap().unwrap().under_maintenance
    };
    assert!(!flag().await);
    let started = plan(&fixture, in_days(-1), None, &[api]).await.state;
    assert!(flag().await);
    let snapshot = database.snapshot(&fixture.id, clock().now()).await;
    assert!(snapshot.unwrap().unwrap().groups[0].under_maintenance);
    edit(database, &fixture.id, started.maintenance.id, cancelled()).await;
    assert!(!flag().await);
}

async fn maintenance_leaves_the_status_of_its_components_and_their_versions(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    fixture
        .set_by_hand(api, ComponentStatus::PartialOutage)
        .await;
    let before = fixture.found_component(api).await;
    let started = plan(&fixture, in_days(-1), None, &[api]).await;
    assert_eq!(event_names(started.commit), ["new-maintenance", "API true"]);
    assert_eq!(fixture.found_component(api).await, before);
    // The flag stays in what other changes publish.
    let affected = open_on(api, ComponentStatus::MajorOutage);
    fixture.open("Down", &[affected]).await;
    let (name, args) = super::events(database, &fixture.id).await.pop().unwrap();
    assert_eq!(name, "component-update");
    assert!(args.contains(r#""status":"MAJOR_OUTAGE","underMaintenance":true"#));
    let snapshot = database.snapshot(&fixture.id, clock().now()).await;
    assert!(!snapshot.unwrap().unwrap().banner.unwrap().operational);
}

async fn components_of_another_organisation_are_not_under_maintenance(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let started = plan(&fixture, in_days(-1), None, &[api]).await.state;
    let other = organisation(database, "other").await;
    let create = draft(in_days(-1), None, &[api]);
    let result = MaintenanceStore::insert(database, &other, create).await;
    assert!(matches!(result, Err(Error::Invalid(_))));
    edit(database, &fixture.id, started.maintenance.id, cancelled()).await;
    assert!(!is_under_maintenance(&fixture, api).await);
}
