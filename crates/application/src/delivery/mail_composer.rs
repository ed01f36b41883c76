use std::sync::Arc;

use allclear_domain::mail_limit::MailLimit;
use allclear_domain::subscriber::{Subscriber, SubscriberStatus};
use uuid::Uuid;

use super::{Delivery, DeliveryKind};
use crate::clock::Clock;
use crate::error::Error;
use crate::link::Links;
use crate::mail::{Mail, MailContent, MailHeaders, MailList};
use crate::notice::Notice;
use crate::secret::HmacKey;
use crate::subscriber::SubscriberStore;
use crate::subscriber::code::Codes;

/// Composes the mails of deliveries. The codes in links are derived from stored values, so every try sends the same mail.
pub struct MailComposer {
    subscribers: Arc<dyn SubscriberStore>,
    clock: Arc<dyn Clock>,
    links: Links,
    codes: Codes,
    limit: MailLimit,
}

impl MailComposer {
    /// A composer for this installation's links. `limit` is the maximum of verification mails per address.
    #[must_use]
    pub const fn new(
        subscribers: Arc<dyn SubscriberStore>,
        clock: Arc<dyn Clock>,
        links: Links,
        hmac_key: HmacKey,
        limit: MailLimit,
    ) -> Self {
        Self {
            subscribers,
            clock,
            links,
            codes: Codes::new(hmac_key),
            limit,
        }
    }

    /// Returns the mail; `None` if it is no longer needed or the limit of verification mails is reached.
    pub(super) async fn compose(&self, delivery: &Delivery) -> Result<Option<Mail>, Error> {
        match &delivery.kind {
            DeliveryKind::Verification
                if delivery.subscriber.awaits_verification() && self.may_mail(delivery).await? =>
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

    /// Whether the address may be sent a verification mail. Only the first try counts.
    async fn may_mail(&self, delivery: &Delivery) -> Result<bool, Error> {
        if delivery.claim.attempt > 1 {
            return Ok(true);
        }
        let address = (&delivery.subscriber.target).into();
        let may = self
            .subscribers
            .may_mail(address, self.limit, self.clock.now())
            .await?;
        if !may {
            tracing::info!(organisation = %delivery.organisation, "verification mail not sent: the address has reached its limit");
        }
        Ok(may)
    }

    fn verification(&self, delivery: &Delivery) -> Mail {
        let Delivery {
            subscriber,
            queued_at,
            ..
        } = delivery;
        let code = self
            .codes
            .verification_code(subscriber, *queued_at + Subscriber::VERIFICATION_LIFETIME);
        let content = MailContent::Verification {
            link: self.links.verify(subscriber, delivery.link_target(), &code),
            manage: self.manage(delivery),
            unsubscribe: self.unsubscribe(delivery),
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
        let code = self.codes.unsubscribe_code(subscriber);
        let list = MailList {
            id: organisation.clone(),
            name: organisation_name.clone(),
            unsubscribe: self
                .links
                .one_click(subscriber, delivery.link_target(), &code),
        };
        // Different for each subscriber, so that no mail program treats two mails as copies of one.
        let whose = subscriber.id.0.simple();
        let headers = MailHeaders {
            message_id: Some(format!("{}.{whose}", notice.id.simple())),
            thread: Some(format!("{}.{whose}", notice.subject.simple())),
            list: Some(list),
        };
        Mail {
            to: subscriber.target.as_str().to_owned(),
            content: MailContent::Notice {
                organisation: organisation_name.clone(),
                notice: Arc::clone(notice),
                time_zone: delivery.time_zone,
                page: self.links.page(organisation, delivery.domain.as_ref()),
                manage: self.manage(delivery),
                unsubscribe: self.unsubscribe(delivery),
            },
            headers,
        }
    }

    fn unsubscribe(&self, delivery: &Delivery) -> String {
        let code = self.codes.unsubscribe_code(&delivery.subscriber);
        self.links
            .unsubscribe(&delivery.subscriber, delivery.link_target(), &code)
    }

    fn manage(&self, delivery: &Delivery) -> String {
        let code = self.codes.manage_code(&delivery.subscriber);
        self.links
            .manage(&delivery.subscriber, delivery.link_target(), &code)
    }

    fn test(&self, delivery: &Delivery, id: Uuid) -> Mail {
        let page = self
            .links
            .page(&delivery.organisation, delivery.domain.as_ref());
        let whose = delivery.subscriber.id.0.simple();
        Mail {
            to: delivery.subscriber.target.as_str().to_owned(),
            content: MailContent::Test {
                organisation: delivery.organisation_name.clone(),
                page,
                manage: self.manage(delivery),
            },
            headers: MailHeaders {
                message_id: Some(format!("{}.{whose}", id.simple())),
                ..MailHeaders::default()
            },
        }
    }
}

#[cfg(test)]
mod tests;
