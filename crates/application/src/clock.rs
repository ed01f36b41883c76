//! Time and identifiers, handed in so that rules and tests decide them.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Where moments and identifiers come from.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current moment. An adapter MUST cut it to whole milliseconds, the precision that every database and the API
    /// keep.
    fn now(&self) -> DateTime<Utc>;

    /// A fresh `UUIDv7` (RFC 9562, section 5.7). An adapter MUST make each greater than the one before it, also within a
    /// millisecond: lists are ordered by it.
    fn id(&self) -> Uuid;
}
