//! The entries of an incident or a maintenance in the form of the Statuspage API, which feeds and
//! webhooks have too. Statuspage has no description and no review: there, every text is an entry.

use chrono::{DateTime, Utc};
use strum::IntoStaticStr;

use crate::code::Code;
use crate::incident::{Incident, IncidentStatus};
use crate::maintenance::{Maintenance, MaintenanceStatus};
use crate::rollup::PublicStatus;

/// The text of the entry that says that a maintenance has begun.
pub(crate) const BEGUN: &str =
    "Scheduled maintenance is currently in progress. We will provide updates as necessary.";
/// The text of the entry that says that a maintenance is over.
pub const COMPLETED: &str = "The scheduled maintenance has been completed.";

/// The text of a status of an incident that was set without an update.
pub(crate) const fn status_text(status: IncidentStatus) -> &'static str {
    match status {
        IncidentStatus::Investigating => "We are currently investigating this issue.",
        IncidentStatus::Identified => {
            "The issue has been identified and a fix is being implemented."
        }
        IncidentStatus::Monitoring => {
            "A fix has been implemented and we are monitoring the results."
        }
        IncidentStatus::Resolved => "This incident has been resolved.",
    }
}

/// Status of an entry, of an incident, or of a maintenance in the Statuspage API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum StatuspageStatus {
    /// The cause of an incident is being investigated.
    Investigating,
    /// The cause is known.
    Identified,
    /// A fix is being monitored.
    Monitoring,
    /// The incident has ended.
    Resolved,
    /// Its review is published.
    Postmortem,
    /// The start of a maintenance is in the future.
    Scheduled,
    /// It is in progress.
    InProgress,
    /// It has ended.
    Completed,
}

impl From<MaintenanceStatus> for StatuspageStatus {
    /// A cancelled maintenance is over, and the Statuspage API has no other word for that.
    fn from(status: MaintenanceStatus) -> Self {
        match status {
            MaintenanceStatus::Scheduled => Self::Scheduled,
            MaintenanceStatus::InProgress => Self::InProgress,
            MaintenanceStatus::Completed | MaintenanceStatus::Cancelled => Self::Completed,
        }
    }
}

impl StatuspageStatus {
    /// The word of the Statuspage API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The label for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Investigating => IncidentStatus::Investigating.label(),
            Self::Identified => IncidentStatus::Identified.label(),
            Self::Monitoring => IncidentStatus::Monitoring.label(),
            Self::Resolved => IncidentStatus::Resolved.label(),
            Self::Postmortem => "Postmortem",
            Self::Scheduled => "Scheduled",
            Self::InProgress => "In progress",
            Self::Completed => "Completed",
        }
    }
}

impl From<IncidentStatus> for StatuspageStatus {
    fn from(status: IncidentStatus) -> Self {
        match status {
            IncidentStatus::Investigating => Self::Investigating,
            IncidentStatus::Identified => Self::Identified,
            IncidentStatus::Monitoring => Self::Monitoring,
            IncidentStatus::Resolved => Self::Resolved,
        }
    }
}

/// A component as it was when an entry was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatuspageAffectedComponent {
    /// Its public code.
    pub code: Code,
    /// Its name, after the name of its group if it had one: "Group - Component".
    pub name: String,
    /// Its status before the entry.
    pub old_status: PublicStatus,
    /// Its status after the entry.
    pub new_status: PublicStatus,
}

/// A text of an incident or a maintenance: its description, an update, its review, or what the
/// product says at its beginning and end, or about a status without an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatuspageEntry {
    /// Its public code.
    pub code: Code,
    /// Status of the incident or maintenance after the entry.
    pub status: StatuspageStatus,
    /// Its text.
    pub body: String,
    /// When it was recorded.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// Its time for people.
    pub display_at: DateTime<Utc>,
    /// The components that were attached; `None` if there were none or if they are not known.
    pub affected: Option<Vec<StatuspageAffectedComponent>>,
}

/// An update as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedUpdate {
    /// Its public code.
    pub code: Code,
    /// The status that its author gave it.
    pub status: IncidentStatus,
    /// Its text.
    pub message: String,
    /// When it was recorded.
    pub created_at: DateTime<Utc>,
    /// When it was last edited; `None` if it never was.
    pub edited_at: Option<DateTime<Utc>>,
    /// Its time for people.
    pub display_at: DateTime<Utc>,
    /// The components that were attached; `None` if there were none or if they are not known.
    pub affected: Option<Vec<StatuspageAffectedComponent>>,
}

impl RecordedUpdate {
    fn into_entry(self, status: StatuspageStatus) -> StatuspageEntry {
        StatuspageEntry {
            code: self.code,
            status,
            body: self.message,
            created_at: self.created_at,
            updated_at: self.edited_at.unwrap_or(self.created_at),
            display_at: self.display_at,
            affected: self.affected,
        }
    }
}

/// The part of a published review that becomes an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Postmortem {
    /// Markdown.
    pub body: String,
    /// When it was published.
    pub published_at: DateTime<Utc>,
}

/// The components of a maintenance as they were when it was created, when it began, and when it was
/// over. `None` if it had no components, if that time has not come, or if they are not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaintainedComponents {
    /// At its creation.
    pub created: Option<Vec<StatuspageAffectedComponent>>,
    /// When it began.
    pub begun: Option<Vec<StatuspageAffectedComponent>>,
    /// When it was over.
    pub ended: Option<Vec<StatuspageAffectedComponent>>,
}

impl StatuspageEntry {
    /// The entries of an incident, newest first: its review while it is resolved, its status if
    /// it was set without an update, its updates, which are given newest first, and its
    /// description with the components `attached` at its creation. `present` returns the
    /// components with the change of that status; it is called only if the status is an entry.
    #[must_use]
    pub fn all_of_incident(
        incident: &Incident,
        attached: Option<Vec<StatuspageAffectedComponent>>,
        updates: Vec<RecordedUpdate>,
        review: Option<Postmortem>,
        present: impl FnOnce() -> Option<Vec<StatuspageAffectedComponent>>,
    ) -> Vec<Self> {
        let description = Self {
            code: incident.id.statuspage_entry_code("description"),
            status: incident.first_status.into(),
            body: incident.description.clone(),
            created_at: incident.created_at,
            updated_at: incident.created_at,
            display_at: incident.occured_at,
            affected: attached,
        };
        let mut entries: Vec<_> = updates
            .into_iter()
            .map(|update| {
                let status = update.status.into();
                update.into_entry(status)
            })
            .chain([description])
            .collect();
        let status = entries
            .first()
            .and_then(|newest| newest.followed_by_status(incident, present));
        if let Some(status) = status {
            entries.insert(0, status);
        }
        if let Some(review) = review.filter(|_| incident.status == IncidentStatus::Resolved) {
            let unchanged = |component: &StatuspageAffectedComponent| StatuspageAffectedComponent {
                old_status: component.new_status,
                ..component.clone()
            };
            let affected = entries
                .first()
                .and_then(|newest| newest.affected.as_deref())
                .map(|affected| affected.iter().map(unchanged).collect());
            let entry = Self {
                code: incident.id.statuspage_entry_code("review"),
                status: StatuspageStatus::Postmortem,
                body: review.body,
                created_at: review.published_at,
                updated_at: review.published_at,
                display_at: review.published_at,
                affected,
            };
            entries.insert(0, entry);
        }
        entries
    }

    /// The entry of the incident's status; `None` if this, the newest entry, has that status. An
    /// entry of another status has another code, so that programs see it as new.
    fn followed_by_status(
        &self,
        incident: &Incident,
        present: impl FnOnce() -> Option<Vec<StatuspageAffectedComponent>>,
    ) -> Option<Self> {
        let status = StatuspageStatus::from(incident.status);
        if status == self.status {
            return None;
        }
        let reached_at = match incident.status {
            IncidentStatus::Resolved => incident.resolved_at,
            // The incident may have been monitored before, too.
            IncidentStatus::Monitoring => {
                incident.monitoring_at.filter(|at| *at >= self.display_at)
            }
            IncidentStatus::Investigating | IncidentStatus::Identified => None,
        };
        let reached_at = reached_at.unwrap_or(incident.updated_at);
        let created_at = reached_at.max(incident.created_at);
        Some(Self {
            code: incident.id.statuspage_entry_code(status.as_str()),
            status,
            body: status_text(incident.status).to_owned(),
            created_at,
            updated_at: created_at,
            display_at: reached_at.max(self.display_at),
            affected: present(),
        })
    }

    /// The entries of a maintenance at `now`, newest first: its end and its beginning, between and
    /// around them its updates, which are given newest first, and its description. A cancelled
    /// maintenance neither begins nor ends.
    #[must_use]
    pub fn all_of_maintenance(
        maintenance: &Maintenance,
        maintained: MaintainedComponents,
        updates: Vec<RecordedUpdate>,
        now: DateTime<Utc>,
    ) -> Vec<Self> {
        let automatic = |name, status, body: &str, time: DateTime<Utc>, affected| {
            let time = time.max(maintenance.created_at);
            Self {
                code: maintenance.id.statuspage_entry_code(name),
                status,
                body: body.to_owned(),
                created_at: time,
                updated_at: time,
                display_at: time,
                affected,
            }
        };
        let status = maintenance.status(now);
        let has_begun = matches!(
            status,
            MaintenanceStatus::InProgress | MaintenanceStatus::Completed
        );
        let begun = has_begun.then(|| {
            let start = maintenance.start_at;
            automatic(
                "begun",
                StatuspageStatus::InProgress,
                BEGUN,
                start,
                maintained.begun,
            )
        });
        let is_over = status == MaintenanceStatus::Completed;
        let ended = maintenance.end_at.filter(|_| is_over).map(|end| {
            automatic(
                "ended",
                StatuspageStatus::Completed,
                COMPLETED,
                end,
                maintained.ended,
            )
        });
        let description = Self {
            code: maintenance.id.statuspage_entry_code("description"),
            status: StatuspageStatus::Scheduled,
            body: maintenance.description.clone(),
            created_at: maintenance.created_at,
            updated_at: maintenance.created_at,
            display_at: maintenance.created_at,
            affected: maintained.created,
        };
        let updates = updates.into_iter().map(|update| {
            let status = status_when_displayed(maintenance, update.display_at);
            update.into_entry(status)
        });
        let mut entries: Vec<_> = ended.into_iter().chain(updates).chain(begun).collect();
        // The sort is stable: at the same time the end comes first and the beginning last.
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.display_at));
        entries.push(description);
        entries
    }
}

/// The status that a maintenance had when an update was displayed. A cancelled one is completed.
fn status_when_displayed(maintenance: &Maintenance, display_at: DateTime<Utc>) -> StatuspageStatus {
    if maintenance.cancelled_at.is_some_and(|at| at <= display_at) {
        StatuspageStatus::Completed
    } else if display_at < maintenance.start_at {
        StatuspageStatus::Scheduled
    } else if maintenance.end_at.is_none_or(|end| display_at <= end) {
        StatuspageStatus::InProgress
    } else {
        StatuspageStatus::Completed
    }
}

#[cfg(test)]
mod tests;
