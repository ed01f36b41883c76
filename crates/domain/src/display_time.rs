//! The time at which an update is displayed. It orders the timeline.

use chrono::{DateTime, Utc};

use crate::validation::Invalid;

/// When an update is displayed, as an operator enters it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DisplayTime {
    /// When the update was recorded.
    #[default]
    Recorded,
    /// At this time, not in the future.
    At(DateTime<Utc>),
}

impl DisplayTime {
    /// The time for an update that was recorded at `recorded_at`.
    ///
    /// # Errors
    /// [`Invalid`] if the entered time is after `now`.
    pub fn resolve(
        self,
        recorded_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<DateTime<Utc>, Invalid> {
        match self {
            Self::Recorded => Ok(recorded_at),
            Self::At(time) if time > now => Err(Invalid::field(
                "displayAt",
                "Display time must not be in the future",
            )),
            Self::At(time) => Ok(time),
        }
    }
}
