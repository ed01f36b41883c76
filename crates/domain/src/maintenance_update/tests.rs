use super::*;
use uuid::Uuid;

const MAINTENANCE: MaintenanceId = MaintenanceId(Uuid::from_u128(1));

fn id(number: u128) -> MaintenanceUpdateId {
    MaintenanceUpdateId(Uuid::from_u128(number))
}

fn ada() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ada".into(),
    }
}

fn record(message: &str) -> Result<Changed<MaintenanceUpdate>, Invalid> {
    let draft = UpdateDraft {
        status: IncidentStatus::Monitoring,
        message: message.into(),
        ..Default::default()
    };
    MaintenanceUpdate::record(id(2), MAINTENANCE, draft, ada(), None, DateTime::default())
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
    let edited = recorded
        .state
        .edit(patch.clone(), DateTime::default())
        .unwrap();
    assert_eq!(
        (edited.state.status, edited.state.message.as_str()),
        (IncidentStatus::Resolved, "Half way")
    );
    assert_eq!(edited.events, events);
    assert!(
        edited
            .state
            .edit(patch, DateTime::default())
            .unwrap()
            .events
            .is_empty()
    );
}

#[test]
fn an_update_follows_the_newest_one_whatever_the_clocks_say() {
    let newest = MaintenanceUpdate {
        id: id(7),
        created_at: DateTime::<Utc>::MAX_UTC,
        ..record("First").unwrap().state
    };
    let draft = UpdateDraft {
        status: IncidentStatus::Monitoring,
        message: "Second".into(),
        ..Default::default()
    };
    let later = MaintenanceUpdate::record(
        id(2),
        MAINTENANCE,
        draft,
        ada(),
        Some(&newest),
        DateTime::default(),
    );
    let later = later.unwrap().state;
    assert!(later.id > newest.id && later.created_at >= newest.created_at);
}

#[test]
fn deletion_is_published_before_the_maintenance() {
    let deleted = MaintenanceUpdate::delete(MAINTENANCE, vec![id(2)], &[id(1), id(2)]).unwrap();
    assert_eq!(deleted.state, [id(2)]);
    assert_eq!(
        deleted.events,
        [
            Event::MaintenanceTimelineDeleted(MAINTENANCE, id(2)),
            Event::MaintenanceUpdated(MAINTENANCE),
        ]
    );
    let refused = MaintenanceUpdate::delete(MAINTENANCE, vec![id(3)], &[id(2)]);
    assert!(refused.is_err());
}
