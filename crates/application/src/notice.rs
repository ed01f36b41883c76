//! Notices: what subscribers are sent, as it was at the time of the change.

use allclear_domain::id::{IncidentId, MaintenanceId};
use allclear_domain::notice::{NoticeChange, NoticeContent};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::link::{incident_path, maintenance_path};

/// One change that is sent to the subscribers of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its identifier.
    pub id: Uuid,
    /// The identifier of the incident, maintenance or component. The mails of one subject form
    /// one thread.
    pub subject: Uuid,
    /// When the change happened.
    pub at: DateTime<Utc>,
    /// The change.
    pub content: NoticeContent,
}

impl Notice {
    /// Path of the page about the incident or the maintenance, below the address of the
    /// organisation's status page; `None` for a component.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self.content.change {
            NoticeChange::Incident { .. } => Some(incident_path(IncidentId(self.subject).code())),
            NoticeChange::Maintenance { .. } => {
                Some(maintenance_path(MaintenanceId(self.subject).code()))
            }
            NoticeChange::Component { .. } => None,
        }
    }
}
