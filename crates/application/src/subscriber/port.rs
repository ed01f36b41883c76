//! The storage port of subscribers.

use allclear_domain::channel::{Channel, RecipientKey, TargetKey};
use allclear_domain::email::Mailbox;
use allclear_domain::id::{IncidentId, OrganisationId, SubscriberId};
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::{
    Scope, ScopeKind, Subscriber, SubscriberDraft, SubscriberStatus,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::page::{Listed, Page};
use crate::subscriber::import::{CsvComponent, ImportBatch, Imported};

/// Names a subscriber of an organisation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SubscriberKey {
    /// By its target, and by the incident that it follows; `None` if it does not follow a
    /// single incident.
    Target(TargetKey, Option<IncidentId>),
    /// By its identifier.
    Id(SubscriberId),
    /// By the address in a link, spelled as in the link: the subscriber of the page, not of one
    /// incident. Version 0.1 stored several subscribers whose addresses differ in case only; of
    /// them, the link names the one with this spelling.
    Link(Mailbox),
}

impl From<SubscriberId> for SubscriberKey {
    fn from(id: SubscriberId) -> Self {
        Self::Id(id)
    }
}

impl SubscriberKey {
    /// The key of a mail address, which may be any text.
    #[must_use]
    pub fn of_email(address: &str) -> Self {
        Self::Target(TargetKey::of_email(address), None)
    }

    /// The key of the address in a link.
    #[must_use]
    pub fn of_link(address: &str) -> Self {
        Self::Link(Mailbox::of(address))
    }

    /// This key, the same for all spellings of an address.
    #[must_use]
    pub fn without_spelling(self) -> Self {
        match self {
            Self::Link(mailbox) => Self::of_email(mailbox.as_str()),
            Self::Target(..) | Self::Id(_) => self,
        }
    }

    /// The key under which a draft is stored.
    #[must_use]
    pub fn of_draft(draft: &SubscriberDraft) -> Self {
        Self::Target(draft.target.key(), draft.scope.incident())
    }

    /// The key under which a subscriber is stored.
    #[must_use]
    pub fn of(subscriber: &Subscriber) -> Self {
        Self::Target(subscriber.target.key(), subscriber.scope.incident())
    }
}

/// Which subscribers are listed; by default all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubscriberFilter {
    /// Only mail addresses that contain this text, in any case. URLs of webhooks are not searched,
    /// because they are secret.
    pub email: Option<String>,
    /// Only subscribers on this channel.
    pub channel: Option<Channel>,
    /// Only subscribers with a scope of this kind.
    pub scope: Option<ScopeKind>,
    /// Only subscribers with this status.
    pub status: Option<SubscriberStatus>,
    /// Only subscribers to which messages fail.
    pub failing: bool,
}

/// A rule that storage runs on a subscriber, `None` if there is none, inside the transaction that
/// stores its result.
pub type SubscriberTransition =
    Box<dyn FnOnce(Option<Subscriber>) -> Result<Subscriber, Error> + Send>;

/// A change of a subscriber, as one transaction stored it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriberChange {
    /// The subscriber before; `None` if it was created.
    pub before: Option<Subscriber>,
    /// The subscriber after.
    pub after: Subscriber,
}

/// Storage of subscribers. A write makes no revision and no event, because subscribers are
/// not public.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SubscriberStore: Send + Sync {
    /// The subscribers of an organisation that a filter selects, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        filter: &SubscriberFilter,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error>;

    /// Returns a subscriber of an organisation. `None` if there is none.
    async fn find(
        &self,
        organisation: &OrganisationId,
        key: &SubscriberKey,
    ) -> Result<Option<Subscriber>, Error>;

    /// Checks that what a scope names exists in the organisation, and that an incident is not
    /// over: see [`Subscriber::is_followed`]. [`Error::Invalid`] at `components[i]`,
    /// `groups[i]` or `incidentId`.
    async fn check_scope(&self, organisation: &OrganisationId, scope: &Scope) -> Result<(), Error>;

    /// Runs a rule on a subscriber of an organisation and stores its result, which MUST have the
    /// same key. An adapter MUST write even if nothing changed, so that the time reveals nothing,
    /// and MUST delete the queued deliveries of a subscriber that has unsubscribed. When a
    /// confirmed subscriber whose scope is no single incident unsubscribes, an adapter MUST also
    /// unsubscribe its target from single incidents. An edit by a signed-in person is in the audit
    /// log. [`Error::NotFound`] if the organisation does not exist.
    async fn save(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberTransition,
    ) -> Result<SubscriberChange, Error>;

    /// Like [`Self::save`], and queues a message with a verification link in the same transaction,
    /// whatever the rule returns. The delivery worker decides whether it is needed, so that the
    /// time reveals nothing. Earlier links to the subscriber that wait for a retry become due.
    async fn save_and_queue_verification(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberTransition,
    ) -> Result<Subscriber, Error>;

    /// Removes a subscriber of an organisation with its queued deliveries. Returns whether
    /// it existed.
    async fn delete(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<bool, Error>;

    /// The components of an organisation.
    async fn named_components(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<CsvComponent>, Error>;

    /// Stores those subscribers of a batch that are new, and an item for the audit log, in one
    /// transaction, as far as the limit allows. Returns the results, in the order of the batch.
    /// [`Error::NotFound`] if the organisation does not exist.
    async fn import(
        &self,
        organisation: &OrganisationId,
        batch: ImportBatch,
    ) -> Result<Vec<Imported>, Error>;

    /// Returns what [`Self::import`] would do with these targets if `added` more subscribers were
    /// stored.
    async fn preview_import(
        &self,
        organisation: &OrganisationId,
        keys: Vec<TargetKey>,
        added: u64,
    ) -> Result<Vec<Imported>, Error>;

    /// Fails if the organisation has as many subscribers as it may have.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names the limit.
    async fn check_subscriber_limit(&self, organisation: &OrganisationId) -> Result<(), Error>;

    /// Records that messages to a subscriber arrive again, and makes its waiting messages due now.
    async fn clear_failure(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
    ) -> Result<(), Error>;

    /// Records that a pending subscriber was sent a verification link at `now`: it is kept as if the
    /// link had been requested then, messages to it arrive again, and its queued links are deleted.
    /// Changes nothing if it is not pending any more.
    async fn record_verification(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        now: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Removes subscribers of single incidents that are deleted or were resolved before the given
    /// time, at most about `limit`. A subscriber stays while messages to it wait, or a notice of
    /// the incident is not fully expanded. Returns their number.
    async fn prune_followers(
        &self,
        resolved_before: DateTime<Utc>,
        limit: u64,
    ) -> Result<u64, Error>;

    /// Removes subscribers that were never confirmed and whose last link was requested before the
    /// given time, at most about `limit`. Those that have unsubscribed stay, so that an import does
    /// not subscribe them again. Returns their number.
    async fn prune_unconfirmed(
        &self,
        requested_before: DateTime<Utc>,
        limit: u64,
    ) -> Result<u64, Error>;

    /// Removes what [`Self::count_verification`] has counted and what limits nothing any more at
    /// `now`, at most `limit` recipients. Returns their number.
    async fn prune_verification_limits(&self, now: DateTime<Utc>, limit: u64)
    -> Result<u64, Error>;

    /// Counts a verification message to a recipient, over all organisations and nodes. Returns
    /// whether the limit allows it. An adapter MUST NOT exceed the limit under concurrent requests.
    async fn count_verification(
        &self,
        recipient: RecipientKey,
        limit: RateLimit,
        now: DateTime<Utc>,
    ) -> Result<bool, Error>;
}
