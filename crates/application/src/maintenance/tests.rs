use super::*;

use allclear_domain::author::Author;
use allclear_domain::id::MaintenanceUpdateId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::NewEnd;
use allclear_domain::maintenance_update::{MaintenanceUpdate, MaintenanceUpdateDraft};
use allclear_domain::organisation::Revision;
use chrono::TimeDelta;
use uuid::Uuid;

use crate::broadcast::MockBroadcast;
use crate::fixture::{now, organisation, stamp};
use crate::outbox::{Commit, MockOutbox};

const ID: MaintenanceId = MaintenanceId(Uuid::from_u128(1));

fn draft(start_at: DateTime<Utc>) -> MaintenanceDraft {
    let (title, description) = ("Move".into(), "To the new racks".into());
    MaintenanceDraft {
        title,
        description,
        start_at,
        end_at: None,
        status: MaintenanceStatus::default(),
    }
}

/// One that begins in an hour.
fn maintenance() -> Maintenance {
    let created = Maintenance::create(ID, draft(now() + TimeDelta::hours(1)), now(), now())
        .unwrap()
        .state;
    Maintenance {
        version: Revision(4),
        ..created
    }
}

fn commit() -> Commit {
    Commit {
        organisation: "org_1".into(),
        revision: 5,
        events: Vec::new(),
    }
}

fn committed(maintenance: Maintenance) -> Committed<MaintenanceReport> {
    let state = MaintenanceReport {
        maintenance,
        timeline: Vec::new(),
        timeline_truncated: false,
        read_at: now(),
    };
    Committed {
        state,
        commit: Some(commit()),
    }
}

/// A store that runs rules on this.
fn changing(stored: Maintenance) -> MockMaintenanceStore {
    let mut store = MockMaintenanceStore::new();
    store
        .expect_change()
        .returning(move |_, _, rule| Ok(Some(committed(rule(stored.clone(), stamp())?.state))));
    store
}

fn service(store: MockMaintenanceStore, broadcasts: usize) -> Maintenances {
    let mut broadcast = MockBroadcast::new();
    broadcast
        .expect_publish()
        .times(broadcasts)
        .return_const(());
    let relay = Arc::new(Relay::new(Arc::new(MockOutbox::new()), Arc::new(broadcast)));
    Maintenances::new(Arc::new(store), relay, Arc::new(WakeTimer::default()))
}

fn ends_now() -> MaintenancePatch {
    MaintenancePatch {
        end_at: Some(NewEnd::At(now())),
        ..Default::default()
    }
}

#[tokio::test]
async fn created_maintenance_is_stored_and_published_and_wakes_the_scheduler_for_its_start() {
    let mut store = MockMaintenanceStore::new();
    store
        .expect_insert()
        .return_once(|_, create| Ok(committed(create(stamp())?.state)));
    let service = service(store, 1);
    let start = now() + TimeDelta::seconds(5);
    let created = service.create(&organisation(), draft(start)).await.unwrap();
    assert_eq!(
        (created.maintenance.id.0, created.status()),
        (stamp().id, MaintenanceStatus::Scheduled)
    );
    assert_eq!(service.wake_timer.moment(), Some(start));
}

#[tokio::test]
async fn a_start_that_passed_while_it_was_stored_still_wakes_the_scheduler() {
    let mut store = MockMaintenanceStore::new();
    store.expect_insert().return_once(|_, create| {
        let Committed { state, commit } = committed(create(stamp())?.state);
        Ok(Committed {
            state: MaintenanceReport {
                read_at: now() - TimeDelta::milliseconds(1),
                ..state
            },
            commit,
        })
    });
    let service = service(store, 1);
    service.create(&organisation(), draft(now())).await.unwrap();
    assert_eq!(service.wake_timer.moment(), Some(now()));
}

#[tokio::test]
async fn an_edit_that_starts_later_leaves_the_alarm_where_it_rings_first() {
    let service = service(changing(maintenance()), 1);
    service.wake_timer.set(now() + TimeDelta::seconds(1));
    let patch = MaintenancePatch {
        start_at: Some(now() + TimeDelta::days(1)),
        ..Default::default()
    };
    service
        .edit(
            &organisation(),
            ID,
            patch,
            Precondition::OneOf(vec![Revision(4)]),
        )
        .await
        .unwrap();
    assert_eq!(
        service.wake_timer.moment(),
        Some(now() + TimeDelta::seconds(1))
    );
}

#[tokio::test]
async fn an_end_alone_completes_what_has_begun_by_the_servers_clock() {
    let begun = Maintenance {
        start_at: now() - TimeDelta::hours(1),
        ..maintenance()
    };
    let done = service(changing(begun), 1)
        .edit(&organisation(), ID, ends_now(), Precondition::Any)
        .await
        .unwrap();
    assert_eq!(
        done.maintenance.end_at,
        Some(now() - TimeDelta::milliseconds(1))
    );
    assert_eq!(done.status(), MaintenanceStatus::Completed);
}

#[tokio::test]
async fn completing_before_the_start_is_a_conflict_and_publishes_nothing() {
    let refused = service(changing(maintenance()), 0)
        .edit(&organisation(), ID, ends_now(), Precondition::Any)
        .await;
    assert!(
        matches!(refused, Err(Error::Conflict(sentence)) if sentence == "This maintenance has not begun yet")
    );
}

#[tokio::test]
async fn an_edit_of_another_version_is_stale() {
    let edited = service(changing(maintenance()), 0)
        .edit(
            &organisation(),
            ID,
            MaintenancePatch::default(),
            Precondition::OneOf(vec![Revision(3)]),
        )
        .await;
    assert!(matches!(edited, Err(Error::Stale)));
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let mut store = MockMaintenanceStore::new();
    store.expect_find().return_once(|_, _| Ok(None));
    store.expect_change().return_once(|_, _, _| Ok(None));
    store.expect_delete().return_once(|_, _, _| Ok(None));
    store.expect_list_updates().return_once(|_, _, _| Ok(None));
    store.expect_find_update().return_once(|_, _, _| Ok(None));
    store.expect_insert_update().return_once(|_, _, _| Ok(None));
    store
        .expect_delete_updates()
        .return_once(|_, _, _, _| Ok(None));
    let (service, org) = (service(store, 0), organisation());
    let edited = service
        .edit(&org, ID, MaintenancePatch::default(), Precondition::Any)
        .await;
    assert!(matches!(edited, Err(Error::NotFound("Maintenance"))));
    assert!(matches!(
        service.find(&org, ID).await,
        Err(Error::NotFound("Maintenance"))
    ));
    assert!(matches!(
        service.delete(&org, ID).await,
        Err(Error::NotFound("Maintenance"))
    ));
    assert!(matches!(
        service.updates(&org, ID, Page::default()).await,
        Err(Error::NotFound("Maintenance"))
    ));
    assert!(matches!(
        service.delete_updates(&org, ID, Vec::new()).await,
        Err(Error::NotFound("Maintenance"))
    ));
    let update = MaintenanceUpdateId(Uuid::from_u128(2));
    assert!(matches!(
        service.find_update(&org, ID, update).await,
        Err(Error::NotFound("Update"))
    ));
    let recorded = service.record_update(&org, ID, update_draft(), ada()).await;
    assert!(matches!(recorded, Err(Error::NotFound("Maintenance"))));
}

fn update_draft() -> MaintenanceUpdateDraft {
    MaintenanceUpdateDraft {
        status: IncidentStatus::Monitoring,
        message: "Half way".into(),
    }
}

fn ada() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ada".into(),
    }
}

#[tokio::test]
async fn an_update_follows_the_newest_one_that_the_store_holds() {
    let newest = MaintenanceUpdateId(Uuid::from_u128(500));
    let mut store = MockMaintenanceStore::new();
    store
        .expect_insert_update()
        .return_once(move |_, id, rule| {
            let stored = MaintenanceUpdate::record(newest, id, update_draft(), ada(), None, now())
                .unwrap()
                .state;
            Ok(Some(Committed {
                state: rule((maintenance(), Some(stored)), stamp())?.state.1,
                commit: Some(commit()),
            }))
        });
    let service = service(store, 1);
    let recorded = service
        .record_update(&organisation(), ID, update_draft(), ada())
        .await
        .unwrap();
    assert!(recorded.id > newest);
    assert_eq!(recorded.author, ada());
}

#[tokio::test]
async fn updates_are_deleted_by_the_rule_that_sees_what_is_stored() {
    let stored = MaintenanceUpdateId(Uuid::from_u128(2));
    let mut store = MockMaintenanceStore::new();
    store
        .expect_delete_updates()
        .times(2)
        .returning(move |_, _, _, rule| {
            Ok(Some(Committed {
                state: rule((maintenance(), vec![stored]), stamp())?.state.1,
                commit: Some(commit()),
            }))
        });
    let service = service(store, 1);
    assert_eq!(
        service
            .delete_updates(&organisation(), ID, vec![stored])
            .await
            .unwrap(),
        [stored]
    );
    let foreign = vec![stored, MaintenanceUpdateId(Uuid::from_u128(3))];
    assert!(matches!(
        service.delete_updates(&organisation(), ID, foreign).await,
        Err(Error::Invalid(_))
    ));
}
