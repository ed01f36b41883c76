//! Messages that are sent while an operator waits: a test, and the link of a pending subscriber.

use allclear_domain::channel::Channel;
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Subscriber, SubscriberStatus};
use chrono::{DateTime, Utc};
use tokio::time::timeout;

use super::{Subscribers, cause, target_name};
use crate::delivery::{AttemptResult, Claim, Delivery, DeliveryKind, Founder};
use crate::error::Error;
use crate::mail::PROMPT_MAIL_TIMEOUT;

impl Subscribers {
    /// Sends a test message to a subscriber now, for an operator with this account. If it arrives,
    /// the subscriber's waiting messages are sent without waiting for their next retry.
    /// [`Error::NotFound`], [`Error::Conflict`] if the subscriber is not verified or the message
    /// does not arrive, with the reason, [`Error::MailLimitReached`] if a mail budget is used up.
    pub async fn test(
        &self,
        organisation: &OrganisationId,
        account: &str,
        id: SubscriberId,
    ) -> Result<Subscriber, Error> {
        let subscriber = self.require_subscriber(organisation, id).await?;
        if subscriber.status != SubscriberStatus::Subscribed {
            let message = "A test message needs a confirmed subscription";
            return Err(Error::Conflict(message.to_owned()));
        }
        let now = self.ports.clock.now();
        let kind = DeliveryKind::Test(self.ports.clock.id());
        self.send_now(organisation, account, &subscriber, kind, now)
            .await?;
        self.ports
            .subscribers
            .clear_failure(organisation, id)
            .await?;
        self.ports.wake_signal.notify();
        Ok(Subscriber {
            failing: None,
            ..subscriber
        })
    }

    /// Sends a pending subscriber a new verification link now, for an operator with this account.
    /// If it arrives, the subscriber is kept as after a first link, and earlier links that wait for
    /// a retry are not sent any more. [`Error::NotFound`], [`Error::Conflict`] if the subscriber is
    /// not pending or the message does not arrive, with the reason, [`Error::TooMany`] if the target
    /// has recently been sent as many links as allowed, [`Error::MailLimitReached`] if a mail
    /// budget is used up.
    pub async fn send_verification(
        &self,
        organisation: &OrganisationId,
        account: &str,
        id: SubscriberId,
    ) -> Result<Subscriber, Error> {
        let subscriber = self.require_subscriber(organisation, id).await?;
        if !subscriber.awaits_verification() {
            let message = "A confirmation needs a pending subscription";
            return Err(Error::Conflict(message.to_owned()));
        }
        let (now, kind) = (self.ports.clock.now(), DeliveryKind::Verification);
        self.send_now(organisation, account, &subscriber, kind, now)
            .await?;
        self.ports
            .subscribers
            .record_verification(organisation, id, now)
            .await?;
        Ok(Subscriber {
            failing: None,
            updated_at: now,
            ..subscriber
        })
    }

    /// Sends a message to a subscriber, without a place of a worker.
    async fn send_now(
        &self,
        organisation: &OrganisationId,
        account: &str,
        subscriber: &Subscriber,
        kind: DeliveryKind,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let organisation = self.organisation(organisation).await?;
        let cause = cause(&organisation.id, Some(account), &subscriber.target);
        self.ports.mail_budget.take(&cause).await?;
        let is_verification = kind == DeliveryKind::Verification;
        let what = if is_verification {
            "confirmation"
        } else {
            "test message"
        };
        let failed = |reason: &str| {
            let message = format!("The {what} did not arrive: {reason}");
            Err(Error::Conflict(message))
        };
        let delivery = Delivery {
            claim: Claim { id: 0, attempt: 1 },
            queued_at: now,
            scheduled_attempt: 1,
            unconfirmed: 0,
            organisation: organisation.id.clone(),
            founder: Founder::UnknownOf(organisation.id.clone()),
            organisation_name: organisation.name.clone(),
            time_zone: organisation.time_zone,
            domain: organisation.verified_domain().cloned(),
            subscriber: subscriber.clone(),
            kind,
        };
        let sending = self.ports.sender.send(&delivery);
        let Ok(sent) = timeout(PROMPT_MAIL_TIMEOUT, sending).await else {
            return failed(no_response(subscriber.target.channel()));
        };
        match sent? {
            AttemptResult::Sent => Ok(()),
            AttemptResult::Unwanted => {
                self.ports.mail_budget.give_back(&cause, now).await?;
                if is_verification {
                    // The subscriber is pending, so only the limit is left.
                    Err(too_many_verifications(subscriber.target.channel()))
                } else {
                    failed("it is not wanted")
                }
            }
            AttemptResult::Temporary { reason, .. }
            | AttemptResult::Unconfirmed { reason }
            | AttemptResult::Permanent { reason } => failed(&reason),
            AttemptResult::Ended => {
                let end = |known: Subscriber, now| Ok(known.unsubscribe(now));
                self.change(&organisation.id, subscriber.id, end).await?;
                failed("the receiver has ended the subscription")
            }
        }
    }
}

const fn no_response(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "the mail server did not respond in time",
        _ => "the receiver did not respond in time",
    }
}

fn too_many_verifications(channel: Channel) -> Error {
    Error::TooMany {
        message: format!(
            "{} has recently been sent as many confirmations as allowed, please try again later (ALLCLEAR_LIMIT_VERIFICATION_MAIL)",
            target_name(channel)
        ),
        // Every limit allows at least one an hour.
        retry_after: 60 * 60,
    }
}

#[cfg(test)]
mod tests;
