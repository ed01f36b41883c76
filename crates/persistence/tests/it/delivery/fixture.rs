//! An organisation with subscribers that receive messages.

use std::collections::HashMap;

use allclear_application::delivery::{
    AttemptRecord, Claim, ClaimRequest, Delivery, DeliveryCounts, DeliveryKind, DeliveryOutcome,
    DeliveryQueue, DeliveryRoute,
};
use allclear_application::subscriber::{SubscriberKey, SubscriberStore, SubscriberTransition};
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{IncidentId, OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::backend::clock;
use crate::organisation_fixture::OrganisationFixture;

/// A time this many minutes from now.
pub(crate) fn later(minutes: i64) -> DateTime<Utc> {
    clock().now() + TimeDelta::minutes(minutes)
}

pub(crate) fn result(claim: Claim, outcome: DeliveryOutcome) -> AttemptRecord {
    AttemptRecord {
        claim,
        at: clock().now(),
        outcome,
        was_failing: false,
    }
}

/// A failed attempt whose next one no notice brings forward.
pub(crate) fn retried(at: DateTime<Utc>, reason: &str) -> DeliveryOutcome {
    DeliveryOutcome::Retried {
        at,
        early_at: None,
        reason: reason.to_owned(),
        is_unconfirmed: false,
    }
}

/// A request for mails of any organisation.
pub(crate) fn request(now: DateTime<Utc>, until: DateTime<Utc>, limit: u64) -> ClaimRequest {
    ClaimRequest {
        results: Vec::new(),
        route: DeliveryRoute::Mail,
        now,
        until,
        limit,
        after: None,
        in_flight: HashMap::new(),
        share: limit,
    }
}

pub(crate) fn sent(delivery: &Delivery) -> AttemptRecord {
    result(delivery.claim, DeliveryOutcome::Sent)
}

/// The message of the update in a delivery; empty if there is none.
pub(crate) fn message(delivery: &Delivery) -> String {
    let DeliveryKind::Notice(notice) = &delivery.kind else {
        panic!("no notice: {delivery:?}")
    };
    notice.content.message.clone().unwrap_or_default()
}

pub(crate) fn draft(email: &str) -> SubscriberDraft {
    SubscriberDraft::of_everything(Target::parse(Channel::Email, email).unwrap())
}

/// Subscribes a target, or leaves the known one as it is.
fn entering_draft(draft: SubscriberDraft) -> SubscriberTransition {
    Box::new(|known| match known {
        Some(subscriber) => Ok(subscriber.subscribe_again(draft, clock().now())),
        None => Ok(Subscriber::create(
            SubscriberId(clock().id()),
            draft,
            clock().now(),
        )),
    })
}

pub(crate) async fn enter(
    database: &Database,
    organisation: &OrganisationId,
    email: &str,
) -> Subscriber {
    enter_draft(database, organisation, draft(email)).await
}

/// Subscribes a target, and queues its verification.
pub(crate) async fn enter_draft(
    database: &Database,
    organisation: &OrganisationId,
    draft: SubscriberDraft,
) -> Subscriber {
    let key = SubscriberKey::of_draft(&draft);
    let rule = entering_draft(draft);
    let entered = database.save_and_queue_verification(organisation, key, rule);
    entered.await.unwrap()
}

impl OrganisationFixture {
    /// A subscriber that has just been verified, without queued deliveries.
    pub(crate) async fn subscriber(&self, email: &str) -> Subscriber {
        self.subscriber_at(email, clock().now()).await
    }

    pub(crate) async fn subscriber_at(&self, email: &str, now: DateTime<Utc>) -> Subscriber {
        self.subscriber_of(draft(email), now).await
    }

    pub(crate) async fn subscriber_of(
        &self,
        draft: SubscriberDraft,
        now: DateTime<Utc>,
    ) -> Subscriber {
        let key = SubscriberKey::of_draft(&draft);
        self.database
            .save(&self.id, key.clone(), entering_draft(draft))
            .await
            .unwrap();
        let verify: SubscriberTransition = Box::new(move |known| {
            Ok(known
                .unwrap()
                .verify(now + Subscriber::VERIFICATION_LIFETIME, now)
                .unwrap())
        });
        let change = self.database.save(&self.id, key, verify).await;
        change.unwrap().after
    }

    pub(crate) async fn subscribed(&self, count: usize) -> Vec<SubscriberId> {
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

    pub(crate) async fn unsubscribe(&self, subscriber: &Subscriber) {
        let rule: SubscriberTransition =
            Box::new(|known| Ok(known.unwrap().unsubscribe(clock().now())));
        self.database
            .save(&self.id, SubscriberKey::of(subscriber), rule)
            .await
            .unwrap();
    }

    pub(crate) async fn incident(&self, title: &str) -> IncidentId {
        self.open(title, &[]).await.id
    }

    /// Records that these were sent.
    pub(crate) async fn sent(&self, deliveries: &[Delivery]) {
        self.results(deliveries.iter().map(sent).collect()).await;
    }

    pub(crate) async fn results(&self, results: Vec<AttemptRecord>) {
        self.database.record_results(results).await.unwrap();
    }

    pub(crate) async fn expand(&self) {
        while self.database.expand(clock().now(), 500).await.unwrap() {}
    }

    pub(crate) async fn claim(&self, limit: u64) -> Vec<Delivery> {
        self.claim_at(clock().now(), limit).await
    }

    /// Claims for five minutes.
    pub(crate) async fn claim_at(&self, now: DateTime<Utc>, limit: u64) -> Vec<Delivery> {
        let ends = now + TimeDelta::minutes(5);
        self.database
            .claim(request(now, ends, limit))
            .await
            .unwrap()
    }

    pub(crate) async fn counts(&self) -> DeliveryCounts {
        self.database
            .counts(&self.id, clock().now() - TimeDelta::days(30))
            .await
            .unwrap()
    }
}
