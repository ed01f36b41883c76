//! Incidents as the public sees them. The authors of updates are not public.

use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::incident_update::IncidentUpdate;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// Number of updates in a timeline, the newest ones. The list of updates has all of them; the limit
/// keeps writes fast for incidents with thousands of updates.
pub const TIMELINE_LENGTH: u64 = 100;

/// An incident with its timeline and the affected components.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicIncident {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Title of the incident.
    pub title: String,
    /// Description of the incident.
    pub description: String,
    /// Whether the end of the description is left out because the status page has no room for it;
    /// absent if the description is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// Current status of the incident.
    pub status: IncidentStatus,
    /// When it happened.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub occured_at: DateTime<Utc>,
    /// When the incident was resolved; null if it is unresolved.
    #[serde(serialize_with = "crate::timestamp::serialize_option")]
    #[schema(required)]
    pub resolved_at: Option<DateTime<Utc>>,
    /// When it was created.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
    /// Newest updates, as many as fit and at most 100. Newest first.
    #[serde(rename = "IncidentTimeline")]
    pub timeline: Vec<IncidentTimelineEntry>,
    /// Whether older updates are left out; absent if the timeline is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timeline_truncated: bool,
    /// Affected components, with the impact on each while the incident is unresolved.
    pub components: Vec<AffectedComponent>,
    /// Whether components are left out because an event has no room for them; absent if the
    /// list is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub components_truncated: bool,
}

/// An update of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentTimelineEntry)]
pub struct IncidentTimelineEntry {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Identifier of the incident.
    pub incident_id: String,
    /// Status of the incident after the update.
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

impl From<&IncidentUpdate> for IncidentTimelineEntry {
    fn from(update: &IncidentUpdate) -> Self {
        Self {
            id: update.id.to_string(),
            code: update.id.code().to_string(),
            incident_id: update.incident_id.to_string(),
            status: update.status,
            message: update.message.clone(),
            created_at: update.created_at,
            display_at: update.display_at,
        }
    }
}

/// A component that an incident affects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AffectedComponent {
    /// The component's identifier.
    pub component_id: String,
    /// Impact of the incident on the component.
    pub status: ComponentStatus,
    /// The component.
    pub component: ComponentName,
}

/// Identifier and name of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ComponentName {
    /// Its identifier.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
}
