//! What the public sees, in the form it is sent: the status page's snapshot and the things in it.

pub mod incident;
pub mod maintenance;
pub mod size;

use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::headline::headline;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::Error;
use crate::public::incident::PublicIncident;
use crate::public::maintenance::PublicMaintenance;

/// A component as the public sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicComponent {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
    /// May be empty.
    pub description: String,
    /// Whether the end of the description is left out because the page has no room for it; absent if the description is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// Current status of the component.
    pub status: ComponentStatus,
    /// When it was created.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
}

impl From<&Component> for PublicComponent {
    fn from(component: &Component) -> Self {
        Self {
            id: component.id.to_string(),
            code: component.id.code().to_string(),
            name: component.name.clone(),
            description: component.description.clone(),
            description_truncated: false,
            status: component.status,
            created_at: component.created_at,
        }
    }
}

/// Organisation of the status page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PublicOrganisation {
    /// Its identifier.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
}

/// Headline of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Banner {
    /// Whether every component is operational.
    pub operational: bool,
    /// "All Systems Operational" or "Some systems are experiencing issues".
    pub text: &'static str,
}

/// Everything a status page shows, at one revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Organisation of the status page.
    pub organisation: PublicOrganisation,
    /// Headline of the page; null if there are no components.
    #[schema(required)]
    pub banner: Option<Banner>,
    /// Newest first.
    pub components: Vec<PublicComponent>,
    /// All unresolved incidents, and the 50 that were resolved last within the last 14 days. Newest first.
    pub incidents: Vec<PublicIncident>,
    /// All maintenances that have not ended, and the 50 that ended last within the last 14 days. Newest first.
    pub maintenances: Vec<PublicMaintenance>,
    /// Revision of the organisation at which the page was read.
    pub revision: i64,
    /// When it was read.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub generated_at: DateTime<Utc>,
}

impl Snapshot {
    /// The headline for these components; `None` if there are none.
    #[must_use]
    pub fn banner(components: &[Component]) -> Option<Banner> {
        let found = headline(components.iter().map(|component| component.status))?;
        Some(Banner {
            operational: found.operational,
            text: found.text(),
        })
    }

    /// Returns the first time after `now` at which only the clock changes the page: a maintenance begins or ends, or the time for
    /// showing a past incident or maintenance ends.
    #[must_use]
    pub fn changes_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let leaving = |over: DateTime<Utc>| over + SHOWN_AFTER_END;
        // A maintenance is in progress up to its last millisecond.
        let ended = |end: DateTime<Utc>| end + TimeDelta::milliseconds(1);
        let resolved = self
            .incidents
            .iter()
            .filter_map(|incident| incident.resolved_at)
            .map(leaving);
        let maintenances = self.maintenances.iter().flat_map(|maintenance| {
            let end = maintenance.end_at;
            [Some(maintenance.start_at), end.map(ended), end.map(leaving)]
                .into_iter()
                .flatten()
        });
        resolved
            .chain(maintenances)
            .filter(|moment| *moment > now)
            .min()
    }
}

/// How long the page shows past incidents and maintenances.
const SHOWN_AFTER_END: TimeDelta = TimeDelta::days(14);

/// Storage of the public page.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SnapshotStore: Send + Sync {
    /// Returns the status page of an organisation as of `now`; `None` if the organisation does not exist. An adapter MUST read it
    /// at one revision.
    async fn snapshot(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error>;
}

#[cfg(test)]
mod tests;
