//! Updates of a maintenance: the entries of its timeline. They can be recorded at any time and do not change its status.

use chrono::{DateTime, Utc};

use crate::author::Author;
use crate::event::{Changed, Event};
use crate::id::{MaintenanceId, MaintenanceUpdateId};
use crate::incident::IncidentStatus;
use crate::organisation::Revision;
use crate::update::{UpdateContent, UpdateDraft, UpdatePatch, check_deletion};
use crate::validation::Invalid;

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
        draft: UpdateDraft,
        author: Author,
        newest: Option<&Self>,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let created_at = newest.map_or(now, |newest| now.max(newest.created_at));
        let UpdateContent {
            message,
            status,
            display_at,
        } = draft.content(created_at, now)?;
        let state = Self {
            id: newest.map_or(id, |newest| id.after(newest.id)),
            maintenance_id,
            status,
            message,
            author,
            created_at,
            display_at,
            version: Revision::default(),
        };
        let events = state.changed();
        Ok(Changed::new(state, events))
    }

    /// This update with an operator's changes.
    ///
    /// # Errors
    /// [`Invalid`] when the result breaks a rule of its fields.
    pub fn edit(self, patch: UpdatePatch, now: DateTime<Utc>) -> Result<Changed<Self>, Invalid> {
        let content = UpdateContent {
            message: self.message.clone(),
            status: self.status,
            display_at: self.display_at,
        };
        let UpdateContent {
            message,
            status,
            display_at,
        } = content.edit(patch, self.created_at, now)?;
        let state = Self {
            status,
            message,
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
    /// [`Invalid`] if `requested` is empty, names an update twice, or names one that is not among the `stored` ones.
    pub fn delete(
        maintenance: MaintenanceId,
        requested: Vec<MaintenanceUpdateId>,
        stored: &[MaintenanceUpdateId],
    ) -> Result<Changed<Vec<MaintenanceUpdateId>>, Invalid> {
        check_deletion(Self::IDS, &requested, stored)?;
        let mut events: Vec<_> = requested
            .iter()
            .map(|id| Event::MaintenanceTimelineDeleted(maintenance, *id))
            .collect();
        events.push(Event::MaintenanceUpdated(maintenance));
        Ok(Changed::new(requested, events))
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
