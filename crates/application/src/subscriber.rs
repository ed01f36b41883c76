//! Subscribers: the use cases and their storage port. Responses and their times reveal only to
//! operators whether a target is known.

pub(crate) mod code;
pub mod import;
mod link;
mod port;
mod preview;
mod send_now;

use std::sync::Arc;

use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::organisation::Organisation;
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft, SubscriberPatch, SubscriberStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::delivery::{DeliverySender, WakeSignal};
use crate::error::{Error, Resource};
use crate::mail::Mailer;
use crate::mail_budget::{MailBudget, MailCause, MailKind};
use crate::message::{Messenger, SigningSecret};
use crate::organisation::OrganisationStore;
use crate::page::{Listed, Page};
use crate::retention::prune_in_batches;
use crate::secret::HmacKey;
use crate::statuspage_api::StatuspageStateStore;
use crate::subscriber::code::Codes;
use crate::subscriber::import::{CsvComponent, Import, ImportMode, ImportReport, ImportRow};

pub use self::port::*;

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
    /// Storage of the states from which messages are drawn.
    pub states: Arc<dyn StatuspageStateStore>,
    /// Checks targets, and shows messages to webhooks and chats.
    pub messenger: Arc<dyn Messenger>,
    /// Shows mails.
    pub mailer: Arc<dyn Mailer>,
    /// Sends messages while an operator waits.
    pub sender: Arc<dyn DeliverySender>,
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
    pub const VERIFICATION_LIMIT: RateLimit = RateLimit {
        burst: 3,
        per_hour: 1,
    };

    /// The use cases over these ports. The HMAC key signs the codes in links.
    #[must_use]
    pub const fn new(ports: SubscriberPorts, hmac_key: HmacKey) -> Self {
        Self {
            ports,
            codes: Codes::new(hmac_key),
        }
    }

    /// Subscribes a target for a visitor and sends a verification link if it is needed. An address
    /// that is subscribed already is mailed that it is. Known and unknown targets cost the same and
    /// get the same response; the message is sent after the response. If the mail budget of the
    /// target is used up, nothing is stored and the response is the same. [`Error::Invalid`],
    /// [`Error::NotFound`] if the organisation does not exist, [`Error::MailLimitReached`] if the
    /// mail budget of the organisation or the installation is used up.
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
        let draft = SubscriberDraft {
            target: draft.target.entered_by_visitor(),
            ..draft
        };
        self.check(&organisation.id, &draft).await?;
        // Before the budget, so that the response does not reveal whether the target's is used up.
        self.ports
            .subscribers
            .check_subscriber_limit(&organisation.id)
            .await?;
        let cause = cause(&organisation.id, None, &draft.target);
        // The visitor must not wait for a message that is not sent.
        self.ports.mail_budget.check_shared(&cause).await?;
        if self.ports.mail_budget.try_take(&cause).await? {
            self.save_and_queue_verification(&organisation.id, draft, |known, draft, now| {
                Ok(known.subscribe_again(draft, now))
            })
            .await?;
        }
        Ok(())
    }

    /// Adds a subscriber for an operator with this account, and sends the link.
    /// [`Error::Invalid`], [`Error::Conflict`] for a known target or beyond the limit of
    /// subscribers, [`Error::MailLimitReached`] if a mail budget is used up.
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
        // Before the budget, which a refused subscriber must not use up.
        self.ports
            .subscribers
            .check_subscriber_limit(&organisation)
            .await?;
        let cause = cause(&organisation, Some(account), &draft.target);
        self.ports.mail_budget.take(&cause).await?;
        self.save_and_queue_verification(&organisation, draft, |known, _, _| {
            Err(known_already(&known))
        })
        .await
    }

    /// The subscribers of an organisation that a filter selects, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        filter: &SubscriberFilter,
        page: Page,
    ) -> Result<Listed<Subscriber>, Error> {
        self.ports
            .subscribers
            .list(organisation, filter, page)
            .await
    }

    /// Changes what a subscriber receives. [`Error::NotFound`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        patch: SubscriberPatch,
    ) -> Result<Subscriber, Error> {
        let known = self.require_subscriber(organisation, id).await?;
        let edited = known.clone().edit(patch.clone(), self.ports.clock.now())?;
        self.check_new_scope(organisation, &known, &edited).await?;
        self.change(organisation, id, move |subscriber, now| {
            Ok(subscriber.edit(patch, now)?)
        })
        .await
    }

    /// Gives a webhook a new secret; each replaced one signs for a day beside it.
    /// [`Error::NotFound`], [`Error::Conflict`] on other channels.
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

    /// Imports rows for an operator with this account, in batches: if it fails, the batches before
    /// are stored, and the same file may be imported again. [`Error::NotFound`] if the organisation
    /// does not exist.
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
    ) -> Result<Vec<CsvComponent>, Error> {
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
            Err(Error::NotFound(Resource::Subscriber))
        }
    }

    /// Removes the subscribers of single incidents that are over, those that were not confirmed in
    /// time, and counts of verification messages that limit nothing any more. Every node may do so
    /// at any time.
    pub async fn prune(&self) -> Result<(), Error> {
        let now = self.ports.clock.now();
        let store = &self.ports.subscribers;
        let resolved_before = Subscriber::followed_if_resolved_after(now);
        let requested_before = Subscriber::removed_if_requested_before(now);
        // A failure of one must not let the others grow.
        let followers = prune_in_batches(Self::BATCH, |limit| {
            store.prune_followers(resolved_before, limit)
        });
        let followers = followers.await;
        let unconfirmed = prune_in_batches(Self::BATCH, |limit| {
            store.prune_unconfirmed(requested_before, limit)
        });
        let unconfirmed = unconfirmed.await;
        let limits = prune_in_batches(Self::BATCH, |limit| {
            store.prune_verification_limits(now, limit)
        });
        followers.and(unconfirmed).and(limits.await).map(drop)
    }

    async fn require_subscriber(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
    ) -> Result<Subscriber, Error> {
        let known = self
            .ports
            .subscribers
            .find(organisation, &SubscriberKey::Id(id))
            .await?;
        known.ok_or(Error::NotFound(Resource::Subscriber))
    }

    /// Runs a rule on a subscriber that an operator names.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        rule: impl FnOnce(Subscriber, DateTime<Utc>) -> Result<Subscriber, Error> + Send + 'static,
    ) -> Result<Subscriber, Error> {
        let now = self.ports.clock.now();
        let rule: SubscriberTransition = Box::new(move |known| {
            let known = known.ok_or(Error::NotFound(Resource::Subscriber))?;
            rule(known, now)
        });
        let key = SubscriberKey::Id(id);
        let change = self.ports.subscribers.save(organisation, key, rule).await?;
        Ok(change.after)
    }

    /// Checks what a draft names: the target by the installation's rules, the scope by what
    /// is stored.
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

    /// Checks the scope of an edited subscriber. A scope that stays may name what is gone by now.
    async fn check_new_scope(
        &self,
        organisation: &OrganisationId,
        known: &Subscriber,
        edited: &Subscriber,
    ) -> Result<(), Error> {
        if edited.scope == known.scope {
            return Ok(());
        }
        self.ports
            .subscribers
            .check_scope(organisation, &edited.scope)
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
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    /// Stores a new or changed subscriber, and queues a verification message.
    async fn save_and_queue_verification(
        &self,
        organisation: &OrganisationId,
        draft: SubscriberDraft,
        known_one: fn(Subscriber, SubscriberDraft, DateTime<Utc>) -> Result<Subscriber, Error>,
    ) -> Result<Subscriber, Error> {
        let (id, now) = (SubscriberId(self.ports.clock.id()), self.ports.clock.now());
        let key = SubscriberKey::of_draft(&draft);
        let rule: SubscriberTransition = Box::new(move |known| match known {
            Some(subscriber) => known_one(subscriber, draft, now),
            None => Ok(Subscriber::create(id, draft, now)),
        });
        let subscriber = self
            .ports
            .subscribers
            .save_and_queue_verification(organisation, key, rule)
            .await?;
        self.ports.wake_signal.notify();
        Ok(subscriber)
    }
}

/// A target at the beginning of a sentence for an operator.
const fn target_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "This address",
        _ => "This target",
    }
}

fn known_already(known: &Subscriber) -> Error {
    let what = target_name(known.target.channel());
    let state = match known.status {
        SubscriberStatus::Subscribed => "is a subscriber already",
        SubscriberStatus::Pending => "is a subscriber already, and has not confirmed yet",
        SubscriberStatus::Unsubscribed => "has unsubscribed",
    };
    Error::Conflict(format!("{what} {state}"))
}

/// A message in an organisation's name, before or without a notice. All spellings of a target
/// are one.
fn cause(organisation: &OrganisationId, account: Option<&str>, target: &Target) -> MailCause {
    MailCause {
        kind: MailKind::EnteredAddress,
        to: target.into(),
        account: account.map(str::to_owned),
        organisation: Some(organisation.clone()),
    }
}

#[cfg(test)]
mod tests;
