//! A clock that tells the past while the demo's story is told.

use std::sync::atomic::{AtomicI64, Ordering};

use allclear_application::clock::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::clock::SystemClock;

/// The system's clock, set back by as much as the story says.
#[derive(Debug, Default)]
pub(crate) struct StoryClock {
    minutes_ago: AtomicI64,
}

impl StoryClock {
    /// From here on it is so many minutes ago.
    pub(crate) fn set_back(&self, minutes_ago: i64) {
        self.minutes_ago.store(minutes_ago, Ordering::Relaxed);
    }
}

impl Clock for StoryClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() - TimeDelta::minutes(self.minutes_ago.load(Ordering::Relaxed))
    }

    fn id(&self) -> Uuid {
        SystemClock.id()
    }
}
