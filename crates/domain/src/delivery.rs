//! Retries of failed mail deliveries.

use chrono::{DateTime, TimeDelta, Utc};

/// Schedule of retries after temporary failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRule {
    /// Longest delay after the first failure; each further failure doubles it.
    pub first: TimeDelta,
    /// Longest delay.
    pub longest: TimeDelta,
    /// Time from queuing to the last try.
    pub give_up_after: TimeDelta,
}

impl RetryRule {
    /// Short delays at first, for broken connections; half an hour later, as RFC 5321, section 4.5.4.1, recommends. A mail server
    /// may be down for a weekend without losing mail.
    pub const DEFAULT: Self = Self {
        first: TimeDelta::seconds(2),
        longest: TimeDelta::minutes(30),
        give_up_after: TimeDelta::days(3),
    };

    /// Returns the time of the next try of a mail that has failed for the `attempt`th time, counted from 1; `None` if it is given
    /// up. `jitter`, from 0 to 1, chooses between half of the delay and all of it, so that mails that failed together are not
    /// retried together.
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
