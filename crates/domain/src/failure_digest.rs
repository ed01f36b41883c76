//! Digests: which failing subscriptions are mailed to an organisation's admins, and when.

use chrono::{DateTime, TimeDelta, Utc};

/// The failing subscriptions of one digest: those whose failures began within the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestWindow {
    /// End of the window before; `None` if there was none.
    pub after: Option<DateTime<Utc>>,
    /// The last moment of the window.
    pub until: DateTime<Utc>,
}

impl DigestWindow {
    /// Shortest time between two digests.
    pub const PERIOD: TimeDelta = TimeDelta::days(1);
    /// Number of subscriptions that a digest names.
    pub const NAMED: u64 = 20;

    /// How long after a failure the window closes, because a failure is stored a little later than
    /// it happens. So subscriptions that begin to fail together are in one digest.
    const DELAY: TimeDelta = TimeDelta::minutes(1);

    /// The end of a window that closes now.
    #[must_use]
    pub fn end(now: DateTime<Utc>) -> DateTime<Utc> {
        now - Self::DELAY
    }

    /// The window that closes now, after one that ended at `last`; `None` while it is too early.
    #[must_use]
    pub fn after(last: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<Self> {
        let until = Self::end(now);
        let is_open = last.is_none_or(|last| last + Self::PERIOD <= until);
        is_open.then_some(Self { after: last, until })
    }

    /// Whether a subscription whose failures began at the given time is in the window.
    #[must_use]
    pub fn contains(&self, since: DateTime<Utc>) -> bool {
        self.after.is_none_or(|after| since > after) && since <= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).unwrap()
    }

    #[test]
    fn the_first_digest_comes_after_a_minute_and_the_next_a_day_later() {
        let first = DigestWindow::after(None, at(11)).unwrap();
        assert!(first.contains(at(10)) && !first.contains(at(11)));
        let day = 24 * 60;
        assert_eq!(DigestWindow::after(Some(first.until), at(10 + day)), None);
        let second = DigestWindow::after(Some(first.until), at(11 + day)).unwrap();
        assert!(!second.contains(at(10)) && second.contains(at(11)));
    }

    proptest! {
        #[test]
        fn each_failure_is_in_one_digest_and_digests_are_a_day_apart(
            failures in proptest::collection::vec(0_i64..8000, 0..20), step in 1_i64..90,
        ) {
            let (mut last, mut named) = (None, vec![0; failures.len()]);
            let mut now = 0;
            while now < 12_000 {
                now += step;
                let Some(window) = DigestWindow::after(last, at(now)) else { continue };
                let fresh: Vec<_> =
                    (0..failures.len()).filter(|&index| window.contains(at(failures[index]))).collect();
                if fresh.is_empty() {
                    continue;
                }
                prop_assert!(last.is_none_or(|last| window.until - last >= DigestWindow::PERIOD));
                for index in fresh {
                    named[index] += 1;
                }
                last = Some(window.until);
            }
            prop_assert!(named.iter().all(|times| *times == 1), "{named:?}");
        }
    }
}
