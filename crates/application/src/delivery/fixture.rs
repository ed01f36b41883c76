//! What tests of deliveries share.

use allclear_domain::id::SubscriberId;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use uuid::Uuid;

use super::{Claim, Delivery, DeliveryKind};
use crate::fixture::{now, organisation};

pub(super) fn pending() -> Subscriber {
    let draft = SubscriberDraft {
        email: "ann@example.com".into(),
    };
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft, now()).unwrap()
}

pub(super) fn subscribed() -> Subscriber {
    pending()
        .verify(now() + Subscriber::VERIFICATION_LIFE, now())
        .unwrap()
}

/// A delivery at its first try.
pub(super) fn delivery(id: i64, subscriber: Subscriber, kind: DeliveryKind) -> Delivery {
    Delivery {
        claim: Claim { id, attempt: 1 },
        queued_at: now(),
        organisation: organisation(),
        organisation_name: "Acme".into(),
        domain: None,
        subscriber,
        kind,
    }
}
