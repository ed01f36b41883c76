//! The ports of time and identifiers, which tests replace.

#[cfg(any(test, feature = "mock"))]
mod test_clock;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

#[cfg(any(test, feature = "mock"))]
pub use test_clock::TestClock;

use crate::error::Error;

/// The source of the current time and of new identifiers.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time. An adapter MUST truncate it to milliseconds, the precision of
    /// every database and of the API.
    fn now(&self) -> DateTime<Utc>;

    /// Returns a new `UUIDv7` (RFC 9562, section 5.7). An adapter MUST make each greater than the
    /// previous one, even within a millisecond: lists are ordered by it.
    fn id(&self) -> Uuid;
}

/// The clock that all nodes share. It decides what happens once for all of them and cannot be taken
/// back: the clock of one node may be wrong.
#[async_trait]
pub trait SharedClock: Send + Sync {
    /// Returns the current time, in milliseconds.
    async fn shared_time(&self) -> Result<DateTime<Utc>, Error>;
}
