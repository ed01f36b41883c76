//! Notices: what subscribers are mailed, as it was at the time of the change.

use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{IncidentChange, MaintenanceChange};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::mail::MailContent;
use crate::mail::notice::{AffectedComponent, IncidentNotice, MaintenanceNotice, NoticeLinks};

/// A change that every subscriber is mailed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its identifier.
    pub id: Uuid,
    /// The identifier of the incident or maintenance. The mails of one subject form one thread.
    pub subject: Uuid,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What happened.
    pub content: NoticeContent,
}

/// What happened to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeContent {
    /// To an incident.
    Incident(IncidentNoticeContent),
    /// To a maintenance.
    Maintenance(MaintenanceNoticeContent),
}

/// An incident after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentNoticeContent {
    /// The change.
    pub change: IncidentChange,
    /// The incident's title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Its status.
    pub status: IncidentStatus,
    /// When it began, as entered by the operator.
    pub occurred_at: DateTime<Utc>,
    /// The message of the update that made the change; `None` if no update did.
    pub message: Option<String>,
    /// What it affects, and how.
    pub components: Vec<AffectedComponent>,
}

/// A maintenance after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceNoticeContent {
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
    /// When it ends; `None` while the end is open.
    pub end_at: Option<DateTime<Utc>>,
    /// The message of the update that made the change; `None` if no update did.
    pub message: Option<String>,
}

impl Notice {
    /// What is mailed to one subscriber of an organisation with this name.
    #[must_use]
    pub fn addressed(&self, organisation: String, links: NoticeLinks) -> MailContent {
        match self.content.clone() {
            NoticeContent::Incident(content) => MailContent::Incident(IncidentNotice {
                organisation,
                change: content.change,
                at: self.at,
                title: content.title,
                description: content.description,
                status: content.status,
                occurred_at: content.occurred_at,
                message: content.message,
                components: content.components,
                links,
            }),
            NoticeContent::Maintenance(content) => MailContent::Maintenance(MaintenanceNotice {
                organisation,
                change: content.change,
                at: self.at,
                title: content.title,
                description: content.description,
                status: content.status,
                start_at: content.start_at,
                end_at: content.end_at,
                message: content.message,
                links,
            }),
        }
    }
}
