//! An organisation with subscribers to whom something is told.

use allclear_application::delivery::{
    Claim, Delivery, DeliveryCounts, DeliveryKind, DeliveryQueue, DeliveryResult, Outcome,
};
use allclear_application::subscriber::{SubscriberRule, SubscriberStore};
use allclear_domain::email::Mailbox;
use allclear_domain::id::{IncidentId, OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::clock;
use crate::world::World;

/// So many minutes from now.
pub(super) fn later(minutes: i64) -> DateTime<Utc> {
    clock().now() + TimeDelta::minutes(minutes)
}

pub(super) fn result(claim: Claim, outcome: Outcome) -> DeliveryResult {
    DeliveryResult {
        claim,
        at: clock().now(),
        outcome,
    }
}

pub(super) fn sent(delivery: &Delivery) -> DeliveryResult {
    result(delivery.claim, Outcome::Sent)
}

/// The update's message it carries; empty where there is none.
pub(super) fn message(delivery: &Delivery) -> String {
    let DeliveryKind::Notice(notice) = &delivery.kind else {
        panic!("no notice: {delivery:?}")
    };
    notice.content.message.clone().unwrap_or_default()
}

/// Subscribes an address, or leaves the known one as it is.
fn entering(email: &str) -> SubscriberRule {
    let draft = SubscriberDraft {
        email: email.into(),
    };
    Box::new(|known| match known {
        Some(subscriber) => Ok(subscriber.subscribe_again(clock().now())),
        None => Ok(Subscriber::create(
            SubscriberId(clock().id()),
            draft,
            clock().now(),
        )?),
    })
}

pub(super) async fn enter(
    database: &Database,
    organisation: &OrganisationId,
    email: &str,
) -> Subscriber {
    database
        .enter(organisation, Mailbox::of(email), entering(email))
        .await
        .unwrap()
}

impl World {
    /// Somebody verified as of now, to whom nothing is queued.
    pub(super) async fn subscriber(&self, email: &str) -> Subscriber {
        self.subscriber_at(email, clock().now()).await
    }

    pub(super) async fn subscriber_at(&self, email: &str, now: DateTime<Utc>) -> Subscriber {
        let mailbox = Mailbox::of(email);
        self.database
            .save(&self.acme, mailbox.clone(), entering(email))
            .await
            .unwrap();
        let verify: SubscriberRule = Box::new(move |known| {
            Ok(known
                .unwrap()
                .verify(now + Subscriber::VERIFICATION_LIFE, now)
                .unwrap())
        });
        self.database
            .save(&self.acme, mailbox, verify)
            .await
            .unwrap()
    }

    pub(super) async fn subscribed(&self, count: usize) -> Vec<SubscriberId> {
        let mut ids = Vec::new();
        for number in 0..count {
            ids.push(
                self.subscriber(&format!("person{number}@example.com"))
                    .await
                    .id,
            );
        }
        ids
    }

    pub(super) async fn unsubscribe(&self, subscriber: &Subscriber) {
        let rule: SubscriberRule = Box::new(|known| Ok(known.unwrap().unsubscribe(clock().now())));
        self.database
            .save(&self.acme, subscriber.mailbox(), rule)
            .await
            .unwrap();
    }

    pub(super) async fn incident(&self, title: &str) -> IncidentId {
        self.open(title, &[]).await.id
    }

    /// Records that these were sent.
    pub(super) async fn sent(&self, deliveries: &[Delivery]) {
        self.results(deliveries.iter().map(sent).collect()).await;
    }

    pub(super) async fn results(&self, results: Vec<DeliveryResult>) {
        self.database.record_results(results).await.unwrap();
    }

    pub(super) async fn expand(&self) {
        while self.database.expand(clock().now(), 500).await.unwrap() {}
    }

    pub(super) async fn claim(&self, limit: u64) -> Vec<Delivery> {
        self.claim_at(clock().now(), limit).await
    }

    /// For five minutes.
    pub(super) async fn claim_at(&self, now: DateTime<Utc>, limit: u64) -> Vec<Delivery> {
        self.database
            .claim(now, now + TimeDelta::minutes(5), limit)
            .await
            .unwrap()
    }

    pub(super) async fn counts(&self) -> DeliveryCounts {
        self.database
            .counts(&self.acme, clock().now() - TimeDelta::days(30))
            .await
            .unwrap()
    }
}
