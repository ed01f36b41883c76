use super::*;
use proptest::prelude::*;
use uuid::Uuid;

use crate::component::ComponentStatus;
use crate::id::ComponentId;
use crate::impact::ImpactChange;
use crate::incident::IncidentDraft;
use crate::incident::tests::{any_status, at, incident, set};

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}

fn draft(status: IncidentStatus) -> UpdateDraft {
    UpdateDraft {
        message: "Found it".into(),
        status,
        ..Default::default()
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

/// An incident with its timeline, as a store keeps it.
#[derive(Debug, Clone)]
struct IncidentModel {
    incident: Incident,
    updates: Vec<IncidentUpdate>,
}

impl IncidentModel {
    /// An incident of second 0 that is open, or was resolved at `resolved`.
    fn new(resolved: Option<i64>) -> Self {
        let draft = IncidentDraft {
            title: "Down".into(),
            description: "All of it".into(),
            status: resolved.map_or(IncidentStatus::Investigating, |_| IncidentStatus::Resolved),
            occured_at: Some(at(0)),
            resolved_at: resolved.map(at),
            ..Default::default()
        };
        let id = IncidentId(Uuid::from_u128(1));
        Self {
            incident: Incident::create(id, draft, &[], true, at(100))
                .unwrap()
                .state,
            updates: Vec::new(),
        }
    }

    fn newest(&self, other_than: Option<IncidentUpdateId>) -> Option<IncidentUpdate> {
        let others = self
            .updates
            .iter()
            .filter(|update| Some(update.id) != other_than);
        others
            .max_by_key(|update| (update.display_at, update.id))
            .cloned()
    }

    fn record(
        &mut self,
        status: IncidentStatus,
        display_at: DisplayTime,
        now: i64,
    ) -> Result<(), RecordError> {
        let latest = IncidentAndNewest {
            incident: self.incident.clone(),
            newest: self.newest(None),
        };
        let draft = UpdateDraft {
            display_at,
            ..draft(status)
        };
        let number = self.updates.len() as u128 + 10;
        let recorded = latest
            .record(id(number), draft, author(), true, at(now))?
            .state;
        self.incident = recorded.incident;
        self.updates.push(recorded.update);
        Ok(())
    }

    fn edit(&mut self, index: usize, patch: UpdatePatch, now: i64) {
        let update = self.updates[index].clone();
        let entry = IncidentAndUpdate {
            incident: self.incident.clone(),
            newest_other: self.newest(Some(update.id)),
            update,
        };
        let edited = entry.edit(patch, true, at(now)).unwrap().state;
        self.incident = edited.incident;
        self.updates[index] = edited.update;
    }

    fn delete(&mut self, index: usize, now: i64) {
        let id = self.updates[index].id;
        let deletion = IncidentUpdateDeletion {
            incident: self.incident.clone(),
            known: vec![id],
            newest: self.newest(None),
            left: self.newest(Some(id)),
        };
        self.incident = deletion.delete(&[id], true, at(now)).unwrap().state;
        self.updates.remove(index);
    }
}

fn time(second: Option<i64>) -> DisplayTime {
    second.map_or(DisplayTime::Recorded, |second| DisplayTime::At(at(second)))
}

fn open_status() -> impl Strategy<Value = IncidentStatus> {
    any_status().prop_filter("open", |status| *status != IncidentStatus::Resolved)
}

proptest! {
    #[test]
    fn open_incident_has_the_status_of_the_update_displayed_last(
        records in proptest::collection::vec((open_status(), proptest::option::of(0_i64..100)), 1..8),
        edits in proptest::collection::vec(
            (any::<prop::sample::Index>(), open_status(), proptest::option::of(0_i64..100)), 0..8
        ),
    ) {
        let mut model = IncidentModel::new(None);
        for (now, (status, display_at)) in (100_i64..).zip(records) {
            model.record(status, time(display_at), now).unwrap();
            prop_assert_eq!(model.incident.status, model.newest(None).unwrap().status);
        }
        for (index, status, display_at) in edits {
            let patch = UpdatePatch {
                status: Some(status), display_at: Some(time(display_at)), ..Default::default()
            };
            model.edit(index.index(model.updates.len()), patch, 200);
            prop_assert_eq!(model.incident.status, model.newest(None).unwrap().status);
        }
    }

    #[test]
    fn completing_the_timeline_of_a_past_incident_never_reopens_it(
        resolved in 1_i64..50,
        records in proptest::collection::vec((any_status(), proptest::option::of(0_i64..100)), 1..8),
        edits in proptest::collection::vec(
            (any::<prop::sample::Index>(), any_status(), 0_i64..100, any::<bool>()), 0..8
        ),
    ) {
        let mut model = IncidentModel::new(Some(resolved));
        for (now, (status, display_at)) in (100_i64..).zip(records) {
            let recorded = model.record(status, time(display_at), now);
            let expected = match display_at {
                Some(second) if second < resolved => Ok(()),
                _ => Err(RecordError::Resolved),
            };
            prop_assert_eq!(recorded, expected);
        }
        for (index, status, display_at, deletes) in edits {
            if model.updates.is_empty() {
                break;
            }
            let index = index.index(model.updates.len());
            if deletes {
                model.delete(index, 300);
            } else {
                let display_at = Some(time(Some(display_at.min(resolved - 1))));
                let patch = UpdatePatch { status: Some(status), display_at, ..Default::default() };
                model.edit(index, patch, 200);
            }
        }
        prop_assert_eq!(model.incident.status, IncidentStatus::Resolved);
        prop_assert_eq!(model.incident.resolved_at, Some(at(resolved)));
    }
}

#[test]
fn resolution_has_the_display_time_of_its_update() {
    let mut model = IncidentModel::new(None);
    model
        .record(IncidentStatus::Monitoring, time(Some(10)), 100)
        .unwrap();
    model
        .record(IncidentStatus::Resolved, time(Some(20)), 101)
        .unwrap();
    assert_eq!(model.incident.resolved_at, Some(at(20)));
    let patch = |display_at| UpdatePatch {
        display_at: Some(time(Some(display_at))),
        ..Default::default()
    };
    model.edit(1, patch(30), 102);
    assert_eq!(model.incident.resolved_at, Some(at(30)));
    // It is displayed before the other update now, which becomes the newest one.
    model.edit(1, patch(5), 103);
    assert_eq!(
        (model.incident.status, model.incident.resolved_at),
        (IncidentStatus::Monitoring, None)
    );
    model.edit(1, patch(40), 104);
    assert_eq!(model.incident.resolved_at, Some(at(40)));
    model.delete(1, 105);
    assert_eq!(model.incident.status, IncidentStatus::Monitoring);
}

#[test]
fn display_time_is_not_in_the_future() {
    let refused = IncidentModel::new(None).record(IncidentStatus::Monitoring, time(Some(101)), 100);
    let message = "Display time must not be in the future";
    assert_eq!(
        refused,
        Err(RecordError::Invalid(Invalid::field("displayAt", message)))
    );
}
