//! Updates of a maintenance: what operators tell about it. They can be recorded at any time and do not move its status.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use validator::Validate;

use crate::author::Author;
use crate::event::{Changed, Event};
use crate::id::{MaintenanceId, MaintenanceUpdateId};
use crate::incident::IncidentStatus;
use crate::organisation::Revision;
use crate::text;
use crate::validation::{FieldError, Invalid, repeated};

/// An entry of a maintenance's timeline, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceUpdate {
    /// Its identifier; greater than those of the maintenance's earlier updates.
    pub id: MaintenanceUpdateId,
    /// The maintenance it tells about.
    pub maintenance_id: MaintenanceId,
    /// The word its author chose; one of an incident's.
    pub status: IncidentStatus,
    /// 1 to 10,000 characters.
    pub message: String,
    /// Who recorded it. Never public.
    pub author: Author,
    /// When it was recorded; never before an earlier update of the maintenance.
    pub created_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

/// What an operator enters for an update, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct MaintenanceUpdateDraft {
    /// One of an incident's words.
    pub status: IncidentStatus,
    /// Must be there.
    #[validate(
        length(min = 1, message = "Message is required"),
        custom(function = text::description_length),
        custom(function = text::no_nul)
    )]
    pub message: String,
}

/// A change to an update: only what is present changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaintenanceUpdatePatch {
    /// A new word.
    pub status: Option<IncidentStatus>,
    /// A new message.
    pub message: Option<String>,
}

impl MaintenanceUpdate {
    /// The field that names updates to delete.
    pub const IDS: &str = "maintenanceUpdateIds";

    /// A new update of a maintenance. It follows the `newest` one there, also where two nodes' clocks disagree.
    ///
    /// # Errors
    /// [`Invalid`] when the draft breaks a rule of its fields.
    pub fn record(
        id: MaintenanceUpdateId,
        maintenance_id: MaintenanceId,
        draft: MaintenanceUpdateDraft,
        author: Author,
        newest: Option<&Self>,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        draft.validate().map_err(Invalid::from)?;
        let state = Self {
            id: newest.map_or(id, |newest| id.after(newest.id)),
            maintenance_id,
            status: draft.status,
            message: draft.message,
            author,
            created_at: newest.map_or(now, |newest| now.max(newest.created_at)),
            version: Revision::default(),
        };
        let events = state.told();
        Ok(Changed { state, events })
    }

    /// This update with an operator's changes.
    ///
    /// # Errors
    /// [`Invalid`] when the result breaks a rule of its fields.
    pub fn edit(self, patch: MaintenanceUpdatePatch) -> Result<Changed<Self>, Invalid> {
        let draft = MaintenanceUpdateDraft {
            status: patch.status.unwrap_or(self.status),
            message: patch.message.unwrap_or_else(|| self.message.clone()),
        };
        draft.validate().map_err(Invalid::from)?;
        if draft.status == self.status && draft.message == self.message {
            return Ok(Changed {
                state: self,
                events: Vec::new(),
            });
        }
        let state = Self {
            status: draft.status,
            message: draft.message,
            ..self
        };
        let events = state.told();
        Ok(Changed { state, events })
    }

    /// Deletes updates of a maintenance, all or none.
    ///
    /// # Errors
    /// [`Invalid`] when none is `asked` for, one comes twice, or one is not among the maintenance's `stored` ones.
    pub fn delete(
        maintenance: MaintenanceId,
        asked: Vec<MaintenanceUpdateId>,
        stored: &[MaintenanceUpdateId],
    ) -> Result<Changed<Vec<MaintenanceUpdateId>>, Invalid> {
        if asked.is_empty() {
            return Err(Invalid::field(Self::IDS, "At least one update is required"));
        }
        let mut invalid = Invalid::default();
        let mut refuse = |index: usize, message: &str| {
            invalid.add(FieldError {
                field: format!("{}[{index}]", Self::IDS),
                message: message.to_owned(),
            });
        };
        for index in repeated(&asked) {
            refuse(index, "This update is chosen already");
        }
        let stored: HashSet<_> = stored.iter().collect();
        for (index, _) in asked
            .iter()
            .enumerate()
            .filter(|(_, id)| !stored.contains(id))
        {
            refuse(index, "This update does not exist");
        }
        invalid.into_result()?;
        let mut events: Vec<_> = asked
            .iter()
            .map(|id| Event::MaintenanceTimelineDeleted(maintenance, *id))
            .collect();
        events.push(Event::MaintenanceUpdated(maintenance));
        Ok(Changed {
            state: asked,
            events,
        })
    }

    fn told(&self) -> Vec<Event> {
        let maintenance = self.maintenance_id;
        vec![
            Event::MaintenanceTimelineUpdated(maintenance, self.id),
            Event::MaintenanceUpdated(maintenance),
        ]
    }
}

#[cfg(test)]
mod tests;
