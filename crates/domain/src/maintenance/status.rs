use std::fmt;
use std::str::FromStr;

use crate::component::UnknownStatus;

/// How far a maintenance is. The order is the order of time; a cancellation stands outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum MaintenanceStatus {
    /// Its start is in the future.
    #[default]
    Scheduled,
    /// It has started and has not ended.
    InProgress,
    /// It has ended.
    Completed,
    /// It does not take place.
    Cancelled,
}

impl MaintenanceStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [
        Self::Scheduled,
        Self::InProgress,
        Self::Completed,
        Self::Cancelled,
    ];

    /// The word of the API and the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "SCHEDULED",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl fmt::Display for MaintenanceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MaintenanceStatus {
    type Err = UnknownStatus;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == word)
            .ok_or(UnknownStatus)
    }
}
