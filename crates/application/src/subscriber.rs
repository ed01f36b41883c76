//! Subscribers: the use cases and their storage port. Responses and their times reveal only to operators whether a target is
//! known.

pub(crate) mod code;
pub mod import;
mod preview;

use std::sync::Arc;

use allclear_domain::channel::{Channel, Target, TargetKey};
use allclear_domain::email::EmailKey;
use allclear_domain::id::{IncidentId, OrganisationId, SubscriberId};
use allclear_domain::mail_limit::MailLimit;
use allclear_domain::organisation::Organisation;
use allclear_domain::subscriber::{
    Scope, Subscriber, SubscriberDraft, SubscriberPatch, SubscriberStatus,
};
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::delivery::{Attempt, Claim, Delivery, DeliveryKind, DeliverySender, WakeSignal};
use crate::error::Error;
use crate::mail_budget::{MailBudget, MailCause};
use crate::message::{Messenger, SigningSecret};
use crate::organisation::OrganisationStore;
use crate::page::{Listed, Page};
use crate::secret::HmacKey;
use crate::statuspage::PublicStateStore;
use crate::subscriber::code::Codes;
use crate::subscriber::import::{
    Import, ImportBatch, ImportMode, ImportReport, ImportRow, Imported, NamedComponent,
};

/// Names a subscriber of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubscriberKey {
    /// By its target; of the subscribers with one target, the one of this incident, or the one that is not for an incident.
    Target(TargetKey, Option<IncidentId>),
    /// By its identifier.
    Id(SubscriberId),
}

impl SubscriberKey {
    /// The key of a mail address, which may be any text.
    #[must_use]
    pub fn of_email(address: &str) -> Self {
        Self::Target(TargetKey::of_email(address), None)
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

/// A rule that storage runs on a subscriber, `None` if there is none, inside the transaction that stores its result.
pub type SubscriberRule = Box<dyn FnOnce(Option<Subscriber>) -> Result<Subscriber, Error> + Send>;

/// Storage of subscribers. A write makes no revision and no event, because subscribers are not public.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SubscriberStore: Send + Sync {
    /// The subscribers of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error>;

    /// Returns a subscriber of an organisation. `None` if there is none.
    async fn find(
        &self,
        organisation: &OrganisationId,
        key: &SubscriberKey,
    ) -> Result<Option<Subscriber>, Error>;

    /// Checks that what a scope names exists in the organisation, and that an incident is not over: see
    /// [`Subscriber::FOLLOWED_FOR`]. [`Error::Invalid`] at `components[i]`, `groups[i]` or `incidentId`.
    async fn check_scope(&self, organisation: &OrganisationId, scope: &Scope) -> Result<(), Error>;

    /// Runs a rule on a subscriber of an organisation and stores its result, which MUST have the same key. An adapter MUST write even
    /// if nothing changed, so that the time reveals nothing, and MUST delete the queued deliveries of a subscriber that has
    /// unsubscribed. An edit by a signed-in person is in the audit log. [`Error::NotFound`] if the organisation does not exist.
    async fn save(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error>;

    /// Like [`Self::save`], and queues a message with a verification link in the same transaction, whatever the rule returns. The
    /// delivery worker decides whether it is needed, so that the time reveals nothing.
    async fn enter(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error>;

    /// Removes a subscriber of an organisation with its queued deliveries. Returns whether it existed.
    async fn delete(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<bool, Error>;

    /// The components of an organisation.
    async fn named_components(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<NamedComponent>, Error>;

    /// Stores those subscribers of a batch that are new, in one transaction, as far as the limit allows. Returns what became of each,
    /// in their order. [`Error::NotFound`] if the organisation does not exist.
    async fn import(
        &self,
        organisation: &OrganisationId,
        batch: ImportBatch,
    ) -> Result<Vec<Imported>, Error>;

    /// Returns what [`Self::import`] would do if `added` more subscribers were stored.
    async fn would_import(
        &self,
        organisation: &OrganisationId,
        keys: Vec<SubscriberKey>,
        added: u64,
    ) -> Result<Vec<Imported>, Error>;

    /// Notes an import in the audit log.
    async fn note_import(&self, organisation: &OrganisationId, note: String) -> Result<(), Error>;

    /// Notes that messages to a subscriber arrive again.
    async fn recover(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<(), Error>;

    /// Removes subscribers of single incidents that are deleted or were resolved before the given time, about `limit` of them at
    /// most. Returns their number.
    async fn prune_followers(
        &self,
        resolved_before: DateTime<Utc>,
        limit: u64,
    ) -> Result<u64, Error>;

    /// Counts a verification message of a target, over all organisations and nodes. Returns whether the limit allows it. An
    /// adapter MUST NOT exceed the limit under concurrent requests.
    async fn may_mail(
        &self,
        address: EmailKey,
        limit: MailLimit,
        now: DateTime<Utc>,
    ) -> Result<bool, Error>;
}

/// Ports of [`Subscribers`].
pub struct SubscriberPorts {
    /// Storage of subscribers.
    pub subscribers: Arc<dyn SubscriberStore>,
    /// Storage of organisations.
    pub organisations: Arc<dyn OrganisationStore>,
    /// Mail budget.
    pub mail_budget: Arc<MailBudget>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Storage of the public state.
    pub states: Arc<dyn PublicStateStore>,
    /// Sends messages to webhooks and chats.
    pub messenger: Arc<dyn Messenger>,
    /// Sends test messages.
    pub tester: Arc<dyn DeliverySender>,
    /// Wakes the delivery workers.
    pub wake_signal: Arc<WakeSignal>,
}

/// A subscriber, and the secret of its webhook where it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealed {
    /// The subscriber.
    pub subscriber: Subscriber,
    /// The secret; `None` on other channels.
    pub secret: Option<SigningSecret>,
}

/// The use cases of visitors and operators.
pub struct Subscribers {
    ports: SubscriberPorts,
    codes: Codes,
}

impl Subscribers {
    /// Number of subscribers removed in one transaction.
    const BATCH: u64 = 200;

    /// Default maximum of verification messages per target.
    pub const MAIL_LIMIT: MailLimit = MailLimit {
        burst: 3,
        per_hour: 1,
    };

    const NAME: &str = "Subscriber";
    const WRONG_LINK: Error = Error::BadCode("This link is wrong or has expired");
    const EXPIRED: Error =
        Error::BadCode("This link has expired. Please subscribe again to get a new one");

    /// The use cases over these ports. The HMAC key signs the codes in links.
    #[must_use]
    pub const fn new(ports: SubscriberPorts, hmac_key: HmacKey) -> Self {
        Self {
            ports,
            codes: Codes::new(hmac_key),
        }
    }

    /// Subscribes a target for a visitor and sends a verification link if it is needed. Known and unknown targets cost the same and
    /// get the same response; the link is sent after the response. If a mail budget is used up, nothing is stored and the response is
    /// the same. [`Error::Invalid`], [`Error::NotFound`] if the organisation does not exist.
    pub async fn subscribe(
        &self,
        organisation: &OrganisationId,
        draft: SubscriberDraft,
    ) -> Result<(), Error> {
        let organisation = self.organisation(organisation).await?;
        let channel = draft.target.channel();
        if !organisation.public_channels.offers(channel) {
            let message = format!("Subscribing by {} is switched off", channel.label());
            return Err(Invalid::field("channel", message).into());
        }
        self.check(&organisation.id, &draft).await?;
        let cause = cause(&organisation.id, None, &draft.target);
        if self.ports.mail_budget.may_send(&cause).await? {
            self.enter(&organisation.id, draft, |known, draft, now| {
                Ok(known.subscribe_again(draft, now))
            })
            .await?;
        }
        Ok(())
    }

    /// Adds a subscriber for an operator with this account, and sends the link. [`Error::Invalid`], [`Error::Conflict`] for a known
    /// target, [`Error::TooMany`] if a mail budget is used up.
    pub async fn add(
        &self,
        organisation: &OrganisationId,
        account: &str,
        draft: SubscriberDraft,
    ) -> Result<Subscriber, Error> {
        let organisation = self.organisation(organisation).await?.id;
        self.check(&organisation, &draft).await?;
        // A known target gets no message, so the budget is not charged.
        let key = SubscriberKey::of_draft(&draft);
        let known = self.ports.subscribers.find(&organisation, &key).await?;
        if let Some(known) = known {
            return Err(known_already(&known));
        }
        let cause = cause(&organisation, Some(account), &draft.target);
        self.ports.mail_budget.take(&cause).await?;
        self.enter(&organisation, draft, |known, _, _| {
            Err(known_already(&known))
        })
        .await
    }

    /// The subscribers of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error> {
        self.ports.subscribers.list(organisation, page).await
    }

    /// Changes what a subscriber receives. [`Error::NotFound`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        patch: SubscriberPatch,
    ) -> Result<Subscriber, Error> {
        let known = self.known(organisation, id).await?;
        let edited = known.edit(patch.clone(), self.ports.clock.now())?;
        let scope = edited.scope;
        self.ports
            .subscribers
            .check_scope(organisation, &scope)
            .await?;
        self.change(organisation, id, move |subscriber, now| {
            Ok(subscriber.edit(patch, now)?)
        })
        .await
    }

    /// Gives a webhook a new secret; the previous one signs for a day beside it. [`Error::NotFound`], [`Error::Conflict`] on other
    /// channels.
    pub async fn rotate_secret(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
    ) -> Result<Revealed, Error> {
        let rotated = self
            .change(organisation, id, |subscriber, now| {
                if subscriber.target.channel() == Channel::Webhook {
                    Ok(subscriber.rotate_secret(now))
                } else {
                    Err(Error::Conflict("Only webhooks have a secret".to_owned()))
                }
            })
            .await?;
        Ok(self.reveal(rotated))
    }

    /// Sends a test message to a subscriber now, for an operator with this account. [`Error::NotFound`], [`Error::Conflict`] if the
    /// subscriber is not verified or the message does not arrive, with the reason, [`Error::TooMany`] if a mail budget is used up.
    pub async fn test(
        &self,
        organisation: &OrganisationId,
        account: &str,
        id: SubscriberId,
    ) -> Result<Subscriber, Error> {
        let subscriber = self.known(organisation, id).await?;
        if subscriber.status != SubscriberStatus::Subscribed {
            let message = "A test message needs a confirmed subscription";
            return Err(Error::Conflict(message.to_owned()));
        }
        let organisation = self.organisation(organisation).await?;
        let cause = cause(&organisation.id, Some(account), &subscriber.target);
        self.ports.mail_budget.take(&cause).await?;
        let now = self.ports.clock.now();
        let delivery = Delivery {
            claim: Claim { id: 0, attempt: 1 },
            queued_at: now,
            organisation: organisation.id.clone(),
            organisation_name: organisation.name.clone(),
            time_zone: organisation.time_zone,
            domain: organisation.verified_domain().cloned(),
            subscriber: subscriber.clone(),
            kind: DeliveryKind::Test(self.ports.clock.id()),
        };
        let failed = |reason| Error::Conflict(format!("The test message did not arrive: {reason}"));
        match self.ports.tester.send(&delivery).await? {
            Attempt::Arrived => {}
            Attempt::Unwanted => return Err(failed("it is not wanted".to_owned())),
            Attempt::Failed { reason, .. } | Attempt::Refused { reason } => {
                return Err(failed(reason));
            }
            Attempt::Ended => {
                self.change(
                    &organisation.id,
                    id,
                    |known, now| Ok(known.unsubscribe(now)),
                )
                .await?;
                return Err(failed("the receiver has ended the subscription".to_owned()));
            }
        }
        self.ports.subscribers.recover(&organisation.id, id).await?;
        Ok(Subscriber {
            failing: None,
            ..subscriber
        })
    }

    /// Imports rows for an operator with this account, in batches: if it fails, the batches before are stored, and the same file may be
    /// imported again.
    pub async fn import(
        &self,
        organisation: &OrganisationId,
        account: &str,
        mode: ImportMode,
        rows: impl Iterator<Item = ImportRow> + Send,
    ) -> Result<ImportReport, Error> {
        let organisation = self.organisation(organisation).await?.id;
        let mut import = Import::new(self, &organisation, account, mode).await?;
        for row in rows {
            import.push(row).await?;
        }
        import.finish().await
    }

    /// The components of an organisation, for the names in an export.
    pub async fn named_components(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Vec<NamedComponent>, Error> {
        self.ports.subscribers.named_components(organisation).await
    }

    /// Removes a subscriber. [`Error::NotFound`] if it does not exist.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
    ) -> Result<(), Error> {
        let deleted = self.ports.subscribers.delete(organisation, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(Error::NotFound(Self::NAME))
        }
    }

    /// Verifies a target by the code of its link. The secret of a webhook is returned by the first verification alone.
    /// [`Error::NotFound`] if the organisation does not exist, [`Error::BadCode`] if the code is wrong or has expired.
    pub async fn verify(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        code: &str,
    ) -> Result<Revealed, Error> {
        self.organisation(organisation).await?;
        let now = self.ports.clock.now();
        // Only a valid code, which was sent to the target, reveals whether the target is known.
        let known = self.ports.subscribers.find(organisation, &key).await?;
        self.codes
            .verification(known.as_ref(), code)
            .ok_or(Self::WRONG_LINK)?;
        let is_first = known.is_some_and(|known| known.awaits_verification());
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let rule: SubscriberRule = Box::new(move |known| {
            let expires_at = codes
                .verification(known.as_ref(), &code)
                .ok_or(Self::WRONG_LINK)?;
            known
                .ok_or(Self::WRONG_LINK)?
                .verify(expires_at, now)
                .map_err(|_| Self::EXPIRED)
        });
        let verified = self.ports.subscribers.save(organisation, key, rule).await?;
        if is_first {
            Ok(self.reveal(verified))
        } else {
            Ok(Revealed {
                subscriber: verified,
                secret: None,
            })
        }
    }

    /// Unsubscribes a target by the code of its unsubscribe link or of its manage link. [`Error::NotFound`] if the organisation does
    /// not exist, [`Error::BadCode`] if the code is wrong.
    pub async fn unsubscribe(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        code: &str,
    ) -> Result<(), Error> {
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let is_right = move |known: Option<&Subscriber>| {
            codes.unsubscribes(known, &code) || codes.manages(known, &code)
        };
        self.follow(organisation, key, is_right, |subscriber, now| {
            Ok(subscriber.unsubscribe(now))
        })
        .await?;
        Ok(())
    }

    /// Returns the subscriber of a manage link. [`Error::NotFound`] if the organisation does not exist, [`Error::BadCode`] if the code
    /// is wrong.
    pub async fn managed(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        code: &str,
    ) -> Result<Subscriber, Error> {
        self.organisation(organisation).await?;
        let key = SubscriberKey::Id(id);
        let known = self.ports.subscribers.find(organisation, &key).await?;
        if self.codes.manages(known.as_ref(), code) {
            known.ok_or(Self::WRONG_LINK)
        } else {
            Err(Self::WRONG_LINK)
        }
    }

    /// Changes what the subscriber of a manage link receives. [`Error::NotFound`] if the organisation does not exist,
    /// [`Error::BadCode`] if the code is wrong, [`Error::Invalid`].
    pub async fn manage(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        code: &str,
        patch: SubscriberPatch,
    ) -> Result<Subscriber, Error> {
        let known = self.managed(organisation, id, code).await?;
        let edited = known.edit(patch.clone(), self.ports.clock.now())?;
        self.ports
            .subscribers
            .check_scope(organisation, &edited.scope)
            .await?;
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let is_right = move |known: Option<&Subscriber>| codes.manages(known, &code);
        let key = SubscriberKey::Id(id);
        self.follow(organisation, key, is_right, move |subscriber, now| {
            Ok(subscriber.edit(patch, now)?)
        })
        .await
    }

    /// Removes the subscribers of single incidents that are over. Every node may do so at any time.
    pub async fn prune(&self) -> Result<(), Error> {
        let before = self.ports.clock.now() - Subscriber::FOLLOWED_FOR;
        loop {
            let store = &self.ports.subscribers;
            let pruned = store.prune_followers(before, Self::BATCH).await?;
            if pruned < Self::BATCH {
                return Ok(());
            }
        }
    }

    /// Runs a rule on the subscriber of a link with the right code.
    async fn follow(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        is_right: impl Fn(Option<&Subscriber>) -> bool + Send + 'static,
        rule: impl FnOnce(Subscriber, DateTime<Utc>) -> Result<Subscriber, Error> + Send + 'static,
    ) -> Result<Subscriber, Error> {
        self.organisation(organisation).await?;
        let now = self.ports.clock.now();
        let known = self.ports.subscribers.find(organisation, &key).await?;
        if !is_right(known.as_ref()) {
            return Err(Self::WRONG_LINK);
        }
        let rule: SubscriberRule = Box::new(move |known| match known {
            Some(subscriber) if is_right(Some(&subscriber)) => rule(subscriber, now),
            _ => Err(Self::WRONG_LINK),
        });
        self.ports.subscribers.save(organisation, key, rule).await
    }

    async fn known(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
    ) -> Result<Subscriber, Error> {
        let known = self
            .ports
            .subscribers
            .find(organisation, &SubscriberKey::Id(id))
            .await?;
        known.ok_or(Error::NotFound(Self::NAME))
    }

    /// Runs a rule on a subscriber that an operator names.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        rule: impl FnOnce(Subscriber, DateTime<Utc>) -> Result<Subscriber, Error> + Send + 'static,
    ) -> Result<Subscriber, Error> {
        let now = self.ports.clock.now();
        let rule: SubscriberRule = Box::new(move |known| {
            let known = known.ok_or(Error::NotFound(Self::NAME))?;
            rule(known, now)
        });
        let key = SubscriberKey::Id(id);
        self.ports.subscribers.save(organisation, key, rule).await
    }

    /// Checks what a draft names: the target by the installation's rules, the scope by what is stored.
    async fn check(
        &self,
        organisation: &OrganisationId,
        draft: &SubscriberDraft,
    ) -> Result<(), Error> {
        if draft.target.channel() != Channel::Email {
            let checked = self.ports.messenger.check(&draft.target).await;
            checked.map_err(|reason| Invalid::field("target", reason))?;
        }
        self.ports
            .subscribers
            .check_scope(organisation, &draft.scope)
            .await
    }

    /// A subscriber with the secret of its webhook, for the response that shows it.
    #[must_use]
    pub fn reveal(&self, subscriber: Subscriber) -> Revealed {
        let is_webhook = subscriber.target.channel() == Channel::Webhook;
        Revealed {
            secret: is_webhook.then(|| self.codes.secret(&subscriber)),
            subscriber,
        }
    }

    async fn organisation(&self, id: &OrganisationId) -> Result<Organisation, Error> {
        self.ports
            .organisations
            .find(id)
            .await?
            .ok_or(Error::NotFound("Organisation"))
    }

    /// Stores a new or changed subscriber, and queues a verification message.
    async fn enter(
        &self,
        organisation: &OrganisationId,
        draft: SubscriberDraft,
        known_one: fn(Subscriber, SubscriberDraft, DateTime<Utc>) -> Result<Subscriber, Error>,
    ) -> Result<Subscriber, Error> {
        let (id, now) = (SubscriberId(self.ports.clock.id()), self.ports.clock.now());
        let key = SubscriberKey::of_draft(&draft);
        let rule: SubscriberRule = Box::new(move |known| match known {
            Some(subscriber) => known_one(subscriber, draft, now),
            None => Ok(Subscriber::create(id, draft, now)),
        });
        let subscriber = self
            .ports
            .subscribers
            .enter(organisation, key, rule)
            .await?;
        self.ports.wake_signal.notify();
        Ok(subscriber)
    }
}

fn known_already(known: &Subscriber) -> Error {
    let what = match known.target.channel() {
        Channel::Email => "This address",
        _ => "This target",
    };
    Error::Conflict(format!("{what} is a subscriber already"))
}

/// A message in an organisation's name, before or without a notice. All spellings of a target are one.
fn cause(organisation: &OrganisationId, account: Option<&str>, target: &Target) -> MailCause {
    MailCause {
        to: EmailKey::of(target.key().as_str()),
        account: account.map(str::to_owned),
        organisation: Some(organisation.clone()),
    }
}

#[cfg(test)]
mod tests;
