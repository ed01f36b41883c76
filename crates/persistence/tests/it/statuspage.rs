//! The state from which the Statuspage API, feeds and webhooks are drawn.

use allclear_application::maintenance::MaintenanceStore;
use allclear_application::review::ReviewStore;
use allclear_application::statuspage_api::{
    AFFECTED_BYTES, LISTED, StatuspageState, StatuspageStateStore,
};
use allclear_application::transition::Transition;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::{Maintenance, MaintenancePatch, MaintenanceStatus, NewEnd};
use allclear_domain::review::{IncidentAndReview, Review};
use allclear_domain::rollup::PublicStatus;
use allclear_domain::statuspage_entry::{StatuspageAffectedComponent, StatuspageEntry};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::{clock, next_millisecond, organisation};
use crate::contract;
use crate::maintenance;
use crate::organisation_fixture::{OrganisationFixture, open_on, set};

contract!(
    entries_have_the_components_of_their_time,
    a_status_set_without_an_update_has_the_components_that_are_attached_now,
    an_entry_has_all_components_with_usual_names_and_those_that_fit_with_long_ones,
    only_the_newest_entries_have_components_if_there_are_very_many,
    a_maintenance_counts_only_for_others_in_what_is_stored,
    clock_stores_the_components_of_begin_and_end,
    newest_and_open_things_are_read_and_others_belong_to_others,
    time_of_a_maintenance_does_not_go_back_with_a_deleted_update,
    time_of_an_incident_does_not_go_back_with_a_deleted_update_or_review,
);

fn now() -> DateTime<Utc> {
    clock().now()
}

async fn state(database: &Database, organisation: &OrganisationId) -> StatuspageState {
    let found = database.statuspage_state(organisation, now()).await;
    found.unwrap().unwrap()
}

/// Name, old and new status of each component.
fn moves(
    affected: Option<&Vec<StatuspageAffectedComponent>>,
) -> Vec<(&str, PublicStatus, PublicStatus)> {
    let affected = affected.into_iter().flatten();
    affected
        .map(|one| (one.name.as_str(), one.old_status, one.new_status))
        .collect()
}

async fn plan(
    fixture: &OrganisationFixture,
    start_at: DateTime<Utc>,
    components: &[ComponentId],
) -> Maintenance {
    let planned = maintenance::component::plan(fixture, start_at, None, components).await;
    planned.state.maintenance
}

async fn entries_have_the_components_of_their_time(database: &Database) {
    use PublicStatus::{MajorOutage, Operational, PartialOutage, UnderMaintenance};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    plan(&fixture, now() - TimeDelta::hours(1), &[web]).await;
    let attached = [
        open_on(api, ComponentStatus::MajorOutage),
        open_on(web, ComponentStatus::PartialOutage),
    ];
    let incident = fixture.open("Down", &attached).await;
    fixture
        .record(incident.id, IncidentStatus::Monitoring, "Better")
        .await;
    fixture.detach(incident.id, web).await;
    fixture
        .record(incident.id, IncidentStatus::Resolved, "Over")
        .await;
    let bare = fixture.open("Without components", &[]).await;
    fixture
        .record(bare.id, IncidentStatus::Identified, "Found")
        .await;

    let state = state(database, &fixture.id).await;
    let [without, record] = &state.incidents[..] else {
        panic!("two incidents: {:?}", state.incidents);
    };
    let of = |index: usize| moves(record.entries[index].affected.as_ref());
    assert_eq!(of(0), [("API", MajorOutage, Operational)]);
    assert_eq!(
        of(1),
        [
            ("API", MajorOutage, MajorOutage),
            ("Web", PartialOutage, PartialOutage)
        ]
    );
    assert_eq!(
        of(2),
        [
            ("API", Operational, MajorOutage),
            ("Web", UnderMaintenance, PartialOutage)
        ]
    );
    assert_eq!(record.components, [api]);
    assert_eq!(record.impacts, [open_on(api, ComponentStatus::MajorOutage)]);
    assert!(record.incident.monitoring_at.is_some());
    assert!(without.entries.iter().all(|entry| entry.affected.is_none()));
}

async fn a_status_set_without_an_update_has_the_components_that_are_attached_now(
    database: &Database,
) {
    use PublicStatus::{Degraded, MajorOutage, Operational, PartialOutage};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let major = [open_on(api, ComponentStatus::MajorOutage)];
    let ended = fixture.open("Down", &major).await;
    fixture
        .attach(ended.id, web, ComponentStatus::Degraded)
        .await;
    let partial = [open_on(api, ComponentStatus::PartialOutage)];
    let open = fixture.open("Down in part", &partial).await;
    fixture.edit(ended.id, set(IncidentStatus::Resolved)).await;
    fixture.edit(open.id, set(IncidentStatus::Monitoring)).await;
    let state = state(database, &fixture.id).await;
    let of = |record: usize| moves(state.incidents[record].entries[0].affected.as_ref());
    assert_eq!(
        of(0),
        [("API", PartialOutage, PartialOutage)],
        "the incident is open"
    );
    assert_eq!(
        of(1),
        [
            ("API", MajorOutage, PartialOutage),
            ("Web", Degraded, Operational)
        ]
    );
}

/// Components whose names have this many bytes, which must be a multiple of 4.
async fn many_components(
    fixture: &OrganisationFixture,
    count: usize,
    bytes: usize,
) -> Vec<Attachment> {
    let mut attached = Vec::new();
    for number in 0..count {
        let name = format!("{number:04}{}", "😀".repeat(bytes / 4 - 1));
        let component = fixture.component(&name).await;
        attached.push(open_on(component, ComponentStatus::Degraded));
    }
    attached
}

async fn an_entry_has_all_components_with_usual_names_and_those_that_fit_with_long_ones(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let usual = many_components(&fixture, 250, 80).await;
    fixture.open("Down", &usual).await;
    let other = OrganisationFixture::new(database, "other").await;
    let long = many_components(&other, 150, 788).await;
    other.open("Down", &long).await;
    // Each has its name and 64 bytes: 852 bytes.
    for (fixture, expected) in [(fixture, 250), (other, 100_000 / 852)] {
        let state = state(database, &fixture.id).await;
        let affected = moves(state.incidents[0].entries[0].affected.as_ref());
        let names = affected.iter().map(|(name, ..)| &name[..4]);
        let oldest = (0..expected).map(|number| format!("{number:04}"));
        assert!(names.eq(oldest), "{affected:?}");
    }
}

async fn only_the_newest_entries_have_components_if_there_are_very_many(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let attached = many_components(&fixture, 110, 788).await;
    let older = fixture.open("Older", &attached).await;
    fixture
        .record(older.id, IncidentStatus::Identified, "Found")
        .await;
    let incident = fixture.open("Down", &attached).await;
    for _ in 0..50 {
        fixture
            .record(incident.id, IncidentStatus::Identified, "Found")
            .await;
    }
    let state = state(database, &fixture.id).await;
    let [record, older] = &state.incidents[..] else {
        panic!("two incidents: {:?}", state.incidents);
    };
    assert_eq!((record.entries.len(), older.entries.len()), (51, 2));
    let has_list = |entry: &&StatuspageEntry| entry.affected.is_some();
    let listed = record.entries[..50].iter().take_while(has_list).count();
    let all = record.entries.iter().chain(&older.entries);
    let affected = all.filter_map(|entry| entry.affected.as_ref());
    let lists: Vec<_> = affected.collect();
    assert!(lists.iter().all(|list| list.len() == 110));
    assert_eq!(lists.len(), 2 + listed);
    // The descriptions of both have a list before and one after. Each component has about 850
    // bytes, fewer on SQLite.
    let stored = 4 + listed;
    let expected = AFFECTED_BYTES / (110 * 850);
    assert!(stored.abs_diff(expected) <= 2, "{stored} {expected}");
}

async fn a_maintenance_counts_only_for_others_in_what_is_stored(database: &Database) {
    use PublicStatus::{Operational, UnderMaintenance};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let started = plan(&fixture, now() - TimeDelta::hours(1), &[api]).await;
    plan(&fixture, now() + TimeDelta::hours(1), &[api]).await;
    maintenance::record(database, &fixture.id, started.id, "Half way").await;
    let state = state(database, &fixture.id).await;
    let of = |record: usize, entry: usize| {
        moves(state.maintenances[record].entries[entry].affected.as_ref())
    };
    assert_eq!(of(1, 0), [("API", UnderMaintenance, UnderMaintenance)]);
    assert_eq!(of(1, 1), [("API", Operational, UnderMaintenance)]);
    assert_eq!(of(1, 2), [("API", Operational, Operational)]);
    assert_eq!(of(0, 0), [("API", UnderMaintenance, UnderMaintenance)]);
}

async fn clock_stores_the_components_of_begin_and_end(database: &Database) {
    use PublicStatus::{Operational, UnderMaintenance};
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let start = now() + TimeDelta::hours(1);
    let planned = plan(&fixture, start, &[api]).await;
    let end = start + TimeDelta::hours(1);
    let patch = MaintenancePatch {
        end_at: Some(NewEnd::At(end)),
        ..Default::default()
    };
    maintenance::edit(database, &fixture.id, planned.id, patch).await;
    for time in [start, end + TimeDelta::seconds(1)] {
        let published = MaintenanceStore::publish_due(database, &fixture.id, time).await;
        assert!(published.unwrap().is_some());
    }
    let later = end + TimeDelta::seconds(1);
    let state = database
        .statuspage_state(&fixture.id, later)
        .await
        .unwrap()
        .unwrap();
    let record = &state.maintenances[0];
    assert_eq!(record.status, MaintenanceStatus::Completed);
    let of = |entry: usize| moves(record.entries[entry].affected.as_ref());
    assert_eq!(of(0), [("API", UnderMaintenance, Operational)]);
    assert_eq!(of(1), [("API", Operational, UnderMaintenance)]);
    assert_eq!(record.maintenance.reschedules, 1);
}

async fn newest_and_open_things_are_read_and_others_belong_to_others(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    other.open("Theirs", &[]).await;
    plan(&other, now(), &[]).await;
    let open = fixture.open("Open", &[]).await;
    let first = plan(&fixture, now() + TimeDelta::days(9), &[]).await;
    for _ in 0..LISTED {
        let over = fixture.open("Over", &[]).await;
        fixture.edit(over.id, set(IncidentStatus::Resolved)).await;
        let start = now() - TimeDelta::days(100);
        let end = Some(start + TimeDelta::hours(1));
        maintenance::create(database, &fixture.id, start, end).await;
    }
    let state = state(database, &fixture.id).await;
    assert_eq!(state.incidents.len(), LISTED + 1);
    let unresolved: Vec<_> = state
        .unresolved_incidents()
        .map(|one| one.incident.id)
        .collect();
    assert_eq!(unresolved, [open.id]);
    assert!(
        state
            .recent_incidents()
            .all(|one| one.incident.id != open.id)
    );
    assert_eq!(state.maintenances.len(), LISTED + 1);
    let upcoming = state.maintenances_of(MaintenanceStatus::Scheduled);
    assert_eq!(upcoming[0].maintenance.id, first.id);
    let titles = state
        .records()
        .into_iter()
        .map(|record| record.title().to_owned());
    assert!(titles.into_iter().all(|title| title != "Theirs"));

    // What ended last is read however long ago it was created.
    fixture.edit(open.id, set(IncidentStatus::Resolved)).await;
    let ended = MaintenancePatch {
        start_at: Some(now() - TimeDelta::hours(2)),
        end_at: Some(NewEnd::At(now() - TimeDelta::seconds(1))),
        ..Default::default()
    };
    maintenance::edit(database, &fixture.id, first.id, ended).await;
    let state = self::state(database, &fixture.id).await;
    let is_read = |id| state.incidents.iter().any(|one| one.incident.id == id);
    assert!(is_read(open.id) && state.incidents.len() == LISTED + 1);
    let is_read = |id| {
        state
            .maintenances
            .iter()
            .any(|one| one.maintenance.id == id)
    };
    assert!(is_read(first.id) && state.maintenances.len() == LISTED + 1);

    let nobody = organisation(database, "nobody").await;
    let empty = database
        .statuspage_state(&nobody, now())
        .await
        .unwrap()
        .unwrap();
    assert!(empty.incidents.is_empty() && empty.updated_at > DateTime::UNIX_EPOCH);
    let unknown = OrganisationId::parse("unknown").unwrap();
    assert!(
        database
            .statuspage_state(&unknown, now())
            .await
            .unwrap()
            .is_none()
    );
}

async fn time_of_a_maintenance_does_not_go_back_with_a_deleted_update(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let id = plan(&fixture, now() + TimeDelta::days(1), &[]).await.id;
    let updated_at = async || state(database, &fixture.id).await.maintenances[0].updated_at();
    let planned_at = updated_at().await;
    next_millisecond().await;
    let update = maintenance::record(database, &fixture.id, id, "Soon").await;
    let recorded_at = updated_at().await;
    assert!(recorded_at > planned_at);
    let (ids, rule) = (vec![update.id], maintenance::deleting(vec![update.id]));
    let deleted = MaintenanceStore::delete_updates(database, &fixture.id, id, ids, rule).await;
    deleted.unwrap().unwrap();
    assert!(updated_at().await >= recorded_at);
}

async fn time_of_an_incident_does_not_go_back_with_a_deleted_update_or_review(database: &Database) {
    type Rule = Transition<IncidentAndReview, Option<Review>>;

    let fixture = OrganisationFixture::new(database, "acme").await;
    let id = fixture.open("Down", &[]).await.id;
    let updated_at = async || state(database, &fixture.id).await.incidents[0].updated_at();
    let opened_at = updated_at().await;
    next_millisecond().await;
    let wrong = fixture.record(id, IncidentStatus::Identified, "Wrong");
    let wrong = wrong.await.id;
    let recorded_at = updated_at().await;
    assert!(recorded_at > opened_at);
    fixture.delete_update(id, wrong).await;
    assert!(updated_at().await >= recorded_at);

    fixture.record(id, IncidentStatus::Resolved, "Over").await;
    let change = async |rule: Rule| {
        let changed = database.change_review(&fixture.id, id, rule).await;
        changed.unwrap().unwrap();
    };
    next_millisecond().await;
    change(Box::new(|found, stamp| {
        Ok(found.write("Why".into(), stamp.committed_at)?.map(Some))
    }))
    .await;
    let resolved_at = updated_at().await;
    change(Box::new(|found, stamp| {
        Ok(found.publish(stamp.committed_at).unwrap().map(Some))
    }))
    .await;
    let published_at = updated_at().await;
    assert!(published_at > resolved_at);
    change(Box::new(|found, _| {
        Ok(found.delete().unwrap().map(|()| None))
    }))
    .await;
    assert!(updated_at().await >= published_at);
}
