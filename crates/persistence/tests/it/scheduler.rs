use std::sync::Arc;

use allclear_application::clock::{SharedClock, TestClock};
use allclear_application::maintenance::MaintenanceStore;
use allclear_application::outbox::{Backlog, Outbox};
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::{MaintenancePatch, MaintenanceStatus, NewEnd};
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Barrier;

use crate::backend::{clock, organisation, sqlite_url};
use crate::contract;
use crate::maintenance::{create, edit, events, record};

contract!(
    each_change_of_the_clock_is_published_once_at_its_time,
    schedulers_that_race_publish_each_change_once,
    an_edit_moves_what_is_due,
    change_by_an_operator_is_not_published_again,
    more_changes_than_fit_one_transaction_are_all_published,
    maintenance_that_begins_and_ends_between_two_polls_is_published_once,
    a_clock_that_jumps_publishes_nothing_twice_and_loses_no_end,
);

fn in_an_hour() -> DateTime<Utc> {
    clock().now() + TimeDelta::hours(1)
}

async fn publish_due(
    database: &Database,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Vec<String> {
    let commit = database.publish_due(organisation, now).await.unwrap();
    commit.map_or(Vec::new(), |commit| {
        commit
            .events
            .iter()
            .map(|event| event.args.get().to_owned())
            .collect()
    })
}

const TICK: TimeDelta = TimeDelta::milliseconds(1);

/// How far the schedule of a node is ahead whose clock is ahead by a day.
async fn schedule_ahead(url: &str) -> TimeDelta {
    let ahead = TestClock::system();
    ahead.advance(TimeDelta::days(1));
    let database = Database::connect(url, ahead).await.unwrap();
    let time = database.shared_time().await.unwrap();
    database.close().await.unwrap();
    time - clock().now()
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_on_postgresql_share_the_time_of_the_schedule_whatever_their_clocks_say() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    let ahead = schedule_ahead(&url).await;
    assert!(ahead.abs() < TimeDelta::hours(1), "{ahead}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_only_node_on_sqlite_has_the_time_of_the_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let ahead = schedule_ahead(&sqlite_url(&folder)).await;
    assert!(ahead > TimeDelta::hours(23), "{ahead}");
}

#[tokio::test(flavor = "multi_thread")]
async fn saves_of_a_node_whose_clock_is_ahead_begin_no_maintenance() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    let ahead = TestClock::system();
    ahead.advance(TimeDelta::days(1));
    let database = &Database::connect(&url, ahead).await.unwrap();
    let acme = organisation(database, "acme").await;
    let start = in_an_hour();
    let planned = create(database, &acme, start, None).await.id;
    let patch = MaintenancePatch {
        title: Some("Move again".into()),
        ..Default::default()
    };
    let edited = edit(database, &acme, planned, patch).await.state;
    assert_eq!(edited.status(), MaintenanceStatus::Scheduled);
    record(database, &acme, planned, "Soon").await;
    assert_eq!(database.next_change().await.unwrap(), Some(start));
    let started = publish_due(database, &acme, start).await;
    assert!(
        started.len() == 1 && started[0].contains("IN_PROGRESS"),
        "{started:?}"
    );
}

async fn each_change_of_the_clock_is_published_once_at_its_time(database: &Database) {
    let (acme, other) = (
        organisation(database, "acme").await,
        organisation(database, "other").await,
    );
    assert_eq!(database.next_change().await.unwrap(), None);
    let (start, end) = (in_an_hour(), in_an_hour() + TimeDelta::hours(1));
    create(database, &acme, start, Some(end)).await;
    create(database, &other, start + TimeDelta::minutes(1), None).await;

    assert_eq!(database.next_change().await.unwrap(), Some(start));
    assert!(
        database
            .organisations_due(start - TICK)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(publish_due(database, &acme, start - TICK).await.is_empty());
    assert_eq!(
        database.organisations_due(start).await.unwrap(),
        std::slice::from_ref(&acme)
    );
    let started = publish_due(database, &acme, start).await;
    assert!(
        started.len() == 1 && started[0].contains("IN_PROGRESS"),
        "{started:?}"
    );
    assert!(publish_due(database, &acme, start).await.is_empty());

    assert_eq!(
        database.next_change().await.unwrap(),
        Some(start + TimeDelta::minutes(1))
    );
    assert_eq!(publish_due(database, &other, end).await.len(), 1);
    assert_eq!(database.next_change().await.unwrap(), Some(end + TICK));
    assert!(
        publish_due(database, &acme, end).await.is_empty(),
        "its end still belongs to it"
    );
    assert!(publish_due(database, &acme, end + TICK).await[0].contains("COMPLETED"));
    assert_eq!(database.next_change().await.unwrap(), None);
    assert_eq!(events(database, &acme).await.len(), 3);
}

async fn schedulers_that_race_publish_each_change_once(database: &Database) {
    let acme = organisation(database, "acme").await;
    let start = in_an_hour();
    for _ in 0..5 {
        create(database, &acme, start, None).await;
    }
    let nodes = 8;
    let together = Arc::new(Barrier::new(nodes));
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..nodes {
        let (database, acme, together) = (database.clone(), acme.clone(), Arc::clone(&together));
        racing.spawn(async move {
            together.wait().await;
            publish_due(&database, &acme, start).await.len()
        });
    }
    let mut published = racing.join_all().await;
    published.sort_unstable();
    assert_eq!(published, [0, 0, 0, 0, 0, 0, 0, 5]);
    let Backlog::Commits(commits) = database.after(&acme, Revision(5), 10).await.unwrap() else {
        panic!("pruned")
    };
    assert_eq!(commits.len(), 1);
    assert!(database.organisations_due(start).await.unwrap().is_empty());
}

async fn an_edit_moves_what_is_due(database: &Database) {
    let acme = organisation(database, "acme").await;
    let start = in_an_hour();
    let planned = create(database, &acme, start, None).await.id;
    let later = start + TimeDelta::hours(5);
    edit(
        database,
        &acme,
        planned,
        MaintenancePatch {
            start_at: Some(later),
            ..Default::default()
        },
    )
    .await;
    assert_eq!(database.next_change().await.unwrap(), Some(later));
    assert!(publish_due(database, &acme, start).await.is_empty());
    let status = |status| MaintenancePatch {
        status: Some(status),
        ..Default::default()
    };
    edit(
        database,
        &acme,
        planned,
        status(MaintenanceStatus::Cancelled),
    )
    .await;
    assert_eq!(database.next_change().await.unwrap(), None);
    edit(
        database,
        &acme,
        planned,
        status(MaintenanceStatus::Scheduled),
    )
    .await;
    assert_eq!(database.next_change().await.unwrap(), Some(later));
    let ends = MaintenancePatch {
        end_at: Some(NewEnd::At(later)),
        ..Default::default()
    };
    edit(database, &acme, planned, ends).await;
    assert_eq!(publish_due(database, &acme, later).await.len(), 1);
    assert_eq!(database.next_change().await.unwrap(), Some(later + TICK));
}

async fn change_by_an_operator_is_not_published_again(database: &Database) {
    let acme = organisation(database, "acme").await;
    let running = create(database, &acme, clock().now() - TimeDelta::hours(1), None)
        .await
        .id;
    let completed = edit(
        database,
        &acme,
        running,
        MaintenancePatch {
            end_at: Some(NewEnd::At(clock().now())),
            ..Default::default()
        },
    );
    assert_eq!(completed.await.state.status(), MaintenanceStatus::Completed);
    record(database, &acme, running, "It went well").await;
    assert_eq!(database.next_change().await.unwrap(), None);
    assert!(publish_due(database, &acme, in_an_hour()).await.is_empty());
}

async fn more_changes_than_fit_one_transaction_are_all_published(database: &Database) {
    let acme = organisation(database, "acme").await;
    let start = in_an_hour();
    for number in 0..105 {
        create(
            database,
            &acme,
            start + TimeDelta::milliseconds(number),
            None,
        )
        .await;
    }
    let now = start + TimeDelta::hours(1);
    assert_eq!(publish_due(database, &acme, now).await.len(), 100);
    assert_eq!(
        database.organisations_due(now).await.unwrap(),
        std::slice::from_ref(&acme)
    );
    assert_eq!(publish_due(database, &acme, now).await.len(), 5);
    assert!(database.organisations_due(now).await.unwrap().is_empty());
}

async fn maintenance_that_begins_and_ends_between_two_polls_is_published_once(database: &Database) {
    let acme = organisation(database, "acme").await;
    let start = in_an_hour();
    create(database, &acme, start, Some(start + TimeDelta::hours(1))).await;
    let published = publish_due(database, &acme, start + TimeDelta::days(1)).await;
    assert!(
        published.len() == 1 && published[0].contains("COMPLETED"),
        "{published:?}"
    );
    assert_eq!(database.next_change().await.unwrap(), None);
}

async fn a_clock_that_jumps_publishes_nothing_twice_and_loses_no_end(database: &Database) {
    let acme = organisation(database, "acme").await;
    let (start, end) = (in_an_hour(), in_an_hour() + TimeDelta::days(2));
    create(database, &acme, start, Some(end)).await;
    let ahead = start + TimeDelta::days(1);
    assert_eq!(publish_due(database, &acme, ahead).await.len(), 1);
    // Back again, before the start, and on from there.
    for now in [start - TimeDelta::minutes(30), start, ahead, end] {
        assert!(database.organisations_due(now).await.unwrap().is_empty());
        assert!(publish_due(database, &acme, now).await.is_empty());
    }
    assert_eq!(database.next_change().await.unwrap(), Some(end + TICK));
    assert!(publish_due(database, &acme, end + TICK).await[0].contains("COMPLETED"));
    let Backlog::Commits(commits) = database.after(&acme, Revision(0), 10).await.unwrap() else {
        panic!("pruned")
    };
    assert_eq!(
        commits
            .iter()
            .map(|commit| commit.revision.0)
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
}
