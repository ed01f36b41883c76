//! Composes the mails of deliveries.

use std::sync::Arc;

use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::SubscriberStatus;
use uuid::Uuid;

use super::links::DeliveryLinks;
use super::verification_limit::VerificationLimit;
use super::{Delivery, DeliveryKind};
use crate::clock::Clock;
use crate::error::Error;
use crate::link::Links;
use crate::mail::{Mail, MailContent, MailHeaders, MailList};
use crate::notice::Notice;
use crate::secret::HmacKey;
use crate::subscriber::SubscriberStore;

/// Composes the mails of deliveries. Every attempt at a delivery has the same Message-ID.
pub struct MailComposer {
    links: DeliveryLinks,
    verification_limit: VerificationLimit,
}

impl MailComposer {
    /// A composer for this installation's links. `limit` is the maximum number of verification
    /// mails per address.
    #[must_use]
    pub const fn new(
        subscribers: Arc<dyn SubscriberStore>,
        clock: Arc<dyn Clock>,
        links: Links,
        hmac_key: HmacKey,
        limit: RateLimit,
    ) -> Self {
        Self {
            links: DeliveryLinks::new(links, hmac_key),
            verification_limit: VerificationLimit::new(subscribers, clock, limit),
        }
    }

    /// Returns the mail; `None` if it is no longer needed or the limit of verification
    /// mails is reached.
    pub(super) async fn compose(&self, delivery: &Delivery) -> Result<Option<Mail>, Error> {
        let is_subscribed = delivery.subscriber.status == SubscriberStatus::Subscribed;
        match &delivery.kind {
            DeliveryKind::Verification => self.verification(delivery).await,
            DeliveryKind::Notice(notice) if is_subscribed => {
                Ok(Some(self.notice(delivery, notice)))
            }
            DeliveryKind::Test(id) if is_subscribed => Ok(Some(self.test(delivery, *id))),
            DeliveryKind::Notice(_) | DeliveryKind::Test(_) => Ok(None),
        }
    }

    /// The mail after a request to subscribe: with a link that confirms it, or, to an address that
    /// was subscribed already, with the link that changes its subscription.
    async fn verification(&self, delivery: &Delivery) -> Result<Option<Mail>, Error> {
        let Delivery {
            subscriber,
            queued_at,
            ..
        } = delivery;
        let is_known = subscriber.was_subscribed_at(*queued_at);
        let is_needed = is_known || subscriber.awaits_verification();
        if !is_needed || !self.verification_limit.try_take(delivery).await? {
            return Ok(None);
        }
        let organisation = delivery.organisation_name.clone();
        let manage = self.links.manage(delivery);
        let unsubscribe = self.links.unsubscribe(delivery);
        let content = if is_known {
            MailContent::SubscribedAlready {
                organisation,
                page: self.links.page(delivery),
                manage,
                unsubscribe,
            }
        } else {
            MailContent::Verification {
                organisation,
                link: self.links.verify(delivery),
                manage,
                unsubscribe,
            }
        };
        let message_id = Some(format!(
            "{}.{}",
            subscriber.id.0.simple(),
            queued_at.timestamp_millis()
        ));
        let headers = MailHeaders {
            message_id,
            thread: None,
            list: is_known.then(|| self.list(delivery)),
        };
        Ok(Some(Mail {
            to: subscriber.target.as_str().to_owned(),
            content,
            headers,
        }))
    }

    fn list(&self, delivery: &Delivery) -> MailList {
        MailList {
            id: delivery.organisation.clone(),
            name: delivery.organisation_name.clone(),
            unsubscribe: self.links.one_click(delivery),
        }
    }

    fn notice(&self, delivery: &Delivery, notice: &Arc<Notice>) -> Mail {
        let Delivery {
            subscriber,
            organisation_name,
            ..
        } = delivery;
        // Different for each subscriber, so that no mail program treats two mails as copies of one.
        let recipient = subscriber.id.0.simple();
        let thread = format!("{}.{recipient}", notice.subject.simple());
        let message_id = if notice.content.change.begins_thread() {
            thread.clone()
        } else {
            format!("{}.{recipient}", notice.id.simple())
        };
        let headers = MailHeaders {
            message_id: Some(message_id),
            thread: Some(thread),
            list: Some(self.list(delivery)),
        };
        Mail {
            to: subscriber.target.as_str().to_owned(),
            content: MailContent::Notice {
                organisation: organisation_name.clone(),
                notice: Arc::clone(notice),
                time_zone: delivery.time_zone,
                page: self.links.page(delivery),
                manage: self.links.manage(delivery),
                unsubscribe: self.links.unsubscribe(delivery),
            },
            headers,
        }
    }

    fn test(&self, delivery: &Delivery, id: Uuid) -> Mail {
        let recipient = delivery.subscriber.id.0.simple();
        Mail {
            to: delivery.subscriber.target.as_str().to_owned(),
            content: MailContent::Test {
                organisation: delivery.organisation_name.clone(),
                page: self.links.page(delivery),
                manage: self.links.manage(delivery),
            },
            headers: MailHeaders {
                message_id: Some(format!("{}.{recipient}", id.simple())),
                ..MailHeaders::default()
            },
        }
    }
}

#[cfg(test)]
mod tests;
