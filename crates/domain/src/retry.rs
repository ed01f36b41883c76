//! Retries of failed deliveries.

use chrono::{DateTime, TimeDelta, Utc};

/// Schedule of retries after temporary failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryRule {
    /// Of mails: short delays at first, for broken connections, each twice the one before; half an
    /// hour later, as RFC 5321, section 4.5.4.1, recommends. A mail server may be down for a
    /// weekend without losing mail. A newer mail to the same address brings the next attempt
    /// forward, and the delays after it go on as before: see [`RetryRule::early`].
    Mail,
    /// Of messages to webhooks and chats: the schedule of Standard Webhooks, "Retry schedule". A
    /// newer message to the same receiver begins it again: see [`RetryRule::early`].
    Message,
}

impl RetryRule {
    /// Time from queuing to the last attempt.
    pub const GIVE_UP_AFTER: TimeDelta = TimeDelta::days(3);
    /// Longest time that a receiver may ask to wait.
    pub const MAX_WAIT: TimeDelta = TimeDelta::hours(20);

    const MAIL_FIRST: TimeDelta = TimeDelta::seconds(2);
    const MAX_MAIL_WAIT: TimeDelta = TimeDelta::minutes(30);
    /// Number of unconfirmed attempts after which a mail is given up.
    const UNCONFIRMED_ATTEMPTS: u32 = 3;
    /// Shortest time between an attempt and one that a newer mail brings forward. It is short,
    /// because one mail server sends to all addresses, and the newer mail may be the last one about
    /// an incident. Servers that refuse unknown senders for a few minutes, or more than a number of
    /// mails, get at most one further attempt a minute and address.
    const MIN_EARLY_MAIL_WAIT: TimeDelta = TimeDelta::minutes(1);
    /// Shortest time between an attempt and one that a newer message brings forward.
    const MIN_EARLY_MESSAGE_WAIT: TimeDelta = TimeDelta::minutes(5);
    const MESSAGE_DELAYS: [TimeDelta; 8] = [
        TimeDelta::seconds(5),
        TimeDelta::minutes(5),
        TimeDelta::minutes(30),
        TimeDelta::hours(2),
        TimeDelta::hours(5),
        TimeDelta::hours(10),
        TimeDelta::hours(14),
        TimeDelta::hours(20),
    ];

    /// Returns the time of the next attempt of what has failed for the `attempt`th time,
    /// counted from 1; `None` if it is given up. `jitter`, from 0 to 1, chooses the delay:
    /// between half of it and all of it for a mail, between 80 % and 120 % of it for a message,
    /// so that what failed together is not retried together. `retry_after` is how long the
    /// receiver asks to wait at least. The last attempt is [`Self::GIVE_UP_AFTER`] after queuing,
    /// however many there were before, unless the receiver asks to wait for longer.
    #[must_use]
    pub fn next(
        self,
        queued_at: DateTime<Utc>,
        attempt: u32,
        jitter: f64,
        retry_after: Option<TimeDelta>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let last = queued_at + Self::GIVE_UP_AFTER;
        let requested = now + retry_after.unwrap_or_default().min(Self::MAX_WAIT);
        let next = (now + self.wait(attempt, jitter)).min(last).max(requested);
        (now < last && next <= last).then_some(next)
    }

    /// Returns the time from which a newer message to the same receiver brings the attempt at
    /// `next` forward; `None` if no message does. The receiver may work again, and the newer
    /// message waits for this one. `retry_after` is how long the receiver asks to wait at least.
    #[must_use]
    pub fn early(
        self,
        next: DateTime<Utc>,
        retry_after: Option<TimeDelta>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let shortest = match self {
            Self::Mail => Self::MIN_EARLY_MAIL_WAIT,
            Self::Message => Self::MIN_EARLY_MESSAGE_WAIT,
        };
        let requested = retry_after.unwrap_or_default();
        let early = now + requested.clamp(shortest, Self::MAX_WAIT);
        (early < next).then_some(early)
    }

    /// Returns the time of the next attempt of a mail that the mail server received and did not
    /// confirm for the `unconfirmed`th time, counted from 1; `None` if it is given up. Each such
    /// attempt may have delivered the mail, so at most three of them are made, half an hour apart.
    #[must_use]
    pub fn next_unconfirmed(
        queued_at: DateTime<Utc>,
        unconfirmed: u32,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let may_repeat = unconfirmed < Self::UNCONFIRMED_ATTEMPTS;
        let next = now + Self::MAX_MAIL_WAIT;
        (may_repeat && next <= queued_at + Self::GIVE_UP_AFTER).then_some(next)
    }

    fn wait(self, attempt: u32, jitter: f64) -> TimeDelta {
        match self {
            Self::Mail => {
                let doublings = attempt.saturating_sub(1).min(30);
                let first = Self::MAIL_FIRST.num_milliseconds();
                let longest = first.saturating_mul(1 << doublings);
                let longest = longest.min(Self::MAX_MAIL_WAIT.num_milliseconds());
                let half = longest / 2;
                TimeDelta::milliseconds(longest - half + share(half, jitter))
            }
            Self::Message => {
                let number =
                    (attempt.saturating_sub(1) as usize).min(Self::MESSAGE_DELAYS.len() - 1);
                let delay = Self::MESSAGE_DELAYS[number].num_milliseconds();
                let fifth = delay / 5;
                TimeDelta::milliseconds(delay - fifth + share(2 * fifth, jitter))
            }
        }
    }
}

/// The given part, from 0 to 1, of some milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "far below 2^52 milliseconds"
)]
fn share(milliseconds: i64, part: f64) -> i64 {
    (milliseconds as f64 * part.clamp(0.0, 1.0)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULE: RetryRule = RetryRule::Mail;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    proptest! {
        #[test]
        fn a_wait_is_between_half_of_the_doubled_one_and_all_of_it(attempt in 1_u32..100, jitter in 0.0..1.0_f64) {
            let wait = RULE.wait(attempt, jitter);
            let all = (0..attempt.saturating_sub(1)).fold(RetryRule::MAIL_FIRST, |wait, _| (wait * 2).min(RetryRule::MAX_MAIL_WAIT));
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
            for rule in [RetryRule::Mail, RetryRule::Message] {
                match rule.next(at(0), attempt, jitter, None, at(second)) {
                    Some(next) => prop_assert!(at(second) < next && next <= at(0) + RetryRule::GIVE_UP_AFTER),
                    None => prop_assert!(at(second) >= at(0) + RetryRule::GIVE_UP_AFTER),
                }
            }
        }

        #[test]
        fn a_receiver_that_asks_for_a_delay_beyond_the_end_is_not_tried_before(hours in 53_i64..72) {
            let now = at(3_600 * hours);
            let requested = Some(RetryRule::MAX_WAIT);
            prop_assert_eq!(RetryRule::Message.next(at(0), 1, 0.5, requested, now), None);
        }

        #[test]
        fn newer_notices_cause_attempts_some_minutes_apart_or_what_the_receiver_asks_for(
            requested in proptest::option::of(0_i64..100_000), wait in 0_i64..100_000,
        ) {
            let requested = requested.map(TimeDelta::seconds);
            for (rule, shortest) in [(RetryRule::Mail, 60), (RetryRule::Message, 300)] {
                let early = rule.early(at(wait), requested, at(0));
                if let Some(early) = early {
                    prop_assert!(early >= at(shortest) && early < at(wait));
                    prop_assert!(early >= at(0) + requested.unwrap_or_default().min(RetryRule::MAX_WAIT));
                } else {
                    prop_assert!(wait <= shortest || requested.is_some_and(|requested| requested >= TimeDelta::seconds(wait.min(72_000))));
                }
            }
        }

        #[test]
        fn delays_of_a_message_follow_the_schedule_within_a_fifth(attempt in 1_u32..20, jitter in 0.0..1.0_f64) {
            let wait = RetryRule::Message.wait(attempt, jitter).num_milliseconds();
            let seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000];
            let delay = 1_000 * seconds[(attempt as usize - 1).min(7)];
            prop_assert!(4 * delay <= 5 * wait && 5 * wait <= 6 * delay, "{wait} of {delay}");
        }

        #[test]
        fn a_receiver_may_ask_for_a_longer_delay_up_to_a_limit(requested in 0_i64..1_000_000_000) {
            let requested = TimeDelta::seconds(requested);
            let next = RetryRule::Message.next(at(0), 1, 0.5, Some(requested), at(0)).unwrap();
            prop_assert_eq!(next - at(0), requested.clamp(TimeDelta::seconds(5), RetryRule::MAX_WAIT));
        }

        #[test]
        fn a_message_is_given_up_within_three_days_of_eight_retries_or_more(
            jitters in proptest::collection::vec(0.0..1.0_f64, 20),
        ) {
            let mut now = at(0);
            let given_up = jitters.into_iter().zip(1..).find_map(|(jitter, attempt)| {
                let next = RetryRule::Message.next(at(0), attempt, jitter, None, now);
                now = next.unwrap_or(now);
                next.is_none().then_some(attempt)
            });
            prop_assert!(given_up.is_some_and(|attempt| (10..=11).contains(&attempt)), "{given_up:?}");
        }

        #[test]
        fn a_mail_is_attempted_three_times_at_most_without_a_confirmation(
            unconfirmed in proptest::collection::vec(any::<bool>(), 400), first in 0_i64..300_000,
        ) {
            let mut now = at(first);
            let mut copies = 0;
            for (is_unconfirmed, attempt) in unconfirmed.into_iter().zip(1..) {
                copies += u32::from(is_unconfirmed);
                let next = if is_unconfirmed {
                    RetryRule::next_unconfirmed(at(0), copies, now)
                } else {
                    RULE.next(at(0), attempt, 0.5, None, now)
                };
                let Some(next) = next else {
                    let is_late = now + RetryRule::MAX_MAIL_WAIT > at(0) + RetryRule::GIVE_UP_AFTER;
                    prop_assert!(copies == 3 || is_late, "given up after {copies} copies");
                    break;
                };
                now = next;
            }
            prop_assert!(copies <= 3, "{copies} copies");
        }

        #[test]
        fn it_is_given_up_after_some_hundred_tries(jitters in proptest::collection::vec(0.0..1.0_f64, 400)) {
            let mut now = at(0);
            let given_up = jitters.into_iter().zip(1..).find_map(|(jitter, attempt)| {
                let next = RULE.next(at(0), attempt, jitter, None, now);
                now = next.unwrap_or(now);
                next.is_none().then_some(attempt)
            });
            prop_assert!(given_up.is_some_and(|attempt| attempt > 100), "{given_up:?}");
        }
    }

    #[test]
    fn mail_is_given_up_at_the_third_attempt_without_a_confirmation() {
        let minute = |minute: i64| at(60 * minute);
        for (unconfirmed, now, next) in [
            (1, 0, Some(30)),
            (2, 30, Some(60)),
            (3, 60, None),
            (3, 10, None),
            // It may have failed for other reasons before, or waited behind others.
            (1, 70, Some(100)),
            (2, 600, Some(630)),
            (1, 72 * 60, None),
        ] {
            assert_eq!(
                RetryRule::next_unconfirmed(minute(0), unconfirmed, minute(now)),
                next.map(minute),
                "attempt {unconfirmed} at minute {now}"
            );
        }
    }
}
