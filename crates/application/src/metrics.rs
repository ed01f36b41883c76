//! Metrics of an organisation over a range of days.

use std::sync::Arc;

use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::metrics::{IncidentMetrics, MetricsDays};
use allclear_domain::uptime::{DateRange, Percentage};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::error::{Error, Resource};

/// Uptime of a component or a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedUptime<I> {
    /// The component or the group.
    pub id: I,
    /// Its name.
    pub name: String,
    /// The percentage; `None` if no day counts.
    pub percentage: Option<Percentage>,
}

/// Number of incidents that affected a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentIncidents {
    /// The component, which may have been deleted since.
    pub id: ComponentId,
    /// Its name.
    pub name: String,
    /// Number of incidents.
    pub count: u64,
}

/// Metrics of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsReport {
    /// The days, in the time zone of the page.
    pub range: DateRange,
    /// Uptime of the components, in the order of the page.
    pub components: Vec<NamedUptime<ComponentId>>,
    /// Uptime of the groups, in the order of the page.
    pub groups: Vec<NamedUptime<ComponentGroupId>>,
    /// The incidents that began on these days.
    pub incidents: IncidentMetrics,
    /// The components that these incidents affected, the most affected first.
    pub incidents_by_component: Vec<ComponentIncidents>,
    /// Messages of all channels that were sent to subscribers. They are counted by days in UTC.
    pub messages_sent: u64,
    /// Messages that could not be delivered.
    pub messages_failed: u64,
}

/// Storage that metrics are computed from.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait MetricsStore: Send + Sync {
    /// Returns the metrics of an organisation up to `now`. `None` if the organisation does not
    /// exist. An adapter MUST bound the periods and incidents that it holds in memory; of too many
    /// periods, the newest count.
    async fn metrics(
        &self,
        organisation: &OrganisationId,
        days: MetricsDays,
        now: DateTime<Utc>,
    ) -> Result<Option<MetricsReport>, Error>;
}

/// The use case of metrics.
pub struct Metrics {
    store: Arc<dyn MetricsStore>,
    clock: Arc<dyn Clock>,
}

impl Metrics {
    /// The use case over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn MetricsStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Returns the metrics of an organisation. [`Error::NotFound`] if it does not exist.
    pub async fn read(
        &self,
        organisation: &OrganisationId,
        days: MetricsDays,
    ) -> Result<MetricsReport, Error> {
        self.store
            .metrics(organisation, days, self.clock.now())
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }
}
