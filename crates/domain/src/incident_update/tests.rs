use super::*;
use proptest::prelude::*;
use uuid::Uuid;

use crate::incident::tests::{any_status, at, incident, set};

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}

fn draft(status: IncidentStatus) -> IncidentUpdateDraft {
    IncidentUpdateDraft {
        message: "Found it".into(),
        status,
    }
}

fn id(number: u128) -> IncidentUpdateId {
    IncidentUpdateId(Uuid::from_u128(number))
}

fn recorded(status: IncidentStatus) -> IncidentAndUpdate {
    let latest = IncidentAndNewest {
        incident: incident(IncidentStatus::Investigating),
        newest: None,
    };
    latest
        .record(id(5), draft(status), author(), at(5))
        .unwrap()
        .state
}

#[test]
fn recording_publishes_the_entry_and_then_the_incident() {
    let latest = IncidentAndNewest {
        incident: incident(IncidentStatus::Investigating),
        newest: None,
    };
    let changed = latest
        .record(id(5), draft(IncidentStatus::Resolved), author(), at(5))
        .unwrap();
    let (incident, update) = (changed.state.incident, changed.state.update);
    assert_eq!(
        changed.events,
        [
            Event::TimelineUpdated(incident.id, update.id),
            Event::IncidentUpdated(incident.id)
        ]
    );
    assert_eq!(
        (incident.status, incident.resolved_at),
        (IncidentStatus::Resolved, Some(at(5)))
    );
    assert_eq!((update.author, update.created_at), (author(), at(5)));
}

#[test]
fn a_resolved_incident_takes_no_update_until_it_is_reopened() {
    let resolved = recorded(IncidentStatus::Resolved);
    let latest = IncidentAndNewest {
        incident: resolved.incident,
        newest: Some(resolved.update),
    };
    let refused = latest
        .clone()
        .record(id(6), draft(IncidentStatus::Monitoring), author(), at(6));
    assert_eq!(refused, Err(RecordRefused::Resolved));
    let incident = latest
        .incident
        .edit(set(IncidentStatus::Investigating), at(6))
        .unwrap()
        .state;
    let recorded = IncidentAndNewest { incident, ..latest }.record(
        id(6),
        draft(IncidentStatus::Monitoring),
        author(),
        at(7),
    );
    assert_eq!(
        recorded.unwrap().state.incident.status,
        IncidentStatus::Monitoring
    );
}

#[test]
fn a_message_must_be_there_and_be_bounded() {
    let messages = [
        (String::new(), "Message is required"),
        ("x".repeat(10_001), "Must be at most 10000 characters"),
        ("\0".to_owned(), "Must not contain a NUL character"),
    ];
    for (message, refusal) in messages {
        let latest = IncidentAndNewest {
            incident: incident(IncidentStatus::Investigating),
            newest: None,
        };
        let draft = IncidentUpdateDraft {
            message: message.clone(),
            status: IncidentStatus::default(),
        };
        let refusal = Invalid::field("message", refusal);
        assert_eq!(
            latest.record(id(5), draft, author(), at(5)),
            Err(RecordRefused::Invalid(refusal.clone()))
        );
        let patch = IncidentUpdatePatch {
            message: Some(message),
            ..Default::default()
        };
        assert_eq!(
            recorded(IncidentStatus::Monitoring).edit(patch, at(6)),
            Err(refusal)
        );
    }
}

#[test]
fn an_edit_of_an_older_update_leaves_the_incident_where_it_is() {
    let older = IncidentAndUpdate {
        is_newest: false,
        ..recorded(IncidentStatus::Identified)
    };
    let patch = IncidentUpdatePatch {
        status: Some(IncidentStatus::Resolved),
        ..Default::default()
    };
    let edited = older.edit(patch, at(6)).unwrap();
    assert_eq!(edited.state.update.status, IncidentStatus::Resolved);
    assert_eq!(edited.state.incident.status, IncidentStatus::Identified);
    assert_eq!(edited.events.len(), 2);
}

#[test]
fn an_edit_of_only_the_message_leaves_the_incidents_status() {
    let entry = recorded(IncidentStatus::Monitoring);
    let resolved = entry
        .incident
        .clone()
        .edit(set(IncidentStatus::Resolved), at(6))
        .unwrap()
        .state;
    let entry = IncidentAndUpdate {
        incident: resolved,
        ..entry
    };
    // A form sends the status along with the message, also if only the message was edited.
    for status in [None, Some(IncidentStatus::Monitoring)] {
        let patch = IncidentUpdatePatch {
            message: Some("A typing mistake less".into()),
            status,
        };
        let edited = entry.clone().edit(patch, at(7)).unwrap();
        let (incident, update) = (edited.state.incident, edited.state.update);
        assert_eq!(
            (incident.status, incident.resolved_at),
            (IncidentStatus::Resolved, Some(at(6)))
        );
        assert_eq!(update.message, "A typing mistake less");
        assert_eq!(edited.events.len(), 2);
    }
}

#[test]
fn unchanged_update_publishes_nothing() {
    let entry = recorded(IncidentStatus::Identified);
    let same = IncidentUpdatePatch {
        message: Some(entry.update.message.clone()),
        status: Some(entry.update.status),
    };
    assert_eq!(
        entry.clone().edit(same, at(6)).unwrap(),
        Changed::nothing(entry)
    );
}

fn update(number: u128, status: IncidentStatus) -> IncidentUpdate {
    IncidentUpdate {
        id: id(number),
        ..recorded(status).update
    }
}

#[test]
fn deleting_the_newest_update_goes_back_to_the_newest_one_left() {
    let incident = incident(IncidentStatus::Resolved);
    let (left, newest) = (update(8, IncidentStatus::Identified), id(9));
    let deletion = UpdateDeletion {
        incident: incident.clone(),
        known: vec![newest],
        newest: Some(newest),
        left: Some(left),
    };
    let after = deletion.delete(&[newest], at(9)).unwrap();
    assert_eq!(
        (after.state.status, after.state.resolved_at),
        (IncidentStatus::Identified, None)
    );
    let events = [
        Event::IncidentTimelineDeleted(incident.id, newest),
        Event::IncidentUpdated(incident.id),
    ];
    assert_eq!(after.events, events);
}

#[test]
fn deleting_the_last_update_or_an_older_one_leaves_the_status() {
    let resolved = incident(IncidentStatus::Resolved);
    let newest = update(9, IncidentStatus::Resolved);
    let all = UpdateDeletion {
        incident: resolved.clone(),
        known: vec![id(8), newest.id],
        newest: Some(newest.id),
        left: None,
    };
    let all = all.delete(&[id(8), newest.id], at(9)).unwrap();
    assert_eq!(
        (all.state.status, all.events.len()),
        (IncidentStatus::Resolved, 3)
    );
    let reopened = resolved
        .edit(set(IncidentStatus::Monitoring), at(8))
        .unwrap()
        .state;
    let older = UpdateDeletion {
        incident: reopened,
        known: vec![id(8)],
        newest: Some(newest.id),
        left: Some(newest),
    };
    assert_eq!(
        older.delete(&[id(8)], at(9)).unwrap().state.status,
        IncidentStatus::Monitoring
    );
}

proptest! {
    #[test]
    fn the_incident_takes_the_status_of_what_is_recorded_and_of_an_edit_of_the_newest(
        first in any_status(), second in any_status()
    ) {
        let entry = recorded(first);
        prop_assert_eq!(entry.incident.status, first);
        let patch = IncidentUpdatePatch { status: Some(second), ..Default::default() };
        let edited = entry.edit(patch, at(6)).unwrap().state;
        prop_assert_eq!(edited.incident.status, second);
        prop_assert_eq!(edited.incident.resolved_at.is_some(), second == IncidentStatus::Resolved);
    }

    #[test]
    fn whatever_the_clocks_say_each_update_comes_after_the_one_before(
        updates in proptest::collection::vec((0_u128..9, 0_i64..9), 1..20)
    ) {
        let mut latest = IncidentAndNewest { incident: incident(IncidentStatus::Investigating), newest: None };
        for (number, second) in updates {
            let before = latest.newest.clone();
            let entry = latest.record(id(number), draft(IncidentStatus::Monitoring), author(), at(second)).unwrap().state;
            if let Some(before) = before {
                prop_assert!(entry.update.id > before.id);
                prop_assert!(entry.update.created_at >= before.created_at);
            }
            latest = IncidentAndNewest { incident: entry.incident, newest: Some(entry.update) };
        }
    }
}

#[test]
fn deleting_needs_an_update_and_takes_each_once() {
    assert_eq!(
        check_deletion(&[]),
        Err(Invalid::field(
            "incidentUpdateIds",
            "At least one update is required"
        ))
    );
    assert_eq!(check_deletion(&[id(1), id(2)]), Ok(()));
    let twice = Invalid::field("incidentUpdateIds[1]", "This update is chosen already");
    assert_eq!(check_deletion(&[id(1), id(1)]), Err(twice));
}
