//! What the links in messages do: verify, unsubscribe and manage.

use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{LinkExpired, Subscriber, SubscriberPatch};
use chrono::{DateTime, Utc};

use super::{Revealed, SubscriberKey, SubscriberTransition, Subscribers};
use crate::error::Error;

impl Subscribers {
    const WRONG_LINK: Error = Error::BadCode("This link is wrong or has expired");
    const EXPIRED: Error = Error::BadCode(LinkExpired::SENTENCE);

    /// Verifies a target by the code of its link. Only the first verification returns the secret of
    /// a webhook. [`Error::NotFound`] if the organisation does not exist, [`Error::BadCode`] if the
    /// code is wrong or has expired.
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
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let rule: SubscriberTransition = Box::new(move |known| {
            let expires_at = codes
                .verification(known.as_ref(), &code)
                .ok_or(Self::WRONG_LINK)?;
            known
                .ok_or(Self::WRONG_LINK)?
                .verify(expires_at, now)
                .map_err(|_| Self::EXPIRED)
        });
        let change = self.ports.subscribers.save(organisation, key, rule).await?;
        // As of the transaction, so that one of two simultaneous verifications is the first.
        let is_first = change
            .before
            .is_some_and(|before| before.awaits_verification());
        if is_first {
            Ok(self.reveal(change.after))
        } else {
            Ok(Revealed {
                subscriber: change.after,
                secret: None,
            })
        }
    }

    /// Unsubscribes a target by the code of its unsubscribe link or of its manage link.
    /// [`Error::NotFound`] if the organisation does not exist, [`Error::BadCode`] if the code
    /// is wrong.
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
        self.open_link(organisation, key, is_right, |subscriber, now| {
            Ok(subscriber.unsubscribe(now))
        })
        .await?;
        Ok(())
    }

    /// Returns the subscriber of a manage link. [`Error::NotFound`] if the organisation does not
    /// exist, [`Error::BadCode`] if the code is wrong.
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

    /// Changes what the subscriber of a manage link receives. [`Error::NotFound`] if the
    /// organisation does not exist, [`Error::BadCode`] if the code is wrong, [`Error::Invalid`].
    pub async fn manage(
        &self,
        organisation: &OrganisationId,
        id: SubscriberId,
        code: &str,
        patch: SubscriberPatch,
    ) -> Result<Subscriber, Error> {
        let known = self.managed(organisation, id, code).await?;
        let edited = known.clone().edit(patch.clone(), self.ports.clock.now())?;
        if edited == known {
            return Ok(known);
        }
        self.ports
            .subscribers
            .check_scope(organisation, &edited.scope)
            .await?;
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let is_right = move |known: Option<&Subscriber>| codes.manages(known, &code);
        let key = SubscriberKey::Id(id);
        self.open_link(organisation, key, is_right, move |subscriber, now| {
            Ok(subscriber.edit(patch, now)?)
        })
        .await
    }

    /// Runs a rule on the subscriber of a link with the right code.
    async fn open_link(
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
        let rule: SubscriberTransition = Box::new(move |known| match known {
            Some(subscriber) if is_right(Some(&subscriber)) => rule(subscriber, now),
            _ => Err(Self::WRONG_LINK),
        });
        let change = self.ports.subscribers.save(organisation, key, rule).await?;
        Ok(change.after)
    }
}
