//! Timelines of incidents over several changes: which update sets the status and the time of
//! resolution.

use super::tests::{author, draft, id};
use super::*;
use proptest::prelude::*;
use uuid::Uuid;

use crate::incident::tests::{any_status, at};
use crate::incident::{IncidentDraft, IncidentPatch};
use crate::notice::NewNotice;

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
        let last = self.updates.last();
        let number = last.map_or(10, |last| last.id.0.as_u128() + 1);
        let recorded = latest
            .record(id(number), draft, author(), true, at(now))?
            .state;
        self.incident = recorded.incident;
        self.updates.push(recorded.update);
        Ok(())
    }

    fn entry(&self, index: usize) -> IncidentAndUpdate {
        let update = self.updates[index].clone();
        IncidentAndUpdate {
            incident: self.incident.clone(),
            newest_other: self.newest(Some(update.id)),
            update,
        }
    }

    fn edit(&mut self, index: usize, patch: UpdatePatch, now: i64) -> Result<(), Invalid> {
        let edited = self.entry(index).edit(patch, true, at(now))?.state;
        self.incident = edited.incident;
        self.updates[index] = edited.update;
        Ok(())
    }

    fn delete(&mut self, index: usize, now: i64) -> Result<(), DeletionError> {
        let id = self.updates[index].id;
        let deletion = IncidentUpdateDeletion {
            incident: self.incident.clone(),
            known: vec![id],
            newest: self.newest(None),
            left: self.newest(Some(id)),
        };
        self.incident = deletion.delete(&[id], true, at(now))?.state;
        self.updates.remove(index);
        Ok(())
    }

    fn correct(&mut self, patch: IncidentPatch, now: i64) -> Result<(), Invalid> {
        self.incident = self.incident.clone().edit(patch, true, at(now))?.state;
        Ok(())
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
            model.edit(index.index(model.updates.len()), patch, 200).unwrap();
            prop_assert_eq!(model.incident.status, model.newest(None).unwrap().status);
        }
    }

    #[test]
    fn completing_the_timeline_of_a_past_incident_never_reopens_it(
        resolved in 1_i64..50,
        records in proptest::collection::vec((any_status(), proptest::option::of(0_i64..100)), 1..8),
        edits in proptest::collection::vec(
            (any::<prop::sample::Index>(), any_status(), proptest::option::of(0_i64..100), any::<bool>()),
            0..8
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
                model.delete(index, 300).unwrap();
            } else {
                let is_late = display_at.is_none_or(|second| second >= resolved);
                let patch = UpdatePatch {
                    status: Some(status), display_at: Some(time(display_at)), ..Default::default()
                };
                let expected = if is_late && status == IncidentStatus::Resolved {
                    Err(Invalid::field("displayAt", "This incident was resolved before that time"))
                } else {
                    Ok(())
                };
                prop_assert_eq!(model.edit(index, patch, 200), expected);
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
    model.edit(1, patch(30), 102).unwrap();
    assert_eq!(model.incident.resolved_at, Some(at(30)));
    // It is displayed before the other update now, which becomes the newest one.
    model.edit(1, patch(5), 103).unwrap();
    assert_eq!(
        (model.incident.status, model.incident.resolved_at),
        (IncidentStatus::Monitoring, None)
    );
    model.edit(1, patch(40), 104).unwrap();
    assert_eq!(model.incident.resolved_at, Some(at(40)));
    model.delete(1, 105).unwrap();
    assert_eq!(model.incident.status, IncidentStatus::Monitoring);
}

#[test]
fn resolution_by_an_edit_of_the_incident_stays_when_an_update_of_that_time_moves() {
    let mut model = IncidentModel::new(None);
    model
        .record(IncidentStatus::Monitoring, time(Some(10)), 100)
        .unwrap();
    model.edit(0, displayed(150), 200).unwrap();
    let resolved = IncidentPatch {
        status: Some(IncidentStatus::Resolved),
        resolved_at: Some(at(150)),
        ..Default::default()
    };
    model.correct(resolved, 201).unwrap();
    model.edit(0, displayed(120), 202).unwrap();
    assert_eq!(model.incident.resolved_at, Some(at(150)));
}

#[test]
fn notice_of_the_status_of_another_update_has_no_message() {
    let mut model = IncidentModel::new(None);
    model
        .record(IncidentStatus::Monitoring, time(Some(30)), 100)
        .unwrap();
    model
        .record(IncidentStatus::Resolved, time(Some(20)), 101)
        .unwrap();
    let edited = model.entry(0).edit(displayed(10), true, at(102)).unwrap();
    assert_eq!(edited.state.incident.resolved_at, Some(at(20)));
    let [NewNotice::Incident { message, .. }] = &*edited.notices else {
        panic!("{:?}", edited.notices);
    };
    assert_eq!(*message, None);
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

const TOO_EARLY: &str = "Resolution must not be before the incident";

/// The change of the time at which the incident occurred.
fn occured(second: i64) -> IncidentPatch {
    IncidentPatch {
        occured_at: Some(at(second)),
        ..Default::default()
    }
}

/// The change of the time at which an update is displayed.
fn displayed(second: i64) -> UpdatePatch {
    UpdatePatch {
        display_at: Some(time(Some(second))),
        ..Default::default()
    }
}

#[test]
fn update_does_not_resolve_an_incident_before_it_occurred() {
    use IncidentStatus::{Monitoring, Resolved};
    let mut model = IncidentModel::new(None);
    model.correct(occured(50), 100).unwrap();
    let refusal = |field| Invalid::field(field, TOO_EARLY);
    assert_eq!(
        model.record(Resolved, time(Some(49)), 100),
        Err(RecordError::Invalid(refusal("displayAt")))
    );
    model.record(Monitoring, time(Some(30)), 100).unwrap();
    let resolution = UpdatePatch {
        status: Some(Resolved),
        ..Default::default()
    };
    assert_eq!(model.edit(0, resolution, 101), Err(refusal("status")));
    model.record(Resolved, time(Some(50)), 102).unwrap();
    assert_eq!(model.edit(1, displayed(49), 103), Err(refusal("displayAt")));
    model.edit(1, displayed(60), 104).unwrap();
    assert_eq!(model.incident.resolved_at, Some(at(60)));
}

#[test]
fn incident_of_the_future_is_not_resolved_by_an_update() {
    let mut model = IncidentModel::new(None);
    model.correct(occured(101), 100).unwrap();
    assert_eq!(
        model.record(IncidentStatus::Resolved, DisplayTime::Recorded, 100),
        Err(RecordError::Invalid(Invalid::field("status", TOO_EARLY)))
    );
    model
        .record(IncidentStatus::Monitoring, DisplayTime::Recorded, 100)
        .unwrap();
}

#[test]
fn update_that_resolves_too_early_does_not_become_the_newest_one() {
    use IncidentStatus::{Monitoring, Resolved};
    let mut model = IncidentModel::new(None);
    model.record(Monitoring, time(Some(60)), 100).unwrap();
    model.record(Resolved, time(Some(40)), 101).unwrap();
    model.correct(occured(50), 102).unwrap();
    assert_eq!(
        model.edit(0, displayed(30), 103),
        Err(Invalid::field("displayAt", TOO_EARLY))
    );
    assert_eq!(model.delete(0, 104), Err(DeletionError::ResolvedTooEarly));
    model.correct(occured(40), 105).unwrap();
    model.delete(0, 106).unwrap();
    assert_eq!(model.incident.resolved_at, Some(at(40)));
}

#[test]
fn incident_that_is_stored_with_a_resolution_too_early_can_be_edited() {
    let mut model = IncidentModel::new(None);
    model
        .record(IncidentStatus::Resolved, time(Some(40)), 100)
        .unwrap();
    model.incident.occured_at = at(50);
    let message = UpdatePatch {
        message: Some("Over".into()),
        ..Default::default()
    };
    model.edit(0, message, 101).unwrap();
    assert_eq!(model.updates[0].message, "Over");
}

/// A change of an incident or of its timeline, by seconds.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Record(IncidentStatus, Option<i64>),
    EditUpdate(prop::sample::Index, Option<IncidentStatus>, Option<i64>),
    DeleteUpdate(prop::sample::Index),
    EditIncident(Option<IncidentStatus>, Option<i64>, Option<i64>),
}

fn any_operation() -> impl Strategy<Value = Operation> {
    use proptest::option::of;
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (any_status(), of(0_i64..120)).prop_map(|(status, time)| Operation::Record(status, time)),
        (index(), of(any_status()), of(0_i64..120))
            .prop_map(|(index, status, time)| Operation::EditUpdate(index, status, time)),
        index().prop_map(Operation::DeleteUpdate),
        (of(any_status()), of(0_i64..150), of(0_i64..120)).prop_map(
            |(status, occured, resolved)| Operation::EditIncident(status, occured, resolved)
        ),
    ]
}

impl IncidentModel {
    /// Runs an operation, which may be refused.
    fn run(&mut self, operation: Operation, now: i64) {
        let count = self.updates.len();
        // A refused operation changes nothing, so its error is of no interest here.
        let _ = match operation {
            Operation::Record(status, shown) => self.record(status, time(shown), now).is_ok(),
            Operation::EditUpdate(index, status, shown) if count > 0 => {
                let patch = UpdatePatch {
                    status,
                    display_at: shown.map(|second| time(Some(second))),
                    ..Default::default()
                };
                self.edit(index.index(count), patch, now).is_ok()
            }
            Operation::DeleteUpdate(index) if count > 0 => {
                self.delete(index.index(count), now).is_ok()
            }
            Operation::EditUpdate(..) | Operation::DeleteUpdate(_) => false,
            Operation::EditIncident(status, occured, resolved) => {
                let patch = IncidentPatch {
                    status,
                    occured_at: occured.map(at),
                    resolved_at: resolved.map(at),
                    ..Default::default()
                };
                self.correct(patch, now).is_ok()
            }
        };
    }
}

proptest! {
    #[test]
    fn incident_is_never_resolved_before_it_occurred(
        operations in proptest::collection::vec(any_operation(), 1..20)
    ) {
        let mut model = IncidentModel::new(None);
        for (now, operation) in (100_i64..).zip(operations) {
            model.run(operation, now);
            let incident = &model.incident;
            prop_assert!(
                incident.resolved_at.is_none_or(|resolved| resolved >= incident.occured_at),
                "{incident:?}"
            );
        }
    }
}
