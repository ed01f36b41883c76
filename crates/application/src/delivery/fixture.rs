//! What tests of deliveries share.

use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::SubscriberId;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_domain::time_zone::TimeZone;
use uuid::Uuid;

use super::{Claim, Delivery, DeliveryKind, Founder};
use crate::fixture::{now, organisation};

pub(super) fn pending() -> Subscriber {
    let target = Target::parse(Channel::Email, "ann@example.com").unwrap();
    let draft = SubscriberDraft::of_everything(target);
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft, now())
}

pub(super) fn subscribed() -> Subscriber {
    pending()
        .verify(now() + Subscriber::VERIFICATION_LIFETIME, now())
        .unwrap()
}

/// A delivery at its first attempt.
pub(super) fn delivery(id: i64, subscriber: Subscriber, kind: DeliveryKind) -> Delivery {
    Delivery {
        claim: Claim { id, attempt: 1 },
        queued_at: now(),
        scheduled_attempt: 1,
        unconfirmed: 0,
        organisation: organisation(),
        founder: Founder::UnknownOf(organisation()),
        organisation_name: "Acme".into(),
        time_zone: TimeZone::default(),
        domain: None,
        subscriber,
        kind,
    }
}
