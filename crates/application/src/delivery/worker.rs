//! Sends queued deliveries. Every node runs one worker for each route, which sleeps until a
//! delivery is queued or becomes due.

mod in_flight;

use std::sync::Arc;
use std::time::Duration;

use allclear_domain::channel::Channel;
use allclear_domain::retry::RetryRule;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use self::in_flight::{ActiveClaim, InFlight};
use super::{
    AttemptRecord, AttemptResult, ClaimRequest, Delivery, DeliveryOutcome, DeliveryQueue,
    DeliveryRoute, DeliverySender, WakeSignal,
};
use crate::database_time::DatabaseTime;
use crate::error::Error;
use crate::failure_log::FailureLog;

/// The worker that sends the deliveries of the queue.
pub struct DeliveryWorker {
    /// The queue of deliveries.
    pub queue: Arc<dyn DeliveryQueue>,
    /// The deliveries that the worker sends.
    pub route: DeliveryRoute,
    /// Sends them.
    pub sender: Arc<dyn DeliverySender>,
    /// Wakes the worker when there may be something to send.
    pub wake_signal: Arc<WakeSignal>,
    /// Number of concurrent messages. The result of a message is stored before the next one takes
    /// its place, so after a crash at most this many are sent twice.
    pub concurrency: usize,
    /// Called with the channel and the outcome of each delivery after an attempt.
    pub observe: fn(Channel, &DeliveryOutcome),
}

impl DeliveryWorker {
    /// How often the queue is polled without a notification. Another node may have queued a
    /// delivery and died, and a wall clock may have been set.
    pub const POLL_INTERVAL: Duration = Duration::from_secs(30);
    /// How long a claim is valid. After a node died, its deliveries wait this long for
    /// another node.
    pub(crate) const CLAIM_DURATION: TimeDelta = TimeDelta::seconds(20);
    /// How long a stopping worker begins due deliveries.
    pub(crate) const ACCEPT_GRACE: Duration = Duration::from_secs(5);
    /// How long it then waits for those it has begun.
    pub(crate) const FINISH_GRACE: Duration = Duration::from_secs(10);

    /// Deliveries that are due within this time are sent before the worker stops. Another worker,
    /// whose clock is a little ahead, may have queued them.
    const SEND_BEFORE_STOP: Duration = Duration::from_millis(500);
    const RENEWAL: Duration = Duration::from_secs(5);
    /// How long the database's time is extrapolated before it is read again.
    const TIME_MAX_AGE: Duration = Duration::from_secs(5);
    /// Number of deliveries queued in one transaction: few enough that a save hardly waits for it.
    const BATCH: u64 = 500;
    /// Delay of the first retry after a failure of the queue. Each further one is twice as long.
    const FIRST_RETRY_DELAY: Duration = Duration::from_millis(125);
    const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);
    /// After a longer outage of the database, claims of other nodes may have expired, although the
    /// nodes have sent the deliveries.
    const OUTAGE: Duration = Duration::from_secs(10);
    /// How long nothing is claimed after such an outage, so that the other nodes store their
    /// results first: a statement may hang for 12 seconds, and the next attempt comes
    /// [`Self::MAX_RETRY_DELAY`] later.
    const RECORD_GRACE: Duration = Duration::from_secs(20);

    /// Sends queued deliveries until the stop signal, and then those that are due, for at most the
    /// grace periods. May be dropped at any time: unfinished deliveries are sent again.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        // Statements may hang for longer.
        let graces_are_over = async {
            stop.cancelled().await;
            sleep(Self::ACCEPT_GRACE + Self::FINISH_GRACE).await;
        };
        tokio::select! {
            () = self.work(&stop) => {}
            () = graces_are_over => {}
        }
    }

    async fn work(self: &Arc<Self>, stop: &CancellationToken) {
        let mut in_flight = InFlight::default();
        let (mut pause, mut end) = (Self::FIRST_RETRY_DELAY, None);
        let mut failures = FailureLog::default();
        loop {
            if end.is_none() && stop.is_cancelled() {
                end = Some(Instant::now() + Self::ACCEPT_GRACE);
                in_flight.request_poll();
            }
            let begun = Instant::now();
            let accepts = end.is_none_or(|end| begun < end) && !in_flight.is_recovering();
            if end.is_some_and(|end| Instant::now() >= end + Self::FINISH_GRACE) {
                return;
            }
            match self.tick(&mut in_flight, accepts).await {
                Ok(()) => {
                    pause = Self::FIRST_RETRY_DELAY;
                    if failures.succeeded() {
                        tracing::info!("the queue of messages can be processed again");
                    }
                    let is_more_due =
                        accepts && in_flight.poll_at <= Instant::now() + Self::SEND_BEFORE_STOP;
                    if end.is_some() && in_flight.is_done(accepts) && !is_more_due {
                        return;
                    }
                    let more =
                        in_flight.may_expand || in_flight.may_claim && self.room(&in_flight) > 0;
                    if !(accepts && more) {
                        let stopping = end.map(|end| {
                            if accepts {
                                end
                            } else {
                                end + Self::FINISH_GRACE
                            }
                        });
                        self.wait(&mut in_flight, stop, stopping).await;
                    }
                }
                Err(error) => {
                    if failures.failed() {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "the queue of messages could not be processed; trying again"
                        );
                    }
                    if end.is_some() {
                        // The time to finish is short.
                        sleep(Self::FIRST_RETRY_DELAY).await;
                    } else {
                        stop.run_until_cancelled(sleep(pause)).await;
                    }
                    pause = (pause * 2).min(Self::MAX_RETRY_DELAY);
                    in_flight.fail(begun);
                    in_flight.request_poll();
                }
            }
        }
    }

    /// Stores results and claims as many deliveries as there is room for.
    async fn tick(self: &Arc<Self>, in_flight: &mut InFlight, accepts: bool) -> Result<(), Error> {
        let time = self.time(in_flight).await?;
        in_flight.gather();
        self.renew(in_flight, time).await?;
        let expanded = if accepts && in_flight.may_expand {
            self.queue.expand(time.now(), Self::BATCH).await
        } else {
            Ok(in_flight.may_expand)
        };
        // Two workers that expand nothing would wake each other without an end.
        if accepts && in_flight.may_expand && matches!(expanded, Ok(true)) {
            in_flight.may_claim = true;
            // It may have found the notice locked, and nothing to claim yet.
            self.wake_signal.notify_other(self.route);
        }
        // The expansion may have lasted long.
        self.renew(in_flight, time).await?;
        let now = time.now();
        // Stored results make room.
        let room = if accepts && in_flight.may_claim {
            self.room(in_flight) + in_flight.finished.len()
        } else {
            0
        };
        let claimed = self.record_and_claim(in_flight, now, room).await?;
        in_flight.succeed();
        self.begin(in_flight, claimed, room, time);
        for (channel, result) in in_flight.finished.drain(..) {
            (self.observe)(channel, &result.outcome);
            // A subscriber's next delivery may be due now.
            in_flight.may_claim = true;
        }
        if accepts && !in_flight.may_claim {
            self.schedule_poll(in_flight, now).await?;
        }
        // A failure must not keep results from being stored, and other deliveries from being sent.
        in_flight.may_expand = expanded?;
        Ok(())
    }

    /// Returns the database's time. It is read again periodically, because its clock may be
    /// set, too.
    async fn time(&self, in_flight: &mut InFlight) -> Result<DatabaseTime, Error> {
        if let Some(time) = in_flight.time
            && time.age() < Self::TIME_MAX_AGE
        {
            return Ok(time);
        }
        let time = DatabaseTime::of(self.queue.database_time().await?);
        in_flight.time = Some(time);
        Ok(time)
    }

    /// Stores results, and claims as many deliveries as there is room for in the same transaction.
    async fn record_and_claim(
        &self,
        in_flight: &InFlight,
        now: DateTime<Utc>,
        room: usize,
    ) -> Result<Vec<Delivery>, Error> {
        let results = in_flight.finished.iter().map(|(_, result)| result.clone());
        let results: Vec<_> = results.collect();
        if room == 0 {
            if !results.is_empty() {
                self.queue.record_results(results).await?;
            }
            return Ok(Vec::new());
        }
        let request = ClaimRequest {
            results,
            route: self.route,
            now,
            until: now + Self::CLAIM_DURATION,
            limit: room as u64,
            after: in_flight.served_last.clone(),
            in_flight: in_flight.by_founder(),
            share: self.share(),
        };
        self.queue.claim(request).await
    }

    /// Maximum number of messages in flight of all organisations of one founder. The other places
    /// are free for the organisations of others, so receivers that do not respond delay only
    /// organisations of the same founder.
    const fn share(&self) -> u64 {
        let kept_free = self.concurrency.div_ceil(8);
        let share = self.concurrency.saturating_sub(kept_free);
        if share == 0 { 1 } else { share as u64 }
    }

    /// Starts to send the claimed deliveries.
    fn begin(
        self: &Arc<Self>,
        in_flight: &mut InFlight,
        claimed: Vec<Delivery>,
        room: usize,
        time: DatabaseTime,
    ) {
        in_flight.may_claim &= claimed.len() == room;
        if let Some(last) = claimed.last() {
            in_flight.served_last = Some(last.organisation.clone());
        }
        if in_flight.claims.is_empty() {
            in_flight.renew_at = Instant::now() + Self::RENEWAL;
        }
        for delivery in claimed {
            if in_flight.renew_claim(delivery.claim) {
                continue;
            }
            let sent = ActiveClaim::of(&delivery);
            let worker = Arc::clone(self);
            let task = in_flight
                .sending
                .spawn(async move { worker.deliver(delivery, time).await });
            in_flight.claims.insert(task.id(), sent);
        }
    }

    async fn renew(&self, in_flight: &mut InFlight, time: DatabaseTime) -> Result<(), Error> {
        if Instant::now() < in_flight.renew_at || in_flight.claims.is_empty() {
            return Ok(());
        }
        let claims = in_flight.claims.values().map(|sent| sent.claim).collect();
        self.queue
            .renew(claims, time.now() + Self::CLAIM_DURATION)
            .await?;
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
        let next = Instant::now() + left;
        // A worker that is never idle must poll, too.
        in_flight.poll_at = if in_flight.poll_at <= Instant::now() {
            next
        } else {
            in_flight.poll_at.min(next)
        };
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
        let wake = in_flight.recovered_at().map_or(wake, |at| wake.min(at));
        let wake = stopping.map_or(wake, |end| wake.min(end));
        tokio::select! {
            Some(ended) = in_flight.sending.join_next_with_id() => in_flight.take(ended),
            () = self.wake_signal.notified(self.route) => in_flight.request_poll(),
            () = stop.cancelled(), if stopping.is_none() => {}
            () = sleep_until(wake) => {
                if Instant::now() >= in_flight.poll_at {
                    in_flight.poll_at = Instant::now() + Self::POLL_INTERVAL;
                    in_flight.request_poll();
                }
            }
        }
    }

    fn room(&self, in_flight: &InFlight) -> usize {
        self.concurrency
            .saturating_sub(in_flight.sending.len() + in_flight.finished.len())
    }

    async fn deliver(&self, delivery: Delivery, time: DatabaseTime) -> AttemptRecord {
        let result = self.sender.send(&delivery).await;
        let result = result.unwrap_or_else(|error| {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a message could not be composed; trying again"
            );
            let reason = match error {
                Error::Unavailable(_) => "The database was unavailable",
                _ => "The message could not be composed",
            };
            AttemptResult::Temporary {
                reason: reason.to_owned(),
                retry_after: None,
            }
        });
        let now = time.now();
        AttemptRecord {
            claim: delivery.claim,
            at: now,
            outcome: self.outcome(&delivery, result, now),
            was_failing: delivery.subscriber.failing.is_some(),
        }
    }

    /// What becomes of a delivery whose attempt has ended now.
    fn outcome(
        &self,
        delivery: &Delivery,
        result: AttemptResult,
        now: DateTime<Utc>,
    ) -> DeliveryOutcome {
        match result {
            AttemptResult::Sent => DeliveryOutcome::Sent,
            AttemptResult::Unwanted => DeliveryOutcome::Unwanted,
            AttemptResult::Ended => DeliveryOutcome::Ended,
            AttemptResult::Permanent { reason } => DeliveryOutcome::GivenUp { reason },
            AttemptResult::Unconfirmed { reason } => {
                let unconfirmed = delivery.unconfirmed.saturating_add(1);
                match RetryRule::next_unconfirmed(delivery.queued_at, unconfirmed, now) {
                    Some(at) => DeliveryOutcome::Retried {
                        at,
                        early_at: None,
                        reason,
                        is_unconfirmed: true,
                    },
                    None => DeliveryOutcome::GivenUp { reason },
                }
            }
            AttemptResult::Temporary {
                reason,
                retry_after,
            } => {
                let (rule, queued_at) = (self.retry_rule(), delivery.queued_at);
                let (attempt, jitter) = (delivery.scheduled_attempt, rand::random());
                match rule.next(queued_at, attempt, jitter, retry_after, now) {
                    Some(at) => DeliveryOutcome::Retried {
                        at,
                        early_at: rule.early(at, retry_after, now),
                        reason,
                        is_unconfirmed: false,
                    },
                    None => DeliveryOutcome::GivenUp { reason },
                }
            }
        }
    }

    const fn retry_rule(&self) -> RetryRule {
        match self.route {
            DeliveryRoute::Mail => RetryRule::Mail,
            DeliveryRoute::Message => RetryRule::Message,
        }
    }
}

#[cfg(test)]
mod tests;
