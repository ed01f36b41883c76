//! Maintenances: work that is announced, begins and ends by the clock, and may be cancelled.
//!
//! Times are whole milliseconds, so a maintenance is over one millisecond after its end.

mod component;
mod draft;
mod status;

use chrono::{DateTime, TimeDelta, Utc};

pub use self::draft::{MaintenanceDraft, MaintenancePatch, NewEnd};
pub use self::status::MaintenanceStatus;
use crate::audit::{Action, ChangeTarget};
use crate::event::{Changed, Event};
use crate::id::{ComponentId, MaintenanceId};
use crate::notice::{MaintenanceChange, NewNotice};
use crate::organisation::Revision;
use crate::validation::Invalid;

/// The resolution of times. A maintenance is in progress, and later shown, up to the last tick.
pub const TICK: TimeDelta = TimeDelta::milliseconds(1);
/// How long the status page shows a maintenance after its end.
pub const SHOWN_AFTER_END: TimeDelta = TimeDelta::days(14);

/// A maintenance of an organisation, as stored. Its status is not stored: [`Maintenance::status`]
/// derives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maintenance {
    /// Its identifier.
    pub id: MaintenanceId,
    /// 1 to 200 characters.
    pub title: String,
    /// 1 to 10,000 characters.
    pub description: String,
    /// When it begins.
    pub start_at: DateTime<Utc>,
    /// Its last millisecond, not before `start_at`; `None` while the end is open.
    pub end_at: Option<DateTime<Utc>>,
    /// When it was cancelled; `None` if it was not.
    pub cancelled_at: Option<DateTime<Utc>>,
    /// The status that was published last.
    pub published_status: MaintenanceStatus,
    /// Whether the notices of the clock's changes are sent.
    pub notify: bool,
    /// The components under maintenance while it is in progress, each once. Some may be deleted.
    pub components: Vec<ComponentId>,
    /// How often its times were changed, and how often it was cancelled or restored.
    pub reschedules: i32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    /// Neither the clock nor an update changes it.
    pub version: Revision,
}

/// When a change is made, and whether it notifies subscribers if the operator does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeContext {
    /// Time of the change, never before that of an earlier one of the organisation.
    pub recorded_at: DateTime<Utc>,
    /// Time by the clock, which decides the status of the maintenance.
    pub now: DateTime<Utc>,
    /// Whether the organisation's changes notify subscribers.
    pub notify_by_default: bool,
}

#[cfg(test)]
impl ChangeContext {
    /// A change at `now`, which notifies subscribers.
    pub(crate) const fn at(now: DateTime<Utc>) -> Self {
        Self {
            recorded_at: now,
            now,
            notify_by_default: true,
        }
    }
}

/// Why an edit of a maintenance is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The result would break a rule of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// It has not begun, so it cannot be completed.
    #[error("This maintenance has not begun yet")]
    NotBegun,
    /// It has ended, so it cannot be completed.
    #[error("This maintenance is already over")]
    Over,
    /// It is cancelled, so it cannot be completed.
    #[error("This maintenance was cancelled")]
    Cancelled,
}

impl Maintenance {
    /// A new maintenance.
    ///
    /// # Errors
    /// [`Invalid`] if the draft breaks a rule of its fields.
    pub fn create(
        id: MaintenanceId,
        draft: MaintenanceDraft,
        context: ChangeContext,
    ) -> Result<Changed<Self>, Invalid> {
        let draft = draft.valid()?;
        let created_at = context.recorded_at;
        let state = Self {
            id,
            cancelled_at: draft.cancelled_at(None, created_at),
            published_status: MaintenanceStatus::default(),
            notify: draft.notify.unwrap_or(context.notify_by_default),
            title: draft.title,
            description: draft.description,
            start_at: draft.start_at,
            end_at: draft.end_at,
            components: draft.components,
            reschedules: 0,
            created_at,
            updated_at: created_at,
            version: Revision::default(),
        };
        let notify = state.notify;
        let created = state.changed(None, vec![Event::NewMaintenance(id)], None, context.now);
        Ok(created.notify_if(notify))
    }

    /// The deletion of this maintenance, which ends it.
    #[must_use]
    pub fn delete(self, now: DateTime<Utc>) -> Changed<()> {
        let deletion = Changed {
            maintained: self.components_begun(now).to_vec(),
            ..Changed::new((), vec![Event::MaintenanceDeleted(self.id)])
        };
        let target = ChangeTarget::Maintenance(self.id);
        deletion.audited(Action::MaintenanceDeleted, target, self.title)
    }

    /// The change from `before`, `None` for a new maintenance, to this one. `recorded` is the
    /// message of an update that was recorded. Events show the status of `now`, so they also
    /// publish what the clock has changed.
    fn changed(
        self,
        before: Option<&Self>,
        events: Vec<Event>,
        recorded: Option<String>,
        now: DateTime<Utc>,
    ) -> Changed<Self> {
        let change = MaintenanceChange::of(before, &self, recorded.is_some(), now);
        let maintained = self.maintained_since(before, now);
        let state = Self {
            published_status: self.status(now),
            ..self
        };
        let notice = change.map(|change| NewNotice::Maintenance {
            change,
            maintenance: state.clone(),
            message: recorded,
        });
        Changed {
            notices: notice.into_iter().collect(),
            maintained,
            ..Changed::new(state, events)
        }
    }

    /// This maintenance after a change of its updates, which has these events. `recorded` is the
    /// message of an update that was recorded. Without `notify` only what the clock has changed may
    /// make a notice.
    pub(crate) fn after_updates(
        self,
        events: Vec<Event>,
        recorded: Option<String>,
        notify: bool,
        now: DateTime<Utc>,
    ) -> Changed<Self> {
        let now = self.not_before_published(now);
        let is_due = self.status(now) != self.published_status;
        let recorded = recorded.filter(|_| notify);
        self.clone()
            .changed(Some(&self), events, recorded, now)
            .notify_if(notify || (is_due && self.notify))
    }

    /// This maintenance with an operator's changes. A patch of an end alone, at most a minute ahead
    /// of the clock, completes it; without `notify` that makes a notice if the end in time would
    /// have made one.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn edit(
        self,
        patch: MaintenancePatch,
        notify_by_default: bool,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, EditError> {
        let now = self.not_before_published(now);
        let completes = patch.completes(now);
        let by_default = if completes {
            self.notify
        } else {
            notify_by_default
        };
        let notify = patch.notify.unwrap_or(by_default);
        let is_due = self.status(now) != self.published_status;
        let edited = if completes {
            self.complete(patch.notify, now)?
        } else {
            self.changed_by(patch, now)?
        };
        let notify = notify || (is_due && edited.state.notify);
        Ok(edited.notify_if(notify))
    }

    /// This maintenance with the fields of a patch.
    fn changed_by(
        self,
        patch: MaintenancePatch,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let stored = if self.cancelled_at.is_some() {
            MaintenanceStatus::Cancelled
        } else {
            MaintenanceStatus::Scheduled
        };
        let draft = MaintenanceDraft {
            title: patch.title.unwrap_or_else(|| self.title.clone()),
            description: patch
                .description
                .unwrap_or_else(|| self.description.clone()),
            start_at: patch.start_at.unwrap_or(self.start_at),
            end_at: match patch.end_at {
                None => self.end_at,
                Some(NewEnd::Open) => None,
                Some(NewEnd::At(end)) => Some(end),
            },
            status: patch.status.unwrap_or(stored),
            notify: patch.notify,
            components: match patch.components {
                Some(components) if !component::are_same(&components, &self.components) => {
                    components
                }
                _ => self.components.clone(),
            },
        };
        let draft = draft.valid()?;
        let state = Self {
            cancelled_at: draft.cancelled_at(self.cancelled_at, now),
            title: draft.title,
            description: draft.description,
            start_at: draft.start_at,
            end_at: draft.end_at,
            notify: draft.notify.unwrap_or(self.notify),
            components: draft.components,
            ..self.clone()
        };
        if state == self {
            return Ok(Changed::without_events(state));
        }
        let events = vec![Event::MaintenanceUpdated(self.id)];
        let state = Self {
            updated_at: now.max(self.updated_at),
            reschedules: self.reschedules_until(&state),
            ..state
        };
        Ok(state.changed(Some(&self), events, None, now))
    }

    /// This maintenance, completed.
    fn complete(
        self,
        notify: Option<bool>,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, EditError> {
        match self.status(now) {
            MaintenanceStatus::Scheduled => Err(EditError::NotBegun),
            MaintenanceStatus::Completed => Err(EditError::Over),
            MaintenanceStatus::Cancelled => Err(EditError::Cancelled),
            MaintenanceStatus::InProgress => {
                let end = now - TICK;
                let events = vec![Event::MaintenanceUpdated(self.id)];
                // Completed in the millisecond of its start: the start becomes the end.
                let start_at = self.start_at.min(end);
                let state = Self {
                    start_at,
                    end_at: Some(end),
                    reschedules: self.reschedules.saturating_add(1),
                    updated_at: now.max(self.updated_at),
                    notify: notify.unwrap_or(self.notify),
                    ..self.clone()
                };
                Ok(state.changed(Some(&self), events, None, now))
            }
        }
    }

    /// The count of reschedules after an edit of this maintenance.
    fn reschedules_until(&self, after: &Self) -> i32 {
        let times = |of: &Self| (of.start_at, of.end_at, of.cancelled_at);
        let changed = i32::from(times(self) != times(after));
        self.reschedules.saturating_add(changed)
    }

    /// Its status at `now`.
    #[must_use]
    pub fn status(&self, now: DateTime<Utc>) -> MaintenanceStatus {
        if self.cancelled_at.is_some() {
            MaintenanceStatus::Cancelled
        } else if now < self.start_at {
            MaintenanceStatus::Scheduled
        } else if self.end_at.is_none_or(|end| now <= end) {
            MaintenanceStatus::InProgress
        } else {
            MaintenanceStatus::Completed
        }
    }

    /// The first time after `now` at which the clock alone changes its status; `None` if the status
    /// is final.
    #[must_use]
    pub fn next_change(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.status(now).changes_at(self.start_at, self.end_at)
    }

    /// Returns the change by the clock since the status was last published. It makes a notice if
    /// the maintenance [notifies](Self::notify).
    #[must_use]
    pub fn publish_due(self, now: DateTime<Utc>) -> Changed<Self> {
        let now = self.not_before_published(now);
        if self.status(now) == self.published_status {
            return Changed::without_events(self);
        }
        let events = vec![Event::MaintenanceUpdated(self.id)];
        let action = match self.status(now) {
            MaintenanceStatus::InProgress => Action::MaintenanceStarted,
            MaintenanceStatus::Completed => Action::MaintenanceCompleted,
            MaintenanceStatus::Scheduled | MaintenanceStatus::Cancelled => {
                Action::MaintenanceUpdated
            }
        };
        self.clone()
            .changed(Some(&self), events, None, now)
            .notify_if(self.notify)
            .audited(action, ChangeTarget::Maintenance(self.id), self.title)
    }

    /// `now`, or the earliest time of the published status if that is later: the clock of one node
    /// may be behind that of another, which has published it. So only an operator makes a status go
    /// back.
    fn not_before_published(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let since = match self.published_status {
            MaintenanceStatus::InProgress => Some(self.start_at),
            MaintenanceStatus::Completed => self.end_at.map(|end| end + TICK),
            MaintenanceStatus::Scheduled | MaintenanceStatus::Cancelled => None,
        };
        since.map_or(now, |since| now.max(since))
    }

    /// The last time at which the status page shows it; `None` while its end is open. A maintenance
    /// that was cancelled without an end is over when it should have begun, or when it was
    /// cancelled if that was later.
    #[must_use]
    pub fn shown_until(&self) -> Option<DateTime<Utc>> {
        let over = self.end_at.or_else(|| {
            self.cancelled_at
                .map(|cancelled| cancelled.max(self.start_at))
        });
        over.map(|over| over + SHOWN_AFTER_END)
    }
}

#[cfg(test)]
mod tests;
