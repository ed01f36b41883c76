//! What subscribers are mailed of, as it was when it happened.

use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{IncidentChange, MaintenanceChange};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::mail::MailContent;
use crate::mail::notice::{AffectedComponent, IncidentNotice, MaintenanceNotice, NoticeLinks};

/// One thing that happened and is told to every subscriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its identifier.
    pub id: Uuid,
    /// The identifier of the incident or maintenance; all that is told of one is one thread.
    pub subject: Uuid,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What happened.
    pub news: News,
}

/// What happened to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// To an incident.
    Incident(IncidentNews),
    /// To a maintenance.
    Maintenance(MaintenanceNews),
}

/// An incident after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentNews {
    /// The change.
    pub change: IncidentChange,
    /// The incident's title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Its status.
    pub status: IncidentStatus,
    /// When it began, as the operator tells.
    pub occurred_at: DateTime<Utc>,
    /// The message of the update that made the change, where one did.
    pub message: Option<String>,
    /// What it affects, and how.
    pub components: Vec<AffectedComponent>,
}

/// A maintenance after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceNews {
    /// The change.
    pub change: MaintenanceChange,
    /// The maintenance's title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Its status.
    pub status: MaintenanceStatus,
    /// When it begins.
    pub start_at: DateTime<Utc>,
    /// When it ends, where that is known.
    pub end_at: Option<DateTime<Utc>>,
    /// The message of the update that made the change, where one did.
    pub message: Option<String>,
}

impl Notice {
    /// What is mailed to one subscriber of an organisation with this name.
    #[must_use]
    pub fn addressed(&self, organisation: String, links: NoticeLinks) -> MailContent {
        match self.news.clone() {
            News::Incident(news) => MailContent::Incident(IncidentNotice {
                organisation,
                change: news.change,
                at: self.at,
                title: news.title,
                description: news.description,
                status: news.status,
                occurred_at: news.occurred_at,
                message: news.message,
                components: news.components,
                links,
            }),
            News::Maintenance(news) => MailContent::Maintenance(MaintenanceNotice {
                organisation,
                change: news.change,
                at: self.at,
                title: news.title,
                description: news.description,
                status: news.status,
                start_at: news.start_at,
                end_at: news.end_at,
                message: news.message,
                links,
            }),
        }
    }
}
