//! Limit of the mails to one mailbox that strangers cause.

use chrono::{DateTime, TimeDelta, Utc};

/// A burst of mails, then a rate of mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLimit {
    /// Burst size. 0 is treated as 1.
    pub burst: u32,
    /// Mails an hour after the burst. 0 is treated as 1.
    pub per_hour: u32,
}

impl MailLimit {
    /// Takes one mail from the limit and returns the time until which the mailbox counts as used; `None` if the limit is reached.
    /// `used_until` is the time that the previous mail returned. This is the generic cell rate algorithm (ITU-T I.371, annex A):
    /// it stores one time, and nothing once that time has passed.
    #[must_use]
    pub fn take(
        self,
        used_until: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let interval = TimeDelta::milliseconds(3_600_000 / i64::from(self.per_hour.max(1)));
        let most = interval * i32::try_from(self.burst.max(1)).unwrap_or(i32::MAX);
        let begin = match used_until {
            // The stored time is too far in the future: the clock was ahead when it was stored. One mail is allowed, and the
            // limit applies again.
            Some(until) if until - now > most + interval => now + most - interval,
            Some(until) => until.max(now),
            None => now,
        };
        let until = begin + interval;
        (until - now <= most).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: MailLimit = MailLimit {
        burst: 3,
        per_hour: 1,
    };

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).unwrap()
    }

    /// At which of these minutes a mail goes out.
    fn mailed(limit: MailLimit, minutes: &[i64]) -> Vec<i64> {
        let mut used_until = None;
        let mut goes = |minute: &i64| {
            let taken = limit.take(used_until, at(*minute));
            used_until = taken.or(used_until);
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
        assert_eq!(mailed(LIMIT, &[DAY, DAY, 0, 0, 59, 60]), [DAY, DAY, 0, 60]);
        assert_eq!(
            mailed(LIMIT, &[60, 60, 60, 0, 59, 60]),
            [60, 60, 60],
            "an hour is too little to tell"
        );
    }

    #[test]
    fn three_go_at_once_and_then_one_an_hour() {
        assert_eq!(
            mailed(LIMIT, &[0, 0, 0, 0, 59, 60, 61, 119, 120]),
            [0, 0, 0, 60, 120]
        );
        assert_eq!(
            mailed(LIMIT, &[0, 0, 0, 180, 180, 180, 180]),
            [0, 0, 0, 180, 180, 180]
        );
        assert_eq!(
            mailed(
                MailLimit {
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
            let mailed = mailed(LIMIT, &minutes);
            for first in &mailed {
                let within = mailed.iter().filter(|minute| (*first..first + 60).contains(*minute)).count();
                prop_assert!(within <= 3, "{mailed:?}");
            }
        }
    }
}
