use super::*;
use uuid::Uuid;

use crate::maintenance::{MaintenanceDraft, MaintenanceStatus};

const MAINTENANCE: MaintenanceId = MaintenanceId(Uuid::from_u128(1));

fn id(number: u128) -> MaintenanceUpdateId {
    MaintenanceUpdateId(Uuid::from_u128(number))
}

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ada".into(),
    }
}

/// A change at second 0.
fn context() -> ChangeContext {
    ChangeContext::at(DateTime::default())
}

/// A maintenance that is scheduled at second 0.
fn maintenance() -> Maintenance {
    let draft = MaintenanceDraft {
        title: "Move".into(),
        description: "To the new racks".into(),
        start_at: DateTime::<Utc>::MAX_UTC,
        end_at: None,
        status: MaintenanceStatus::default(),
        notify: None,
        components: Vec::new(),
    };
    Maintenance::create(MAINTENANCE, draft, context())
        .unwrap()
        .state
}

fn record(message: &str) -> Result<Changed<MaintenanceAndUpdate>, Invalid> {
    let draft = UpdateDraft {
        status: IncidentStatus::Monitoring,
        message: message.into(),
        ..Default::default()
    };
    maintenance().record_update(id(2), draft, author(), context())
}

#[test]
fn update_is_published_before_its_maintenance() {
    let events = [
        Event::MaintenanceTimelineUpdated(MAINTENANCE, id(2)),
        Event::MaintenanceUpdated(MAINTENANCE),
    ];
    let recorded = record("Half way").unwrap();
    assert_eq!(recorded.events, events);
    let patch = UpdatePatch {
        status: Some(IncidentStatus::Resolved),
        ..Default::default()
    };
    let edited = recorded.state.edit(patch.clone(), context()).unwrap();
    let update = &edited.state.update;
    assert_eq!(
        (update.status, update.message.as_str()),
        (IncidentStatus::Resolved, "Half way")
    );
    assert_eq!(edited.events, events);
    let again = edited.state.clone().edit(patch, context()).unwrap();
    assert_eq!(again, Changed::without_events(edited.state));
}

#[test]
fn deletion_is_published_before_the_maintenance() {
    let deletion = |known: &[u128]| MaintenanceUpdateDeletion {
        maintenance: maintenance(),
        known: known.iter().copied().map(id).collect(),
    };
    let delete = |known: &[u128], update| deletion(known).delete(&[id(update)], context());
    let deleted = delete(&[1, 2], 2).unwrap();
    assert_eq!(deleted.state, maintenance());
    assert_eq!(
        deleted.events,
        [
            Event::MaintenanceTimelineDeleted(MAINTENANCE, id(2)),
            Event::MaintenanceUpdated(MAINTENANCE),
        ]
    );
    assert!(delete(&[2], 3).is_err());
}

#[test]
fn deletion_is_a_change_of_the_maintenance_at_its_time() {
    let delete = |maintenance: Maintenance, second| {
        let deletion = MaintenanceUpdateDeletion {
            maintenance,
            known: vec![id(2)],
        };
        let context = ChangeContext {
            recorded_at: DateTime::from_timestamp(second, 0).unwrap(),
            ..context()
        };
        deletion.delete(&[id(2)], context).unwrap().state
    };
    let later = delete(maintenance(), 20);
    assert_eq!(later.updated_at.timestamp(), 20);
    let earlier = delete(later.clone(), 10);
    assert_eq!(earlier, later, "the time does not go back");
}
