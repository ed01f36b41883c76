//! What the links in messages do: verify, unsubscribe and manage.

use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{LinkExpired, Subscriber, SubscriberPatch};
use chrono::{DateTime, Utc};

use super::{Revealed, SubscriberChange, SubscriberKey, SubscriberTransition, Subscribers};
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
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let expiry = move |known: Option<&Subscriber>| codes.verification(known, &code);
        let verified = self.open_link(organisation, key, expiry, |subscriber, expires_at, now| {
            subscriber
                .verify(expires_at, now)
                .map_err(|_| Self::EXPIRED)
        });
        let change = verified.await?;
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
        let check = move |known: Option<&Subscriber>| {
            let is_right = codes.unsubscribes(known, &code) || codes.manages(known, &code);
            is_right.then_some(())
        };
        self.open_link(organisation, key, check, |subscriber, (), now| {
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
        self.check_new_scope(organisation, &known, &edited).await?;
        let (codes, code) = (self.codes.clone(), code.to_owned());
        let check = move |known: Option<&Subscriber>| codes.manages(known, &code).then_some(());
        let key = SubscriberKey::Id(id);
        let edited = self.open_link(organisation, key, check, move |subscriber, (), now| {
            Ok(subscriber.edit(patch, now)?)
        });
        Ok(edited.await?.after)
    }

    /// Runs a rule on the subscriber of a link, with what its code says. `check` reads the code;
    /// `None` if it is wrong.
    async fn open_link<C: 'static>(
        &self,
        organisation: &OrganisationId,
        key: SubscriberKey,
        check: impl Fn(Option<&Subscriber>) -> Option<C> + Send + 'static,
        rule: impl FnOnce(Subscriber, C, DateTime<Utc>) -> Result<Subscriber, Error> + Send + 'static,
    ) -> Result<SubscriberChange, Error> {
        self.organisation(organisation).await?;
        let now = self.ports.clock.now();
        // Only a valid code, which was sent to the target, reveals whether the target is known.
        let known = self.ports.subscribers.find(organisation, &key).await?;
        check(known.as_ref()).ok_or(Self::WRONG_LINK)?;
        let rule: SubscriberTransition = Box::new(move |known| {
            let checked = check(known.as_ref()).ok_or(Self::WRONG_LINK)?;
            rule(known.ok_or(Self::WRONG_LINK)?, checked, now)
        });
        self.ports.subscribers.save(organisation, key, rule).await
    }
}
