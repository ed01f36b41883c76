//! Sends what is queued. Every node runs one worker; it sleeps until something is queued or gets due.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use allclear_domain::delivery::RetryRule;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::{Claim, Delivery, DeliveryQueue, MailComposer, Outcome, Settled, WakeSignal};
use crate::error::Error;
use crate::mail::{Mailer, SendError};

/// What a worker works with.
pub struct DeliveryWorker {
    /// Where deliveries come from.
    pub queue: Arc<dyn DeliveryQueue>,
    /// What they say.
    pub letters: MailComposer,
    /// How they go out.
    pub mailer: Arc<dyn Mailer>,
    /// Rings when there may be something to send.
    pub bell: Arc<WakeSignal>,
    /// How many mails are sent at once. Each is settled before the next one is begun in its place, so after a crash so many
    /// may be sent a second time.
    pub concurrency: usize,
    /// Is told what became of each try.
    pub observe: fn(&Outcome),
}

/// What a worker has in its hands.
struct Hands {
    sending: JoinSet<Settled>,
    claims: HashMap<Id, Claim>,
    /// Over, and not stored yet.
    over: Vec<Settled>,
    /// Whether there may be notices to expand.
    expand: bool,
    /// Whether there may be deliveries to claim.
    claim: bool,
    /// When to look without being rung for.
    look_at: Instant,
    renew_at: Instant,
    /// `None` until it is read.
    time: Option<DatabaseTime>,
}

/// The database's time, as it was read and carried on by the monotonic clock: the wall clock of the node has no say.
#[derive(Clone, Copy)]
struct DatabaseTime {
    moment: DateTime<Utc>,
    read_at: Instant,
}

impl DatabaseTime {
    /// In whole milliseconds.
    fn now(self) -> DateTime<Utc> {
        let passed = self.read_at.elapsed().as_millis();
        self.moment + TimeDelta::milliseconds(i64::try_from(passed).unwrap_or(i64::MAX / 2))
    }
}

impl DeliveryWorker {
    /// How often the queue is looked at while nothing is known to be due: another node may have queued something and died,
    /// and the wall clock may have been set.
    pub const POLL_INTERVAL: Duration = Duration::from_secs(30);
    /// How long a claim holds: so long what a dead node had in its hands waits for another.
    pub const LEASE: TimeDelta = TimeDelta::seconds(20);
    /// How long one mail may take.
    pub const LONGEST: Duration = Duration::from_secs(150);
    /// How long a worker that is to stop goes on with what is due, and how long it then waits for what it has begun.
    pub const GRACE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(10));

    const RENEWAL: Duration = Duration::from_secs(5);
    /// How long the database's time is carried on before it is read again.
    const TIME_AGE: Duration = Duration::from_secs(5);
    /// How many deliveries are queued in one transaction: few enough that a save hardly waits for it.
    const BATCH: u64 = 500;
    /// How long to wait after a failure of the queue, at first and at most.
    const RETRY_DELAY: (Duration, Duration) = (Duration::from_millis(125), Duration::from_secs(5));

    /// Sends what is queued until it is to stop and what is due then is sent, or its grace is over. May be dropped at any
    /// moment: what it had in its hands is sent again.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut hands = Hands::default();
        let (mut pause, mut end) = (Self::RETRY_DELAY.0, None);
        loop {
            if end.is_none() && stop.is_cancelled() {
                end = Some(Instant::now() + Self::GRACE.0);
                hands.look();
            }
            let takes = end.is_none_or(|end| Instant::now() < end);
            if end.is_some_and(|end| Instant::now() >= end + Self::GRACE.1) {
                return;
            }
            match self.turn(&mut hands, takes).await {
                Ok(()) => {
                    pause = Self::RETRY_DELAY.0;
                    if end.is_some() && hands.is_done(takes) {
                        return;
                    }
                    let more = hands.expand || hands.claim && self.room(&hands) > 0;
                    if !(takes && more) {
                        let stopping = end.map(|end| if takes { end } else { end + Self::GRACE.1 });
                        self.wait(&mut hands, &stop, stopping).await;
                    }
                }
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the mail queue could not be worked on; trying again"
                    );
                    sleep(pause).await;
                    pause = (pause * 2).min(Self::RETRY_DELAY.1);
                    hands.look();
                }
            }
        }
    }

    /// Stores what is over and takes what there is room for.
    async fn turn(self: &Arc<Self>, hands: &mut Hands, takes: bool) -> Result<(), Error> {
        let time = self.time(hands).await?;
        hands.gather();
        self.renew(hands, time).await?;
        if takes && hands.expand {
            hands.expand = self.queue.expand(time.now(), Self::BATCH).await?;
            hands.claim |= hands.expand;
        }
        let now = time.now();
        // Side by side: where writes share a commit, both are in one. What is over makes room.
        let room = if takes && hands.claim {
            self.room(hands) + hands.over.len()
        } else {
            0
        };
        let (settled, claimed) = tokio::join!(self.settle(&hands.over), self.claim(now, room));
        let claimed = claimed.map(|claimed| self.begin(hands, claimed, room, time));
        settled?;
        for settled in hands.over.drain(..) {
            (self.observe)(&settled.outcome);
            // A subscriber's next one may be free now.
            hands.claim = true;
        }
        claimed?;
        if takes && !hands.claim {
            self.set_alarm(hands, now).await?;
        }
        Ok(())
    }

    /// The database's time, read again now and then: its clock may be set, too.
    async fn time(&self, hands: &mut Hands) -> Result<DatabaseTime, Error> {
        if let Some(time) = hands.time
            && time.read_at.elapsed() < Self::TIME_AGE
        {
            return Ok(time);
        }
        let moment = self.queue.now().await?;
        let time = DatabaseTime {
            moment,
            read_at: Instant::now(),
        };
        hands.time = Some(time);
        Ok(time)
    }

    async fn settle(&self, over: &[Settled]) -> Result<(), Error> {
        if over.is_empty() {
            Ok(())
        } else {
            self.queue.settle(over.to_vec()).await
        }
    }

    async fn claim(&self, now: DateTime<Utc>, room: usize) -> Result<Vec<Delivery>, Error> {
        if room == 0 {
            Ok(Vec::new())
        } else {
            self.queue.claim(now, now + Self::LEASE, room as u64).await
        }
    }

    /// Begins to send what was claimed.
    fn begin(
        self: &Arc<Self>,
        hands: &mut Hands,
        claimed: Vec<Delivery>,
        room: usize,
        time: DatabaseTime,
    ) {
        hands.claim &= claimed.len() == room;
        if hands.claims.is_empty() {
            hands.renew_at = Instant::now() + Self::RENEWAL;
        }
        for delivery in claimed {
            if hands.goes_on(delivery.claim) {
                continue;
            }
            let (claim, worker) = (delivery.claim, Arc::clone(self));
            let task = hands
                .sending
                .spawn(async move { worker.deliver(delivery, time).await });
            hands.claims.insert(task.id(), claim);
        }
    }

    async fn renew(&self, hands: &mut Hands, time: DatabaseTime) -> Result<(), Error> {
        if Instant::now() < hands.renew_at || hands.claims.is_empty() {
            return Ok(());
        }
        let claims = hands.claims.values().copied().collect();
        self.queue.renew(claims, time.now() + Self::LEASE).await?;
        hands.renew_at = Instant::now() + Self::RENEWAL;
        Ok(())
    }

    /// Nothing is due now: notes when something will be.
    async fn set_alarm(&self, hands: &mut Hands, now: DateTime<Utc>) -> Result<(), Error> {
        let next = self.queue.next_due(now).await?;
        let left = next.map_or(Self::POLL_INTERVAL, |next| {
            (next - now)
                .to_std()
                .unwrap_or_default()
                .min(Self::POLL_INTERVAL)
        });
        hands.look_at = Instant::now() + left;
        Ok(())
    }

    /// Waits until there is something to do, at most until it has to stop.
    async fn wait(&self, hands: &mut Hands, stop: &CancellationToken, stopping: Option<Instant>) {
        let wake = if hands.claims.is_empty() {
            hands.look_at
        } else {
            hands.look_at.min(hands.renew_at)
        };
        let wake = stopping.map_or(wake, |end| wake.min(end));
        tokio::select! {
            Some(ended) = hands.sending.join_next_with_id() => hands.take(ended),
            () = self.bell.rung() => hands.look(),
            () = stop.cancelled(), if stopping.is_none() => {}
            () = sleep_until(wake) => {
                if Instant::now() >= hands.look_at {
                    hands.look_at = Instant::now() + Self::POLL_INTERVAL;
                    hands.look();
                }
            }
        }
    }

    fn room(&self, hands: &Hands) -> usize {
        self.concurrency
            .saturating_sub(hands.sending.len() + hands.over.len())
    }

    async fn deliver(&self, delivery: Delivery, time: DatabaseTime) -> Settled {
        let sent = match self.letters.write(&delivery).await {
            Ok(None) => return over(&delivery, Outcome::Unwanted, time),
            Ok(Some(mail)) => timeout(Self::LONGEST, self.mailer.send(mail))
                .await
                .unwrap_or_else(|_| {
                    Err(SendError::Temporary {
                        reason: "The mail server did not answer in time".to_owned(),
                    })
                }),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a mail could not be written; trying again"
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
                match RetryRule::USUAL.next(delivery.queued_at, delivery.claim.attempt, jitter, now)
                {
                    Some(at) => Outcome::Retried { at, reason },
                    None => Outcome::GivenUp { reason },
                }
            }
        };
        over(&delivery, outcome, time)
    }
}

fn over(delivery: &Delivery, outcome: Outcome, time: DatabaseTime) -> Settled {
    Settled {
        claim: delivery.claim,
        at: time.now(),
        outcome,
    }
}

impl Default for Hands {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            sending: JoinSet::new(),
            claims: HashMap::new(),
            over: Vec::new(),
            expand: true,
            claim: true,
            look_at: now,
            renew_at: now,
            time: None,
        }
    }
}

impl Hands {
    fn look(&mut self) {
        (self.expand, self.claim) = (true, true);
    }

    /// Whether nothing is in the way of an end.
    fn is_done(&self, takes: bool) -> bool {
        let idle = self.sending.is_empty() && self.over.is_empty();
        idle && !(takes && (self.expand || self.claim))
    }

    /// Whether this is being sent already: its claim has run out by a clock that was set forward, and is made anew.
    fn goes_on(&mut self, claim: Claim) -> bool {
        let held = self.claims.values_mut().find(|held| held.id == claim.id);
        held.map(|held| *held = claim).is_some()
    }

    /// Takes everything that is over at once: the more there is, the fewer transactions it takes.
    fn gather(&mut self) {
        while let Some(ended) = self.sending.try_join_next_with_id() {
            self.take(ended);
        }
    }

    fn take(&mut self, ended: Result<(Id, Settled), JoinError>) {
        match ended {
            Ok((id, settled)) => {
                let claim = self.claims.remove(&id).unwrap_or(settled.claim);
                self.over.push(Settled { claim, ..settled });
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "sending a mail ended badly"
                );
                // Nothing is sent before the time was read.
                if let (Some(claim), Some(time)) = (self.claims.remove(&error.id()), self.time) {
                    let reason = "The mail could not be written".to_owned();
                    self.over.push(Settled {
                        claim,
                        at: time.now(),
                        outcome: Outcome::GivenUp { reason },
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
