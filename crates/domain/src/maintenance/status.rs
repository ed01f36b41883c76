//! The status of a maintenance.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;

use super::TICK;

/// Progress of a maintenance, in the order of time; a cancellation is outside this order.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
    Display,
    EnumString,
    VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum MaintenanceStatus {
    /// Its start is in the future.
    #[default]
    Scheduled,
    /// It has started and has not ended.
    InProgress,
    /// It has ended.
    Completed,
    /// It is cancelled.
    Cancelled,
}

impl MaintenanceStatus {
    /// The name that people read.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Scheduled => "Scheduled",
            Self::InProgress => "In Progress",
            Self::Completed => "Completed",
            Self::Cancelled => "Cancelled",
        }
    }

    /// When the clock alone changes this status of a maintenance with these times; `None` if it
    /// is final.
    #[must_use]
    pub fn changes_at(
        self,
        start_at: DateTime<Utc>,
        end_at: Option<DateTime<Utc>>,
    ) -> Option<DateTime<Utc>> {
        match self {
            Self::Scheduled => Some(start_at),
            Self::InProgress => end_at.map(|end| end + TICK),
            Self::Completed | Self::Cancelled => None,
        }
    }
}
