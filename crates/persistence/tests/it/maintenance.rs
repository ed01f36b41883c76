pub(crate) mod component;

use allclear_application::error::Error;
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore};
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::page::Page;
use allclear_application::precondition::Precondition;
use allclear_application::stamp::Stamp;
use allclear_application::status_page::SnapshotStore;
use allclear_application::status_page::incident::TIMELINE_LENGTH;
use allclear_application::status_page::size::PAGE_BYTES;
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::{
    ChangeContext, Maintenance, MaintenanceDraft, MaintenancePatch, MaintenanceStatus,
};
use allclear_domain::maintenance_update::{
    MaintenanceAndUpdate, MaintenanceUpdate, MaintenanceUpdateDeletion,
};
use allclear_domain::organisation::Revision;
use allclear_domain::update::{UpdateDraft, UpdatePatch};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::{assert_none, author, clock, organisation, two};
use crate::contract;

contract!(
    a_stored_maintenance_reads_as_it_was_written,
    a_list_is_newest_first_and_comes_in_parts_with_timelines,
    a_timeline_shows_the_newest_and_the_list_has_all,
    the_public_sees_all_that_is_ahead_and_the_newest_50_that_are_over,
    a_page_of_countless_maintenances_shows_all_of_them_and_is_bounded,
    maintenances_and_updates_belong_to_their_organisation,
    a_deleted_maintenance_takes_its_updates_along,
    updates_are_published_before_their_maintenance_and_without_their_author,
    fifty_operators_record_at_once_and_every_update_is_kept_in_order,
    updates_are_deleted_all_or_none,
    the_page_shows_what_is_not_over_and_what_was_in_the_last_fourteen_days,
);

fn in_days(days: i64) -> DateTime<Utc> {
    clock().now() + TimeDelta::days(days)
}

/// The context of a change that notifies subscribers, whatever the organisation's setting.
pub(crate) fn notifying(stamp: Stamp) -> ChangeContext {
    ChangeContext {
        notify_by_default: true,
        ..stamp.change_context()
    }
}

pub(crate) async fn create(
    database: &Database,
    organisation: &OrganisationId,
    start_at: DateTime<Utc>,
    end_at: Option<DateTime<Utc>>,
) -> Maintenance {
    let status = MaintenanceStatus::default();
    let draft = MaintenanceDraft {
        title: "Move ☃".into(),
        description: "d".into(),
        start_at,
        end_at,
        status,
        notify: None,
        components: Vec::new(),
    };
    let create: CreateTransition<Maintenance> = Box::new(move |stamp| {
        let id = MaintenanceId(stamp.id);
        Ok(Maintenance::create(id, draft, notifying(stamp))?)
    });
    MaintenanceStore::insert(database, organisation, create)
        .await
        .unwrap()
        .state
        .maintenance
}

pub(crate) async fn edit(
    database: &Database,
    organisation: &OrganisationId,
    id: MaintenanceId,
    patch: MaintenancePatch,
) -> Committed<MaintenanceReport> {
    let rule = Box::new(move |found: Maintenance, stamp: Stamp| {
        Ok(found.edit(patch, true, stamp.wall_time)?)
    });
    MaintenanceStore::change(database, organisation, id, rule)
        .await
        .unwrap()
        .unwrap()
}

pub(crate) async fn record(
    database: &Database,
    organisation: &OrganisationId,
    maintenance: MaintenanceId,
    message: &str,
) -> MaintenanceUpdate {
    let draft = UpdateDraft {
        status: IncidentStatus::Monitoring,
        message: message.into(),
        ..Default::default()
    };
    let author = author();
    let rule = Box::new(move |maintenance: Maintenance, stamp: Stamp| {
        let id = MaintenanceUpdateId(stamp.id);
        Ok(maintenance.record_update(id, draft, author, notifying(stamp))?)
    });
    MaintenanceStore::insert_update(database, organisation, maintenance, rule)
        .await
        .unwrap()
        .unwrap()
        .state
}

/// The name and the arguments of every event, in order.
pub(crate) async fn events(
    database: &Database,
    organisation: &OrganisationId,
) -> Vec<(String, String)> {
    let Backlog::Commits(commits) = database
        .after(organisation, Revision(0), 1000)
        .await
        .unwrap()
    else {
        panic!("nothing was pruned");
    };
    let events = commits.into_iter().flat_map(|commit| commit.events);
    events
        .map(|event| (event.name, event.args.get().to_owned()))
        .collect()
}

/// The rule that deletes these updates.
pub(crate) fn deleting(
    updates: Vec<MaintenanceUpdateId>,
) -> Transition<MaintenanceUpdateDeletion, Maintenance> {
    Box::new(move |deletion, stamp| Ok(deletion.delete(&updates, notifying(stamp))?))
}

pub(crate) fn deletion() -> Transition<Maintenance, ()> {
    Box::new(|found, stamp| Ok(found.delete(stamp.wall_time)))
}

async fn find(
    database: &Database,
    organisation: &OrganisationId,
    id: MaintenanceId,
) -> Option<MaintenanceReport> {
    MaintenanceStore::find(database, organisation, id)
        .await
        .unwrap()
}

async fn a_stored_maintenance_reads_as_it_was_written(database: &Database) {
    let acme = organisation(database, "acme").await;
    let planned = create(database, &acme, in_days(1), Some(in_days(2))).await;
    assert_eq!(planned.version, Revision(1));
    let read = find(database, &acme, planned.id).await.unwrap();
    assert_eq!(
        (read.status(), read.timeline.len()),
        (MaintenanceStatus::Scheduled, 0)
    );
    assert_eq!(read.maintenance, planned);
    let open = create(database, &acme, in_days(-1), None).await;
    let read = find(database, &acme, open.id).await.unwrap();
    assert_eq!(
        (read.status(), &read.maintenance),
        (MaintenanceStatus::InProgress, &open)
    );
}

async fn a_list_is_newest_first_and_comes_in_parts_with_timelines(database: &Database) {
    let acme = organisation(database, "acme").await;
    let mut ids = Vec::new();
    for number in 0..3 {
        let id = create(database, &acme, in_days(1), None).await.id;
        record(database, &acme, id, &format!("old {number}")).await;
        record(database, &acme, id, &format!("new {number}")).await;
        ids.insert(0, id);
    }
    let first = MaintenanceStore::list(database, &acme, two(None))
        .await
        .unwrap();
    let rest = MaintenanceStore::list(database, &acme, two(first.next))
        .await
        .unwrap();
    let all = MaintenanceStore::list(database, &acme, Page::default())
        .await
        .unwrap();
    assert_eq!(
        (first.items.len(), rest.items.len(), rest.next),
        (2, 1, None)
    );
    let parts: Vec<_> = first
        .items
        .iter()
        .chain(&rest.items)
        .map(|report| report.maintenance.id)
        .collect();
    assert_eq!(parts, ids);
    let messages = |report: &MaintenanceReport| {
        report
            .timeline
            .iter()
            .map(|entry| entry.message.clone())
            .collect()
    };
    let timelines: Vec<Vec<String>> = all.items.iter().map(messages).collect();
    assert_eq!(
        timelines,
        [["new 2", "old 2"], ["new 1", "old 1"], ["new 0", "old 0"]]
    );
    assert_eq!(rest.items[0].timeline, all.items[2].timeline);
}

async fn a_timeline_shows_the_newest_and_the_list_has_all(database: &Database) {
    let acme = organisation(database, "acme").await;
    let (long, short) = (
        create(database, &acme, in_days(1), None).await,
        create(database, &acme, in_days(1), None).await,
    );
    record(database, &acme, short.id, "only").await;
    let length = usize::try_from(TIMELINE_LENGTH).unwrap();
    for number in 0..length + 5 {
        record(database, &acme, long.id, &number.to_string()).await;
    }
    let listed = MaintenanceStore::list(database, &acme, Page::default())
        .await
        .unwrap()
        .items;
    assert_eq!(
        listed
            .iter()
            .map(|report| report.timeline.len())
            .collect::<Vec<_>>(),
        [1, length]
    );
    let messages: Vec<_> = listed[1]
        .timeline
        .iter()
        .map(|entry| entry.message.clone())
        .collect();
    let expected: Vec<_> = (5..length + 5)
        .rev()
        .map(|number| number.to_string())
        .collect();
    assert_eq!(messages, expected);
    assert!(listed[1].timeline_truncated && !listed[0].timeline_truncated);
    let renamed = MaintenancePatch {
        title: Some("Longer".into()),
        ..MaintenancePatch::default()
    };
    assert_eq!(
        edit(database, &acme, long.id, renamed).await.state.timeline,
        listed[1].timeline
    );
    let snapshot = database
        .snapshot(&acme, clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(snapshot.maintenances[1].timeline, listed[1].timeline);
    assert!(snapshot.maintenances[1].timeline_truncated);
    let all = MaintenanceStore::list_updates(database, &acme, long.id, Page::default())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(all.items.len(), length + 5);
}

async fn the_public_sees_all_that_is_ahead_and_the_newest_50_that_are_over(database: &Database) {
    let acme = organisation(database, "acme").await;
    let hours_ago = |hours| clock().now() - TimeDelta::hours(hours);
    let mut over = Vec::new();
    for hours in 1..=60 {
        let end = Some(hours_ago(hours));
        over.push(create(database, &acme, hours_ago(hours + 1), end).await.id);
    }
    for _ in 0..55 {
        create(database, &acme, in_days(1), None).await;
    }
    let snapshot = database.snapshot(&acme, clock().now()).await;
    let shown = snapshot.unwrap().unwrap().maintenances;
    let (past, ahead): (Vec<_>, Vec<_>) = shown
        .iter()
        .partition(|maintenance| maintenance.status == MaintenanceStatus::Completed);
    assert_eq!((ahead.len(), past.len()), (55, 50));
    let is_shown = |id: &MaintenanceId| past.iter().any(|shown| shown.id == id.to_string());
    assert!(over[..50].iter().all(is_shown), "they ended last");
}

async fn a_page_of_countless_maintenances_shows_all_of_them_and_is_bounded(database: &Database) {
    const AHEAD: usize = 150;
    let acme = organisation(database, "acme").await;
    let long = MaintenancePatch {
        description: Some("x".repeat(10_000)),
        ..Default::default()
    };
    for _ in 0..AHEAD {
        let id = create(database, &acme, in_days(1), None).await.id;
        edit(database, &acme, id, long.clone()).await;
        record(database, &acme, id, "Prepared").await;
    }
    let snapshot = database.snapshot(&acme, clock().now()).await;
    let shown = snapshot.unwrap().unwrap().maintenances;
    assert_eq!(shown.len(), AHEAD);
    assert!(shown.is_sorted_by(|newer, older| newer.id > older.id));
    let bytes = serde_json::to_vec(&shown).unwrap().len();
    assert!(bytes < PAGE_BYTES + AHEAD * 1024, "{bytes}");
    let (newest, oldest) = (shown.first().unwrap(), shown.last().unwrap());
    assert_eq!(
        (newest.description.len(), newest.timeline.len()),
        (10_000, 1)
    );
    assert!(oldest.description_truncated && oldest.timeline_truncated);
}

async fn maintenances_and_updates_belong_to_their_organisation(database: &Database) {
    let (acme, other) = (
        organisation(database, "acme").await,
        organisation(database, "other").await,
    );
    let maintenance = create(database, &acme, in_days(1), None).await.id;
    let update = record(database, &acme, maintenance, "Half way").await.id;
    assert!(find(database, &other, maintenance).await.is_none());
    assert!(
        MaintenanceStore::list(database, &other, Page::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_none(MaintenanceStore::delete(
        database,
        &other,
        maintenance,
        Precondition::Any,
        deletion(),
    ))
    .await;
    let unseen = || Box::new(|_, _| -> Result<_, Error> { panic!("the rule must not see it") });
    assert_none(MaintenanceStore::change(
        database,
        &other,
        maintenance,
        unseen(),
    ))
    .await;

    let unseen = || Box::new(|_, _| -> Result<_, Error> { panic!("the rule must not see it") });
    let updates = database as &dyn MaintenanceStore;
    assert_none(updates.list_updates(&other, maintenance, Page::default())).await;
    assert_none(updates.find_update(&other, maintenance, update)).await;
    assert_none(updates.change_update(&other, maintenance, update, unseen())).await;
    let unseen = || Box::new(|_, _| -> Result<_, Error> { panic!("the rule must not see it") });
    assert_none(updates.insert_update(&other, maintenance, unseen())).await;
    let unseen = Box::new(|_, _| -> Result<_, Error> { panic!("the rule must not see it") });
    assert_none(updates.delete_updates(&other, maintenance, vec![update], unseen)).await;
    // Nor do they belong to another maintenance.
    let second = create(database, &acme, in_days(1), None).await.id;
    assert_none(updates.find_update(&acme, second, update)).await;
    assert!(events(database, &other).await.is_empty());
}

async fn a_deleted_maintenance_takes_its_updates_along(database: &Database) {
    let acme = organisation(database, "acme").await;
    let maintenance = create(database, &acme, in_days(1), None).await.id;
    let update = record(database, &acme, maintenance, "Half way").await.id;
    let any = Precondition::Any;
    let deleted = MaintenanceStore::delete(database, &acme, maintenance, any, deletion())
        .await
        .unwrap()
        .unwrap()
        .commit
        .unwrap();
    assert_eq!(deleted.events[0].args.get(), format!("[\"{maintenance}\"]"));
    assert!(find(database, &acme, maintenance).await.is_none());
    assert_none(MaintenanceStore::find_update(
        database,
        &acme,
        maintenance,
        update,
    ))
    .await;
    assert_none(MaintenanceStore::delete(
        database,
        &acme,
        maintenance,
        Precondition::Any,
        deletion(),
    ))
    .await;
}

async fn updates_are_published_before_their_maintenance_and_without_their_author(
    database: &Database,
) {
    let acme = organisation(database, "acme").await;
    let maintenance = create(database, &acme, in_days(1), None).await;
    let update = record(database, &acme, maintenance.id, "Half way").await;
    let read = MaintenanceStore::find_update(database, &acme, maintenance.id, update.id)
        .await
        .unwrap();
    assert_eq!(read.as_ref(), Some(&update));
    let patch = UpdatePatch {
        status: Some(IncidentStatus::Resolved),
        message: Some("Done".into()),
        ..Default::default()
    };
    let rule = Box::new(move |entry: MaintenanceAndUpdate, stamp: Stamp| {
        Ok(entry.edit(patch, notifying(stamp))?)
    });
    let edited = MaintenanceStore::change_update(database, &acme, maintenance.id, update.id, rule)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (edited.state.version, edited.state.created_at),
        (Revision(3), update.created_at)
    );

    let events = events(database, &acme).await;
    let names: Vec<_> = events
        .iter()
        .skip(1)
        .map(|event| event.0.as_str())
        .collect();
    let expected = ["maintenance-timeline-updated", "maintenance-updated"];
    assert_eq!(names, [expected, expected].concat());
    assert!(
        events[3].1.contains("Done") && events[4].1.contains("Done"),
        "{events:?}"
    );
    assert!(
        events.iter().all(|event| !event.1.contains("Ada")),
        "{events:?}"
    );
    let stored = find(database, &acme, maintenance.id)
        .await
        .unwrap()
        .maintenance;
    assert_eq!(
        stored, maintenance,
        "an update leaves its maintenance as it is"
    );
}

async fn fifty_operators_record_at_once_and_every_update_is_kept_in_order(database: &Database) {
    let acme = organisation(database, "acme").await;
    let maintenance = create(database, &acme, in_days(1), None).await.id;
    let mut operators = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (database, acme) = (database.clone(), acme.clone());
        operators
            .spawn(async move { record(&database, &acme, maintenance, &number.to_string()).await });
    }
    let mut recorded = operators.join_all().await;
    recorded.sort_unstable_by_key(|update| update.version);
    assert!(
        recorded.is_sorted_by(|a, b| a.version < b.version
            && a.id < b.id
            && a.created_at <= b.created_at)
    );
    recorded.reverse();
    let listed = MaintenanceStore::list_updates(database, &acme, maintenance, Page::default())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(listed.items, recorded);
}

async fn updates_are_deleted_all_or_none(database: &Database) {
    let acme = organisation(database, "acme").await;
    let maintenance = create(database, &acme, in_days(1), None).await.id;
    let mut ids = Vec::new();
    for message in ["one", "two", "three"] {
        ids.push(record(database, &acme, maintenance, message).await.id);
    }
    let elsewhere = create(database, &acme, in_days(1), None).await.id;
    let foreign = record(database, &acme, elsewhere, "elsewhere").await.id;
    let delete = async |requested: Vec<MaintenanceUpdateId>| {
        let rule = deleting(requested.clone());
        MaintenanceStore::delete_updates(database, &acme, maintenance, requested, rule).await
    };
    let result = delete(vec![ids[0], foreign]).await;
    assert!(
        matches!(result, Err(Error::Invalid(invalid)) if invalid.errors[0].field == "maintenanceUpdateIds[1]")
    );
    let kept = async || {
        let listed = MaintenanceStore::list_updates(database, &acme, maintenance, Page::default())
            .await
            .unwrap();
        listed
            .unwrap()
            .items
            .into_iter()
            .map(|update| update.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(kept().await, [ids[2], ids[1], ids[0]]);

    let commit = delete(vec![ids[2], ids[0]])
        .await
        .unwrap()
        .unwrap()
        .commit
        .unwrap();
    assert_eq!(kept().await, [ids[1]]);
    let names: Vec<_> = commit
        .events
        .iter()
        .map(|event| event.name.as_str())
        .collect();
    let deleted = "maintenance-timeline-deleted";
    assert_eq!(names, [deleted, deleted, "maintenance-updated"]);
    assert_eq!(
        commit.events[0].args.get(),
        format!("[\"{maintenance}\",\"{}\"]", ids[2])
    );
    assert!(
        commit.events[2].args.get().contains("two")
            && !commit.events[2].args.get().contains("three")
    );
}

async fn the_page_shows_what_is_not_over_and_what_was_in_the_last_fourteen_days(
    database: &Database,
) {
    let acme = organisation(database, "acme").await;
    let other = organisation(database, "other").await;
    let running = create(database, &acme, in_days(-100), None).await.id;
    let past = create(
        database,
        &acme,
        in_days(-20),
        Some(in_days(-14) - TimeDelta::seconds(1)),
    )
    .await
    .id;
    let recent = create(
        database,
        &acme,
        in_days(-20),
        Some(in_days(-14) + TimeDelta::minutes(1)),
    )
    .await
    .id;
    let planned = create(database, &acme, in_days(30), Some(in_days(31)))
        .await
        .id;
    create(database, &other, in_days(30), None).await;
    record(database, &acme, running, "still at it").await;
    record(database, &acme, past, "was nice").await;

    let now = clock().now();
    let shown = database
        .snapshot(&acme, now)
        .await
        .unwrap()
        .unwrap()
        .maintenances;
    let rows: Vec<_> = shown
        .iter()
        .map(|shown| (shown.id.clone(), shown.status, shown.timeline.len()))
        .collect();
    let row = |id: MaintenanceId, status, entries| (id.to_string(), status, entries);
    assert_eq!(
        rows,
        [
            row(planned, MaintenanceStatus::Scheduled, 0),
            row(recent, MaintenanceStatus::Completed, 0),
            row(running, MaintenanceStatus::InProgress, 1)
        ]
    );

    let cancel = MaintenancePatch {
        status: Some(MaintenanceStatus::Cancelled),
        ..Default::default()
    };
    edit(database, &acme, running, cancel).await;
    let ids_at = async |moment| {
        let shown = database
            .snapshot(&acme, moment)
            .await
            .unwrap()
            .unwrap()
            .maintenances;
        shown.into_iter().map(|shown| shown.id).collect::<Vec<_>>()
    };
    let week = now + TimeDelta::days(7);
    assert_eq!(
        ids_at(week).await,
        [planned.to_string(), running.to_string()]
    );
    assert_eq!(
        ids_at(now + TimeDelta::days(15)).await,
        [planned.to_string()]
    );
    assert!(ids_at(now + TimeDelta::days(46)).await.is_empty());
}
