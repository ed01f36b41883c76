//! Retries of the delivery of a mail.

use chrono::{DateTime, TimeDelta, Utc};

/// When to try again after a failure that may pass, and when to give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRule {
    /// The longest wait after the first failure; each further failure doubles it.
    pub first: TimeDelta,
    /// The longest wait there is.
    pub longest: TimeDelta,
    /// How long after it was queued it is tried for the last time.
    pub give_up_after: TimeDelta,
}

impl RetryRule {
    /// Quick at first, for a connection that broke; half an hour in the end, as RFC 5321, section 4.5.4.1, asks for. A mail
    /// server that is away for a weekend loses nothing.
    pub const DEFAULT: Self = Self {
        first: TimeDelta::seconds(2),
        longest: TimeDelta::minutes(30),
        give_up_after: TimeDelta::days(3),
    };

    /// When a mail that was queued then and has now failed for the `attempt`th time, counted from 1, is tried again; none
    /// when it is given up. Between half of the wait and all of it, by `jitter` from 0 to 1, so that mails that failed
    /// together do not come back together.
    #[must_use]
    pub fn next(
        self,
        queued_at: DateTime<Utc>,
        attempt: u32,
        jitter: f64,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let next = now + self.wait(attempt, jitter);
        (next <= queued_at + self.give_up_after).then_some(next)
    }

    fn wait(self, attempt: u32, jitter: f64) -> TimeDelta {
        let doublings = attempt.saturating_sub(1).min(30);
        let longest = self.first.num_milliseconds().saturating_mul(1 << doublings);
        let longest = longest.min(self.longest.num_milliseconds());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "far below 2^52 milliseconds"
        )]
        let random = (longest as f64 / 2.0 * jitter.clamp(0.0, 1.0)) as i64;
        TimeDelta::milliseconds(longest - longest / 2 + random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULE: RetryRule = RetryRule::DEFAULT;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    proptest! {
        #[test]
        fn a_wait_is_between_half_of_the_doubled_one_and_all_of_it(attempt in 1_u32..100, jitter in 0.0..1.0_f64) {
            let wait = RULE.wait(attempt, jitter);
            let all = (0..attempt.saturating_sub(1)).fold(RULE.first, |wait, _| (wait * 2).min(RULE.longest));
            prop_assert!(all / 2 <= wait && wait <= all, "{wait} of {all}");
        }

        #[test]
        fn nobody_waits_longer_after_fewer_failures(attempt in 1_u32..100, jitter in 0.0..1.0_f64) {
            prop_assert!(RULE.wait(attempt, jitter) <= RULE.wait(attempt + 1, jitter));
        }

        #[test]
        fn nothing_is_tried_after_its_time_and_everything_before(
            attempt in 1_u32..100, jitter in 0.0..1.0_f64, second in 0_i64..400_000,
        ) {
            match RULE.next(at(0), attempt, jitter, at(second)) {
                Some(next) => prop_assert!(at(second) < next && next <= at(0) + RULE.give_up_after),
                None => prop_assert!(at(second) + RULE.longest > at(0) + RULE.give_up_after),
            }
        }

        #[test]
        fn it_is_given_up_after_some_hundred_tries(jitters in proptest::collection::vec(0.0..1.0_f64, 400)) {
            let mut now = at(0);
            let given_up = jitters.into_iter().zip(1..).find_map(|(jitter, attempt)| {
                let next = RULE.next(at(0), attempt, jitter, now);
                now = next.unwrap_or(now);
                next.is_none().then_some(attempt)
            });
            prop_assert!(given_up.is_some_and(|attempt| attempt > 100), "{given_up:?}");
        }
    }
}
