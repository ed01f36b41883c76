//! Publishes what the clock alone changes: maintenances that begin and end.
//!
//! Every node runs one scheduler. It sleeps until the next moment at which a status changes, and then claims what is due in
//! the database, so that of many nodes exactly one publishes each change. A change that fell into a time when no node ran is
//! published by the first node that starts.

mod wake_timer;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::{Instant, sleep, timeout_at};

pub use self::wake_timer::WakeTimer;
use crate::broadcast::Broadcast;
use crate::clock::Clock;
use crate::error::Error;
use crate::maintenance::MaintenanceStore;
use crate::relay::Relay;
use crate::transition::Committed;

/// Announces the changes of a schedule as they come.
pub struct Scheduler {
    store: Arc<dyn MaintenanceStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    wake_timer: Arc<WakeTimer>,
}

impl Scheduler {
    /// How often the schedule is read while nothing is known to be due: another node may have written and died, and the
    /// wall clock may have been set.
    pub const POLL_INTERVAL: Duration = Duration::from_secs(30);

    /// How long to wait after a failure, at first and at most: a second, so that nothing is published later than that
    /// once it can be.
    const RETRY_DELAY: (Duration, Duration) = (Duration::from_millis(125), Duration::from_secs(1));

    /// A scheduler over these ports. Every write of a maintenance sets the wake timer.
    #[must_use]
    pub fn new(
        store: Arc<dyn MaintenanceStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
        wake_timer: Arc<WakeTimer>,
    ) -> Self {
        Self {
            store,
            relay,
            clock,
            wake_timer,
        }
    }

    /// Announces changes as they come, for ever. May be dropped at any moment: what was not announced yet still is due.
    pub async fn run(&self) {
        let (first, longest) = Self::RETRY_DELAY;
        let mut pause = first;
        loop {
            if let Err(error) = self.catch_up().await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "maintenances could not be looked after; trying again"
                );
                sleep(pause).await;
                pause = (pause * 2).min(longest);
            } else {
                pause = first;
                self.wait().await;
            }
        }
    }

    /// Announces everything that is due, and sets the timer to what comes next.
    async fn catch_up(&self) -> Result<(), Error> {
        loop {
            // Before the read: what is written after it sets the timer again.
            self.wake_timer.clear();
            let Some(next) = self.store.next_change().await? else {
                return Ok(());
            };
            let now = self.clock.now();
            if next > now {
                self.wake_timer.set(next);
                return Ok(());
            }
            self.announce(now).await?;
        }
    }

    /// One organisation that cannot be announced keeps no other one waiting.
    async fn announce(&self, now: DateTime<Utc>) -> Result<(), Error> {
        let mut outcome = Ok(());
        for organisation in self.store.due(now).await? {
            match self.store.announce(&organisation, now).await {
                Ok(commit) => self.relay.publish(Committed { state: (), commit }).await,
                Err(error) => outcome = Err(error),
            }
        }
        outcome
    }

    /// Waits until the time of the wake timer has come, or for [`Self::POLL_INTERVAL`].
    async fn wait(&self) {
        let look = Instant::now() + Self::POLL_INTERVAL;
        while Instant::now() < look {
            let left = self
                .wake_timer
                .moment()
                .map_or(Self::POLL_INTERVAL, |moment| {
                    // A moment that has passed leaves no time.
                    (moment - self.clock.now()).to_std().unwrap_or_default()
                });
            if left.is_zero() {
                return;
            }
            let until = look.min(Instant::now() + left.min(Self::POLL_INTERVAL));
            // Either way the clock has the last word: it may have been set, or the timer may have been.
            let _ = timeout_at(until, self.wake_timer.notified()).await;
        }
    }
}

/// Sets the timer whenever a node has written a maintenance, for as long as broadcasts come: the node that wrote it may die
/// before the change is due.
pub async fn listen(broadcast: &dyn Broadcast, wake_timer: &WakeTimer, clock: &dyn Clock) {
    let mut arriving = broadcast.subscribe().await;
    while let Some(commit) = arriving.recv().await {
        if commit
            .events
            .iter()
            .any(|event| event.name.contains("maintenance"))
        {
            wake_timer.set(clock.now());
        }
    }
}

#[cfg(test)]
mod tests;
