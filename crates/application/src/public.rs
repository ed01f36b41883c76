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
    /// Whether the end of the description is left out, because the page has no room for it; absent if it is whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// How it is doing.
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

/// Whose page it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PublicOrganisation {
    /// Its identifier.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
}

/// The headline.
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
    /// Whose page it is.
    pub organisation: PublicOrganisation,
    /// The headline; null where there is no component.
    #[schema(required)]
    pub banner: Option<Banner>,
    /// Newest first.
    pub components: Vec<PublicComponent>,
    /// All unresolved ones, and of those resolved in the last 14 days the 50 that were resolved last; newest first.
    pub incidents: Vec<PublicIncident>,
    /// All that are not over, and of those that ended in the last 14 days the 50 that ended last; newest first.
    pub maintenances: Vec<PublicMaintenance>,
    /// The organisation's revision this is the state of.
    pub revision: i64,
    /// When it was read.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub generated_at: DateTime<Utc>,
}

impl Snapshot {
    /// The headline over these components.
    #[must_use]
    pub fn banner(components: &[Component]) -> Option<Banner> {
        let found = headline(components.iter().map(|component| component.status))?;
        Some(Banner {
            operational: found.operational,
            text: found.text(),
        })
    }

    /// The first moment after `now` at which the clock alone changes what the page shows: a maintenance begins or ends, or
    /// something that is over has been shown for long enough.
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

/// How long the page shows what is over.
const SHOWN_AFTER_END: TimeDelta = TimeDelta::days(14);

/// Reads what the public sees.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SnapshotStore: Send + Sync {
    /// The whole status page of an organisation as of `now`; `None` if it does not exist. An adapter MUST
    /// read all of it at one revision.
    async fn snapshot(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error>;
}

#[cfg(test)]
mod tests;
