//! Updates of maintenances: the entries of their timelines. They can be recorded at any time and do
//! not change the status.

use chrono::{DateTime, Utc};

use crate::author::Author;
use crate::event::{Changed, Event};
use crate::id::{MaintenanceId, MaintenanceUpdateId};
use crate::incident::IncidentStatus;
use crate::maintenance::{ChangeContext, Maintenance};
use crate::organisation::Revision;
use crate::update::{UpdateContent, UpdateDraft, UpdatePatch, check_deletion};
use crate::validation::Invalid;

/// An update of a maintenance, as stored.
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
    /// When it is displayed. It orders the timeline; the identifier orders updates with the
    /// same time.
    pub display_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

impl MaintenanceUpdate {
    /// The field that names updates to delete.
    pub const IDS: &str = "maintenanceUpdateIds";
}

/// An update with the maintenance it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceAndUpdate {
    /// The maintenance.
    pub maintenance: Maintenance,
    /// The update.
    pub update: MaintenanceUpdate,
}

/// Input of the rule that deletes updates of a maintenance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceUpdateDeletion {
    /// The maintenance.
    pub maintenance: Maintenance,
    /// The requested updates that belong to the maintenance.
    pub known: Vec<MaintenanceUpdateId>,
}

impl Maintenance {
    /// Records an update. Its time follows the times of all earlier updates, as `id` follows
    /// their identifiers.
    ///
    /// # Errors
    /// [`Invalid`] if the draft breaks a rule of its fields.
    pub fn record_update(
        self,
        id: MaintenanceUpdateId,
        draft: UpdateDraft,
        author: Author,
        context: ChangeContext,
    ) -> Result<Changed<MaintenanceAndUpdate>, Invalid> {
        let notify = draft.notify.unwrap_or(context.notify_by_default);
        let recorded_at = context.recorded_at;
        let UpdateContent {
            message,
            status,
            display_at,
        } = draft.content(recorded_at, recorded_at)?;
        let recorded = MaintenanceAndUpdate {
            update: MaintenanceUpdate {
                id,
                maintenance_id: self.id,
                status,
                message: message.clone(),
                author,
                created_at: recorded_at,
                display_at,
                version: Revision::default(),
            },
            maintenance: self,
        };
        Ok(recorded.changed(Some(message), notify, context.now))
    }
}

impl MaintenanceAndUpdate {
    /// This update with an operator's changes.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields.
    pub fn edit(
        self,
        patch: UpdatePatch,
        context: ChangeContext,
    ) -> Result<Changed<Self>, Invalid> {
        let notify = patch.notify.unwrap_or(context.notify_by_default);
        let before = self.update.clone();
        let written = UpdateContent {
            message: before.message.clone(),
            status: before.status,
            display_at: before.display_at,
        };
        let UpdateContent {
            message,
            status,
            display_at,
        } = written.edit(patch, before.created_at, context.recorded_at)?;
        let edited = Self {
            update: MaintenanceUpdate {
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
        Ok(edited.changed(None, notify, context.now))
    }

    /// This update with its maintenance after the change of the update, and everything that causes.
    /// `recorded` is the message of an update that was recorded.
    fn changed(self, recorded: Option<String>, notify: bool, now: DateTime<Utc>) -> Changed<Self> {
        let Self {
            maintenance,
            update,
        } = self;
        let events = vec![
            Event::MaintenanceTimelineUpdated(maintenance.id, update.id),
            Event::MaintenanceUpdated(maintenance.id),
        ];
        let changed = maintenance.after_updates(events, recorded, notify, now);
        changed.map(|maintenance| Self {
            maintenance,
            update,
        })
    }
}

impl MaintenanceUpdateDeletion {
    /// The maintenance without these updates, at least one. If the organisation's changes notify,
    /// what the clock has changed notifies subscribers even if the maintenance
    /// [does not](Maintenance::notify).
    ///
    /// # Errors
    /// [`Invalid`] if there are none, or one of them is named twice or is not an update of
    /// the maintenance.
    pub fn delete(
        self,
        updates: &[MaintenanceUpdateId],
        context: ChangeContext,
    ) -> Result<Changed<Maintenance>, Invalid> {
        check_deletion(MaintenanceUpdate::IDS, updates, &self.known)?;
        let id = self.maintenance.id;
        // An update counts as a change at its own time. Without a later time here, the time of the
        // last change would go back.
        let maintenance = Maintenance {
            updated_at: context.recorded_at.max(self.maintenance.updated_at),
            ..self.maintenance
        };
        let deleted = updates
            .iter()
            .map(|update| Event::MaintenanceTimelineDeleted(id, *update));
        let events = deleted.chain([Event::MaintenanceUpdated(id)]).collect();
        Ok(maintenance.after_updates(events, None, context.notify_by_default, context.now))
    }
}

#[cfg(test)]
mod tests;
