use super::*;

use std::sync::Arc;

use allclear_domain::channel::Target;
use allclear_domain::subscriber::{Failing, SubscriberDraft};
use uuid::Uuid;

use crate::delivery::{DeliverySender, MockDeliverySender};
use crate::fixture::{mail_budget, now, organisation};
use crate::mail_budget::{MailBudgetLimits, MockMailCountStore};
use crate::subscriber::MockSubscriberStore;
use crate::subscriber::tests::{pending, service, store_of, subscribed};

#[tokio::test]
async fn pending_subscriber_is_sent_a_new_link_which_is_recorded() {
    let pending = Subscriber {
        failing: Some(Failing {
            reason: "550".into(),
            since: now(),
        }),
        ..pending()
    };
    let mut store = store_of(pending.clone());
    store
        .expect_record_verification()
        .withf(|_, id, at| *id == SubscriberId(Uuid::from_u128(1)) && *at == now())
        .times(1)
        .returning(|_, _, _| Ok(()));
    let mut sender = MockDeliverySender::new();
    sender
        .expect_send()
        .withf(|delivery: &Delivery| {
            // The limit of links counts first attempts.
            delivery.kind == DeliveryKind::Verification && delivery.claim.attempt == 1
        })
        .times(1)
        .returning(|_| Ok(AttemptResult::Sent));
    let mut service = service(store);
    service.ports.sender = Arc::new(sender);
    let sent = service
        .send_verification(&organisation(), "bob", pending.id)
        .await
        .unwrap();
    assert_eq!((sent.status, sent.failing), (pending.status, None));
}

#[tokio::test]
async fn new_link_that_does_not_arrive_is_not_recorded() {
    let denied = AttemptResult::Temporary {
        reason: "535 denied".into(),
        retry_after: None,
    };
    for (result, expected) in [
        (denied, "The confirmation did not arrive: 535 denied"),
        (
            AttemptResult::Ended,
            "The confirmation did not arrive: the receiver has ended the subscription",
        ),
        (
            AttemptResult::Unwanted,
            "This address has recently been sent as many confirmations as allowed, please try again later (ALLCLEAR_LIMIT_VERIFICATION_MAIL)",
        ),
    ] {
        let mut sender = MockDeliverySender::new();
        sender
            .expect_send()
            .times(1)
            .returning(move |_| Ok(result.clone()));
        let mut service = service(store_of(pending()));
        service.ports.sender = Arc::new(sender);
        let refused = service
            .send_verification(&organisation(), "bob", pending().id)
            .await;
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
}

/// A receiver that does not respond.
struct SilentSender;

#[async_trait::async_trait]
impl DeliverySender for SilentSender {
    async fn send(&self, _: &Delivery) -> Result<AttemptResult, Error> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn operator_does_not_wait_longer_than_a_limit_for_a_new_link() {
    let webhook = Target::parse(Channel::Webhook, "https://hooks.example.com/ann").unwrap();
    let draft = SubscriberDraft::of_everything(webhook);
    let webhook = Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft, now());
    for (subscriber, silent) in [(pending(), "mail server"), (webhook, "receiver")] {
        let mut store = MockSubscriberStore::new();
        let id = subscriber.id;
        store
            .expect_find()
            .returning(move |_, _| Ok(Some(subscriber.clone())));
        let mut service = service(store);
        service.ports.sender = Arc::new(SilentSender);
        let begun = tokio::time::Instant::now();
        let refused = service.send_verification(&organisation(), "bob", id).await;
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!("The confirmation did not arrive: the {silent} did not respond in time")
        );
        assert_eq!(begun.elapsed(), PROMPT_MAIL_TIMEOUT);
    }
}

#[tokio::test]
async fn link_beyond_the_limit_of_links_uses_up_no_mail() {
    let mut counts = MockMailCountStore::new();
    counts.expect_take().times(1).returning(|_, _, _| Ok(()));
    counts
        .expect_give_back()
        .withf(|_, counts, at| counts.len() == 1 && *at == now())
        .times(1)
        .returning(|_, _, _| Ok(()));
    let limits = MailBudgetLimits {
        mailbox: Some(10),
        ..MailBudgetLimits::default()
    };
    let mut sender = MockDeliverySender::new();
    sender
        .expect_send()
        .times(1)
        .returning(|_| Ok(AttemptResult::Unwanted));
    let mut service = service(store_of(pending()));
    service.ports.mail_budget = mail_budget(counts, limits);
    service.ports.sender = Arc::new(sender);
    let refused = service
        .send_verification(&organisation(), "bob", pending().id)
        .await;
    assert!(matches!(refused, Err(Error::TooMany { .. })), "{refused:?}");
}

#[tokio::test]
async fn new_link_is_for_pending_subscribers_only() {
    for known in [subscribed(), subscribed().unsubscribe(now())] {
        let id = known.id;
        let service = service(store_of(known));
        let refused = service.send_verification(&organisation(), "bob", id).await;
        assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    }
}
