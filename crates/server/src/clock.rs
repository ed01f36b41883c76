//! The system's clock.

use allclear_application::clock::Clock;
use chrono::{DateTime, SubsecRound, Utc};
use uuid::Uuid;

/// Reads the system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only implementation that reads the system's clock"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the only implementation that reads the system's clock"
    )]
    fn id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_whole_milliseconds_and_identifiers_grow() {
        let clock = SystemClock;
        assert_eq!(clock.now().timestamp_subsec_nanos() % 1_000_000, 0);
        let ids: Vec<_> = (0..1000).map(|_| clock.id()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
    }
}
