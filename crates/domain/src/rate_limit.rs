//! Rate limits by the generic cell rate algorithm (ITU-T I.371, annex A). A bucket of attempts that
//! refills with time is stored as the time at which it is full again, and not at all once that time
//! has passed.

use std::time::Duration;

use chrono::{DateTime, Utc};

/// A burst of attempts, then a rate of attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Burst size. 0 is treated as 1.
    pub burst: u32,
    /// Attempts that are refilled per hour. 0 is treated as 1.
    pub per_hour: u32,
}

impl RateLimit {
    /// Takes one attempt and returns the time at which the bucket is full again; `None` if the
    /// limit is reached. `full_at` is the time that the previous attempt returned; `None` if there
    /// was none.
    #[must_use]
    pub fn take_at(
        self,
        full_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let refill = Refill::from(self);
        let full_in = full_at.and_then(|at| (at - now).to_std().ok());
        let full_in = match full_in.unwrap_or_default() {
            // The stored time is too far in the future: the clock was ahead when it was stored. One
            // attempt is allowed, and the limit applies again.
            full_in if full_in > refill.burst + refill.interval => {
                refill.burst.saturating_sub(refill.interval)
            }
            full_in => full_in,
        };
        let taken = refill.take(full_in, 1);
        taken.ok().map(|full_in| now + full_in)
    }
}

/// How a bucket refills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refill {
    /// Time in which one attempt is refilled.
    pub interval: Duration,
    /// Time in which a whole burst is refilled.
    pub burst: Duration,
}

impl Refill {
    /// A bucket of `burst` attempts that refills one attempt per interval.
    #[must_use]
    pub fn new(interval: Duration, burst: u32) -> Self {
        Self {
            interval,
            burst: interval * burst,
        }
    }

    /// Takes `amount` attempts from a bucket that is full in `full_in`. Returns the time until it
    /// is full afterwards.
    ///
    /// # Errors
    /// The time until that many attempts are available.
    pub fn take(self, full_in: Duration, amount: u32) -> Result<Duration, Duration> {
        let full_in = full_in + self.interval * amount;
        let wait = full_in.saturating_sub(self.burst);
        if wait.is_zero() {
            Ok(full_in)
        } else {
            Err(wait)
        }
    }

    /// Returns the number of attempts that are left in a bucket that is full in `full_in`.
    #[must_use]
    pub fn remaining(self, full_in: Duration) -> u32 {
        let left = self.burst.saturating_sub(full_in).as_nanos();
        u32::try_from(left / self.interval.as_nanos().max(1)).unwrap_or(u32::MAX)
    }
}

impl From<RateLimit> for Refill {
    fn from(limit: RateLimit) -> Self {
        let interval = Duration::from_hours(1) / limit.per_hour.max(1);
        Self::new(interval, limit.burst.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: RateLimit = RateLimit {
        burst: 3,
        per_hour: 1,
    };

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).unwrap()
    }

    /// At which of these minutes an attempt is allowed.
    fn allowed(limit: RateLimit, minutes: &[i64]) -> Vec<i64> {
        let mut full_at = None;
        let mut goes = |minute: &i64| {
            let taken = limit.take_at(full_at, at(*minute));
            full_at = taken.or(full_at);
            taken.is_some()
        };
        minutes
            .iter()
            .copied()
            .filter(|minute| goes(minute))
            .collect()
    }

    #[test]
    fn a_clock_that_was_a_day_ahead_keeps_nobody_waiting_for_a_day() {
        const DAY: i64 = 24 * 60;
        assert_eq!(allowed(LIMIT, &[DAY, DAY, 0, 0, 59, 60]), [DAY, DAY, 0, 60]);
        assert_eq!(
            allowed(LIMIT, &[60, 60, 60, 0, 59, 60]),
            [60, 60, 60],
            "an hour is too little to tell"
        );
    }

    #[test]
    fn three_go_at_once_and_then_one_an_hour() {
        assert_eq!(
            allowed(LIMIT, &[0, 0, 0, 0, 59, 60, 61, 119, 120]),
            [0, 0, 0, 60, 120]
        );
        assert_eq!(
            allowed(LIMIT, &[0, 0, 0, 180, 180, 180, 180]),
            [0, 0, 0, 180, 180, 180]
        );
        assert_eq!(
            allowed(
                RateLimit {
                    burst: 0,
                    per_hour: 0
                },
                &[0, 0, 60]
            ),
            [0, 60]
        );
    }

    proptest! {
        #[test]
        fn no_hour_sees_more_than_the_burst_and_the_rate(mut minutes in proptest::collection::vec(0_i64..600, 0..60)) {
            minutes.sort_unstable();
            let allowed = allowed(LIMIT, &minutes);
            for first in &allowed {
                let within = allowed.iter().filter(|minute| (*first..first + 60).contains(*minute)).count();
                prop_assert!(within <= 3, "{allowed:?}");
            }
        }
    }
}
