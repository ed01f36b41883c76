//! What programs read about the status of an organisation: the state from which the Statuspage API
//! and all feeds are drawn.

use std::cmp::Reverse;

use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::maintenance::{Maintenance, MaintenanceStatus};
use allclear_domain::organisation::Organisation;
use allclear_domain::rollup::{Indicator, PublicStatus, Rollup, impact};
use allclear_domain::statuspage_entry::{StatuspageEntry, StatuspageStatus};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::component::ComponentReport;
use crate::component_group::ComponentGroupReport;
use crate::error::Error;
use crate::link::{incident_path, maintenance_path};

/// Maximum number of past incidents, and of past maintenances, in a list.
pub const LISTED: usize = 50;
/// Maximum number of incidents that are not resolved, and of maintenances that are not over. It
/// bounds documents beyond [`TEXT_BYTES`], because two texts of each remain.
pub const OPEN_LISTED: usize = 200;
/// Size limit of the texts of all incidents, and of all maintenances, in bytes. Beyond it each
/// keeps only its newest entry and its description.
pub const TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Size limit of the affected components of all entries of incidents, and of all maintenances, in
/// bytes as stored. Beyond it an entry has none.
pub const AFFECTED_BYTES: usize = 4 * 1024 * 1024;

/// The state of an organisation at a revision, from which the Statuspage API, feeds and webhooks
/// are drawn. The status page is drawn from a [`Snapshot`](crate::status_page::Snapshot) instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatuspageState {
    /// The organisation.
    pub organisation: Organisation,
    /// The address of its status page.
    pub url: String,
    /// When something public changed last.
    pub updated_at: DateTime<Utc>,
    /// In the order of the page.
    pub groups: Vec<ComponentGroupReport>,
    /// In the order of the page.
    pub components: Vec<ComponentReport>,
    /// The newest, all that are not resolved, and those that were resolved last. Newest first.
    pub incidents: Vec<IncidentRecord>,
    /// The newest, all that are not over, those that ended last, and the newest of those that were
    /// cancelled. Newest first.
    pub maintenances: Vec<MaintenanceRecord>,
    /// When it was read.
    pub read_at: DateTime<Utc>,
}

/// An incident with its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentRecord {
    /// The incident.
    pub incident: Incident,
    /// Its entries, newest first; never empty.
    pub entries: Vec<StatuspageEntry>,
    /// The components attached to it with the impact on each, also deleted ones.
    pub impacts: Vec<Attachment>,
    /// The components attached to it, without deleted ones.
    pub components: Vec<ComponentId>,
    /// When its review was published; `None` if there is no public review.
    pub reviewed_at: Option<DateTime<Utc>>,
}

/// A maintenance with its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceRecord {
    /// The maintenance.
    pub maintenance: Maintenance,
    /// Its status when it was read.
    pub status: MaintenanceStatus,
    /// Its entries, newest first; never empty.
    pub entries: Vec<StatuspageEntry>,
    /// The components it affects, without deleted ones.
    pub components: Vec<ComponentId>,
}

/// An incident or a maintenance, for lists of both.
#[derive(Debug, Clone, Copy)]
pub enum Record<'a> {
    /// An incident.
    Incident(&'a IncidentRecord),
    /// A maintenance.
    Maintenance(&'a MaintenanceRecord),
}

impl IncidentRecord {
    /// Its status in the Statuspage API: a published review of a resolved incident counts as one.
    #[must_use]
    pub fn statuspage_status(&self) -> StatuspageStatus {
        if self.reviewed_at.is_some() && self.incident.status == IncidentStatus::Resolved {
            StatuspageStatus::Postmortem
        } else {
            self.incident.status.into()
        }
    }

    /// Its impact.
    #[must_use]
    pub fn impact(&self) -> Indicator {
        impact(self.impacts.iter().map(|attached| attached.status))
    }

    /// When it was first monitored: by its status or by an entry, whichever is earlier.
    #[must_use]
    pub fn monitoring_at(&self) -> Option<DateTime<Utc>> {
        let is_monitoring = |entry: &&StatuspageEntry| entry.status == StatuspageStatus::Monitoring;
        let entries = self.entries.iter().filter(is_monitoring);
        let times = entries.map(|entry| entry.display_at);
        times.chain(self.incident.monitoring_at).min()
    }

    /// When it or one of its entries changed last.
    #[must_use]
    pub fn updated_at(&self) -> DateTime<Utc> {
        self.incident
            .updated_at
            .max(self.reviewed_at.unwrap_or(self.incident.updated_at))
    }
}

impl MaintenanceRecord {
    /// When it or one of its entries changed last.
    #[must_use]
    pub fn updated_at(&self) -> DateTime<Utc> {
        let entries = self.entries.iter().map(|entry| entry.updated_at);
        entries.fold(self.maintenance.updated_at, DateTime::max)
    }

    /// When it was over; `None` before, and if it was cancelled.
    #[must_use]
    pub fn completed_at(&self) -> Option<DateTime<Utc>> {
        let end = self.maintenance.end_at?.max(self.maintenance.created_at);
        (self.status == MaintenanceStatus::Completed).then_some(end)
    }

    /// Its status in the Statuspage API.
    #[must_use]
    pub fn statuspage_status(&self) -> StatuspageStatus {
        self.status.into()
    }
}

impl<'a> Record<'a> {
    /// Its entries, newest first.
    #[must_use]
    pub fn entries(self) -> &'a [StatuspageEntry] {
        match self {
            Self::Incident(record) => &record.entries,
            Self::Maintenance(record) => &record.entries,
        }
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'a str {
        match self {
            Self::Incident(record) => &record.incident.title,
            Self::Maintenance(record) => &record.maintenance.title,
        }
    }

    /// When it or one of its entries changed last.
    #[must_use]
    pub fn updated_at(self) -> DateTime<Utc> {
        match self {
            Self::Incident(record) => record.updated_at(),
            Self::Maintenance(record) => record.updated_at(),
        }
    }

    /// The time of its newest entry.
    #[must_use]
    pub fn published_at(self) -> DateTime<Utc> {
        self.entries()
            .first()
            .map_or_else(|| self.updated_at(), |newest| newest.display_at)
    }

    /// About its size in memory, in bytes.
    fn bytes(self) -> usize {
        let (description, components) = match self {
            Self::Incident(record) => (&record.incident.description, &record.components),
            Self::Maintenance(record) => (&record.maintenance.description, &record.components),
        };
        let entries = self.entries().iter().map(|entry| {
            let affected = entry.affected.iter().flatten();
            entry.body.len() + affected.map(|one| one.name.len() + 64).sum::<usize>() + 256
        });
        entries.sum::<usize>() + description.len() + components.len() * size_of::<ComponentId>()
    }

    /// Its path below the address of the status page.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Incident(record) => incident_path(record.incident.id.code()),
            Self::Maintenance(record) => maintenance_path(record.maintenance.id.code()),
        }
    }
}

impl StatuspageState {
    /// The state of the page in one line, from its components alone.
    #[must_use]
    pub fn rollup(&self) -> Rollup {
        let status = |report: &ComponentReport| {
            PublicStatus::new(report.component.status, report.under_maintenance)
        };
        Rollup::of(self.components.iter().map(status))
    }

    /// The newest incidents.
    pub fn recent_incidents(&self) -> impl Iterator<Item = &IncidentRecord> {
        self.incidents.iter().take(LISTED)
    }

    /// The incidents that are not resolved, newest first.
    pub fn unresolved_incidents(&self) -> impl Iterator<Item = &IncidentRecord> {
        let is_open = |record: &&IncidentRecord| record.incident.status != IncidentStatus::Resolved;
        self.incidents.iter().filter(is_open)
    }

    /// The newest maintenances without cancelled ones.
    pub fn recent_maintenances(&self) -> impl Iterator<Item = &MaintenanceRecord> {
        let is_kept = |record: &&MaintenanceRecord| record.status != MaintenanceStatus::Cancelled;
        self.maintenances.iter().filter(is_kept).take(LISTED)
    }

    /// The maintenances of a status, in the order of their starts.
    #[must_use]
    pub fn maintenances_of(&self, status: MaintenanceStatus) -> Vec<&MaintenanceRecord> {
        let mut found: Vec<_> = self
            .maintenances
            .iter()
            .filter(|record| record.status == status)
            .collect();
        found.sort_by_key(|record| (record.maintenance.start_at, record.maintenance.id));
        found
    }

    /// About its size in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let incidents = self.incidents.iter().map(Record::Incident);
        let maintenances = self.maintenances.iter().map(Record::Maintenance);
        let records = incidents.chain(maintenances).map(Record::bytes);
        let components = self.components.iter().map(|report| &report.component);
        let components = components.map(|component| component.description.len() + 512);
        let groups = self.groups.iter().map(|report| &report.group);
        let groups = groups.map(|group| group.description.len() + 512);
        2048 + records.chain(components).chain(groups).sum::<usize>() as u64
    }

    /// Incidents and maintenances, the one with the newest entry first; without cancelled
    /// maintenances.
    #[must_use]
    pub fn records(&self) -> Vec<Record<'_>> {
        let mut records: Vec<_> = self
            .incidents
            .iter()
            .map(Record::Incident)
            .chain(
                self.maintenances
                    .iter()
                    .filter(|record| record.status != MaintenanceStatus::Cancelled)
                    .map(Record::Maintenance),
            )
            .collect();
        records.sort_by_key(|record| Reverse(record.published_at()));
        records
    }
}

/// Storage of the [`StatuspageState`].
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait StatuspageStateStore: Send + Sync {
    /// Returns the [`StatuspageState`] of an organisation as of `now`; `None` if the organisation
    /// does not exist. An adapter MUST read it at one revision, in a number of queries that does
    /// not depend on what is stored.
    async fn statuspage_state(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<StatuspageState>, Error>;
}
