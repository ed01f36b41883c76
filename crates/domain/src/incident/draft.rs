//! What an operator enters for an incident.

use chrono::{DateTime, Utc};
use validator::Validate;

use super::IncidentStatus;
use crate::text;
use crate::validation::{Invalid, text_to_check};

/// What an operator enters for an incident, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Validate)]
pub struct IncidentDraft {
    /// Required.
    #[validate(custom(function = text::title))]
    pub title: String,
    /// Required.
    #[validate(custom(function = text::description))]
    pub description: String,
    /// Current status of the incident.
    pub status: IncidentStatus,
    /// When it happened; `None` means at its creation.
    pub occured_at: Option<DateTime<Utc>>,
    /// When a past incident was resolved; only with RESOLVED.
    pub resolved_at: Option<DateTime<Utc>>,
    /// Whether its creation or change notifies subscribers; `None` means the default.
    pub notify: Option<bool>,
}

/// A change to an incident. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IncidentPatch {
    /// A new title.
    pub title: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// A new status.
    pub status: Option<IncidentStatus>,
    /// A new time of happening.
    pub occured_at: Option<DateTime<Utc>>,
    /// A new time of resolution; only with RESOLVED.
    pub resolved_at: Option<DateTime<Utc>>,
    /// Whether the change notifies subscribers; `None` means the default.
    pub notify: Option<bool>,
}

impl IncidentDraft {
    /// Whether the creation or change notifies subscribers. A resolution in the past does so only
    /// on request.
    pub(super) fn notifies(&self, by_default: bool) -> bool {
        self.notify
            .unwrap_or(by_default && self.resolved_at.is_none())
    }
}

impl IncidentPatch {
    /// Adds the errors of its texts.
    pub fn check(&self, invalid: &mut Invalid) {
        invalid.check(&IncidentDraft {
            title: text_to_check(self.title.as_deref()),
            description: text_to_check(self.description.as_deref()),
            ..Default::default()
        });
    }
}
