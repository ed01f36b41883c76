//! Component groups and the order of the page as the public sees them.

use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::GroupDisplay;
use allclear_domain::page_order::{OrderEntry, PageOrder};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::component_group::ComponentGroupReport;

/// A group of components.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicComponentGroup {
    /// Its identifier.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// Whether the description is cut; absent if it is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// Position among the entries of the page, from 1.
    pub position: i32,
    /// Whether it shows its components when a visitor opens the page.
    pub display: GroupDisplay,
    /// The worst status of its components; OPERATIONAL if it has none.
    pub status: ComponentStatus,
    /// Whether one of its components is under maintenance.
    pub under_maintenance: bool,
    /// When it was created.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub updated_at: DateTime<Utc>,
}

impl From<&ComponentGroupReport> for PublicComponentGroup {
    fn from(report: &ComponentGroupReport) -> Self {
        let group = &report.group;
        Self {
            id: group.id.to_string(),
            code: group.id.code().to_string(),
            name: group.name.clone(),
            description: group.description.clone(),
            description_truncated: false,
            position: report.position,
            display: group.display,
            status: report.status,
            under_maintenance: report.under_maintenance,
            created_at: group.created_at,
            updated_at: group.updated_at,
        }
    }
}

/// The order of the status page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ComponentOrder)]
pub struct PublicOrder {
    /// The entries of the page, in order. Every group and every component occurs exactly once.
    pub groups: Vec<PublicOrderEntry>,
}

/// A group with its components, or the components without a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ComponentOrderEntry)]
pub struct PublicOrderEntry {
    /// Identifier of the group; null for the components without a group, at most once.
    #[schema(required)]
    #[serde(deserialize_with = "Option::deserialize")]
    pub id: Option<String>,
    /// Identifiers of its components, in order.
    pub components: Vec<String>,
}

impl From<&PageOrder> for PublicOrder {
    fn from(order: &PageOrder) -> Self {
        let entry = |entry: &OrderEntry| PublicOrderEntry {
            id: entry.group.map(|group| group.to_string()),
            components: entry.components.iter().map(ToString::to_string).collect(),
        };
        Self {
            groups: order.entries.iter().map(entry).collect(),
        }
    }
}
