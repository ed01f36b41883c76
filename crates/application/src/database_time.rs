//! The database's time between two reads of its clock.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

/// The database's time, extrapolated with the monotonic clock: the node's wall clock is not used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatabaseTime {
    moment: DateTime<Utc>,
    read_at: Instant,
}

impl DatabaseTime {
    /// The time that the database has just returned.
    pub(crate) fn of(moment: DateTime<Utc>) -> Self {
        Self {
            moment,
            read_at: Instant::now(),
        }
    }

    /// The time in whole milliseconds.
    pub(crate) fn now(self) -> DateTime<Utc> {
        let passed = self.age().as_millis();
        self.moment + TimeDelta::milliseconds(i64::try_from(passed).unwrap_or(i64::MAX / 2))
    }

    /// Time since the read.
    pub(crate) fn age(self) -> Duration {
        self.read_at.elapsed()
    }
}
