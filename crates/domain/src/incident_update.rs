//! Updates of incidents: the entries of their timelines.

use chrono::{DateTime, Utc};
use validator::Validate;

use crate::author::Author;
use crate::event::{Changed, Event};
use crate::id::{IncidentId, IncidentUpdateId};
use crate::incident::{Incident, IncidentStatus};
use crate::organisation::Revision;
use crate::text;
use crate::validation::{FieldError, Invalid, check_known, repeated};

/// An update of an incident, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentUpdate {
    /// Its identifier; greater than those of the incident's earlier updates.
    pub id: IncidentUpdateId,
    /// The incident it belongs to.
    pub incident_id: IncidentId,
    /// The status the incident had from then on.
    pub status: IncidentStatus,
    /// 1 to 10,000 characters.
    pub message: String,
    /// The operator that recorded it. Never public.
    pub author: Author,
    /// When it was recorded; never before an earlier update of the incident.
    pub created_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

/// What an operator enters for an update, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct IncidentUpdateDraft {
    /// Required.
    #[validate(
        length(min = 1, message = "Message is required"),
        custom(function = text::description_length),
        custom(function = text::no_nul)
    )]
    pub message: String,
    /// The status the incident has from now on.
    pub status: IncidentStatus,
}

/// A change to an update. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IncidentUpdatePatch {
    /// A new message.
    pub message: Option<String>,
    /// A new status.
    pub status: Option<IncidentStatus>,
}

/// Checks a list of updates to delete.
///
/// # Errors
/// [`Invalid`] if the list is empty or names an update twice.
pub fn check_deletion(updates: &[IncidentUpdateId]) -> Result<(), Invalid> {
    if updates.is_empty() {
        return Err(Invalid::field(
            "incidentUpdateIds",
            "At least one update is required",
        ));
    }
    let mut invalid = Invalid::default();
    for index in repeated(updates) {
        let field = format!("incidentUpdateIds[{index}]");
        invalid.add(FieldError {
            field,
            message: "This update is chosen already".to_owned(),
        });
    }
    invalid.into_result()
}

/// An incident with its newest update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndNewest {
    /// The incident.
    pub incident: Incident,
    /// The newest of its updates; `None` if it has no updates.
    pub newest: Option<IncidentUpdate>,
}

/// An update with the incident it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndUpdate {
    /// The incident.
    pub incident: Incident,
    /// The update.
    pub update: IncidentUpdate,
    /// Whether it is the incident's newest one.
    pub is_newest: bool,
}

/// Input of the rule that deletes updates of an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateDeletion {
    /// The incident.
    pub incident: Incident,
    /// The requested updates that belong to the incident.
    pub known: Vec<IncidentUpdateId>,
    /// The newest update of the incident; `None` if it has no updates.
    pub newest: Option<IncidentUpdateId>,
    /// The newest update that remains; `None` if no update remains.
    pub left: Option<IncidentUpdate>,
}

/// Why the recording of an update is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordRefused {
    /// It breaks a rule of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The incident is resolved.
    #[error("This incident is resolved. Reopen it to record another update")]
    Resolved,
}

impl IncidentAndNewest {
    /// Records an update: the incident takes its status.
    ///
    /// # Errors
    /// [`RecordRefused`].
    pub fn record(
        self,
        id: IncidentUpdateId,
        draft: IncidentUpdateDraft,
        author: Author,
        now: DateTime<Utc>,
    ) -> Result<Changed<IncidentAndUpdate>, RecordRefused> {
        draft.validate().map_err(Invalid::from)?;
        if self.incident.status == IncidentStatus::Resolved {
            return Err(RecordRefused::Resolved);
        }
        let (id, created_at) = match &self.newest {
            Some(newest) => (id.after(newest.id), now.max(newest.created_at)),
            None => (id, now),
        };
        let update = IncidentUpdate {
            id,
            incident_id: self.incident.id,
            status: draft.status,
            message: draft.message,
            author,
            created_at,
            version: Revision::default(),
        };
        let status = update.status;
        Ok(IncidentAndUpdate {
            incident: self.incident,
            update,
            is_newest: true,
        }
        .changed(status, true, now))
    }
}

impl IncidentAndUpdate {
    /// This update with an operator's changes. An edit that changes the status of the newest update sets the incident's
    /// status; every other edit leaves the incident's status as it is.
    ///
    /// # Errors
    /// [`Invalid`] when the result breaks a rule of its fields.
    pub fn edit(
        self,
        patch: IncidentUpdatePatch,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let draft = IncidentUpdateDraft {
            message: patch.message.unwrap_or_else(|| self.update.message.clone()),
            status: patch.status.unwrap_or(self.update.status),
        };
        draft.validate().map_err(Invalid::from)?;
        let status_changes = draft.status != self.update.status;
        if draft.message == self.update.message && !status_changes {
            return Ok(Changed::nothing(self));
        }
        let status = if self.is_newest && status_changes {
            draft.status
        } else {
            self.incident.status
        };
        let update = IncidentUpdate {
            message: draft.message,
            status: draft.status,
            ..self.update
        };
        Ok(Self { update, ..self }.changed(status, false, now))
    }

    /// This update with the incident at a status, and everything that causes. `recorded` is true for a new update, false for an edit.
    fn changed(self, status: IncidentStatus, recorded: bool, now: DateTime<Utc>) -> Changed<Self> {
        let before = self.incident;
        let events = vec![
            Event::TimelineUpdated(before.id, self.update.id),
            Event::IncidentUpdated(before.id),
        ];
        let after = before.clone().with_status(status, now).touched(now);
        let message = Some(self.update.message.as_str());
        let changed = after.changed(&before, events, recorded, message);
        changed.map(|incident| Self {
            incident,
            update: self.update,
            is_newest: self.is_newest,
        })
    }
}

impl UpdateDeletion {
    /// The incident without these updates. Its status changes only if the newest update is deleted and an older one remains.
    ///
    /// # Errors
    /// [`Invalid`] if one of them is not an update of the incident.
    pub fn delete(
        self,
        updates: &[IncidentUpdateId],
        now: DateTime<Utc>,
    ) -> Result<Changed<Incident>, Invalid> {
        let field = |index| format!("incidentUpdateIds[{index}]");
        check_known(updates, &self.known, field, "This update does not exist")?;
        let before = self.incident;
        let newest_goes = self.newest.is_some_and(|newest| updates.contains(&newest));
        let status = self
            .left
            .filter(|_| newest_goes)
            .map_or(before.status, |left| left.status);
        let deleted = updates
            .iter()
            .map(|update| Event::IncidentTimelineDeleted(before.id, *update));
        let events = deleted.chain([Event::IncidentUpdated(before.id)]).collect();
        let after = before.clone().with_status(status, now).touched(now);
        Ok(after.changed(&before, events, false, None))
    }
}

#[cfg(test)]
mod tests;
