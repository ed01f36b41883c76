//! A clock that can be set back, to write the demo's data.

use std::sync::atomic::{AtomicI64, Ordering};

use allclear_application::clock::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::clock::SystemClock;

/// The system's clock, set back by some minutes.
#[derive(Debug, Default)]
pub(crate) struct DemoClock {
    minutes_ago: AtomicI64,
}

impl DemoClock {
    /// Sets the clock to this many minutes before now.
    pub(crate) fn set_back(&self, minutes_ago: i64) {
        self.minutes_ago.store(minutes_ago, Ordering::Relaxed);
    }
}

impl Clock for DemoClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() - TimeDelta::minutes(self.minutes_ago.load(Ordering::Relaxed))
    }

    fn id(&self) -> Uuid {
        SystemClock.id()
    }
}
