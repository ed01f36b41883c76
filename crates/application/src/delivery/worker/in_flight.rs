//! The deliveries that a worker is sending, and when it has to act next.

use std::collections::HashMap;

use allclear_domain::channel::Channel;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use crate::delivery::{Claim, Delivery, DeliveryOutcome, DeliveryResult, Founder};

/// The deliveries a worker is sending, and when it has to act next.
pub(super) struct InFlight {
    pub(super) sending: JoinSet<DeliveryResult>,
    pub(super) claims: HashMap<Id, ActiveClaim>,
    /// Results that are not stored yet.
    pub(super) finished: Vec<(Channel, DeliveryResult)>,
    /// The organisation of the delivery that was claimed last.
    pub(super) served_last: Option<OrganisationId>,
    /// Whether there may be notices to expand.
    pub(super) expand: bool,
    /// Whether there may be deliveries to claim.
    pub(super) claim: bool,
    /// When to poll without a notification.
    pub(super) poll_at: Instant,
    pub(super) renew_at: Instant,
    /// `None` until it is read.
    pub(super) time: Option<DatabaseTime>,
}

/// A delivery that is being sent.
pub(super) struct ActiveClaim {
    pub(super) claim: Claim,
    founder: Founder,
    channel: Channel,
}

impl ActiveClaim {
    pub(super) fn of(delivery: &Delivery) -> Self {
        Self {
            claim: delivery.claim,
            founder: delivery.founder.clone(),
            channel: delivery.subscriber.target.channel(),
        }
    }
}

/// The database's time, extrapolated with the monotonic clock: the node's wall clock is not used.
#[derive(Clone, Copy)]
pub(super) struct DatabaseTime {
    pub(super) moment: DateTime<Utc>,
    pub(super) read_at: Instant,
}

impl DatabaseTime {
    /// The time in whole milliseconds.
    pub(super) fn now(self) -> DateTime<Utc> {
        let passed = self.read_at.elapsed().as_millis();
        self.moment + TimeDelta::milliseconds(i64::try_from(passed).unwrap_or(i64::MAX / 2))
    }
}

impl Default for InFlight {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            sending: JoinSet::new(),
            claims: HashMap::new(),
            finished: Vec::new(),
            served_last: None,
            expand: true,
            claim: true,
            poll_at: now,
            renew_at: now,
            time: None,
        }
    }
}

impl InFlight {
    /// Makes the next step look for notices and deliveries.
    pub(super) fn request_poll(&mut self) {
        (self.expand, self.claim) = (true, true);
    }

    /// Whether the worker may stop.
    pub(super) fn is_done(&self, accepts: bool) -> bool {
        let idle = self.sending.is_empty() && self.finished.is_empty();
        idle && !(accepts && (self.expand || self.claim))
    }

    /// Takes over the new claim on a delivery that is being sent already: its claim ended early
    /// because the clock was set forward. Returns whether there is such a delivery.
    pub(super) fn renew_claim(&mut self, claim: Claim) -> bool {
        let mut known = self.claims.values_mut();
        let known = known.find(|known| known.claim.id == claim.id);
        known.map(|known| known.claim = claim).is_some()
    }

    /// Number of deliveries that are being sent, by the founder of their organisations.
    pub(super) fn by_founder(&self) -> HashMap<Founder, u64> {
        let mut counts = HashMap::new();
        for sent in self.claims.values() {
            *counts.entry(sent.founder.clone()).or_default() += 1;
        }
        counts
    }

    /// Takes all available results, so that they share a transaction.
    pub(super) fn gather(&mut self) {
        while let Some(ended) = self.sending.try_join_next_with_id() {
            self.take(ended);
        }
    }

    pub(super) fn take(&mut self, ended: Result<(Id, DeliveryResult), JoinError>) {
        match ended {
            Ok((id, result)) => {
                if let Some(sent) = self.claims.remove(&id) {
                    let claim = sent.claim;
                    let result = DeliveryResult { claim, ..result };
                    self.finished.push((sent.channel, result));
                }
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the task of a message failed"
                );
                // No delivery is sent before the time was read.
                if let (Some(sent), Some(time)) = (self.claims.remove(&error.id()), self.time) {
                    let reason = "The message could not be composed".to_owned();
                    let result = DeliveryResult {
                        claim: sent.claim,
                        at: time.now(),
                        outcome: DeliveryOutcome::GivenUp { reason },
                        was_failing: false,
                    };
                    self.finished.push((sent.channel, result));
                }
            }
        }
    }
}
