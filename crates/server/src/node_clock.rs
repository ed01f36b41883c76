//! The time of a node. All nodes of an installation have that of PostgreSQL.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use allclear_application::clock::{Clock, SharedClock};
use allclear_application::error::Error;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::{ContextV7, Timestamp, Uuid};

/// Difference from the shared clock up to which a machine's clock is used as it is. Those of
/// synchronised machines differ by less, and a token may be early or late by more.
const TOLERANCE: TimeDelta = TimeDelta::seconds(1);
/// Difference above which it is logged.
const MAX_DIFFERENCE: TimeDelta = TimeDelta::seconds(10);
/// Longest time of a response that is compared.
const MAX_ROUND_TRIP: TimeDelta = TimeDelta::seconds(2);

/// The clock of a node: the machine's clock, corrected if it differs from the clock that all nodes
/// share. Otherwise the tokens of one node would be invalid at another, and the nodes would
/// disagree about the status of a maintenance.
pub(crate) struct NodeClock {
    machine: Arc<dyn Clock>,
    /// Milliseconds by which the machine's clock is ahead; 0 if that is tolerated.
    ahead: AtomicI64,
    /// Makes each identifier greater than the previous one, also after a correction.
    identifiers: Mutex<ContextV7>,
}

impl NodeClock {
    /// The clock of a node on this machine.
    pub(crate) fn new(machine: Arc<dyn Clock>) -> Self {
        Self {
            machine,
            ahead: AtomicI64::new(0),
            identifiers: Mutex::new(ContextV7::new()),
        }
    }

    /// The machine's own clock, for what is compared with clocks outside of the installation.
    pub(crate) fn machine(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.machine)
    }

    /// Measures how far the machine's clock is ahead of the shared one. A slow response says
    /// nothing about the clocks.
    ///
    /// # Errors
    /// The error of the shared clock. The last correction stays.
    pub(crate) async fn compare(&self, shared: &dyn SharedClock) -> Result<(), Error> {
        let before = self.machine.now();
        let shared = shared.shared_time().await?;
        let took = self.machine.now() - before;
        if !(TimeDelta::zero()..=MAX_ROUND_TRIP).contains(&took) {
            return Ok(());
        }
        let ahead = before + took / 2 - shared;
        metrics::gauge!("allclear_clock_ahead_seconds").set(ahead.as_seconds_f64());
        let corrected = if ahead.abs() > TOLERANCE {
            ahead.num_milliseconds()
        } else {
            0
        };
        self.ahead.store(corrected, Ordering::Relaxed);
        if ahead.abs() > MAX_DIFFERENCE {
            tracing::error!(
                seconds = ahead.as_seconds_f64(),
                "the clock of this machine differs from the database's, whose time is used instead"
            );
        }
        Ok(())
    }
}

impl Clock for NodeClock {
    fn now(&self) -> DateTime<Utc> {
        self.machine.now() - TimeDelta::milliseconds(self.ahead.load(Ordering::Relaxed))
    }

    /// An identifier begins with the corrected time: lists of all nodes are ordered by it.
    fn id(&self) -> Uuid {
        let now = self.now();
        let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
        let nanoseconds = now.timestamp_subsec_nanos();
        Uuid::new_v7(Timestamp::from_unix(
            &self.identifiers,
            seconds,
            nanoseconds,
        ))
    }
}

#[cfg(test)]
mod tests {
    use allclear_application::clock::TestClock;
    use async_trait::async_trait;

    use super::*;

    #[tokio::test]
    async fn clock_that_differs_is_corrected_until_it_is_right() {
        let cases = [(0, false), (1, false), (2, true), (-2, true), (900, true)];
        for (seconds, is_corrected) in cases {
            let (machine, database) = (TestClock::stopped(), TestClock::stopped());
            let node = NodeClock::new(Arc::clone(&machine) as _);
            let difference = TimeDelta::seconds(seconds);
            machine.advance(difference);
            node.compare(&*database).await.unwrap();
            let expected = if is_corrected {
                database.now()
            } else {
                machine.now()
            };
            assert_eq!(node.now(), expected, "{seconds}");
            assert_eq!(node.machine().now(), machine.now(), "{seconds}");
            machine.advance(-difference);
            node.compare(&*database).await.unwrap();
            assert_eq!(node.now(), machine.now(), "{seconds}");
        }
    }

    fn time_of(id: Uuid) -> i64 {
        let (seconds, _) = id.get_timestamp().unwrap().to_unix();
        i64::try_from(seconds).unwrap()
    }

    #[tokio::test]
    async fn identifiers_have_the_corrected_time_and_grow() {
        for minutes in [-60, 0, 60] {
            let (machine, database) = (TestClock::stopped(), TestClock::stopped());
            let node = NodeClock::new(Arc::clone(&machine) as _);
            machine.advance(TimeDelta::minutes(minutes));
            node.compare(&*database).await.unwrap();
            let mut ids: Vec<_> = (0..1000).map(|_| node.id()).collect();
            let expected = TestClock::START.timestamp();
            assert!(ids.iter().all(|id| time_of(*id) == expected), "{minutes}");
            machine.advance(TimeDelta::seconds(-1));
            ids.push(node.id());
            machine.advance(TimeDelta::seconds(2));
            ids.push(node.id());
            assert!(ids.is_sorted_by(|a, b| a < b), "{minutes}");
            assert_eq!(time_of(ids[1001]), expected + 1, "{minutes}");
        }
    }

    /// A database whose response takes as long by a machine's clock.
    struct Slow(Arc<TestClock>, TimeDelta);

    #[async_trait]
    impl SharedClock for Slow {
        async fn shared_time(&self) -> Result<DateTime<Utc>, Error> {
            self.0.advance(self.1);
            Ok(TestClock::START)
        }
    }

    #[tokio::test]
    async fn slow_response_and_a_clock_that_is_set_meanwhile_correct_nothing() {
        for took in [TimeDelta::seconds(3), TimeDelta::seconds(-3)] {
            let machine = TestClock::stopped();
            let node = NodeClock::new(Arc::clone(&machine) as _);
            let slow = Slow(Arc::clone(&machine), took);
            node.compare(&slow).await.unwrap();
            assert_eq!(node.now(), machine.now());
        }
    }
}
