use super::*;
use proptest::prelude::*;
use uuid::Uuid;

use crate::component::ComponentStatus;
use crate::id::ComponentId;
use crate::impact::ImpactChange;
use crate::incident::tests::{any_status, at, incident, set};

pub(super) fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}

pub(super) fn draft(status: IncidentStatus) -> UpdateDraft {
    UpdateDraft {
        message: "Found it".into(),
        status,
        ..Default::default()
    }
}

pub(super) fn id(number: u128) -> IncidentUpdateId {
    IncidentUpdateId(Uuid::from_u128(number))
}

fn recorded(status: IncidentStatus) -> IncidentAndUpdate {
    let latest = IncidentAndNewest {
        incident: incident(IncidentStatus::Investigating),
        newest: None,
    };
    latest
        .record(id(5), draft(status), author(), true, at(5))
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
        .record(
            id(5),
            draft(IncidentStatus::Resolved),
            author(),
            true,
            at(5),
        )
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
    let refused = latest.clone().record(
        id(6),
        draft(IncidentStatus::Monitoring),
        author(),
        true,
        at(6),
    );
    assert_eq!(refused, Err(RecordError::Resolved));
    let incident = latest
        .incident
        .edit(set(IncidentStatus::Investigating), true, at(6))
        .unwrap()
        .state;
    let recorded = IncidentAndNewest { incident, ..latest }.record(
        id(6),
        draft(IncidentStatus::Monitoring),
        author(),
        true,
        at(7),
    );
    assert_eq!(
        recorded.unwrap().state.incident.status,
        IncidentStatus::Monitoring
    );
}

#[test]
fn update_changes_the_impacts_of_an_incident_that_stays_open() {
    let recorded = |status| {
        let latest = IncidentAndNewest {
            incident: incident(IncidentStatus::Investigating),
            newest: None,
        };
        let recorded = latest.record(id(5), draft(status), author(), true, at(5));
        recorded.unwrap()
    };
    let slow = Attachment {
        component_id: ComponentId(Uuid::from_u128(7)),
        status: ComponentStatus::Degraded,
    };
    let open = recorded(IncidentStatus::Identified);
    assert_eq!(open.clone().with_impacts(&[]), Ok(open.clone()));
    let changed = open.with_impacts(&[slow]).unwrap();
    assert_eq!(
        changed.impacts,
        Some(ImpactChange::On {
            incident: changed.state.incident.id,
            components: vec![slow.component_id],
            since: None,
        })
    );
    let actions: Vec<_> = changed.audited.iter().map(|item| item.action).collect();
    assert_eq!(
        actions,
        [Action::IncidentUpdateCreated, Action::IncidentUpdated]
    );
    let resolved = recorded(IncidentStatus::Resolved);
    assert_eq!(resolved.with_impacts(&[slow]), Err(RecordError::NoImpact));
}

#[test]
fn an_edit_of_an_older_update_leaves_the_incident_where_it_is() {
    let older = IncidentAndUpdate {
        newest_other: Some(update(9, IncidentStatus::Identified)),
        ..recorded(IncidentStatus::Identified)
    };
    let patch = UpdatePatch {
        status: Some(IncidentStatus::Resolved),
        ..Default::default()
    };
    let edited = older.edit(patch, true, at(6)).unwrap();
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
        .edit(set(IncidentStatus::Resolved), true, at(6))
        .unwrap()
        .state;
    let entry = IncidentAndUpdate {
        incident: resolved,
        ..entry
    };
    // A form sends the status along with the message, also if only the message was edited.
    for status in [None, Some(IncidentStatus::Monitoring)] {
        let patch = UpdatePatch {
            message: Some("A typing mistake less".into()),
            status,
            ..Default::default()
        };
        let edited = entry.clone().edit(patch, true, at(7)).unwrap();
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
    let same = UpdatePatch {
        message: Some(entry.update.message.clone()),
        status: Some(entry.update.status),
        ..Default::default()
    };
    assert_eq!(
        entry.clone().edit(same, true, at(6)).unwrap(),
        Changed::without_events(entry)
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
    let deletion = IncidentUpdateDeletion {
        incident: incident.clone(),
        known: vec![newest],
        newest: Some(update(9, IncidentStatus::Resolved)),
        left: Some(left),
    };
    let after = deletion.delete(&[newest], true, at(9)).unwrap();
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
fn deleting_the_update_that_resolved_the_incident_goes_back_also_to_one_recorded_later() {
    let resolving = IncidentUpdate {
        created_at: at(6),
        display_at: at(6),
        ..update(8, IncidentStatus::Resolved)
    };
    let late = IncidentUpdate {
        created_at: at(7),
        display_at: at(5),
        ..update(9, IncidentStatus::Identified)
    };
    let resolved = Incident {
        resolved_at: Some(resolving.display_at),
        ..incident(IncidentStatus::Resolved)
    };
    let deletion = IncidentUpdateDeletion {
        incident: resolved,
        known: vec![resolving.id],
        newest: Some(resolving.clone()),
        left: Some(late),
    };
    let after = deletion.delete(&[resolving.id], true, at(9)).unwrap().state;
    assert_eq!(
        (after.status, after.resolved_at),
        (IncidentStatus::Identified, None)
    );
}

#[test]
fn deleting_the_last_update_or_an_older_one_leaves_the_status() {
    let resolved = incident(IncidentStatus::Resolved);
    let newest = update(9, IncidentStatus::Resolved);
    let all = IncidentUpdateDeletion {
        incident: resolved.clone(),
        known: vec![id(8), newest.id],
        newest: Some(newest.clone()),
        left: None,
    };
    let all = all.delete(&[id(8), newest.id], true, at(9)).unwrap();
    assert_eq!(
        (all.state.status, all.events.len()),
        (IncidentStatus::Resolved, 3)
    );
    let reopened = resolved
        .edit(set(IncidentStatus::Monitoring), true, at(8))
        .unwrap()
        .state;
    let older = IncidentUpdateDeletion {
        incident: reopened,
        known: vec![id(8)],
        newest: Some(newest.clone()),
        left: Some(newest),
    };
    assert_eq!(
        older.delete(&[id(8)], true, at(9)).unwrap().state.status,
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
        let patch = UpdatePatch { status: Some(second), ..Default::default() };
        let edited = entry.edit(patch, true, at(6)).unwrap().state;
        prop_assert_eq!(edited.incident.status, second);
        prop_assert_eq!(edited.incident.resolved_at.is_some(), second == IncidentStatus::Resolved);
    }
}
