//! The dashboard: what an organisation's operators look at first.

use std::sync::Arc;

use allclear_domain::headline::Banner;
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::membership::Role;
use allclear_domain::permission::Permission;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::audit::AuditItem;
use crate::clock::Clock;
use crate::component::ComponentReport;
use crate::delivery::Deliveries;
use crate::error::{Error, Resource};
use crate::incident::IncidentReport;
use crate::maintenance::MaintenanceReport;

/// Maximum number of incidents, and of maintenances, on a dashboard.
pub const MAX_ITEMS: usize = 500;
/// Number of changes on a dashboard.
pub const CHANGES: u64 = 20;
/// How far ahead a dashboard shows maintenances.
pub const AHEAD: TimeDelta = TimeDelta::days(7);

/// Number of an organisation's subscribers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubscriberCounts {
    /// All subscribers.
    pub total: u64,
    /// Subscribers that receive messages.
    pub subscribed: u64,
    /// Subscribers that are not verified.
    pub pending: u64,
    /// Subscribers whose last message failed for good.
    pub failing: u64,
}

/// Which changes a dashboard shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownChanges {
    /// Changes of content, without those of people, invitations and API keys: for members who may
    /// not read the audit log.
    OfContent,
    /// All of the audit log.
    All,
}

impl ShownChanges {
    /// The changes that a role may see.
    #[must_use]
    pub const fn to(role: Role) -> Self {
        if role.may(Permission::Administer) {
            Self::All
        } else {
            Self::OfContent
        }
    }
}

/// An unresolved incident that affects a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenImpact {
    /// The component.
    pub component: ComponentId,
    /// The incident.
    pub incident: IncidentId,
}

/// Everything that the dashboard shows, as of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DashboardReport {
    /// Headline of the public page; `None` if the organisation has no components.
    pub banner: Option<Banner>,
    /// Incidents that are not resolved, newest first, at most [`MAX_ITEMS`].
    pub incidents: Vec<IncidentReport>,
    /// Components that are not operational or are under maintenance, in the order of the page.
    pub components: Vec<ComponentReport>,
    /// For each of these components, the newest of these incidents that affects it, if there is
    /// one.
    pub impacts: Vec<OpenImpact>,
    /// Maintenances in progress or starting within [`AHEAD`], soonest first, at most [`MAX_ITEMS`].
    pub maintenances: Vec<MaintenanceReport>,
    /// Subscribers.
    pub subscribers: SubscriberCounts,
    /// Messages to subscribers that are still to be sent.
    pub waiting: u64,
    /// Messages to subscribers that could not be delivered, as long as these are kept.
    pub failed: u64,
    /// The last [`CHANGES`] of the shown changes, newest first.
    pub changes: Vec<AuditItem>,
}

/// Storage that the dashboard is read from.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DashboardStore: Send + Sync {
    /// Returns the dashboard of an organisation; messages that failed before `failed_since` do not
    /// count. `None` if the organisation does not exist.
    async fn dashboard(
        &self,
        organisation: &OrganisationId,
        shown: ShownChanges,
        now: DateTime<Utc>,
        failed_since: DateTime<Utc>,
    ) -> Result<Option<DashboardReport>, Error>;
}

/// The use case of the dashboard.
pub struct Dashboard {
    store: Arc<dyn DashboardStore>,
    clock: Arc<dyn Clock>,
}

impl Dashboard {
    /// The use case over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn DashboardStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Returns the dashboard of an organisation as a member of this role sees it.
    /// [`Error::NotFound`] if it does not exist.
    pub async fn read(
        &self,
        organisation: &OrganisationId,
        role: Role,
    ) -> Result<DashboardReport, Error> {
        let (shown, now) = (ShownChanges::to(role), self.clock.now());
        self.store
            .dashboard(organisation, shown, now, now - Deliveries::RETENTION)
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }
}
