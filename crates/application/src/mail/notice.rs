//! Content of the mails of notices.

use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
pub use allclear_domain::notice::{IncidentChange, MaintenanceChange};
use chrono::{DateTime, Utc};

/// Something happened to an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentNotice {
    /// The organisation's name.
    pub organisation: String,
    /// What happened.
    pub change: IncidentChange,
    /// When it did.
    pub at: DateTime<Utc>,
    /// The incident's title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Its status after the change.
    pub status: IncidentStatus,
    /// When the incident began, as entered by the operator.
    pub occurred_at: DateTime<Utc>,
    /// The update's message, where there is an update.
    pub message: Option<String>,
    /// The components it affects, and how.
    pub components: Vec<AffectedComponent>,
    /// Where it leads.
    pub links: NoticeLinks,
}

/// A component an incident affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedComponent {
    /// The component's name.
    pub name: String,
    /// The impact of the incident on it.
    pub status: ComponentStatus,
}

/// Something happened to a maintenance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceNotice {
    /// The organisation's name.
    pub organisation: String,
    /// What happened.
    pub change: MaintenanceChange,
    /// When it did.
    pub at: DateTime<Utc>,
    /// The maintenance's title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Its status after the change.
    pub status: MaintenanceStatus,
    /// When it begins.
    pub start_at: DateTime<Utc>,
    /// When it ends, where that is known.
    pub end_at: Option<DateTime<Utc>>,
    /// The update's message, where there is an update.
    pub message: Option<String>,
    /// Where it leads.
    pub links: NoticeLinks,
}

/// Where a notice leads. Whole URLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeLinks {
    /// The public status page: [`crate::link::Links::status_page`].
    pub page: String,
    /// The page that ends the subscription: [`crate::link::Links::unsubscribe`].
    pub unsubscribe: String,
}
