//! Notices: what subscribers are mailed, as it was at the time of the change.

use allclear_domain::notice::NoticeContent;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// One change that is mailed to every subscriber of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its identifier.
    pub id: Uuid,
    /// The identifier of the incident or maintenance. The mails of one subject form one thread.
    pub subject: Uuid,
    /// When the change happened.
    pub at: DateTime<Utc>,
    /// The change.
    pub content: NoticeContent,
}
