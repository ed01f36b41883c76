//! Lists with a maximum length do not read the rows beyond it. Here such a row has a time or a list
//! that cannot be read, so a query that reads it fails.

use allclear_application::dashboard::{DashboardStore, MAX_ITEMS, ShownChanges};
use allclear_application::operator_mail::OperatorMailStore;
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::status_page::SnapshotStore;
use allclear_application::status_page::incident::TIMELINE_LENGTH;
use allclear_application::statuspage_api::{AFFECTED_BYTES, StatuspageStateStore};
use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_domain::reminder::OpenIncident;
use allclear_domain::statuspage_entry::StatuspageEntry;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use sea_orm::{ConnectionTrait, DbBackend};

use crate::backend::clock;
use crate::contract;
use crate::maintenance::component::plan;
use crate::maintenance::{create, record};
use crate::operator_mail::remind_after;
use crate::organisation_fixture::{OrganisationFixture, open_on};

contract!(by url:
    dashboard_reads_only_the_incidents_that_it_shows,
    dashboard_reads_only_the_maintenances_that_it_shows,
    reminders_read_only_the_newest_incidents_of_an_organisation,
    outbox_is_read_only_up_to_a_size,
    programs_read_only_the_lists_of_components_that_fit,
    timelines_read_only_the_updates_that_they_show,
);

async fn fixture(url: &str) -> OrganisationFixture {
    let database = Database::connect(url, clock()).await.unwrap();
    OrganisationFixture::new(&database, "acme").await
}

/// Makes the time of creation of a row unreadable.
async fn damage(url: &str, table: &str, condition: &str) {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let time = match connection.get_database_backend() {
        DbBackend::Sqlite => "damaged",
        _ => "infinity",
    };
    let update = format!("UPDATE {table} SET created_at = '{time}' WHERE {condition}");
    let updated = connection.execute_unprepared(&update).await.unwrap();
    assert_eq!(updated.rows_affected(), 1);
    connection.close().await.unwrap();
}

async fn dashboard_reads_only_the_incidents_that_it_shows(url: &str) {
    let fixture = fixture(url).await;
    let mut opened = Vec::new();
    for number in 0..=MAX_ITEMS {
        opened.push(fixture.open(&format!("Down {number}"), &[]).await.id);
    }
    damage(url, "incidents", "title = 'Down 0'").await;
    let now = clock().now();
    let found = fixture
        .database
        .dashboard(&fixture.id, ShownChanges::OfContent, now, now)
        .await;
    let found = found.unwrap().unwrap().incidents;
    let shown: Vec<_> = found.iter().map(|report| report.incident.id).collect();
    let newest_first: Vec<_> = opened[1..].iter().rev().copied().collect();
    assert_eq!(shown, newest_first);
}

async fn dashboard_reads_only_the_maintenances_that_it_shows(url: &str) {
    let fixture = fixture(url).await;
    let start = clock().now() + TimeDelta::hours(1);
    let mut planned = Vec::new();
    for number in 0..=i64::try_from(MAX_ITEMS).unwrap() {
        // Two at a time start together. The last one to start is created first.
        let start_at = start - TimeDelta::seconds(number / 2);
        let planned_one = create(&fixture.database, &fixture.id, start_at, None).await;
        planned.push((planned_one.start_at, planned_one.id));
    }
    planned.sort_unstable();
    let last = planned.pop().unwrap().1;
    let last_code = last.code();
    damage(url, "maintenances", &format!("code = '{last_code}'")).await;
    let now = clock().now();
    let found = fixture
        .database
        .dashboard(&fixture.id, ShownChanges::OfContent, now, now)
        .await;
    let found = found.unwrap().unwrap().maintenances;
    let shown: Vec<_> = found
        .iter()
        .map(|report| (report.maintenance.start_at, report.maintenance.id))
        .collect();
    assert_eq!(shown, planned);
}

async fn reminders_read_only_the_newest_incidents_of_an_organisation(url: &str) {
    let fixture = fixture(url).await;
    remind_after(&fixture, 1).await;
    for number in 0..=OpenIncident::REMINDED {
        fixture.open(&format!("Down {number}"), &[]).await;
    }
    damage(url, "incidents", "title = 'Down 0'").await;
    let later = clock().now() + TimeDelta::hours(2);
    let reminded = fixture.database.queue_reminders(later).await.unwrap();
    assert_eq!(reminded, OpenIncident::REMINDED as u64);
}

async fn outbox_is_read_only_up_to_a_size(url: &str) {
    let fixture = fixture(url).await;
    for title in ["One", "Two", "Three"] {
        fixture.open(title, &[]).await;
    }
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let space = " ".repeat(1024 * 1024);
    let update = format!("UPDATE outbox SET events = events || '{space}' WHERE revision = 1");
    connection.execute_unprepared(&update).await.unwrap();
    connection.close().await.unwrap();
    damage(url, "outbox", "revision = 2").await;
    let (begin, end) = (Revision(0), Revision(3));
    let between = fixture
        .database
        .between(&fixture.id, begin, end, 1024 * 1024);
    assert!(matches!(between.await, Ok(None)), "they are not read");
    let after = fixture.database.after(&fixture.id, begin, 10).await;
    let Ok(Backlog::Commits(commits)) = after else {
        panic!("{after:?}")
    };
    let revisions: Vec<_> = commits.iter().map(|commit| commit.revision).collect();
    assert_eq!(revisions, [Revision(1)]);
}

/// Puts a list that is too large into a column.
async fn enlarge(url: &str, table: &str, column: &str, condition: &str) {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let list = "x".repeat(AFFECTED_BYTES + 1);
    let update = format!("UPDATE {table} SET {column} = '{list}' WHERE {condition}");
    let updated = connection.execute_unprepared(&update).await.unwrap();
    assert_eq!(updated.rows_affected(), 1);
    connection.close().await.unwrap();
}

async fn programs_read_only_the_lists_of_components_that_fit(url: &str) {
    let fixture = fixture(url).await;
    let api = fixture.component("API").await;
    let attached = [open_on(api, ComponentStatus::Degraded)];
    let incident = fixture.open("Down", &attached).await.id;
    for message in ["One", "Two"] {
        fixture
            .record(incident, IncidentStatus::Identified, message)
            .await;
    }
    let start = clock().now() + TimeDelta::hours(1);
    let planned = plan(&fixture, start, None, &[api])
        .await
        .state
        .maintenance
        .id;
    record(&fixture.database, &fixture.id, planned, "One").await;
    let shown = async || {
        let now = clock().now();
        let state = fixture.database.statuspage_state(&fixture.id, now).await;
        let state = state.unwrap().unwrap();
        let incident = state.incidents[0].entries.iter();
        let maintenance = state.maintenances[0].entries.iter();
        let has_list = |entry: &StatuspageEntry| entry.affected.is_some();
        (
            incident.map(has_list).collect::<Vec<_>>(),
            maintenance.map(has_list).collect::<Vec<_>>(),
        )
    };
    assert_eq!(shown().await, (vec![true; 3], vec![true; 2]));

    enlarge(url, "incident_updates", "affected_after", "message = 'One'").await;
    enlarge(
        url,
        "maintenance_updates",
        "affected_before",
        "message = 'One'",
    )
    .await;
    let without = (vec![true, false, true], vec![false, true]);
    assert_eq!(shown().await, without);

    enlarge(url, "incidents", "affected_before", "title = 'Down'").await;
    enlarge(url, "maintenances", "affected_at_start", "title = 'Move'").await;
    let without = (vec![true, false, false], vec![false, false]);
    assert_eq!(shown().await, without);
}

async fn timelines_read_only_the_updates_that_they_show(url: &str) {
    let fixture = fixture(url).await;
    let incident = fixture.open("Down", &[]).await.id;
    // One more is read, to know that there are older ones.
    for number in 0..TIMELINE_LENGTH + 2 {
        fixture
            .record(incident, IncidentStatus::Identified, &number.to_string())
            .await;
    }
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let at_one_time =
        "UPDATE incident_updates SET display_at = (SELECT MIN(display_at) FROM incident_updates)";
    connection.execute_unprepared(at_one_time).await.unwrap();
    connection.close().await.unwrap();
    damage(url, "incident_updates", "message = '0'").await;
    let snapshot = fixture.database.snapshot(&fixture.id, clock().now()).await;
    let shown = &snapshot.unwrap().unwrap().incidents[0];
    assert!(shown.timeline_truncated);
    assert_eq!(shown.timeline.len() as u64, TIMELINE_LENGTH);
}
