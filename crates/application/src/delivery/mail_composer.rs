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
        match &delivery.kind {
            DeliveryKind::Verification
                if delivery.subscriber.awaits_verification()
                    && self.verification_limit.try_take(delivery).await? =>
            {
                Ok(Some(self.verification(delivery)))
            }
            DeliveryKind::Notice(notice)
                if delivery.subscriber.status == SubscriberStatus::Subscribed =>
            {
                Ok(Some(self.notice(delivery, notice)))
            }
            DeliveryKind::Test(id)
                if delivery.subscriber.status == SubscriberStatus::Subscribed =>
            {
                Ok(Some(self.test(delivery, *id)))
            }
            DeliveryKind::Verification | DeliveryKind::Notice(_) | DeliveryKind::Test(_) => {
                Ok(None)
            }
        }
    }

    fn verification(&self, delivery: &Delivery) -> Mail {
        let Delivery {
            subscriber,
            queued_at,
            ..
        } = delivery;
        let content = MailContent::Verification {
            link: self.links.verify(delivery),
            manage: self.links.manage(delivery),
            unsubscribe: self.links.unsubscribe(delivery),
            organisation: delivery.organisation_name.clone(),
        };
        let message_id = Some(format!(
            "{}.{}",
            subscriber.id.0.simple(),
            queued_at.timestamp_millis()
        ));
        let headers = MailHeaders {
            message_id,
            ..MailHeaders::default()
        };
        Mail {
            to: subscriber.target.as_str().to_owned(),
            content,
            headers,
        }
    }

    fn notice(&self, delivery: &Delivery, notice: &Arc<Notice>) -> Mail {
        let Delivery {
            subscriber,
            organisation,
            organisation_name,
            ..
        } = delivery;
        let list = MailList {
            id: organisation.clone(),
            name: organisation_name.clone(),
            unsubscribe: self.links.one_click(delivery),
        };
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
            list: Some(list),
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
