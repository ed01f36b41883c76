//! The public history: incidents and maintenances of the past by month, and each of them with
//! everything that belongs to it.

use allclear_domain::channel::Channel;
use allclear_domain::code::Code;
use allclear_domain::component::ComponentStatus;
use allclear_domain::custom_domain::DomainName;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::organisation::Revision;
use allclear_domain::status_period::StatusSpan;
use allclear_domain::time_zone::TimeZone;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::error::Error;
use crate::status_page::uptime::{UptimePage, UptimeSelection};

/// Maximum number of incidents, and of maintenances, on a page of the history.
pub const ENTRIES_SHOWN: u64 = 200;
/// Maximum number of updates on the page of an incident or a maintenance.
pub const UPDATES_SHOWN: u64 = 500;
/// Maximum number of components, and of periods of their statuses, on the page of an incident
/// or a maintenance.
pub const COMPONENTS_SHOWN: u64 = 500;
/// Characters of a description on a page of the history.
pub const SUMMARY_LENGTH: i32 = 300;

/// What the head and the frame of each page show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOwner {
    /// Identifier of the organisation.
    pub id: OrganisationId,
    /// Title of the public pages.
    pub title: String,
    /// Time zone of the public pages.
    pub time_zone: TimeZone,
    /// Verified domain of the public pages; `None` if there is none.
    pub domain: Option<DomainName>,
    /// Where visitors find help; `None` if there is no such address.
    pub support_url: Option<String>,
    /// Channels that visitors may subscribe by.
    pub channels: Vec<Channel>,
    /// Revision at which the page was read.
    pub revision: Revision,
}

/// A component by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedComponent {
    /// Its public code.
    pub code: Code,
    /// Its name.
    pub name: String,
    /// Name of its group; `None` if it has none.
    pub group: Option<String>,
}

/// Which part of the history a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HistorySelection {
    /// Number of the page, from 1.
    pub page: u32,
    /// Code of the component whose entries are shown; `None` for all.
    pub component: Option<Code>,
}

/// Some months of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The organisation.
    pub owner: PageOwner,
    /// The components to choose from, in the order of the status page.
    pub components: Vec<NamedComponent>,
    /// The months; `None` for a page so far back that it has no entries.
    pub months: Option<HistoryMonths>,
    /// Newest first.
    pub entries: Vec<HistoryEntry>,
    /// Of what began before this time, some entries are left out; `None` if none are.
    pub complete_since: Option<DateTime<Utc>>,
    /// Whether there are incidents or maintenances before these months.
    pub has_older: bool,
}

/// An incident or a maintenance in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its public code.
    pub code: Code,
    /// Its title.
    pub title: String,
    /// Beginning of its description.
    pub summary: String,
    /// Its kind and status.
    pub status: HistoryStatus,
    /// When the incident occurred, or when the maintenance starts.
    pub start_at: DateTime<Utc>,
    /// When the incident was resolved, or when the maintenance ends; `None` if that is unknown.
    pub end_at: Option<DateTime<Utc>>,
}

impl HistoryEntry {
    /// Returns when the clock changes its status; `None` if only operators change it.
    #[must_use]
    pub fn changes_at(&self) -> Option<DateTime<Utc>> {
        match self.status {
            HistoryStatus::Incident(_) => None,
            HistoryStatus::Maintenance(status) => status.changes_at(self.start_at, self.end_at),
        }
    }
}

/// The status of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryStatus {
    /// Of an incident.
    Incident(IncidentStatus),
    /// Of a maintenance.
    Maintenance(MaintenanceStatus),
}

/// An incident or a maintenance with its timeline and components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryDetails {
    /// The organisation.
    pub owner: PageOwner,
    /// The incident or maintenance, with its whole description.
    pub entry: HistoryEntry,
    /// Public code of the entry that its description is in feeds.
    pub description_code: Code,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// Its updates, latest first.
    pub updates: Vec<DisplayedUpdate>,
    /// Whether older updates are left out.
    pub updates_truncated: bool,
    /// The published review of an incident; `None` if there is none.
    pub review: Option<PublishedReview>,
    /// The affected components, those with the worst impact first.
    pub components: Vec<AffectedOverTime>,
    /// Whether components are left out.
    pub components_truncated: bool,
}

/// A review that is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedReview {
    /// Public code of the entry that it is in feeds.
    pub code: Code,
    /// Markdown.
    pub body: String,
    /// When it was published.
    pub published_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// An update of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DisplayedUpdate {
    /// Its public code.
    pub code: String,
    /// Status after the update.
    pub status: IncidentStatus,
    /// Its text.
    pub message: String,
    /// Time of the update that people see.
    pub display_at: DateTime<Utc>,
}

/// A component that an incident or a maintenance affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedOverTime {
    /// The component.
    pub component: NamedComponent,
    /// Whether another component of the organisation has the same name.
    pub has_namesake: bool,
    /// Impact of the incident; `None` for a maintenance.
    pub impact: Option<ComponentStatus>,
    /// The statuses that the incident gave the component, oldest first.
    pub periods: Vec<StatusSpan>,
}

/// Storage of the public history. Everything is read at one revision. Codes of another organisation
/// are unknown.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait PublicHistoryStore: Send + Sync {
    /// Returns a page of the history; `None` if the organisation or the component is unknown.
    async fn history(
        &self,
        organisation: &OrganisationId,
        selection: HistorySelection,
        now: DateTime<Utc>,
    ) -> Result<Option<History>, Error>;

    /// Returns a page of uptime; `None` if the organisation or the component is unknown, or if the
    /// component does not show its uptime.
    async fn uptime(
        &self,
        organisation: &OrganisationId,
        selection: UptimeSelection,
        now: DateTime<Utc>,
    ) -> Result<Option<UptimePage>, Error>;

    /// Returns an incident; `None` if it is unknown.
    async fn incident_details(
        &self,
        organisation: &OrganisationId,
        code: Code,
    ) -> Result<Option<HistoryDetails>, Error>;

    /// Returns a maintenance with its status at `now`; `None` if it is unknown.
    async fn maintenance_details(
        &self,
        organisation: &OrganisationId,
        code: Code,
        now: DateTime<Utc>,
    ) -> Result<Option<HistoryDetails>, Error>;
}
