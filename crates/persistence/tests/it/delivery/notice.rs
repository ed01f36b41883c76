//! Notices: what subscribers receive about changes.

use std::sync::Arc;

use allclear_application::delivery::{DeliveryKind, DeliveryQueue};
use allclear_application::incident::IncidentStore;
use allclear_application::maintenance::MaintenanceStore;
use allclear_application::notice::Notice;
use allclear_application::precondition::Precondition;
use allclear_application::review::ReviewStore;
use allclear_application::stamp::Stamp;
use allclear_application::transition::Transition;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{IncidentId, MaintenanceId};
use allclear_domain::impact::IncidentAndAttached;
use allclear_domain::incident::{IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::IncidentAndUpdate;
use allclear_domain::maintenance::{MaintenancePatch, MaintenanceStatus};
use allclear_domain::maintenance_update::MaintenanceAndUpdate;
use allclear_domain::notice::{IncidentChange, MaintenanceChange, NoticeChange};
use allclear_domain::review::{IncidentAndReview, Review};
use allclear_domain::update::UpdatePatch;
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use super::fixture::later;
use crate::backend::{assert_none, clock};
use crate::contract;
use crate::maintenance::component::plan;
use crate::maintenance::{create, deleting, edit, notifying, record};
use crate::organisation_fixture::{OrganisationFixture, draft, open_on};

contract!(
    incident_notice_shows_the_incident_as_it_was_at_each_change,
    notice_of_an_update_has_the_impacts_that_it_changes,
    corrections_and_moved_maintenances_follow_the_rules_of_notices,
    notice_of_a_deleted_update_is_withdrawn,
    notice_of_a_deleted_review_is_withdrawn,
    end_of_an_incident_stays_news_without_its_update_unless_it_is_open_again,
    begin_of_a_maintenance_stays_news_without_its_update,
    edited_update_has_a_notice_exactly_when_it_changes_the_incident,
    maintenance_has_notices_from_its_plan_to_its_end,
    change_by_the_clock_has_one_notice_even_with_an_update,
    maintenance_without_notices_begins_and_ends_without_them,
    notices_of_a_maintenance_name_its_components,
    notices_name_the_group_of_a_component,
    notices_name_the_worst_of_many_components_and_count_the_others,
    without_subscribers_nothing_is_kept,
    commit_says_whether_messages_may_be_due,
    deletion_of_a_review_may_have_messages_only_if_it_was_published,
);

/// The notices to the only subscriber, in order.
async fn notices(fixture: &OrganisationFixture) -> Vec<Arc<Notice>> {
    fixture.expand().await;
    let mut notices = Vec::new();
    loop {
        let claimed = fixture.claim_at(later(60 * 24 * 30), 1).await;
        let Some(delivery) = claimed.first() else {
            return notices;
        };
        if let DeliveryKind::Notice(notice) = &delivery.kind {
            notices.push(Arc::clone(notice));
        }
        fixture.sent(&claimed).await;
    }
}

async fn incident_changes(fixture: &OrganisationFixture) -> Vec<(IncidentChange, Option<String>)> {
    let of_incident = |notice: &Arc<Notice>| match &notice.content.change {
        NoticeChange::Incident { change, .. } => (*change, notice.content.message.clone()),
        change => panic!("{change:?}"),
    };
    notices(fixture).await.iter().map(of_incident).collect()
}

async fn maintenance_changes(
    fixture: &OrganisationFixture,
) -> Vec<(MaintenanceChange, MaintenanceStatus, Option<String>)> {
    let of_maintenance = |notice: &Arc<Notice>| match &notice.content.change {
        NoticeChange::Maintenance { change, status, .. } => {
            (*change, *status, notice.content.message.clone())
        }
        change => panic!("{change:?}"),
    };
    notices(fixture).await.iter().map(of_maintenance).collect()
}

async fn fixture(database: &Database) -> OrganisationFixture {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.subscriber("ann@example.com").await;
    fixture
}

async fn incident_notice_shows_the_incident_as_it_was_at_each_change(database: &Database) {
    let fixture = fixture(database).await;
    let affected = open_on(
        fixture.component("API").await,
        ComponentStatus::PartialOutage,
    );
    let incident = fixture.open("Down", &[affected]).await.id;
    let renamed = IncidentPatch {
        title: Some("All down".into()),
        ..Default::default()
    };
    fixture.edit(incident, renamed).await;
    let (identified, resolved) = (IncidentStatus::Identified, IncidentStatus::Resolved);
    fixture.record(incident, identified, "A cable").await;
    fixture.record(incident, resolved, "Fixed").await;
    let notices = notices(&fixture).await;
    assert!(notices.iter().all(|notice| notice.subject == incident.0));
    let read: Vec<_> = notices
        .iter()
        .map(|notice| {
            let NoticeChange::Incident {
                change,
                status,
                resolved_at,
                components,
                ..
            } = &notice.content.change
            else {
                panic!("{notice:?}")
            };
            assert_eq!(resolved_at.is_some(), *status == IncidentStatus::Resolved);
            assert_eq!(
                (
                    components.len(),
                    components[0].name.as_str(),
                    components[0].status
                ),
                (1, "API", ComponentStatus::PartialOutage)
            );
            let (title, message) = (&notice.content.title, &notice.content.message);
            (*change, title.as_str(), *status, message.as_deref())
        })
        .collect();
    let (created, updated) = (IncidentChange::Created, IncidentChange::Updated);
    assert_eq!(
        read,
        [
            (created, "Down", IncidentStatus::Investigating, None),
            (updated, "All down", identified, Some("A cable")),
            (
                IncidentChange::Resolved,
                "All down",
                resolved,
                Some("Fixed")
            ),
        ]
    );
}

async fn notice_of_an_update_has_the_impacts_that_it_changes(database: &Database) {
    let fixture = fixture(database).await;
    let api = fixture.component("API").await;
    let (down, slow) = (ComponentStatus::MajorOutage, ComponentStatus::Degraded);
    let incident = fixture.open("Down", &[open_on(api, down)]).await.id;
    let slower = [open_on(api, slow)];
    let recorded = fixture.record_with(incident, IncidentStatus::Identified, "Slow", &slower);
    recorded.await.unwrap();
    let status = |notice: &Arc<Notice>| match &notice.content.change {
        NoticeChange::Incident { components, .. } => components[0].status,
        change => panic!("{change:?}"),
    };
    let statuses: Vec<_> = notices(&fixture).await.iter().map(status).collect();
    assert_eq!(statuses, [down, slow]);
}

async fn corrections_and_moved_maintenances_follow_the_rules_of_notices(database: &Database) {
    let fixture = fixture(database).await;
    let incident = fixture.incident("Down").await;
    let last = fixture
        .record(incident, IncidentStatus::Identified, "one")
        .await
        .id;
    let typo = UpdatePatch {
        message: Some("One".into()),
        ..Default::default()
    };
    let corrected =
        Box::new(move |entry: IncidentAndUpdate, _| Ok(entry.edit(typo, true, clock().now())?));
    IncidentStore::change_update(database, &fixture.id, incident, last, corrected)
        .await
        .unwrap()
        .unwrap();
    fixture.delete_update(incident, last).await;
    assert_eq!(
        incident_changes(&fixture).await.len(),
        2,
        "only the incident and its update"
    );
    let planned = create(database, &fixture.id, later(60), None).await.id;
    let moved = MaintenancePatch {
        start_at: Some(later(90)),
        ..Default::default()
    };
    let typo = MaintenancePatch {
        title: Some("Typo".into()),
        ..Default::default()
    };
    for patch in [typo, moved] {
        edit(database, &fixture.id, planned, patch).await;
    }
    let changes = maintenance_changes(&fixture).await;
    let changes: Vec<_> = changes.into_iter().map(|(change, ..)| change).collect();
    assert_eq!(
        changes,
        [MaintenanceChange::Scheduled, MaintenanceChange::Rescheduled]
    );
}

async fn notice_of_a_deleted_update_is_withdrawn(database: &Database) {
    let fixture = fixture(database).await;
    let incident = fixture.incident("Down").await;
    let identified = IncidentStatus::Identified;
    let wrong = fixture.record(incident, identified, "wrong").await.id;
    fixture.record(incident, identified, "right").await;
    fixture.delete_update(incident, wrong).await;
    let sent = notices(&fixture).await;
    let messages: Vec<_> = sent
        .iter()
        .map(|notice| notice.content.message.as_deref())
        .collect();
    assert_eq!(messages, [None, Some("right")]);
}

async fn notice_of_a_deleted_review_is_withdrawn(database: &Database) {
    let fixture = fixture(database).await;
    let incident = fixture.incident("Down").await;
    let resolved = IncidentStatus::Resolved;
    fixture.record(incident, resolved, "Over").await;
    publish_review(&fixture, incident, "Not expanded").await;
    delete_review(&fixture, incident).await;
    publish_review(&fixture, incident, "Expanded").await;
    fixture.expand().await;
    delete_review(&fixture, incident).await;
    publish_review(&fixture, incident, "Kept").await;
    assert_eq!(
        incident_changes(&fixture).await,
        [
            (IncidentChange::Created, None),
            (IncidentChange::Resolved, Some("Over".to_owned())),
            (IncidentChange::Reviewed, Some("Kept".to_owned())),
        ]
    );
}

type ReviewRule = Transition<IncidentAndReview, Option<Review>>;

/// Returns whether messages may be due because of the change.
async fn change_review(
    fixture: &OrganisationFixture,
    incident: IncidentId,
    rule: ReviewRule,
) -> bool {
    let changed = fixture.database.change_review(&fixture.id, incident, rule);
    let commit = changed.await.unwrap().unwrap().commit;
    commit.is_some_and(|commit| commit.may_have_messages)
}

async fn publish_review(fixture: &OrganisationFixture, incident: IncidentId, body: &'static str) {
    let write: ReviewRule =
        Box::new(move |found, stamp| Ok(found.write(body.into(), stamp.committed_at)?.map(Some)));
    let publish: ReviewRule =
        Box::new(|found, stamp| Ok(found.publish(stamp.committed_at).unwrap().map(Some)));
    for rule in [write, publish] {
        change_review(fixture, incident, rule).await;
    }
}

/// Returns whether messages may be due because of the deletion.
async fn delete_review(fixture: &OrganisationFixture, incident: IncidentId) -> bool {
    let delete: ReviewRule = Box::new(|found, _| Ok(found.delete().unwrap().map(|()| None)));
    change_review(fixture, incident, delete).await
}

async fn end_of_an_incident_stays_news_without_its_update_unless_it_is_open_again(
    database: &Database,
) {
    let fixture = fixture(database).await;
    let incident = fixture.incident("Down").await;
    let only = fixture.record(incident, IncidentStatus::Resolved, "Fixed");
    let only = only.await.id;
    fixture.delete_update(incident, only).await;
    let (created, resolved) = (IncidentChange::Created, IncidentChange::Resolved);
    assert_eq!(
        incident_changes(&fixture).await,
        [(created, None), (resolved, None)]
    );

    let incident = fixture.incident("Slow").await;
    fixture
        .record(incident, IncidentStatus::Identified, "A cable")
        .await;
    let wrong = fixture.record(incident, IncidentStatus::Resolved, "Fixed");
    let wrong = wrong.await.id;
    fixture.delete_update(incident, wrong).await;
    let changes = incident_changes(&fixture).await;
    assert!(
        changes.iter().all(|(change, _)| *change != resolved),
        "{changes:?}"
    );
}

async fn begin_of_a_maintenance_stays_news_without_its_update(database: &Database) {
    let fixture = fixture(database).await;
    let id = begun(&fixture).await;
    let recorded = async |message| record(database, &fixture.id, id, message).await.id;
    let updates = vec![recorded("It begins").await, recorded("Going well").await];
    let rule = deleting(updates.clone());
    MaintenanceStore::delete_updates(database, &fixture.id, id, updates, rule)
        .await
        .unwrap()
        .unwrap();
    let (change, status) = (MaintenanceChange::Began, MaintenanceStatus::InProgress);
    assert_eq!(
        maintenance_changes(&fixture).await,
        [(change, status, None)],
        "without the deleted message"
    );
}

/// A maintenance whose beginning was not published yet. Its first notice is sent.
async fn begun(fixture: &OrganisationFixture) -> MaintenanceId {
    // Repeats until a maintenance is stored before it begins.
    loop {
        let soon = clock().now() + TimeDelta::milliseconds(50);
        let id = create(&fixture.database, &fixture.id, soon, None).await.id;
        if maintenance_changes(fixture).await[0].0 == MaintenanceChange::Scheduled {
            while clock().now() <= soon {
                tokio::task::yield_now().await;
            }
            return id;
        }
    }
}

async fn edited_update_has_a_notice_exactly_when_it_changes_the_incident(database: &Database) {
    let fixture = fixture(database).await;
    let incident = fixture.incident("Down").await;
    let update = fixture
        .record(incident, IncidentStatus::Identified, "one")
        .await
        .id;
    let before = incident_changes(&fixture).await.len();
    for status in [IncidentStatus::Resolved, IncidentStatus::Monitoring] {
        let patch = UpdatePatch {
            status: Some(status),
            ..Default::default()
        };
        let moved = Box::new(move |entry: IncidentAndUpdate, _| {
            Ok(entry.edit(patch, true, clock().now())?)
        });
        IncidentStore::change_update(database, &fixture.id, incident, update, moved)
            .await
            .unwrap()
            .unwrap();
    }
    let (resolved, reopened) = (IncidentChange::Resolved, IncidentChange::Reopened);
    let expected = vec![
        (resolved, Some("one".to_owned())),
        (reopened, Some("one".to_owned())),
    ];
    assert_eq!((before, incident_changes(&fixture).await), (2, expected));
}

async fn maintenance_has_notices_from_its_plan_to_its_end(database: &Database) {
    let fixture = fixture(database).await;
    let (start, end) = (later(60), later(120));
    let planned = create(database, &fixture.id, start, Some(end)).await.id;
    record(database, &fixture.id, planned, "Soon").await;
    database
        .publish_due(&fixture.id, start)
        .await
        .unwrap()
        .unwrap();
    database
        .publish_due(&fixture.id, later(121))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        maintenance_changes(&fixture).await,
        [
            (
                MaintenanceChange::Scheduled,
                MaintenanceStatus::Scheduled,
                None
            ),
            (
                MaintenanceChange::Updated,
                MaintenanceStatus::Scheduled,
                Some("Soon".to_owned())
            ),
            (
                MaintenanceChange::Began,
                MaintenanceStatus::InProgress,
                None
            ),
            (MaintenanceChange::Ended, MaintenanceStatus::Completed, None),
        ]
    );
}

async fn maintenance_without_notices_begins_and_ends_without_them(database: &Database) {
    let fixture = fixture(database).await;
    let planned = create(database, &fixture.id, later(60), Some(later(90)));
    let planned = planned.await.id;
    let quiet = MaintenancePatch {
        notify: Some(false),
        ..Default::default()
    };
    edit(database, &fixture.id, planned, quiet).await;
    for minutes in [60, 91] {
        let published = database.publish_due(&fixture.id, later(minutes)).await;
        assert!(published.unwrap().is_some());
    }
    let changes = maintenance_changes(&fixture).await;
    let changes: Vec<_> = changes.into_iter().map(|(change, ..)| change).collect();
    assert_eq!(changes, [MaintenanceChange::Scheduled]);
}

async fn change_by_the_clock_has_one_notice_even_with_an_update(database: &Database) {
    let fixture = fixture(database).await;
    // Five begin at once: one transaction, five notices.
    for _ in 0..5 {
        create(database, &fixture.id, later(60), None).await;
    }
    database
        .publish_due(&fixture.id, later(60))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(maintenance_changes(&fixture).await.len(), 10);

    let started = begun(&fixture).await;
    let update = record(database, &fixture.id, started, "It begins").await;
    assert_none(database.publish_due(&fixture.id, clock().now())).await;
    let patch = UpdatePatch {
        message: Some("It has started".into()),
        ..Default::default()
    };
    let corrected = Box::new(move |entry: MaintenanceAndUpdate, stamp: Stamp| {
        Ok(entry.edit(patch, notifying(stamp))?)
    });
    MaintenanceStore::change_update(database, &fixture.id, started, update.id, corrected)
        .await
        .unwrap()
        .unwrap();
    let last = maintenance_changes(&fixture).await.pop();
    assert_eq!(
        last,
        Some((
            MaintenanceChange::Began,
            MaintenanceStatus::InProgress,
            Some("It begins".to_owned())
        ))
    );
}

async fn notices_of_a_maintenance_name_its_components(database: &Database) {
    let fixture = fixture(database).await;
    let api = fixture.component("API").await;
    let started = plan(&fixture, clock().now(), None, &[api]).await.state;
    let id = started.maintenance.id;
    record(database, &fixture.id, id, "Going well").await;
    let notices = notices(&fixture).await;
    assert_eq!(notices.len(), 2);
    for notice in notices {
        let NoticeChange::Maintenance { components, .. } = &notice.content.change else {
            panic!("{notice:?}")
        };
        assert_eq!(components, &["API"]);
    }
}

async fn notices_name_the_group_of_a_component(database: &Database) {
    let fixture = fixture(database).await;
    let (grouped, alone) = (
        fixture.component("API").await,
        fixture.component("API").await,
    );
    fixture
        .move_component(grouped, Some(fixture.group().await))
        .await;
    let affected = [grouped, alone].map(|id| open_on(id, ComponentStatus::Degraded));
    fixture.open("Down", &affected).await;
    plan(&fixture, later(60), None, &[grouped, alone]).await;
    for notice in notices(&fixture).await {
        let affected = notice.content.change.affected();
        let mut names: Vec<_> = affected.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert_eq!(names, ["API", "Edge - API"]);
    }
}

async fn notices_name_the_worst_of_many_components_and_count_the_others(database: &Database) {
    let fixture = fixture(database).await;
    let worst = fixture.component("Worst").await;
    let mut affected = vec![open_on(worst, ComponentStatus::MajorOutage)];
    for number in 0..101 {
        let component = fixture.component(&format!("Component {number}")).await;
        affected.push(open_on(component, ComponentStatus::Degraded));
    }
    fixture.open("Down", &affected).await;
    let components = affected.iter().map(|affected| affected.component_id);
    let components: Vec<_> = components.collect();
    plan(&fixture, later(60), None, &components).await;
    let notices = notices(&fixture).await;
    assert_eq!(notices.len(), 2);
    for notice in &notices {
        let named = notice.content.change.affected();
        assert_eq!((named.len(), notice.content.unnamed_components), (100, 2));
    }
    assert_eq!(notices[0].content.change.affected()[0].0, "Worst");
}

async fn without_subscribers_nothing_is_kept(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    fixture.incident("Down").await;
    create(database, &fixture.id, later(60), None).await;
    assert!(!database.expand(clock().now(), 10).await.unwrap());
    fixture.subscriber("ann@example.com").await;
    assert!(notices(&fixture).await.is_empty());
}

async fn commit_says_whether_messages_may_be_due(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let opened = async |title: &str| {
        let created = IncidentStore::insert(database, &fixture.id, draft(title, &[]), Vec::new());
        let created = created.await.unwrap();
        let commit = created.commit.unwrap();
        (created.state.incident.id, commit.may_have_messages)
    };
    let (incident, may_have_messages) = opened("Nobody has subscribed").await;
    assert!(!may_have_messages, "nobody has subscribed");
    fixture.subscriber("ann@example.com").await;
    assert!(opened("Ann has subscribed").await.1);
    let rule = Box::new(|found: IncidentAndAttached, _| Ok(found.delete()));
    let any = Precondition::Any;
    let deleted = IncidentStore::delete(database, &fixture.id, incident, any, rule).await;
    let commit = deleted.unwrap().unwrap().commit.unwrap();
    assert!(
        commit.may_have_messages,
        "messages may wait for withdrawn ones"
    );
}

async fn deletion_of_a_review_may_have_messages_only_if_it_was_published(database: &Database) {
    let fixture = fixture(database).await;
    let incident = fixture.incident("Down").await;
    let resolved = IncidentStatus::Resolved;
    fixture.record(incident, resolved, "Over").await;
    publish_review(&fixture, incident, "Published").await;
    assert!(delete_review(&fixture, incident).await);
    let write: ReviewRule =
        Box::new(|found, stamp| Ok(found.write("Draft".into(), stamp.committed_at)?.map(Some)));
    change_review(&fixture, incident, write).await;
    assert!(!delete_review(&fixture, incident).await);
}
