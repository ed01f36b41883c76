use super::*;

use allclear_domain::id::MaintenanceUpdateId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_domain::update::{UpdateDraft, UpdatePatch};
use chrono::TimeDelta;
use uuid::Uuid;

use crate::fixture::{author, committed, now, organisation, relay, stamp};

const ID: MaintenanceId = MaintenanceId(Uuid::from_u128(1));

fn draft(start_at: DateTime<Utc>) -> MaintenanceDraft {
    let (title, description) = ("Move".into(), "To the new racks".into());
    MaintenanceDraft {
        title,
        description,
        start_at,
        end_at: None,
        status: MaintenanceStatus::default(),
        notify: None,
        components: Vec::new(),
    }
}

/// One that begins in an hour.
fn maintenance() -> Maintenance {
    let draft = draft(now() + TimeDelta::hours(1));
    let created = Maintenance::create(ID, draft, stamp().change_context())
        .unwrap()
        .state;
    Maintenance {
        version: Revision(4),
        ..created
    }
}

fn report(maintenance: Maintenance) -> MaintenanceReport {
    MaintenanceReport {
        maintenance,
        timeline: Vec::new(),
        timeline_truncated: false,
        components: Vec::new(),
        components_truncated: false,
        read_at: now(),
    }
}

/// A store that runs rules on this.
fn changing(stored: Maintenance) -> MockMaintenanceStore {
    let mut store = MockMaintenanceStore::new();
    store.expect_change().returning(move |_, _, rule| {
        Ok(Some(committed(report(
            rule(stored.clone(), stamp())?.state,
        ))))
    });
    store
}

fn service(store: MockMaintenanceStore, broadcasts: usize) -> Maintenances {
    Maintenances::new(Arc::new(store), relay(broadcasts), Arc::default())
}

#[tokio::test]
async fn a_created_maintenance_wakes_the_scheduler_for_its_start() {
    let start = now() + TimeDelta::seconds(5);
    // The second starts while it is stored.
    for (start, read_at) in [(start, now()), (now(), now() - TimeDelta::milliseconds(1))] {
        let mut store = MockMaintenanceStore::new();
        store.expect_insert().return_once(move |_, create| {
            let created = report(create(stamp())?.state);
            Ok(committed(MaintenanceReport { read_at, ..created }))
        });
        let service = service(store, 1);
        service.create(&organisation(), draft(start)).await.unwrap();
        assert_eq!(service.wake_timer.moment(), Some(start));
    }
}

#[tokio::test]
async fn an_edit_is_broadcast_if_the_version_is_the_expected_one_and_delays_no_wake_up() {
    let service = service(changing(maintenance()), 1);
    let soon = now() + TimeDelta::seconds(1);
    service.wake_timer.set_if_earlier(soon);
    let edit = |version| {
        let patch = MaintenancePatch {
            start_at: Some(now() + TimeDelta::days(1)),
            ..Default::default()
        };
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let service = &service;
        async move { service.edit(&organisation(), ID, patch, precondition).await }
    };
    assert!(matches!(edit(3).await, Err(Error::Stale)));
    assert!(edit(4).await.is_ok());
    assert_eq!(service.wake_timer.moment(), Some(soon));
}

#[tokio::test]
async fn a_deletion_is_broadcast_if_the_version_is_the_expected_one() {
    let mut store = MockMaintenanceStore::new();
    store.expect_delete().returning(|_, _, precondition, rule| {
        precondition.check(maintenance().version)?;
        rule(maintenance(), stamp())?;
        Ok(Some(committed(())))
    });
    let service = service(store, 1);
    let delete = |version| {
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let service = &service;
        async move { service.delete(&organisation(), ID, precondition).await }
    };
    assert!(matches!(delete(3).await, Err(Error::Stale)));
    delete(4).await.unwrap();
}

#[tokio::test]
async fn a_missing_maintenance_or_update_is_not_found() {
    let mut store = MockMaintenanceStore::new();
    store.expect_find().returning(|_, _| Ok(None));
    store.expect_change().return_once(|_, _, _| Ok(None));
    store.expect_delete().return_once(|_, _, _, _| Ok(None));
    store.expect_list_updates().return_once(|_, _, _| Ok(None));
    store.expect_find_update().return_once(|_, _, _| Ok(None));
    store
        .expect_change_update()
        .return_once(|_, _, _, _| Ok(None));
    store.expect_insert_update().return_once(|_, _, _| Ok(None));
    store
        .expect_delete_updates()
        .return_once(|_, _, _, _| Ok(None));
    let (service, org) = (service(store, 0), organisation());
    let draft = UpdateDraft {
        status: IncidentStatus::Monitoring,
        message: "Half way".into(),
        ..Default::default()
    };
    let (patch, any) = (MaintenancePatch::default(), Precondition::Any);
    let update = MaintenanceUpdateId(Uuid::from_u128(2));
    let outcomes = [
        service.edit(&org, ID, patch, any).await.map(drop),
        service.find(&org, ID).await.map(drop),
        service.delete(&org, ID, Precondition::Any).await,
        service.updates(&org, ID, Page::default()).await.map(drop),
        service.delete_updates(&org, ID, Vec::new()).await,
        service
            .record_update(&org, ID, draft, author())
            .await
            .map(drop),
    ];
    for outcome in outcomes {
        assert!(matches!(
            outcome,
            Err(Error::NotFound(Resource::Maintenance))
        ));
    }
    let patch = UpdatePatch::default();
    for refused in [
        service.find_update(&org, ID, update).await,
        service
            .edit_update(&org, ID, update, patch, Precondition::Any)
            .await,
    ] {
        assert!(matches!(
            refused,
            Err(Error::NotFound(Resource::MaintenanceUpdate))
        ));
    }
}
