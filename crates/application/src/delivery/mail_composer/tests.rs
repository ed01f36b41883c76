use super::*;

use allclear_domain::channel::RecipientKey;
use allclear_domain::email::EmailKey;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{IncidentChange, NoticeChange, NoticeContent};
use chrono::TimeDelta;
use uuid::Uuid;

use crate::delivery::Claim;
use crate::delivery::fixture::{delivery, pending, subscribed};
use crate::fixture::{clock, hmac_key, links, now};
use crate::subscriber::MockSubscriberStore;
use crate::subscriber::code::Codes;

fn composer(store: MockSubscriberStore) -> MailComposer {
    MailComposer::new(
        Arc::new(store),
        clock(),
        links(),
        hmac_key(),
        RateLimit {
            burst: 3,
            per_hour: 1,
        },
    )
}

/// A store that must be asked exactly `times` times whether an address may be mailed, and
/// returns `may`.
fn limited(times: usize, may: bool) -> MockSubscriberStore {
    let mut store = MockSubscriberStore::new();
    let key = RecipientKey::from(EmailKey::of("ann@example.com"));
    store
        .expect_count_verification()
        .withf(move |address, _, _| *address == key)
        .times(times)
        .returning(move |_, _, _| Ok(may));
    store
}

fn notice() -> DeliveryKind {
    notice_of(IncidentChange::Updated)
}

fn notice_of(change: IncidentChange) -> DeliveryKind {
    let content = NoticeContent {
        title: "Down".into(),
        description: "All of it".into(),
        message: None,
        unnamed_components: 0,
        change: NoticeChange::Incident {
            change,
            status: IncidentStatus::Investigating,
            update_status: None,
            shown_at: None,
            occurred_at: now(),
            resolved_at: None,
            components: Vec::new(),
        },
    };
    let (id, subject) = (Uuid::from_u128(7), Uuid::from_u128(5));
    DeliveryKind::Notice(Arc::new(Notice {
        id,
        subject,
        at: now(),
        content,
    }))
}

#[tokio::test]
async fn a_verification_has_links_that_verify_and_unsubscribe_and_is_the_same_at_every_try() {
    let first = delivery(1, pending(), DeliveryKind::Verification);
    let again = Delivery {
        claim: Claim {
            attempt: 2,
            ..first.claim
        },
        ..first.clone()
    };
    let composer = composer(limited(1, true));
    let mail = composer.compose(&first).await.unwrap().unwrap();
    assert_eq!(
        composer.compose(&again).await.unwrap().as_ref(),
        Some(&mail),
        "the second attempt is not counted"
    );
    let MailContent::Verification {
        organisation,
        link,
        manage,
        unsubscribe,
    } = mail.content
    else {
        panic!("{mail:?}")
    };
    assert_eq!(
        (mail.to.as_str(), organisation.as_str()),
        ("ann@example.com", "Acme")
    );
    let query = "?email=ann%40example.com&orgId=org_1&";
    let code = link
        .strip_prefix(&format!(
            "https://status.example.com/verify{query}verificationCode="
        ))
        .unwrap();
    let ends = Codes::new(hmac_key()).verification(Some(&pending()), code);
    assert_eq!(ends, Some(now() + TimeDelta::days(7)));
    assert!(manage.starts_with("https://status.example.com/subscription?subscriberId="));
    assert!(unsubscribe.starts_with(&format!(
        "https://status.example.com/unsubscribe{query}unsubscribeCode="
    )));
}

#[tokio::test]
async fn a_verification_is_mailed_only_if_it_is_awaited_and_below_the_limit() {
    let requested = delivery(1, pending(), DeliveryKind::Verification);
    let confirmed_since = Delivery {
        queued_at: now() - TimeDelta::milliseconds(1),
        subscriber: subscribed(),
        ..requested.clone()
    };
    let gone = Delivery {
        subscriber: subscribed().unsubscribe(now()),
        ..requested.clone()
    };
    for unneeded in [confirmed_since, gone] {
        let composer = composer(limited(0, true));
        assert_eq!(composer.compose(&unneeded).await.unwrap(), None);
    }
    let known = Delivery {
        subscriber: subscribed(),
        ..requested.clone()
    };
    for bombed in [requested, known] {
        let composer = composer(limited(1, false));
        assert_eq!(composer.compose(&bombed).await.unwrap(), None);
    }
}

#[tokio::test]
async fn subscribed_address_that_subscribes_again_is_mailed_the_link_that_changes_its_subscription()
{
    let again = delivery(1, subscribed(), DeliveryKind::Verification);
    let mail = composer(limited(1, true)).compose(&again).await.unwrap();
    let mail = mail.unwrap();
    let list = mail.headers.list.as_ref().unwrap();
    assert!(list.unsubscribe.contains("/one-click?"), "{list:?}");
    let MailContent::SubscribedAlready {
        organisation,
        page,
        manage,
        unsubscribe,
    } = mail.content
    else {
        panic!("{mail:?}")
    };
    assert_eq!(organisation, "Acme");
    assert_eq!(page, "https://status.example.com/status/org_1");
    assert!(manage.starts_with("https://status.example.com/subscription?subscriberId="));
    assert!(unsubscribe.starts_with("https://status.example.com/unsubscribe?"));
}

#[tokio::test]
async fn a_notice_has_a_thread_and_a_list_and_names_its_subscriber() {
    let composer = composer(MockSubscriberStore::new());
    let mail = composer
        .compose(&delivery(1, subscribed(), notice()))
        .await
        .unwrap()
        .unwrap();
    let recipient = subscribed().id.0.simple().to_string();
    let id = |number: u128| Some(format!("{}.{recipient}", Uuid::from_u128(number).simple()));
    assert_eq!(
        (mail.headers.message_id, mail.headers.thread),
        (id(7), id(5))
    );
    let list = mail.headers.list.unwrap();
    assert_eq!(list.name, "Acme");
    assert!(
        list.unsubscribe
            .contains("/one-click?email=ann%40example.com&orgId=org_1&unsubscribeCode="),
        "{list:?}"
    );
    let MailContent::Notice { page, .. } = mail.content else {
        panic!("not a notice")
    };
    assert_eq!(page, "https://status.example.com/status/org_1");
}

#[tokio::test]
async fn first_notice_is_the_mail_that_later_ones_refer_to() {
    let composer = composer(MockSubscriberStore::new());
    let created = delivery(1, subscribed(), notice_of(IncidentChange::Created));
    let mail = composer.compose(&created).await.unwrap().unwrap();
    let updated = delivery(2, subscribed(), notice());
    let later = composer.compose(&updated).await.unwrap().unwrap();
    assert_eq!(mail.headers.message_id, mail.headers.thread);
    assert_eq!(later.headers.thread, mail.headers.message_id);
}

#[tokio::test]
async fn notices_go_only_to_subscribers() {
    let composer = composer(MockSubscriberStore::new());
    for nobody in [pending(), subscribed().unsubscribe(now())] {
        assert_eq!(
            composer
                .compose(&delivery(1, nobody, notice()))
                .await
                .unwrap(),
            None
        );
    }
}
