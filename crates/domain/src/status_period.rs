//! The history of a component: the periods in which it was not operational, and corrections
//! of them.

use chrono::{DateTime, Utc};

use crate::audit::{Action, ChangeTarget};
use crate::author::Author;
use crate::component::{Component, ComponentStatus, StatusSource};
use crate::event::{Changed, Event};
use crate::id::{IncidentId, StatusPeriodId};
use crate::notice::NewNotice;
use crate::organisation::Revision;
use crate::validation::{FieldError, Invalid};

/// A status over an interval: `start_at` belongs to it, `end_at` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusSpan {
    /// The status.
    pub status: ComponentStatus,
    /// When it began.
    pub start_at: DateTime<Utc>,
    /// When it ended; `None` while it lasts.
    pub end_at: Option<DateTime<Utc>>,
}

impl StatusSpan {
    /// Whether both have an instant in common. Spans that only touch do not overlap.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let begins_before_end =
            |a: &Self, b: &Self| b.end_at.is_none_or(|end_at| a.start_at < end_at);
        begins_before_end(self, other) && begins_before_end(other, self)
    }
}

/// What caused a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeriodCause {
    /// The impact of an incident, with its title; `None` if the incident was deleted.
    Incident(IncidentId, Option<String>),
    /// An operator that set the component's status; `None` if it is unknown.
    Operator(Option<Author>),
    /// An operator that corrected the history.
    Correction(Author),
}

impl PeriodCause {
    /// The incident; `None` if an operator is the cause.
    #[must_use]
    pub const fn incident(&self) -> Option<IncidentId> {
        match self {
            Self::Incident(id, _) => Some(*id),
            Self::Operator(_) | Self::Correction(_) => None,
        }
    }
}

/// A period in which a component was not operational, as stored. Time that no period covers
/// is operational.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPeriod {
    /// Its identifier.
    pub id: StatusPeriodId,
    /// Its status, never operational, with its start and end.
    pub span: StatusSpan,
    /// What caused it.
    pub cause: PeriodCause,
    /// The organisation's revision that last changed it.
    pub version: Revision,
}

/// The periods to store and to remove.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodChanges {
    /// New periods.
    pub inserted: Vec<StatusPeriod>,
    /// Periods with another status, start or end.
    pub updated: Vec<StatusPeriod>,
    /// Periods that no longer exist.
    pub deleted: Vec<StatusPeriodId>,
}

/// A component with the part of its history that a change concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentHistory {
    /// The component.
    pub component: Component,
    /// The period to change, and every period that overlaps the new one.
    pub periods: Vec<StatusPeriod>,
}

/// The result of a change of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryChange {
    /// The component. Its status follows a change of the period that lasts.
    pub component: Component,
    /// The period that was added or changed; for a deletion, the period as it was.
    pub period: StatusPeriod,
    /// The periods to store and to remove.
    pub changes: PeriodChanges,
}

/// Why a change of a history is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The result would break a rule of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The history has no such period.
    #[error("the period does not exist")]
    NotFound,
}

impl ComponentHistory {
    /// This history with one more period, entered by `author`.
    ///
    /// # Errors
    /// [`Invalid`] if the span breaks a rule: it is over, and overlaps no other period.
    pub fn add(
        self,
        id: StatusPeriodId,
        span: StatusSpan,
        author: Author,
        now: DateTime<Utc>,
    ) -> Result<Changed<HistoryChange>, Invalid> {
        self.check(&span, None, now)?;
        let period = StatusPeriod {
            id,
            span,
            cause: PeriodCause::Correction(author),
            version: Revision::default(),
        };
        let changes = PeriodChanges {
            inserted: vec![period.clone()],
            ..PeriodChanges::default()
        };
        Ok(self.changed(Action::ComponentHistoryCreated, period, changes))
    }

    /// This history with another status, start or end of a period. If the period lasts, the
    /// component gets its status; if it no longer lasts, the component becomes operational.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn change(
        mut self,
        id: StatusPeriodId,
        span: StatusSpan,
        now: DateTime<Utc>,
    ) -> Result<Changed<HistoryChange>, HistoryError> {
        let before = self.find(id)?;
        self.check(&span, Some(&before), now)?;
        if span == before.span {
            return Ok(Changed::without_events(HistoryChange {
                component: self.component,
                period: before,
                changes: PeriodChanges::default(),
            }));
        }
        let mut notices = Vec::new();
        if before.span.end_at.is_none() {
            let status = match span.end_at {
                None => span.status,
                Some(_) => ComponentStatus::Operational,
            };
            notices.extend(self.set_status(status, now));
        }
        let period = StatusPeriod { span, ..before };
        let changes = PeriodChanges {
            updated: vec![period.clone()],
            ..PeriodChanges::default()
        };
        Ok(Changed {
            notices,
            ..self.changed(Action::ComponentHistoryUpdated, period, changes)
        })
    }

    /// This history without a period. If the period lasts, the component becomes operational.
    ///
    /// # Errors
    /// [`HistoryError::NotFound`].
    pub fn delete(
        mut self,
        id: StatusPeriodId,
        now: DateTime<Utc>,
    ) -> Result<Changed<HistoryChange>, HistoryError> {
        let period = self.find(id)?;
        let mut notices = Vec::new();
        if period.span.end_at.is_none() {
            notices.extend(self.set_status(ComponentStatus::Operational, now));
        }
        let changes = PeriodChanges {
            deleted: vec![id],
            ..PeriodChanges::default()
        };
        Ok(Changed {
            notices,
            ..self.changed(Action::ComponentHistoryDeleted, period, changes)
        })
    }

    fn find(&self, id: StatusPeriodId) -> Result<StatusPeriod, HistoryError> {
        let found = self.periods.iter().find(|period| period.id == id);
        found.cloned().ok_or(HistoryError::NotFound)
    }

    /// Sets the status as an operator does. Returns the notice of the change; `None` if the
    /// status stays.
    fn set_status(&mut self, status: ComponentStatus, now: DateTime<Utc>) -> Option<NewNotice> {
        let old_status = self.component.status;
        if status != old_status {
            self.component.status = status;
            self.component.status_source = StatusSource::Operator;
            self.component.updated_at = now;
        }
        NewNotice::of_component(old_status, &self.component)
    }

    fn changed(
        self,
        action: Action,
        period: StatusPeriod,
        changes: PeriodChanges,
    ) -> Changed<HistoryChange> {
        let (id, name) = (self.component.id, self.component.name.clone());
        let event = Event::ComponentUpdate(id);
        let state = HistoryChange {
            component: self.component,
            period,
            changes,
        };
        Changed::new(state, vec![event]).audited(action, ChangeTarget::Component(id), name)
    }

    /// Checks the span of a period that is new or replaces the span of `before`.
    fn check(
        &self,
        span: &StatusSpan,
        before: Option<&StatusPeriod>,
        now: DateTime<Utc>,
    ) -> Result<(), Invalid> {
        let mut invalid = Invalid::default();
        let mut refuse = |field: &str, message: &str| {
            invalid.add(FieldError::new(field, message));
        };
        if span.status == ComponentStatus::Operational {
            refuse("status", "Select Any One");
        }
        match span.end_at {
            Some(end_at) if end_at <= span.start_at => refuse("endAt", "End must be after start"),
            Some(end_at) if end_at > now => refuse("endAt", "End must not be in the future"),
            None if before.is_none_or(|before| before.span.end_at.is_some()) => {
                refuse("endAt", "End is required");
            }
            None if span.start_at > now => refuse("startAt", "Start must not be in the future"),
            Some(_) | None => {}
        }
        let others = self
            .periods
            .iter()
            .filter(|period| before.is_none_or(|before| before.id != period.id));
        if others.into_iter().any(|other| other.span.overlaps(span)) {
            refuse("startAt", "Must not overlap another period");
        }
        invalid.into_result()
    }
}

/// The changes of a history if something had an impact in the past, such as an incident. Where it
/// overlaps one of `periods`, the worse status counts. The period that lasts still lasts. `id`
/// makes identifiers of new periods.
#[must_use]
pub fn overlay(
    periods: &[StatusPeriod],
    impact: StatusSpan,
    cause: &PeriodCause,
    mut id: impl FnMut() -> StatusPeriodId,
) -> PeriodChanges {
    let mut changes = PeriodChanges::default();
    let Some(impact_end) = impact.end_at else {
        return changes;
    };
    if impact.status == ComponentStatus::Operational || impact_end <= impact.start_at {
        return changes;
    }
    let mut overlapped: Vec<_> = periods
        .iter()
        .filter(|period| period.span.overlaps(&impact))
        .collect();
    overlapped.sort_by_key(|period| period.span.start_at);
    // Start of the part of the impact that is not stored yet.
    let mut from = impact.start_at;
    let insert = |id: StatusPeriodId, from, to, inserted: &mut Vec<StatusPeriod>| {
        if from < to {
            inserted.push(StatusPeriod {
                id,
                span: StatusSpan {
                    status: impact.status,
                    start_at: from,
                    end_at: Some(to),
                },
                cause: cause.clone(),
                version: Revision::default(),
            });
        }
    };
    for period in overlapped {
        if period.span.status >= impact.status {
            if from < period.span.start_at {
                insert(id(), from, period.span.start_at, &mut changes.inserted);
            }
            from = period.span.end_at.unwrap_or(impact_end);
        } else {
            replace(period, impact.start_at, impact_end, &mut id, &mut changes);
        }
    }
    if from < impact_end {
        insert(id(), from, impact_end, &mut changes.inserted);
    }
    changes
}

/// Takes the interval out of a period: what is left of it keeps its status and cause.
fn replace(
    period: &StatusPeriod,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    id: &mut impl FnMut() -> StatusPeriodId,
    changes: &mut PeriodChanges,
) {
    let piece = |id, start_at, end_at| StatusPeriod {
        id,
        span: StatusSpan {
            start_at,
            end_at,
            ..period.span
        },
        ..period.clone()
    };
    let left = period.span.start_at < from;
    let right = period.span.end_at.is_none_or(|end_at| end_at > to);
    match (left, right) {
        (false, false) => changes.deleted.push(period.id),
        (true, false) => {
            let before = piece(period.id, period.span.start_at, Some(from));
            changes.updated.push(before);
        }
        (false, true) => changes
            .updated
            .push(piece(period.id, to, period.span.end_at)),
        (true, true) => {
            let before = piece(id(), period.span.start_at, Some(from));
            changes.inserted.push(before);
            changes
                .updated
                .push(piece(period.id, to, period.span.end_at));
        }
    }
}

#[cfg(test)]
mod tests;
