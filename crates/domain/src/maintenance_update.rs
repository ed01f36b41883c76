//! Updates of a maintenance: the entries of its timeline. They can be recorded at any time and do not change its status.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use validator::Validate;

use crate::author::Author;
use crate::display_time::DisplayTime;
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
    /// The maintenance it belongs to.
    pub maintenance_id: MaintenanceId,
    /// Status the author gave the update, one of an incident's.
    pub status: IncidentStatus,
    /// 1 to 10,000 characters.
    pub message: String,
    /// The operator that recorded it. Never public.
    pub author: Author,
    /// When it was recorded; never before an earlier update of the maintenance.
    pub created_at: DateTime<Utc>,
    /// When it is displayed. It orders the timeline; the identifier orders updates with the same time.
    pub display_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

/// What an operator enters for an update, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Validate)]
pub struct MaintenanceUpdateDraft {
    /// One of an incident's statuses.
    pub status: IncidentStatus,
    /// Required.
    #[validate(
        length(min = 1, message = "Message is required"),
        custom(function = text::description_length),
        custom(function = text::no_nul)
    )]
    pub message: String,
    /// When the update is displayed.
    pub display_at: DisplayTime,
    /// Whether the update notifies subscribers; `None` means the default.
    pub notify: Option<bool>,
}

/// A change to an update. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaintenanceUpdatePatch {
    /// A new status.
    pub status: Option<IncidentStatus>,
    /// A new message.
    pub message: Option<String>,
    /// A new time of display.
    pub display_at: Option<DisplayTime>,
    /// Whether the change notifies subscribers; `None` means the default.
    pub notify: Option<bool>,
}

impl MaintenanceUpdate {
    /// The field that names updates to delete.
    pub const IDS: &str = "maintenanceUpdateIds";

    /// A new update of a maintenance. It was recorded after the `newest` one, whatever the nodes' clocks say.
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
        let created_at = newest.map_or(now, |newest| now.max(newest.created_at));
        let state = Self {
            display_at: draft.display_at.resolve(created_at, now)?,
            id: newest.map_or(id, |newest| id.after(newest.id)),
            maintenance_id,
            status: draft.status,
            message: draft.message,
            author,
            created_at,
            version: Revision::default(),
        };
        let events = state.changed();
        Ok(Changed::new(state, events))
    }

    /// This update with an operator's changes.
    ///
    /// # Errors
    /// [`Invalid`] when the result breaks a rule of its fields.
    pub fn edit(
        self,
        patch: MaintenanceUpdatePatch,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let draft = MaintenanceUpdateDraft {
            status: patch.status.unwrap_or(self.status),
            message: patch.message.unwrap_or_else(|| self.message.clone()),
            display_at: patch.display_at.unwrap_or_default(),
            notify: None,
        };
        draft.validate().map_err(Invalid::from)?;
        let display_at = match patch.display_at {
            Some(time) => time.resolve(self.created_at, now)?,
            None => self.display_at,
        };
        let state = Self {
            status: draft.status,
            message: draft.message,
            display_at,
            ..self.clone()
        };
        if state == self {
            return Ok(Changed::without_events(self));
        }
        let events = state.changed();
        Ok(Changed::new(state, events))
    }

    /// Deletes updates of a maintenance, all or none.
    ///
    /// # Errors
    /// [`Invalid`] if `asked` is empty, names an update twice, or names one that is not among the `stored` ones.
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
        Ok(Changed::new(asked, events))
    }

    fn changed(&self) -> Vec<Event> {
        let maintenance = self.maintenance_id;
        vec![
            Event::MaintenanceTimelineUpdated(maintenance, self.id),
            Event::MaintenanceUpdated(maintenance),
        ]
    }
}

#[cfg(test)]
mod tests;
