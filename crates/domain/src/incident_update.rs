//! Updates of incidents: the entries of their timelines.

use chrono::{DateTime, Utc};
use validator::Validate;

use crate::author::Author;
use crate::event::{Changed, Event};
use crate::id::{IncidentId, IncidentUpdateId};
use crate::incident::{Incident, IncidentStatus};
use crate::organisation::Revision;
use crate::text;
use crate::validation::{FieldError, Invalid, repeated};

/// What was told about an incident, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentUpdate {
    /// Its identifier; greater than those of the incident's earlier updates.
    pub id: IncidentUpdateId,
    /// The incident it tells of.
    pub incident_id: IncidentId,
    /// The status the incident had from then on.
    pub status: IncidentStatus,
    /// 1 to 10,000 characters.
    pub message: String,
    /// Who recorded it. Never public.
    pub author: Author,
    /// When it was recorded; never before an earlier update of the incident.
    pub created_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

/// What an operator enters for an update, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct IncidentUpdateDraft {
    /// Must be there.
    #[validate(
        length(min = 1, message = "Message is required"),
        custom(function = text::description_length),
        custom(function = text::no_nul)
    )]
    pub message: String,
    /// The status the incident has from now on.
    pub status: IncidentStatus,
}

/// A change to an update: only what is present changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IncidentUpdatePatch {
    /// A new message.
    pub message: Option<String>,
    /// A new status.
    pub status: Option<IncidentStatus>,
}

/// Checks updates to delete.
///
/// # Errors
/// [`Invalid`] when there is none, or one comes twice.
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

/// An incident and its newest update: all one has to know to record another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latest {
    /// The incident.
    pub incident: Incident,
    /// The newest of its updates; none while it has none.
    pub newest: Option<IncidentUpdate>,
}

/// An update with the incident it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The incident.
    pub incident: Incident,
    /// The update.
    pub update: IncidentUpdate,
    /// Whether it is the incident's newest one.
    pub is_newest: bool,
}

/// An incident that some of its updates are about to leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// The incident.
    pub incident: Incident,
    /// The newest of its updates; none while it has none.
    pub newest: Option<IncidentUpdateId>,
    /// The newest of those that stay; none where none does.
    pub left: Option<IncidentUpdate>,
}

/// Why an update is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordRefused {
    /// It breaks a rule of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The incident is over.
    #[error("This incident is resolved. Reopen it to record another update")]
    Resolved,
}

impl Latest {
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
    ) -> Result<Changed<Entry>, RecordRefused> {
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
        Ok(Entry {
            incident: self.incident,
            update,
            is_newest: true,
        }
        .told(status, now))
    }
}

impl Entry {
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
            return Ok(Changed {
                state: self,
                events: Vec::new(),
            });
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
        Ok(Self { update, ..self }.told(status, now))
    }

    /// This update with the incident at a status, and the events of both.
    fn told(self, status: IncidentStatus, now: DateTime<Utc>) -> Changed<Self> {
        let id = self.incident.id;
        let events = vec![
            Event::TimelineUpdated(id, self.update.id),
            Event::IncidentUpdated(id),
        ];
        let incident = self.incident.with_status(status, now).touched(now);
        Changed {
            state: Self { incident, ..self },
            events,
        }
    }
}

impl Deletion {
    /// The incident without these updates. Its status goes back only when the newest one goes and another one stays.
    #[must_use]
    pub fn of(self, updates: &[IncidentUpdateId], now: DateTime<Utc>) -> Changed<Incident> {
        if updates.is_empty() {
            return Changed {
                state: self.incident,
                events: Vec::new(),
            };
        }
        let (id, status) = (self.incident.id, self.incident.status);
        let newest_goes = self.newest.is_some_and(|newest| updates.contains(&newest));
        let status = self
            .left
            .filter(|_| newest_goes)
            .map_or(status, |left| left.status);
        let gone = updates
            .iter()
            .map(|update| Event::IncidentTimelineDeleted(id, *update));
        let events = gone.chain([Event::IncidentUpdated(id)]).collect();
        Changed {
            state: self.incident.with_status(status, now).touched(now),
            events,
        }
    }
}

#[cfg(test)]
mod tests;
