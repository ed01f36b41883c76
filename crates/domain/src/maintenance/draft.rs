//! What an operator enters for a maintenance.

use chrono::{DateTime, TimeDelta, Utc};
use validator::Validate;

use super::MaintenanceStatus;
use crate::id::ComponentId;
use crate::impact::check_each_once;
use crate::text;
use crate::validation::{FieldError, Invalid, text_to_check};

/// How far an operator's clock may be ahead of the server's for an end to count as now.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(1);

/// What an operator enters for a maintenance, the texts trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct MaintenanceDraft {
    /// Required.
    #[validate(custom(function = text::title))]
    pub title: String,
    /// Required.
    #[validate(custom(function = text::description))]
    pub description: String,
    /// When it begins.
    pub start_at: DateTime<Utc>,
    /// When it ends; `None` while the end is open.
    pub end_at: Option<DateTime<Utc>>,
    /// `CANCELLED` cancels and `SCHEDULED` restores. The other two statuses follow from the times
    /// and change nothing.
    pub status: MaintenanceStatus,
    /// Whether the creation and later changes by the clock notify subscribers; `None` means
    /// the default.
    pub notify: Option<bool>,
    /// The affected components, each once.
    pub components: Vec<ComponentId>,
}

/// A change to a maintenance. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaintenancePatch {
    /// A new title.
    pub title: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// A new start.
    pub start_at: Option<DateTime<Utc>>,
    /// A new end.
    pub end_at: Option<NewEnd>,
    /// As in [`MaintenanceDraft::status`].
    pub status: Option<MaintenanceStatus>,
    /// Whether the change and later changes by the clock notify subscribers. `None` means the
    /// default for this change, and the stored value for those by the clock.
    pub notify: Option<bool>,
    /// All affected components from now on.
    pub components: Option<Vec<ComponentId>>,
}

/// Change of the end by an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewEnd {
    /// The end is open.
    Open,
    /// The end is at this time.
    At(DateTime<Utc>),
}

impl MaintenanceDraft {
    /// Adds the errors of its fields.
    pub fn check(&self, invalid: &mut Invalid) {
        invalid.check(self);
        if self.end_at.is_some_and(|end| end < self.start_at) {
            invalid.add(FieldError::new("endAt", "End must not be before start"));
        }
        let field = |index| format!("components[{index}]");
        check_each_once(&self.components, field, invalid);
    }

    pub(super) fn valid(self) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        self.check(&mut invalid);
        invalid.into_result().map(|()| self)
    }

    /// The time of cancellation after this draft is applied.
    pub(super) fn cancelled_at(
        &self,
        before: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        match self.status {
            MaintenanceStatus::Cancelled => before.or(Some(now)),
            MaintenanceStatus::Scheduled => None,
            MaintenanceStatus::InProgress | MaintenanceStatus::Completed => before,
        }
    }
}

impl MaintenancePatch {
    /// Adds the errors of its fields that do not depend on the stored maintenance.
    pub fn check(&self, invalid: &mut Invalid) {
        let draft = MaintenanceDraft {
            title: text_to_check(self.title.as_deref()),
            description: text_to_check(self.description.as_deref()),
            start_at: self.start_at.unwrap_or(DateTime::<Utc>::MIN_UTC),
            end_at: match self.end_at {
                Some(NewEnd::At(end)) => Some(end),
                Some(NewEnd::Open) | None => None,
            },
            status: MaintenanceStatus::default(),
            notify: None,
            components: self.components.clone().unwrap_or_default(),
        };
        draft.check(invalid);
    }

    /// Whether this completes the maintenance: it changes only the end, to a time that is at most a
    /// minute ahead of the clock.
    pub(super) fn completes(&self, now: DateTime<Utc>) -> bool {
        let alone = Self {
            end_at: None,
            notify: None,
            ..self.clone()
        } == Self::default();
        alone && matches!(self.end_at, Some(NewEnd::At(end)) if end <= now + CLOCK_TOLERANCE)
    }
}
