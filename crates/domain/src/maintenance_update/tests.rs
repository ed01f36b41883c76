use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
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
    let draft = MaintenanceUpdateDraft {
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
    let patch = MaintenanceUpdatePatch {
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
fn a_message_is_there_and_within_its_limits() {
    let refusal = |message: &str| record(message).unwrap_err();
    assert_eq!(
        refusal(""),
        Invalid::field("message", "Message is required")
    );
    assert_eq!(
        refusal(&"x".repeat(10_001)),
        Invalid::field("message", "Must be at most 10000 characters")
    );
    let empty = MaintenanceUpdatePatch {
        message: Some(String::new()),
        ..Default::default()
    };
    let edited = record("Half way")
        .unwrap()
        .state
        .edit(empty, DateTime::default());
    assert_eq!(
        edited,
        Err(Invalid::field("message", "Message is required"))
    );
}

#[test]
fn an_update_follows_the_newest_one_whatever_the_clocks_say() {
    let newest = MaintenanceUpdate {
        id: id(7),
        created_at: DateTime::<Utc>::MAX_UTC,
        ..record("First").unwrap().state
    };
    let draft = MaintenanceUpdateDraft {
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

proptest! {
    #[test]
    fn updates_go_together_or_stay_together(asked in vec(0..6_u128, 0..8), stored in vec(0..6_u128, 0..8)) {
        let asked: Vec<_> = asked.into_iter().map(id).collect();
        let stored: Vec<_> = stored.into_iter().map(id).collect();
        let wrong = |index: &usize| asked[..*index].contains(&asked[*index]) || !stored.contains(&asked[*index]);
        let wrong: Vec<_> = (0..asked.len()).filter(wrong).map(|index| format!("maintenanceUpdateIds[{index}]")).collect();
        match MaintenanceUpdate::delete(MAINTENANCE, asked.clone(), &stored) {
            Ok(Changed { state, events, .. }) => {
                prop_assert!(wrong.is_empty());
                prop_assert_eq!(events.len(), state.len() + 1);
                prop_assert_eq!(state, asked);
            }
            Err(_) if asked.is_empty() => {}
            Err(invalid) => {
                let mut named: Vec<_> = invalid.errors.into_iter().map(|error| error.field).collect();
                named.sort();
                prop_assert_eq!(named, wrong);
            }
        }
    }
}

proptest! {
    #[test]
    fn update_is_displayed_when_recorded_or_at_an_earlier_time_that_is_entered(
        recorded_at in 0_i64..9, entered in proptest::option::of(0_i64..12), edited in proptest::option::of(0_i64..12)
    ) {
        let at = |second| DateTime::from_timestamp(second, 0).unwrap();
        let time = |entered: Option<i64>| entered.map_or(DisplayTime::Recorded, |second| DisplayTime::At(at(second)));
        let draft = MaintenanceUpdateDraft { message: "m".into(), display_at: time(entered), ..Default::default() };
        let recorded = MaintenanceUpdate::record(id(2), MAINTENANCE, draft, ada(), None, at(recorded_at));
        let expected = |entered: Option<i64>, now: i64| match entered {
            Some(second) if second > now => Err(Invalid::field("displayAt", "Display time must not be in the future")),
            entered => Ok(at(entered.unwrap_or(recorded_at))),
        };
        prop_assert_eq!(recorded.clone().map(|recorded| recorded.state.display_at), expected(entered, recorded_at));
        if let Ok(recorded) = recorded {
            let patch = MaintenanceUpdatePatch { display_at: Some(time(edited)), ..Default::default() };
            let after = recorded.state.edit(patch, at(10)).map(|edited| edited.state.display_at);
            prop_assert_eq!(after, expected(edited, 10));
        }
    }
}
