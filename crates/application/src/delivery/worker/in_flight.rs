//! The deliveries that a worker is sending, and when it has to act next.

use std::collections::HashMap;

use allclear_domain::channel::Channel;
use allclear_domain::id::OrganisationId;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::DeliveryWorker;
use crate::database_time::DatabaseTime;
use crate::delivery::{AttemptRecord, Claim, Delivery, DeliveryOutcome, Founder};

/// The deliveries a worker is sending, and when it has to act next.
pub(super) struct InFlight {
    pub(super) sending: JoinSet<AttemptRecord>,
    pub(super) claims: HashMap<Id, ActiveClaim>,
    /// Results that are not stored yet.
    pub(super) finished: Vec<(Channel, AttemptRecord)>,
    /// The organisation of the delivery that was claimed last.
    pub(super) served_last: Option<OrganisationId>,
    /// Whether there may be notices to expand.
    pub(super) may_expand: bool,
    /// Whether there may be deliveries to claim.
    pub(super) may_claim: bool,
    /// When to poll without a notification.
    pub(super) poll_at: Instant,
    pub(super) renew_at: Instant,
    /// `None` until it is read, also after a failure of the database.
    pub(super) time: Option<DatabaseTime>,
    /// When the database began to fail; `None` if it does not.
    failing_since: Option<Instant>,
    /// When deliveries may be claimed, after a long outage of the database.
    claims_from: Instant,
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

impl Default for InFlight {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            sending: JoinSet::new(),
            claims: HashMap::new(),
            finished: Vec::new(),
            served_last: None,
            may_expand: true,
            may_claim: true,
            poll_at: now,
            renew_at: now,
            time: None,
            failing_since: None,
            claims_from: now,
        }
    }
}

impl InFlight {
    /// Makes the next step look for notices and deliveries.
    pub(super) fn request_poll(&mut self) {
        (self.may_expand, self.may_claim) = (true, true);
    }

    /// Notes the failure of a step that began at this time. The next step reads the time again, so
    /// it succeeds only if the database is available.
    pub(super) fn fail(&mut self, begun: Instant) {
        self.failing_since.get_or_insert(begun);
        self.time = None;
    }

    /// Notes that the database is available and has the results.
    pub(super) fn succeed(&mut self) {
        if self.is_long_outage() {
            self.claims_from = Instant::now() + DeliveryWorker::RECORD_GRACE;
        }
        self.failing_since = None;
    }

    fn is_long_outage(&self) -> bool {
        self.failing_since
            .is_some_and(|since| since.elapsed() >= DeliveryWorker::OUTAGE)
    }

    /// Whether nothing may be claimed during or after a long outage of the database.
    pub(super) fn is_recovering(&self) -> bool {
        self.is_long_outage() || self.recovered_at().is_some()
    }

    /// When deliveries may be claimed again after a long outage; `None` if it is past.
    pub(super) fn recovered_at(&self) -> Option<Instant> {
        (Instant::now() < self.claims_from).then_some(self.claims_from)
    }

    /// Whether the worker may stop.
    pub(super) fn is_done(&self, accepts: bool) -> bool {
        let idle = self.sending.is_empty() && self.finished.is_empty();
        idle && !(accepts && (self.may_expand || self.may_claim))
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

    pub(super) fn take(&mut self, ended: Result<(Id, AttemptRecord), JoinError>) {
        match ended {
            Ok((id, result)) => {
                if let Some(sent) = self.claims.remove(&id) {
                    let claim = sent.claim;
                    let result = AttemptRecord { claim, ..result };
                    self.finished.push((sent.channel, result));
                }
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the task of a message failed"
                );
                // Without the time, the claim ends and the delivery is claimed again.
                if let (Some(sent), Some(time)) = (self.claims.remove(&error.id()), self.time) {
                    let reason = "The message could not be composed".to_owned();
                    let result = AttemptRecord {
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
