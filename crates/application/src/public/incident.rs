//! Incidents as the public sees them. Who recorded an update is not among it.

use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// How long a resolved incident stays on the status page.
pub const SHOWN_AFTER_RESOLUTION: TimeDelta = TimeDelta::days(14);

/// How many updates the timeline of an incident or a maintenance shows, the newest ones. All of them are in its list of
/// updates; here a bound keeps an update of one with thousands as cheap as the first.
pub const TIMELINE_LENGTH: u64 = 100;

/// An incident with its timeline and what it affects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicIncident {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// What it is about.
    pub title: String,
    /// What happened.
    pub description: String,
    /// Whether the end of the description is left out, because the status page has no room for it; absent if it is whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// How far it has been dealt with.
    pub status: IncidentStatus,
    /// When it happened.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub occured_at: DateTime<Utc>,
    /// Since when it is resolved; null while it is not.
    #[serde(serialize_with = "crate::timestamp::serialize_option")]
    #[schema(required)]
    pub resolved_at: Option<DateTime<Utc>>,
    /// When it was created.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
    /// The newest of its updates that there is room for, at most 100, newest first.
    #[serde(rename = "IncidentTimeline")]
    pub timeline: Vec<IncidentTimelineEntry>,
    /// Whether it has older updates than these; absent if these are all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timeline_truncated: bool,
    /// The components it affects, and the status it holds on each while it is unresolved.
    pub components: Vec<AffectedComponent>,
    /// Whether it affects more components than these, for which an event has no room; absent if these are all.
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
    /// The incident it tells of.
    pub incident_id: String,
    /// The status the incident had from then on.
    pub status: IncidentStatus,
    /// What was told.
    pub message: String,
    /// When it was recorded.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
}

/// A component an incident affects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AffectedComponent {
    /// The component's identifier.
    pub component_id: String,
    /// The status held on it.
    pub status: ComponentStatus,
    /// The component.
    pub component: ComponentName,
}

/// A component by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ComponentName {
    /// Its identifier.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
}
