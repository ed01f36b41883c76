//! Subscribers: the use cases and their storage port. Responses and their times reveal only to operators whether an address is
//! known.

pub(crate) mod code;

use std::sync::Arc;

use allclear_domain::email::{EmailKey, Mailbox};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::mail_limit::MailLimit;
use allclear_domain::organisation::Organisation;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use validator::Validate;

use crate::clock::Clock;
use crate::delivery::WakeSignal;
use crate::error::Error;
use crate::mail_budget::{MailBudget, MailCause};
use crate::organisation::OrganisationStore;
use crate::page::{Listed, Page};
use crate::secret::HmacKey;
use crate::subscriber::code::Codes;

/// A rule that storage runs on the subscriber of a mailbox, `None` if there is none, inside the transaction that stores its
/// result.
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

    /// Returns the subscriber of an organisation with this mailbox. `None` if there is none.
    async fn find(
        &self,
        organisation: &OrganisationId,
        mailbox: &Mailbox,
    ) -> Result<Option<Subscriber>, Error>;

    /// Runs a rule on the subscriber of an organisation with this mailbox and stores its result, which MUST have the same
    /// mailbox. An adapter MUST write even if nothing changed, so that the time reveals nothing, and MUST delete the queued
    /// deliveries of a subscriber that has unsubscribed. [`Error::NotFound`] if the organisation does not exist.
    async fn save(
        &self,
        organisation: &OrganisationId,
        mailbox: Mailbox,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error>;

    /// Like [`Self::save`], and queues a mail with a verification link in the same transaction, whatever the rule returns. The
    /// delivery worker decides whether it is needed, so that the time reveals nothing.
    async fn enter(
        &self,
        organisation: &OrganisationId,
        mailbox: Mailbox,
        rule: SubscriberRule,
    ) -> Result<Subscriber, Error>;

    /// Removes a subscriber of an organisation with its queued deliveries. Returns whether it existed.
    async fn delete(&self, organisation: &OrganisationId, id: SubscriberId) -> Result<bool, Error>;

    /// Counts a verification mail of an address, over all organisations and nodes. Returns whether the limit allows it. An
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
    /// Wakes the delivery worker.
    pub wake_signal: Arc<WakeSignal>,
}

/// The use cases of visitors and operators.
pub struct Subscribers {
    ports: SubscriberPorts,
    codes: Codes,
}

impl Subscribers {
    /// Default maximum of verification mails per address.
    pub const MAIL_LIMIT: MailLimit = MailLimit {
        burst: 3,
        per_hour: 1,
    };

    const WRONG_LINK: Error = Error::BadCode("This link is wrong or has expired");
    const EXPIRED: Error =
        Error::BadCode("This link has expired. Please subscribe again to get a new one");
    const KNOWN: &str = "This address is a subscriber already";

    /// The use cases over these ports. The HMAC key signs the codes in links.
    #[must_use]
    pub const fn new(ports: SubscriberPorts, hmac_key: HmacKey) -> Self {
        Self {
            ports,
            codes: Codes::new(hmac_key),
        }
    }

    /// Subscribes an address for a visitor and mails a verification link if it is needed. Known and unknown addresses cost the
    /// same and get the same response; the mail is sent after the response. If a mail budget is used up, nothing is stored and
    /// the response is the same. [`Error::Invalid`], [`Error::NotFound`] if the organisation does not exist.
    pub async fn subscribe(
        &self,
        organisation: &OrganisationId,
        draft: SubscriberDraft,
    ) -> Result<(), Error> {
        draft.validate().map_err(Invalid::from)?;
        let organisation = self.organisation(organisation).await?.id;
        let cause = cause(&organisation, None, &draft);
        if self.ports.mail_budget.may_send(&cause).await? {
            self.enter(&organisation, draft, |known, now| {
                Ok(known.subscribe_again(now))
            })
            .await?;
        }
        Ok(())
    }

    /// Adds a subscriber for an operator with this account, and mails the link. [`Error::Invalid`], [`Error::Conflict`] for a
    /// known address, [`Error::TooMany`] if a mail budget is used up.
    pub async fn add(
        &self,
        organisation: &OrganisationId,
        account: &str,
        draft: SubscriberDraft,
    ) -> Result<Subscriber, Error> {
        draft.validate().map_err(Invalid::from)?;
        let organisation = self.organisation(organisation).await?.id;
        // A known address gets no mail, so the budget is not charged.
        let mailbox = Mailbox::of(&draft.email);
        let known = self.ports.subscribers.find(&organisation, &mailbox).await?;
        if known.is_some() {
            return Err(Error::Conflict(Self::KNOWN.to_owned()));
        }
        let cause = cause(&organisation, Some(account), &draft);
        self.ports.mail_budget.take(&cause).await?;
        self.enter(&organisation, draft, |_, _| {
            Err(Error::Conflict(Self::KNOWN.to_owned()))
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
            Err(Error::NotFound("Subscriber"))
        }
    }

    /// Verifies an address by the code of its link. [`Error::NotFound`] if the organisation does not exist, [`Error::BadCode`] if
    /// the code is wrong or has expired.
    pub async fn verify(
        &self,
        organisation: &OrganisationId,
        email: &str,
        code: &str,
    ) -> Result<(), Error> {
        self.organisation(organisation).await?;
        let (mailbox, now) = (Mailbox::of(email), self.ports.clock.now());
        // Only a valid code, which was mailed to the address, reveals whether the address is known.
        let known = self.ports.subscribers.find(organisation, &mailbox).await?;
        self.codes
            .verification(known.as_ref(), code)
            .ok_or(Self::WRONG_LINK)?;
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
        self.ports
            .subscribers
            .save(organisation, mailbox, rule)
            .await?;
        Ok(())
    }

    /// Unsubscribes an address by the code of its link. [`Error::NotFound`] if the organisation does not exist,
    /// [`Error::BadCode`] if the code is wrong.
    pub async fn unsubscribe(
        &self,
        organisation: &OrganisationId,
        email: &str,
        code: &str,
    ) -> Result<(), Error> {
        self.organisation(organisation).await?;
        let (mailbox, now) = (Mailbox::of(email), self.ports.clock.now());
        let known = self.ports.subscribers.find(organisation, &mailbox).await?;
        if !self.codes.unsubscribes(known.as_ref(), code) {
            return Err(Self::WRONG_LINK);
        }
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let rule: SubscriberRule = Box::new(move |known| match known {
            Some(subscriber) if codes.unsubscribes(Some(&subscriber), &code) => {
                Ok(subscriber.unsubscribe(now))
            }
            _ => Err(Self::WRONG_LINK),
        });
        self.ports
            .subscribers
            .save(organisation, mailbox, rule)
            .await?;
        Ok(())
    }

    async fn organisation(&self, id: &OrganisationId) -> Result<Organisation, Error> {
        self.ports
            .organisations
            .find(id)
            .await?
            .ok_or(Error::NotFound("Organisation"))
    }

    /// Stores a new or changed subscriber, and queues a verification mail.
    async fn enter(
        &self,
        organisation: &OrganisationId,
        draft: SubscriberDraft,
        known_one: fn(Subscriber, DateTime<Utc>) -> Result<Subscriber, Error>,
    ) -> Result<Subscriber, Error> {
        let (id, now) = (SubscriberId(self.ports.clock.id()), self.ports.clock.now());
        let mailbox = Mailbox::of(&draft.email);
        let rule: SubscriberRule = Box::new(move |known| match known {
            Some(subscriber) => known_one(subscriber, now),
            None => Ok(Subscriber::create(id, draft, now)?),
        });
        let subscriber = self
            .ports
            .subscribers
            .enter(organisation, mailbox, rule)
            .await?;
        self.ports.wake_signal.notify();
        Ok(subscriber)
    }
}

/// A verification mail in an organisation's name. All spellings of a domain are one mailbox.
fn cause(
    organisation: &OrganisationId,
    account: Option<&str>,
    draft: &SubscriberDraft,
) -> MailCause {
    MailCause {
        to: EmailKey::of(&draft.email),
        account: account.map(str::to_owned),
        organisation: Some(organisation.clone()),
    }
}

#[cfg(test)]
mod tests;
