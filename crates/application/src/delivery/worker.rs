//! Sends queued deliveries. Every node runs one worker, which sleeps until a delivery is queued or becomes due.

mod in_flight;

use std::sync::Arc;
use std::time::Duration;

use allclear_domain::delivery::RetryRule;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use self::in_flight::{DatabaseTime, InFlight};
use super::{Delivery, DeliveryQueue, DeliveryResult, MailComposer, Outcome, WakeSignal};
use crate::error::Error;
use crate::mail::{Mailer, SendError};

/// The worker that sends the deliveries of the queue.
pub struct DeliveryWorker {
    /// The queue of deliveries.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Composes the mails.
    pub composer: MailComposer,
    /// Sends the mails.
    pub mailer: Arc<dyn Mailer>,
    /// Wakes the worker when there may be something to send.
    pub wake_signal: Arc<WakeSignal>,
    /// Number of concurrent mails. The result of a mail is stored before the next one takes its place, so after a crash at most
    /// this many mails are sent twice.
    pub concurrency: usize,
    /// Called with the outcome of each try.
    pub observe: fn(&Outcome),
}

impl DeliveryWorker {
    /// How often the queue is polled without a notification. Another node may have queued a delivery and died, and a wall clock
    /// may have been set.
    pub const POLL_INTERVAL: Duration = Duration::from_secs(30);
    /// How long a claim is valid. After a node died, its deliveries wait this long for another node.
    pub const LEASE: TimeDelta = TimeDelta::seconds(20);
    /// Time limit of one mail.
    pub const SEND_TIMEOUT: Duration = Duration::from_secs(150);
    /// How long a stopping worker continues with due deliveries, and then waits for those it has begun.
    pub const SHUTDOWN_GRACE: (Duration, Duration) =
        (Duration::from_secs(5), Duration::from_secs(10));

    const RENEWAL: Duration = Duration::from_secs(5);
    /// How long the database's time is extrapolated before it is read again.
    const TIME_MAX_AGE: Duration = Duration::from_secs(5);
    /// Number of deliveries queued in one transaction: few enough that a save hardly waits for it.
    const BATCH: u64 = 500;
    /// Delay of a retry after a failure of the queue: the first and the longest.
    const RETRY_DELAY: (Duration, Duration) = (Duration::from_millis(125), Duration::from_secs(5));

    /// Sends queued deliveries until the stop signal, and then those that are due, for at most the grace period. May be dropped
    /// at any time: unfinished deliveries are sent again.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut in_flight = InFlight::default();
        let (mut pause, mut end) = (Self::RETRY_DELAY.0, None);
        loop {
            if end.is_none() && stop.is_cancelled() {
                end = Some(Instant::now() + Self::SHUTDOWN_GRACE.0);
                in_flight.poll();
            }
            let accepts = end.is_none_or(|end| Instant::now() < end);
            if end.is_some_and(|end| Instant::now() >= end + Self::SHUTDOWN_GRACE.1) {
                return;
            }
            match self.tick(&mut in_flight, accepts).await {
                Ok(()) => {
                    pause = Self::RETRY_DELAY.0;
                    if end.is_some() && in_flight.is_done(accepts) {
                        return;
                    }
                    let more = in_flight.expand || in_flight.claim && self.room(&in_flight) > 0;
                    if !(accepts && more) {
                        let stopping = end.map(|end| {
                            if accepts {
                                end
                            } else {
                                end + Self::SHUTDOWN_GRACE.1
                            }
                        });
                        self.wait(&mut in_flight, &stop, stopping).await;
                    }
                }
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the mail queue could not be processed; trying again"
                    );
                    sleep(pause).await;
                    pause = (pause * 2).min(Self::RETRY_DELAY.1);
                    in_flight.poll();
                }
            }
        }
    }

    /// Stores results and claims as many deliveries as there is room for.
    async fn tick(self: &Arc<Self>, in_flight: &mut InFlight, accepts: bool) -> Result<(), Error> {
        let time = self.time(in_flight).await?;
        in_flight.gather();
        self.renew(in_flight, time).await?;
        if accepts && in_flight.expand {
            in_flight.expand = self.queue.expand(time.now(), Self::BATCH).await?;
            in_flight.claim |= in_flight.expand;
        }
        let now = time.now();
        // Concurrently: where writes share a commit, both are in one. Stored results make room.
        let room = if accepts && in_flight.claim {
            self.room(in_flight) + in_flight.finished.len()
        } else {
            0
        };
        let (results, claimed) = tokio::join!(
            self.record_results(&in_flight.finished),
            self.claim(now, room)
        );
        let claimed = claimed.map(|claimed| self.begin(in_flight, claimed, room, time));
        results?;
        for result in in_flight.finished.drain(..) {
            (self.observe)(&result.outcome);
            // A subscriber's next delivery may be due now.
            in_flight.claim = true;
        }
        claimed?;
        if accepts && !in_flight.claim {
            self.schedule_poll(in_flight, now).await?;
        }
        Ok(())
    }

    /// Returns the database's time. It is read again periodically, because its clock may be set, too.
    async fn time(&self, in_flight: &mut InFlight) -> Result<DatabaseTime, Error> {
        if let Some(time) = in_flight.time
            && time.read_at.elapsed() < Self::TIME_MAX_AGE
        {
            return Ok(time);
        }
        let moment = self.queue.now().await?;
        let time = DatabaseTime {
            moment,
            read_at: Instant::now(),
        };
        in_flight.time = Some(time);
        Ok(time)
    }

    async fn record_results(&self, finished: &[DeliveryResult]) -> Result<(), Error> {
        if finished.is_empty() {
            Ok(())
        } else {
            self.queue.record_results(finished.to_vec()).await
        }
    }

    async fn claim(&self, now: DateTime<Utc>, room: usize) -> Result<Vec<Delivery>, Error> {
        if room == 0 {
            Ok(Vec::new())
        } else {
            self.queue.claim(now, now + Self::LEASE, room as u64).await
        }
    }

    /// Starts to send the claimed deliveries.
    fn begin(
        self: &Arc<Self>,
        in_flight: &mut InFlight,
        claimed: Vec<Delivery>,
        room: usize,
        time: DatabaseTime,
    ) {
        in_flight.claim &= claimed.len() == room;
        if in_flight.claims.is_empty() {
            in_flight.renew_at = Instant::now() + Self::RENEWAL;
        }
        for delivery in claimed {
            if in_flight.is_sending(delivery.claim) {
                continue;
            }
            let (claim, worker) = (delivery.claim, Arc::clone(self));
            let task = in_flight
                .sending
                .spawn(async move { worker.deliver(delivery, time).await });
            in_flight.claims.insert(task.id(), claim);
        }
    }

    async fn renew(&self, in_flight: &mut InFlight, time: DatabaseTime) -> Result<(), Error> {
        if Instant::now() < in_flight.renew_at || in_flight.claims.is_empty() {
            return Ok(());
        }
        let claims = in_flight.claims.values().copied().collect();
        self.queue.renew(claims, time.now() + Self::LEASE).await?;
        in_flight.renew_at = Instant::now() + Self::RENEWAL;
        Ok(())
    }

    /// Stores when the next delivery will be due. Called if no delivery is due now.
    async fn schedule_poll(
        &self,
        in_flight: &mut InFlight,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let next = self.queue.next_due(now).await?;
        let left = next.map_or(Self::POLL_INTERVAL, |next| {
            (next - now)
                .to_std()
                .unwrap_or_default()
                .min(Self::POLL_INTERVAL)
        });
        in_flight.poll_at = Instant::now() + left;
        Ok(())
    }

    /// Waits until there is something to do or the worker has to stop.
    async fn wait(
        &self,
        in_flight: &mut InFlight,
        stop: &CancellationToken,
        stopping: Option<Instant>,
    ) {
        let wake = if in_flight.claims.is_empty() {
            in_flight.poll_at
        } else {
            in_flight.poll_at.min(in_flight.renew_at)
        };
        let wake = stopping.map_or(wake, |end| wake.min(end));
        tokio::select! {
            Some(ended) = in_flight.sending.join_next_with_id() => in_flight.take(ended),
            () = self.wake_signal.notified() => in_flight.poll(),
            () = stop.cancelled(), if stopping.is_none() => {}
            () = sleep_until(wake) => {
                if Instant::now() >= in_flight.poll_at {
                    in_flight.poll_at = Instant::now() + Self::POLL_INTERVAL;
                    in_flight.poll();
                }
            }
        }
    }

    fn room(&self, in_flight: &InFlight) -> usize {
        self.concurrency
            .saturating_sub(in_flight.sending.len() + in_flight.finished.len())
    }

    async fn deliver(&self, delivery: Delivery, time: DatabaseTime) -> DeliveryResult {
        let sent = match self.composer.compose(&delivery).await {
            Ok(None) => return finished(&delivery, Outcome::Unwanted, time),
            Ok(Some(mail)) => timeout(Self::SEND_TIMEOUT, self.mailer.send(mail))
                .await
                .unwrap_or_else(|_| {
                    Err(SendError::Temporary {
                        reason: "The mail server did not answer in time".to_owned(),
                    })
                }),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a mail could not be composed; trying again"
                );
                Err(SendError::Temporary {
                    reason: "The database was away".to_owned(),
                })
            }
        };
        let outcome = match sent {
            Ok(()) => Outcome::Sent,
            Err(SendError::Permanent { reason }) => Outcome::GivenUp { reason },
            Err(SendError::Temporary { reason }) => {
                let (jitter, now) = (rand::random(), time.now());
                match RetryRule::DEFAULT.next(
                    delivery.queued_at,
                    delivery.claim.attempt,
                    jitter,
                    now,
                ) {
                    Some(at) => Outcome::Retried { at, reason },
                    None => Outcome::GivenUp { reason },
                }
            }
        };
        finished(&delivery, outcome, time)
    }
}

fn finished(delivery: &Delivery, outcome: Outcome, time: DatabaseTime) -> DeliveryResult {
    DeliveryResult {
        claim: delivery.claim,
        at: time.now(),
        outcome,
    }
}

#[cfg(test)]
mod tests;
