//! The clock of the tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Clock, SharedClock};
use crate::error::Error;

/// A clock that a test can move.
#[derive(Debug)]
pub struct TestClock {
    time: Time,
    /// Milliseconds by which the test moved the clock.
    moved: AtomicI64,
    ids: AtomicU64,
}

#[derive(Debug)]
enum Time {
    Stopped,
    Runtime(Instant),
    System,
}

impl TestClock {
    /// Time at which the clocks that do not follow the system begin: 2023-11-14 22:13:20 UTC.
    pub const START: DateTime<Utc> = DateTime::from_timestamp(1_700_000_000, 0).unwrap();

    /// A clock that stands still at [`Self::START`]. Its identifiers are 1, 2, 3 and so on.
    #[must_use]
    pub fn stopped() -> Arc<Self> {
        Self::of(Time::Stopped)
    }

    /// A clock that begins at [`Self::START`] and follows the time of the runtime, which a test
    /// can pause.
    #[must_use]
    pub fn runtime() -> Arc<Self> {
        Self::of(Time::Runtime(Instant::now()))
    }

    /// The system's clock. Its identifiers are `UUIDv7` of the system's time, wherever the test
    /// moves the clock.
    #[must_use]
    pub fn system() -> Arc<Self> {
        Self::of(Time::System)
    }

    fn of(time: Time) -> Arc<Self> {
        Arc::new(Self {
            time,
            moved: AtomicI64::new(0),
            ids: AtomicU64::new(0),
        })
    }

    /// Moves the clock, backwards if the duration is negative.
    pub fn advance(&self, by: TimeDelta) {
        self.moved
            .fetch_add(by.num_milliseconds(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    #[expect(clippy::disallowed_methods, reason = "the system's clock of the tests")]
    fn now(&self) -> DateTime<Utc> {
        let now = match self.time {
            Time::Stopped => Self::START,
            Time::Runtime(start) => Self::START + start.elapsed(),
            Time::System => Utc::now(),
        };
        now.trunc_subsecs(3) + TimeDelta::milliseconds(self.moved.load(Ordering::SeqCst))
    }

    #[expect(clippy::disallowed_methods, reason = "the system's clock of the tests")]
    fn id(&self) -> Uuid {
        match self.time {
            Time::System => Uuid::now_v7(),
            Time::Stopped | Time::Runtime(_) => {
                Uuid::from_u128(u128::from(self.ids.fetch_add(1, Ordering::SeqCst)) + 1)
            }
        }
    }
}

#[async_trait]
impl SharedClock for TestClock {
    async fn shared_time(&self) -> Result<DateTime<Utc>, Error> {
        Ok(self.now())
    }
}
