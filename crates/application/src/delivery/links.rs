//! The links in the messages of deliveries.

use allclear_domain::subscriber::Subscriber;

use super::Delivery;
use crate::link::Links;
use crate::secret::HmacKey;
use crate::subscriber::code::Codes;

/// The links in the messages of deliveries. Their codes are derived from stored values, so every
/// attempt sends the same links.
pub(super) struct DeliveryLinks {
    links: Links,
    codes: Codes,
}

impl DeliveryLinks {
    pub(super) const fn new(links: Links, hmac_key: HmacKey) -> Self {
        Self {
            links,
            codes: Codes::new(hmac_key),
        }
    }

    /// The link that verifies the subscriber.
    pub(super) fn verify(&self, delivery: &Delivery) -> String {
        let subscriber = &delivery.subscriber;
        let expires_at = delivery.queued_at + Subscriber::VERIFICATION_LIFETIME;
        let code = self.codes.verification_code(subscriber, expires_at);
        self.links.verify(subscriber, delivery.link_target(), &code)
    }

    /// The page where the subscriber changes the subscription.
    pub(super) fn manage(&self, delivery: &Delivery) -> String {
        let code = self.codes.manage_code(&delivery.subscriber);
        self.links
            .manage(&delivery.subscriber, delivery.link_target(), &code)
    }

    /// The page where the subscriber unsubscribes.
    pub(super) fn unsubscribe(&self, delivery: &Delivery) -> String {
        let code = self.codes.unsubscribe_code(&delivery.subscriber);
        self.links
            .unsubscribe(&delivery.subscriber, delivery.link_target(), &code)
    }

    /// The address to which a mail program sends the request to unsubscribe (RFC 8058).
    pub(super) fn one_click(&self, delivery: &Delivery) -> String {
        let code = self.codes.unsubscribe_code(&delivery.subscriber);
        self.links
            .one_click(&delivery.subscriber, delivery.link_target(), &code)
    }

    /// The organisation's status page.
    pub(super) fn page(&self, delivery: &Delivery) -> String {
        self.links
            .page(&delivery.organisation, delivery.domain.as_ref())
    }
}
