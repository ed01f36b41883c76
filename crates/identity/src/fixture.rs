//! Fixtures of this crate's tests.

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use chrono::{DateTime, TimeDelta, Utc};

pub(crate) const URL: &str = "https://status.example.com";

pub(crate) fn now() -> DateTime<Utc> {
    TestClock::START
}

/// A clock the given seconds after [`now`].
pub(crate) fn clock(seconds: i64) -> Arc<dyn Clock> {
    let clock = TestClock::stopped();
    clock.advance(TimeDelta::seconds(seconds));
    clock
}
