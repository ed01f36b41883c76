//! Notices: what subscribers are sent, as it was at the time of the change.

use allclear_domain::notice::NoticeContent;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// One change that is sent to the subscribers of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its identifier.
    pub id: Uuid,
    /// The identifier of the incident, maintenance or component. The mails of one subject form
    /// one thread.
    pub subject: Uuid,
    /// When the change happened.
    pub at: DateTime<Utc>,
    /// The change.
    pub content: NoticeContent,
}
