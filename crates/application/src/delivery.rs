//! Deliveries: one message to one subscriber each, queued in the database, sent by the
//! [workers](worker) of all nodes. A message is a mail, or a request to a webhook or a chat.
//!
//! A save stores one [notice](crate::notice) with its events, however many subscribers there are.
//! Workers make deliveries of it, claim them, send them and record the results. The claim of a node
//! that died expires, and the delivery is sent again under the same identifier.

#[cfg(test)]
mod fixture;
mod links;
mod mail_composer;
mod message_composer;
mod sender;
mod verification_limit;
mod wake_signal;
pub mod worker;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use allclear_domain::channel::Channel;
use allclear_domain::custom_domain::DomainName;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::subscriber::Subscriber;
use allclear_domain::time_zone::TimeZone;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

pub use self::mail_composer::MailComposer;
pub use self::message_composer::{MessageComposer, MessagePorts};
#[cfg(any(test, feature = "mock"))]
pub use self::sender::MockDeliverySender;
pub use self::sender::{AttemptResult, ChannelSender, DeliverySender, MailSender, MessageSender};
pub use self::wake_signal::{WakeSignal, listen};
use crate::clock::Clock;
use crate::error::Error;
use crate::link::LinkTarget;
use crate::notice::Notice;
use crate::retention::prune_in_batches;

/// A claim: one attempt of one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Identifier of the delivery.
    pub id: i64,
    /// Number of the attempt, from 1. If a node loses its claim to another node, the other node's
    /// number is greater.
    pub attempt: u32,
}

/// How deliveries leave the installation. Each node has a worker for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryRoute {
    /// By mail.
    Mail,
    /// By messages to webhooks and chats.
    Message,
}

impl DeliveryRoute {
    /// The route of a channel.
    #[must_use]
    pub const fn of(channel: Channel) -> Self {
        match channel {
            Channel::Email => Self::Mail,
            Channel::Webhook | Channel::Slack | Channel::Teams | Channel::Discord => Self::Message,
        }
    }
}

/// The account that created an organisation. The organisations of one founder share places of a
/// worker and the limits of their API keys, so further organisations give an account nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Founder {
    /// A known account.
    Account(UserId),
    /// The unknown founder of this organisation, for example of one that an identity provider
    /// reported. It shares with no other one.
    UnknownOf(OrganisationId),
}

impl Founder {
    /// The founder of an organisation; `account` is `None` if it is unknown.
    #[must_use]
    pub fn of(organisation: &OrganisationId, account: Option<UserId>) -> Self {
        account.map_or_else(|| Self::UnknownOf(organisation.clone()), Self::Account)
    }
}

impl fmt::Display for Founder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(account) => write!(f, "{account}"),
            Self::UnknownOf(organisation) => write!(f, "{organisation}"),
        }
    }
}

/// What a worker claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The route of the deliveries.
    pub route: DeliveryRoute,
    /// The database's time.
    pub now: DateTime<Utc>,
    /// When the claims end.
    pub until: DateTime<Utc>,
    /// Maximum number of deliveries.
    pub limit: u64,
    /// The organisation that was served last: those after it are served first.
    pub after: Option<OrganisationId>,
    /// Number of deliveries that the worker is sending, by the founder of their organisations.
    pub in_flight: HashMap<Founder, u64>,
    /// Maximum number of deliveries of all organisations of one founder, those in flight included.
    pub share: u64,
    /// Results of earlier attempts. They are stored first, in the same transaction.
    pub results: Vec<AttemptRecord>,
}

/// A message to send, claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Claim on the delivery.
    pub claim: Claim,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// Number of the attempt in the schedule of retries, from 1. A later notice to the subscriber
    /// may begin the schedule of a message again.
    pub scheduled_attempt: u32,
    /// Number of earlier attempts that the mail server did not confirm.
    pub unconfirmed: u32,
    /// The organisation of the subscriber.
    pub organisation: OrganisationId,
    /// The organisation's founder.
    pub founder: Founder,
    /// The organisation's name.
    pub organisation_name: String,
    /// The time zone of the organisation's pages.
    pub time_zone: TimeZone,
    /// The organisation's verified domain; `None` if there is none.
    pub domain: Option<DomainName>,
    /// Current state of the subscriber.
    pub subscriber: Subscriber,
    /// Content of the delivery.
    pub kind: DeliveryKind,
}

impl Delivery {
    /// Whose pages the links of the message lead to.
    const fn link_target(&self) -> LinkTarget<'_> {
        LinkTarget {
            organisation: &self.organisation,
            domain: self.domain.as_ref(),
        }
    }
}

/// Content of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryKind {
    /// The response to a request to subscribe: the link that verifies the target, or a mail to an
    /// address that was subscribed already.
    Verification,
    /// A message that an operator sends to see whether it arrives. It is sent at once and
    /// never queued.
    Test(Uuid),
    /// A notice of a change.
    Notice(Arc<Notice>),
}

/// What becomes of a delivery after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The message was passed to the mail server or accepted by the receiver.
    Sent,
    /// The message is no longer needed, for example because the subscriber has unsubscribed.
    Unwanted,
    /// The receiver has ended the subscription.
    Ended,
    /// The attempt failed and is repeated.
    Retried {
        /// Time of the next attempt.
        at: DateTime<Utc>,
        /// Time from which a later notice to the subscriber brings the attempt forward; `None` if
        /// no notice does.
        early_at: Option<DateTime<Utc>>,
        /// Why it failed.
        reason: String,
        /// Whether the mail server received the message and did not confirm it.
        is_unconfirmed: bool,
    },
    /// The attempt failed permanently.
    GivenUp {
        /// Why the last attempt failed.
        reason: String,
    },
}

/// What is stored about an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// Claim of the attempt.
    pub claim: Claim,
    /// Time at which the attempt ended.
    pub at: DateTime<Utc>,
    /// What becomes of the delivery.
    pub outcome: DeliveryOutcome,
    /// Whether the subscriber was marked as failing before the attempt.
    pub was_failing: bool,
}

/// Counts of an organisation's deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryCounts {
    /// Number of messages still to be sent.
    pub waiting: u64,
    /// Number of messages sent since the given time.
    pub sent: u64,
    /// Number of messages given up since then.
    pub given_up: u64,
    /// Reasons for which messages were given up, each with a count: the most frequent ones first, a
    /// few of them.
    pub reasons: Vec<(String, u64)>,
    /// Likewise, the reasons for which messages wait for a retry. Of many waiting messages only
    /// those that are due last are counted.
    pub retrying: Vec<(String, u64)>,
}

/// Storage of notices and deliveries. Notices are written by the storage ports, in the transaction
/// of the change; verification messages by
/// [`save_and_queue_verification`](crate::subscriber::SubscriberStore::save_and_queue_verification).
/// Whatever an adapter has confirmed with `Ok` MUST survive the end of the process.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Returns the current time of the database's clock, in milliseconds. Claims and due times use
    /// this clock, so that nodes with different clocks agree.
    async fn database_time(&self) -> Result<DateTime<Utc>, Error>;

    /// Queues at most `limit` deliveries of a notice that is not fully expanded. Returns whether
    /// there was one. Every subscriber that was confirmed before the change was committed, still
    /// is, and wants updates about it gets exactly one delivery, even if several nodes do this at
    /// once or one of them dies. Revisions decide which came first, not clocks. An adapter MUST
    /// expand an organisation's notices in the order of their revisions, and MUST let organisations
    /// take turns, however many notices each has. It MUST NOT begin a notice while more deliveries
    /// of the organisation are unsent than
    /// [`UsageLimits::waiting_deliveries`](crate::usage_limit::UsageLimits::waiting_deliveries).
    ///
    /// If an earlier delivery of the subscriber waits for a retry, its next attempt is brought
    /// forward to `early_at` of its [outcome](DeliveryOutcome::Retried), or to now if that is
    /// later. The schedule of retries of a message begins again; that of a mail goes on. If that
    /// delivery is gone, those that waited behind it become due.
    async fn expand(&self, now: DateTime<Utc>, limit: u64) -> Result<bool, Error>;

    /// Stores the results of a request, and claims due deliveries, of each organisation alike:
    /// verifications by mail first, then notices, then other verifications, then retries, the
    /// longest due first. Each delivery is claimed by one node. An adapter MUST NOT return one while
    /// an earlier one of the same subscriber is unsent.
    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Delivery>, Error>;

    /// Extends claims, except those that were lost to another node.
    async fn renew(&self, claims: Vec<Claim>, until: DateTime<Utc>) -> Result<(), Error>;

    /// Stores the results of attempts. A sent delivery is removed, even if another node has claimed
    /// it meanwhile; other results of a lost claim are ignored. A delivery that is retried later
    /// delays the subscriber's later deliveries. The end of one that was retried makes them due. A
    /// delivery that is given up marks its subscriber as failing, one that arrives removes the
    /// mark; one that the receiver ended unsubscribes it.
    async fn record_results(&self, results: Vec<AttemptRecord>) -> Result<(), Error>;

    /// Returns the first time after `now` at which a delivery becomes due or a claim ends; `None`
    /// if there is none.
    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Error>;

    /// Returns the number of unsent deliveries of all organisations.
    async fn waiting(&self) -> Result<u64, Error>;

    /// Returns the delivery counts of an organisation since the given time, as far back as they
    /// are kept.
    async fn counts(
        &self,
        organisation: &OrganisationId,
        since: DateTime<Utc>,
    ) -> Result<DeliveryCounts, Error>;

    /// Removes given-up deliveries before the given time, and notices without deliveries; about
    /// `limit` of each at most. Returns the larger of the two numbers; nothing is left if it is
    /// less than `limit`.
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error>;

    /// Removes daily counts of days before the given time.
    async fn prune_counts(&self, before: DateTime<Utc>) -> Result<(), Error>;
}

/// The use cases of operators about deliveries.
pub struct Deliveries {
    queue: Arc<dyn DeliveryQueue>,
    clock: Arc<dyn Clock>,
}

impl Deliveries {
    /// How long results are kept.
    pub const RETENTION: TimeDelta = TimeDelta::days(30);

    /// How long daily counts are kept: longer than the longest range of the
    /// [metrics](crate::metrics).
    const COUNT_RETENTION: TimeDelta = TimeDelta::days(400);

    const BATCH: u64 = 200;

    /// The use cases over this queue.
    #[must_use]
    pub fn new(queue: Arc<dyn DeliveryQueue>, clock: Arc<dyn Clock>) -> Self {
        Self { queue, clock }
    }

    /// Returns the delivery counts of an organisation during [`Self::RETENTION`].
    pub async fn counts(&self, organisation: &OrganisationId) -> Result<DeliveryCounts, Error> {
        self.queue
            .counts(organisation, self.clock.now() - Self::RETENTION)
            .await
    }

    /// Returns the number of unsent messages of all organisations.
    pub async fn waiting(&self) -> Result<u64, Error> {
        self.queue.waiting().await
    }

    /// Removes results older than [`Self::RETENTION`], and older daily counts. Every node may do so
    /// at any time.
    pub async fn prune(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let before = now - Self::RETENTION;
        // A failure of one must not let the other grow.
        let results = prune_in_batches(Self::BATCH, |limit| self.queue.prune(before, limit));
        let results = results.await;
        let counts = self.queue.prune_counts(now - Self::COUNT_RETENTION);
        results.and(counts.await)
    }
}
