//! Deliveries: one mail to one subscriber each, queued in the database, sent by the [workers](worker) of all nodes.
//!
//! A save stores one [notice](crate::notice) beside its events, however many subscribers there are. Workers make deliveries of
//! it, claim them for a while, send them and record the results. The claim of a node that died ends by itself, and the delivery is
//! sent again under the same Message-ID.

#[cfg(test)]
mod fixture;
mod mail_composer;
mod wake_signal;
pub mod worker;

use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use allclear_domain::subscriber::Subscriber;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

pub use self::mail_composer::MailComposer;
pub use self::wake_signal::{WakeSignal, listen};
use crate::clock::Clock;
use crate::error::Error;
use crate::notice::Notice;

/// One try of one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Names the delivery.
    pub id: i64,
    /// Number of the try, from 1. A node that lost its claim to another node has a lower one.
    pub attempt: u32,
}

/// A mail to send, claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The claim on it.
    pub claim: Claim,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// The organisation of the subscriber.
    pub organisation: OrganisationId,
    /// The organisation's name.
    pub organisation_name: String,
    /// The subscriber as it is now.
    pub subscriber: Subscriber,
    /// What it is about.
    pub kind: DeliveryKind,
}

/// What a delivery is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryKind {
    /// Whether the address is to be subscribed.
    Verification,
    /// Something that happened.
    Notice(Arc<Notice>),
}

/// Outcome of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was handed over.
    Sent,
    /// The subscriber does not want it any more.
    Unwanted,
    /// It failed, and is tried again at this moment.
    Retried {
        /// When.
        at: DateTime<Utc>,
        /// Why it failed.
        reason: String,
    },
    /// It failed for good.
    GivenUp {
        /// Why.
        reason: String,
    },
}

/// Result of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryResult {
    /// The claim it had.
    pub claim: Claim,
    /// When it ended.
    pub at: DateTime<Utc>,
    /// Its outcome.
    pub outcome: Outcome,
}

/// Counts of an organisation's mails.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryCounts {
    /// Mails still to be sent.
    pub waiting: u64,
    /// Mails sent since the moment asked for.
    pub sent: u64,
    /// Mails given up since then.
    pub given_up: u64,
    /// Why they were, with how many; the most frequent first, a few of them.
    pub reasons: Vec<(String, u64)>,
}

/// Keeps notices and deliveries. Notices are written by the storage ports, in the transaction of the change;
/// verification mails by [`SubscriberStore::enter`](crate::subscriber::SubscriberStore::enter). What an adapter has returned
/// `Ok` for MUST survive the end of the process.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// The current moment by the clock of the database, in whole milliseconds. Claims, leases and due times are moments of
    /// this clock, so that nodes whose own clocks differ agree on them.
    async fn now(&self) -> Result<DateTime<Utc>, Error>;

    /// Queues deliveries, at most `limit`, of the oldest notice that is not expanded yet; returns whether there was one. Each subscriber that was confirmed before the change was committed, and still is, gets one, however many
    /// nodes do this at once and wherever one of them ends; which was first, the organisation's revisions say and no clock. An adapter MUST expand an organisation's notices in the order they happened.
    async fn expand(&self, now: DateTime<Utc>, limit: u64) -> Result<bool, Error>;

    /// Claims deliveries that are due, at most `limit`, until a moment; verifications first, then the longest due. Of several
    /// nodes one gets each. An adapter MUST NOT return one while an earlier one of the same subscriber is still to be sent.
    async fn claim(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u64,
    ) -> Result<Vec<Delivery>, Error>;

    /// Keeps claims until a later moment, those that are not lost.
    async fn renew(&self, claims: Vec<Claim>, until: DateTime<Utc>) -> Result<(), Error>;

    /// Stores the results of tries. A delivery that was sent is removed whichever node has the claim now; the other results of a lost
    /// claim are ignored. What is tried again later holds the subscriber's later deliveries back until then.
    async fn record_results(&self, results: Vec<DeliveryResult>) -> Result<(), Error>;

    /// The first moment after `now` at which a delivery gets due or a claim ends; `None` if there is none.
    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Error>;

    /// How many deliveries of all organisations are still to be sent.
    async fn waiting(&self) -> Result<u64, Error>;

    /// How an organisation's mail has been doing since a moment, as far as that is kept.
    async fn counts(
        &self,
        organisation: &OrganisationId,
        since: DateTime<Utc>,
    ) -> Result<DeliveryCounts, Error>;

    /// Forgets what was given up, and the days of sent mail, before a moment, and notices that nothing refers to any more;
    /// about `limit` of each at most. Returns how many.
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error>;
}

/// The use cases of operators about deliveries, and how long results are kept.
pub struct Deliveries {
    queue: Arc<dyn DeliveryQueue>,
    clock: Arc<dyn Clock>,
}

impl Deliveries {
    /// How long it is known what was sent and what was given up.
    pub const KEPT: TimeDelta = TimeDelta::days(30);

    const BATCH: u64 = 200;

    /// The use cases over this queue.
    #[must_use]
    pub fn new(queue: Arc<dyn DeliveryQueue>, clock: Arc<dyn Clock>) -> Self {
        Self { queue, clock }
    }

    /// How an organisation's mail has been doing for [`Self::KEPT`].
    pub async fn counts(&self, organisation: &OrganisationId) -> Result<DeliveryCounts, Error> {
        self.queue
            .counts(organisation, self.clock.now() - Self::KEPT)
            .await
    }

    /// How many mails of all organisations are still to be sent.
    pub async fn waiting(&self) -> Result<u64, Error> {
        self.queue.waiting().await
    }

    /// Forgets what is older than [`Self::KEPT`]. Every node may do so at any time.
    pub async fn prune(&self) -> Result<(), Error> {
        let before = self.clock.now() - Self::KEPT;
        while self.queue.prune(before, Self::BATCH).await? >= Self::BATCH {}
        Ok(())
    }
}
