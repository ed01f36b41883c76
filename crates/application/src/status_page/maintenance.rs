//! Maintenances as the public sees them.

use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::maintenance_update::MaintenanceUpdate;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::maintenance::MaintenanceReport;
use crate::status_page::incident::ComponentName;

/// A maintenance as the public sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicMaintenance {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its title.
    pub title: String,
    /// Description of the work.
    pub description: String,
    /// Whether the end of the description is left out because the status page has no room for it;
    /// absent if the description is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// Current status, derived from the times and the clock.
    pub status: MaintenanceStatus,
    /// When it begins.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub start_at: DateTime<Utc>,
    /// End of the maintenance; null if it is unknown.
    #[serde(serialize_with = "crate::timestamp::serialize_option")]
    #[schema(required)]
    pub end_at: Option<DateTime<Utc>>,
    /// The last time at which the status page shows it; `None` while its end is open.
    #[serde(skip)]
    pub shown_until: Option<DateTime<Utc>>,
    /// When it was created.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
    /// Newest updates, as many as fit and at most 100. Newest first.
    pub timeline: Vec<MaintenanceTimelineEntry>,
    /// Whether older updates are left out; absent if the timeline is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timeline_truncated: bool,
    /// Affected components, which are under maintenance while it is in progress.
    pub components: Vec<MaintenanceComponent>,
    /// Whether components are left out because an event or the page has no room for them; absent if
    /// the list is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub components_truncated: bool,
}

/// A component that a maintenance affects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceComponent {
    /// The component's identifier.
    pub component_id: String,
    /// The component.
    pub component: ComponentName,
}

/// An update of a maintenance as the public sees it: without its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceEntry)]
pub struct MaintenanceTimelineEntry {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Identifier of the maintenance.
    pub maintenance_id: String,
    /// Status the author gave the update.
    pub status: IncidentStatus,
    /// Text of the update.
    pub message: String,
    /// When it was recorded.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it is displayed. It orders the timeline.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub display_at: DateTime<Utc>,
}

impl From<MaintenanceReport> for PublicMaintenance {
    fn from(report: MaintenanceReport) -> Self {
        let status = report.status();
        let MaintenanceReport {
            maintenance,
            timeline,
            timeline_truncated,
            components,
            components_truncated,
            ..
        } = report;
        Self {
            shown_until: maintenance.shown_until(),
            id: maintenance.id.to_string(),
            code: maintenance.id.code().to_string(),
            title: maintenance.title,
            description: maintenance.description,
            description_truncated: false,
            status,
            start_at: maintenance.start_at,
            end_at: maintenance.end_at,
            created_at: maintenance.created_at,
            timeline,
            timeline_truncated,
            components,
            components_truncated,
        }
    }
}

impl From<&MaintenanceUpdate> for MaintenanceTimelineEntry {
    fn from(update: &MaintenanceUpdate) -> Self {
        Self {
            id: update.id.to_string(),
            code: update.id.code().to_string(),
            maintenance_id: update.maintenance_id.to_string(),
            status: update.status,
            message: update.message.clone(),
            created_at: update.created_at,
            display_at: update.display_at,
        }
    }
}
