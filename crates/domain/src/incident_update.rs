//! Updates of incidents: the entries of their timelines.

use chrono::{DateTime, Utc};

use crate::audit::{Action, AuditedChange, ChangeTarget};
use crate::author::Author;
use crate::display_time::DisplayTime;
use crate::event::{Changed, Event};
use crate::id::{IncidentId, IncidentUpdateId};
use crate::impact::{self, Attachment};
use crate::incident::{Cause, Incident, IncidentStatus};
use crate::organisation::Revision;
use crate::update::{UpdateContent, UpdateDraft, UpdatePatch, check_deletion};
use crate::validation::Invalid;

/// An update of an incident, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentUpdate {
    /// Its identifier; greater than those of the incident's earlier updates.
    pub id: IncidentUpdateId,
    /// The incident it belongs to.
    pub incident_id: IncidentId,
    /// The status that the author gave the incident.
    pub status: IncidentStatus,
    /// 1 to 10,000 characters.
    pub message: String,
    /// The operator that recorded it. Never public.
    pub author: Author,
    /// When it was recorded; never before an earlier update of the incident.
    pub created_at: DateTime<Utc>,
    /// When it is displayed. It orders the timeline; the identifier orders updates with the
    /// same time.
    pub display_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

impl IncidentUpdate {
    /// The field that names updates to delete.
    pub const IDS: &str = "incidentUpdateIds";

    /// Whether it is displayed after another update of its incident.
    #[must_use]
    pub(crate) fn is_after(&self, other: &Self) -> bool {
        (self.display_at, self.id) > (other.display_at, other.id)
    }
}

/// An incident with its newest update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndNewest {
    /// The incident.
    pub incident: Incident,
    /// The update that is displayed last; `None` if it has no updates.
    pub newest: Option<IncidentUpdate>,
}

/// An update with the incident it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndUpdate {
    /// The incident.
    pub incident: Incident,
    /// The update.
    pub update: IncidentUpdate,
    /// The newest of the incident's other updates; `None` if it has no others.
    pub newest_other: Option<IncidentUpdate>,
}

/// Input of the rule that deletes updates of an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentUpdateDeletion {
    /// The incident.
    pub incident: Incident,
    /// The requested updates that belong to the incident.
    pub known: Vec<IncidentUpdateId>,
    /// The newest update of the incident; `None` if it has no updates.
    pub newest: Option<IncidentUpdate>,
    /// The newest update that remains; `None` if no update remains.
    pub left: Option<IncidentUpdate>,
}

/// Why the recording of an update is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It breaks a rule of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The incident is resolved.
    #[error("This incident is resolved. Reopen it to record another update")]
    Resolved,
    /// It changes impacts, and the incident is resolved, or resolved by it.
    #[error("A resolved incident has no impact. Record the update without components")]
    NoImpact,
}

/// Why the deletion of updates is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeletionError {
    /// It breaks a rule of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The newest remaining update resolves the incident before it occurred.
    #[error("The newest remaining update would resolve the incident before it occurred")]
    ResolvedTooEarly,
}

impl Incident {
    /// Whether this incident was resolved already when an update was recorded. Such an update
    /// completes the timeline and never changes the status, even if an edit displays it after the
    /// resolution. An update that resolves the incident then or later is not one of them. `other`
    /// is another update, which may have resolved the incident later.
    fn was_resolved_before(&self, update: &IncidentUpdate, other: Option<&IncidentUpdate>) -> bool {
        let Some(resolved_at) = self.resolved_at else {
            return false;
        };
        let resolved_later =
            other.is_some_and(|other| other.id > update.id && self.is_resolution_since(other));
        resolved_at <= update.created_at && !self.is_resolution_since(update) && !resolved_later
    }

    /// Whether an update has the status RESOLVED and is displayed at this incident's time of
    /// resolution or later.
    fn is_resolution_since(&self, update: &IncidentUpdate) -> bool {
        update.status == IncidentStatus::Resolved
            && self
                .resolved_at
                .is_some_and(|time| time <= update.display_at)
    }

    /// Whether an update set the time of resolution.
    fn was_resolved_by(&self, update: &IncidentUpdate) -> bool {
        update.status == IncidentStatus::Resolved && self.resolved_at == Some(update.display_at)
    }
}

/// The field of an update whose value sets a time of resolution: the status if the request has no
/// time.
const fn field_of_time(has_time: bool) -> &'static str {
    if has_time { "displayAt" } else { "status" }
}

impl IncidentAndNewest {
    /// Records an update. Its identifier and `now` follow those of all earlier updates. If it is
    /// the newest one, the incident takes its status. A resolved incident takes only updates that
    /// are displayed before its resolution, and stays resolved.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn record(
        self,
        id: IncidentUpdateId,
        draft: UpdateDraft,
        author: Author,
        notify_by_default: bool,
        now: DateTime<Utc>,
    ) -> Result<Changed<IncidentAndUpdate>, RecordError> {
        let notify = draft.notify.unwrap_or(notify_by_default);
        let is_displayed_when_recorded = draft.display_at == DisplayTime::Recorded;
        let UpdateContent {
            message,
            status,
            display_at,
        } = draft.content(now, now)?;
        if let Some(resolved_at) = self.incident.resolved_at
            && (is_displayed_when_recorded || display_at >= resolved_at)
        {
            return Err(RecordError::Resolved);
        }
        let update = IncidentUpdate {
            id,
            incident_id: self.incident.id,
            status,
            message,
            author,
            created_at: now,
            display_at,
            version: Revision::default(),
        };
        let recorded = IncidentAndUpdate {
            incident: self.incident,
            update,
            newest_other: self.newest,
        };
        let status = if recorded.is_newest() && recorded.incident.resolved_at.is_none() {
            recorded.update.status
        } else {
            recorded.incident.status
        };
        let incident = recorded.incident.clone().with_status(status, display_at);
        let field = field_of_time(!is_displayed_when_recorded);
        incident.check_resolution(&recorded.incident, field)?;
        let cause = Cause::UpdateRecorded(recorded.update.clone());
        Ok(recorded.changed(incident, cause, now).notify_if(notify))
    }
}

impl Changed<IncidentAndUpdate> {
    /// The same recording of an update, which also changes the impacts on attached components from
    /// now on. The audit log has both. Without components it is the same.
    ///
    /// # Errors
    /// [`RecordError::NoImpact`].
    pub fn with_impacts(self, components: &[Attachment]) -> Result<Self, RecordError> {
        if components.is_empty() {
            return Ok(self);
        }
        let incident = &self.state.incident;
        let impacts = incident.impact_on(impact::ids(components), None);
        if impacts.is_none() {
            return Err(RecordError::NoImpact);
        }
        let audited = |action| AuditedChange {
            action,
            target: ChangeTarget::Incident(incident.id),
            name: Some(incident.title.clone()),
        };
        let audited = vec![
            audited(Action::IncidentUpdateCreated),
            audited(Action::IncidentUpdated),
        ];
        Ok(Self {
            impacts,
            audited,
            ..self
        })
    }
}

impl IncidentAndUpdate {
    /// Whether the update is the newest one of the incident.
    #[must_use]
    pub fn is_newest(&self) -> bool {
        self.newest_other
            .as_ref()
            .is_none_or(|other| self.update.is_after(other))
    }

    /// This update with an operator's changes. If that changes which update is the newest one, or
    /// the status of the newest one, the incident takes the status of the newest one; otherwise its
    /// status stays.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields, or resolves the incident before it
    /// occurred, or resolves an incident at a later time than it was when the update was recorded.
    pub fn edit(
        self,
        patch: UpdatePatch,
        notify_by_default: bool,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let notify = patch.notify.unwrap_or(notify_by_default);
        let field = field_of_time(patch.display_at.is_some());
        let before = self.update.clone();
        let content = UpdateContent {
            message: before.message.clone(),
            status: before.status,
            display_at: before.display_at,
        };
        let UpdateContent {
            message,
            status,
            display_at,
        } = content.edit(patch, before.created_at, now)?;
        let was_newest = self.is_newest();
        let edited = Self {
            update: IncidentUpdate {
                status,
                message,
                display_at,
                ..before.clone()
            },
            ..self
        };
        if edited.update == before {
            return Ok(Changed::without_events(edited));
        }
        let other = edited.newest_other.as_ref();
        if edited.incident.was_resolved_before(&before, other)
            && edited.incident.is_resolution_since(&edited.update)
        {
            let message = "This incident was resolved before that time";
            return Err(Invalid::field(field, message));
        }
        let incident = edited.incident_after(&before, was_newest);
        incident.check_resolution(&edited.incident, field)?;
        // If another update is the newest one now, this message does not explain its status.
        let cause = if edited.is_newest() {
            Cause::UpdateEdited(edited.update.clone())
        } else {
            Cause::Edit
        };
        Ok(edited.changed(incident, cause, now).notify_if(notify))
    }

    /// The incident after this update was changed from `before`.
    fn incident_after(&self, before: &IncidentUpdate, was_newest: bool) -> Incident {
        let incident = self.incident.clone();
        let update = &self.update;
        let sets_status = was_newest != self.is_newest() || update.status != before.status;
        let newest = match &self.newest_other {
            Some(other) if other.is_after(update) => other,
            _ => update,
        };
        let other = self.newest_other.as_ref();
        if incident.was_resolved_before(before, other) || !(was_newest || self.is_newest()) {
            return incident;
        }
        if sets_status {
            let is_late =
                newest.id != before.id && incident.was_resolved_before(newest, Some(before));
            let status = if is_late {
                incident.status
            } else {
                newest.status
            };
            return incident.with_status(status, newest.display_at);
        }
        if incident.was_resolved_by(before) {
            return Incident {
                resolved_at: Some(update.display_at),
                ..incident
            };
        }
        incident
    }

    /// This update with its incident after the change of the update, and everything that causes.
    fn changed(self, incident: Incident, cause: Cause, now: DateTime<Utc>) -> Changed<Self> {
        let before = &self.incident;
        let events = vec![
            Event::TimelineUpdated(before.id, self.update.id),
            Event::IncidentUpdated(before.id),
        ];
        let changed = incident.touched(now).changed(before, events, cause);
        changed.map(|incident| Self { incident, ..self })
    }
}

impl IncidentUpdateDeletion {
    /// The incident without these updates, at least one. Its status changes only if the newest
    /// update is deleted and an older one remains. `notify` is whether that notifies subscribers.
    ///
    /// # Errors
    /// [`DeletionError`]: there are none, one of them is named twice or is not an update of the
    /// incident, or the newest remaining one resolves the incident before it occurred.
    pub fn delete(
        self,
        updates: &[IncidentUpdateId],
        notify: bool,
        now: DateTime<Utc>,
    ) -> Result<Changed<Incident>, DeletionError> {
        check_deletion(IncidentUpdate::IDS, updates, &self.known)?;
        let before = self.incident;
        let after = match (self.newest, self.left) {
            (Some(newest), Some(left))
                if updates.contains(&newest.id)
                    && !before.was_resolved_before(&newest, None)
                    && (before.is_resolution_since(&newest)
                        || !before.was_resolved_before(&left, None)) =>
            {
                before.clone().with_status(left.status, left.display_at)
            }
            _ => before.clone(),
        };
        if after.is_resolved_too_early(&before) {
            return Err(DeletionError::ResolvedTooEarly);
        }
        let deleted = updates
            .iter()
            .map(|update| Event::IncidentTimelineDeleted(before.id, *update));
        let events = deleted.chain([Event::IncidentUpdated(before.id)]).collect();
        let changed = after.touched(now).changed(&before, events, Cause::Edit);
        Ok(changed.notify_if(notify))
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod timeline_tests;
