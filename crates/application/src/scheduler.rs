//! Publishes changes that only the clock makes: maintenances that begin and end.
//!
//! Every node runs one scheduler. It sleeps until the next change of a status and then claims due
//! changes in the database, so that exactly one node publishes each change. A change during a time
//! without nodes is published by the first node that starts. The clock is the one that all nodes
//! share: a node whose own clock is ahead would notify subscribers early.

mod wake_timer;

use std::sync::Arc;
use std::time::Duration;

use allclear_domain::event::EventKind;
use chrono::{DateTime, Utc};
use tokio::time::{Instant, sleep, timeout_at};

pub use self::wake_timer::WakeTimer;
use crate::broadcast::Broadcast;
use crate::clock::SharedClock;
use crate::database_time::DatabaseTime;
use crate::error::Error;
use crate::failure_log::FailureLog;
use crate::maintenance::MaintenanceStore;
use crate::relay::Relay;
use crate::transition::Committed;

/// The scheduler of a node.
pub struct Scheduler {
    store: Arc<dyn MaintenanceStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn SharedClock>,
    wake_timer: Arc<WakeTimer>,
}

impl Scheduler {
    /// How often the schedule is read without a notification. Another node may have written a
    /// maintenance and died, and the clock may have been set.
    pub const POLL_INTERVAL: Duration = Duration::from_secs(30);

    /// Delay of the first retry after a failure. Each further one is twice as long.
    const FIRST_RETRY_DELAY: Duration = Duration::from_millis(125);
    /// Bounds the delay of a publication after a recovery.
    const MAX_RETRY_DELAY: Duration = Duration::from_secs(1);

    /// A scheduler over these ports. Every write of a maintenance sets the wake timer.
    #[must_use]
    pub fn new(
        store: Arc<dyn MaintenanceStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn SharedClock>,
        wake_timer: Arc<WakeTimer>,
    ) -> Self {
        Self {
            store,
            relay,
            clock,
            wake_timer,
        }
    }

    /// Publishes changes for ever. May be dropped at any time: unpublished changes stay due.
    pub async fn run(&self) {
        let (mut pause, mut failures) = (Self::FIRST_RETRY_DELAY, FailureLog::default());
        loop {
            let caught_up = match self.catch_up(&mut failures).await {
                Ok(caught_up) => {
                    if caught_up.is_some() && failures.succeeded() {
                        tracing::info!("due maintenances can be published again");
                    }
                    caught_up
                }
                Err(error) => {
                    if failures.failed() {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "due maintenances could not be published; trying again"
                        );
                    }
                    None
                }
            };
            if let Some(time) = caught_up {
                pause = Self::FIRST_RETRY_DELAY;
                self.wait(time).await;
            } else {
                sleep(pause).await;
                pause = (pause * 2).min(Self::MAX_RETRY_DELAY);
            }
        }
    }

    /// Publishes all due changes, and sets the timer to the next one. Returns the time at which all
    /// were published; `None` if some could not be.
    async fn catch_up(&self, failures: &mut FailureLog) -> Result<Option<DatabaseTime>, Error> {
        loop {
            // Before the read: a later write sets the timer again.
            self.wake_timer.clear();
            let next = self.store.next_change().await?;
            let time = DatabaseTime::of(self.clock.shared_time().await?);
            let Some(next) = next else {
                return Ok(Some(time));
            };
            let now = time.now();
            if next > now {
                self.wake_timer.set_if_earlier(next);
                return Ok(Some(time));
            }
            if !self.publish_due(now, failures).await? {
                return Ok(None);
            }
        }
    }

    /// Publishes the changes that are due. Returns whether all were published. A failure for one
    /// organisation does not delay the others.
    async fn publish_due(
        &self,
        now: DateTime<Utc>,
        failures: &mut FailureLog,
    ) -> Result<bool, Error> {
        let mut failed = Vec::new();
        for organisation in self.store.organisations_due(now).await? {
            match self.store.publish_due(&organisation, now).await {
                Ok(commit) => self.relay.publish(Committed { state: (), commit }).await,
                Err(error) => failed.push((organisation, error)),
            }
        }
        // All of them at the same time, so that none hides another one.
        if !failed.is_empty() && failures.failed() {
            for (organisation, error) in &failed {
                tracing::warn!(
                    organisation = organisation.as_str(),
                    error = error as &dyn std::error::Error,
                    "the due maintenances of an organisation could not be published; trying again"
                );
            }
        }
        Ok(failed.is_empty())
    }

    /// Waits until the time of the wake timer has come, or for [`Self::POLL_INTERVAL`]. `time` was
    /// read just now.
    async fn wait(&self, time: DatabaseTime) {
        let poll_at = Instant::now() + Self::POLL_INTERVAL;
        while Instant::now() < poll_at {
            let left = self
                .wake_timer
                .moment()
                .map_or(Self::POLL_INTERVAL, |moment| {
                    // A time in the past leaves no delay.
                    (moment - time.now()).to_std().unwrap_or_default()
                });
            if left.is_zero() {
                return;
            }
            let until = poll_at.min(Instant::now() + left.min(Self::POLL_INTERVAL));
            // In both cases the timer is read again: it may have been set.
            let _ = timeout_at(until, self.wake_timer.notified()).await;
        }
    }
}

/// Wakes the scheduler whenever a node has written a maintenance, until the broadcast ends: that
/// node may die before the change is due.
pub async fn listen(broadcast: &dyn Broadcast, wake_timer: &WakeTimer) {
    let mut arriving = broadcast.subscribe().await;
    while let Some(commit) = arriving.recv().await {
        if commit.has_event(EventKind::is_of_maintenance) {
            wake_timer.wake();
        }
    }
}

#[cfg(test)]
mod tests;
