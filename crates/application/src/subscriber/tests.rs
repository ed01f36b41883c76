use super::*;

use allclear_domain::organisation::Revision;
use allclear_domain::subscriber::SubscriberStatus;
use uuid::Uuid;

use crate::fixture::{clock, no_mail_left, now, organisation, unlimited_mail};
use crate::organisation::MockOrganisationStore;

const ADDRESS: &str = "ann@example.com";

fn hmac_key() -> HmacKey {
    HmacKey::new("the installation's secret").unwrap()
}

fn draft(email: &str) -> SubscriberDraft {
    SubscriberDraft {
        email: email.into(),
    }
}

fn pending() -> Subscriber {
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft(ADDRESS), now()).unwrap()
}

fn subscribed() -> Subscriber {
    pending()
        .verify(now() + Subscriber::VERIFICATION_LIFE, now())
        .unwrap()
}

/// A store with this one subscriber, or none, that hands what a rule makes of it to `stored`.
fn store(
    known: Option<Subscriber>,
    stored: impl Fn(&Result<Subscriber, Error>) + Send + Sync + 'static,
) -> MockSubscriberStore {
    let mut store = MockSubscriberStore::new();
    let found = known.clone();
    store.expect_find().returning(move |_, _| Ok(found.clone()));
    let stored = Arc::new(stored);
    let (rule_of, seen) = (known.clone(), Arc::clone(&stored));
    store.expect_enter().returning(move |_, _, rule| {
        let outcome = rule(rule_of.clone());
        seen(&outcome);
        outcome
    });
    store.expect_save().returning(move |_, _, rule| {
        let outcome = rule(known.clone());
        stored(&outcome);
        outcome
    });
    store
}

fn service(store: MockSubscriberStore) -> Subscribers {
    let mut organisations = MockOrganisationStore::new();
    let acme = Organisation {
        id: organisation(),
        name: "Acme".into(),
        revision: Revision(0),
    };
    organisations
        .expect_find()
        .returning(move |id| Ok((*id == acme.id).then(|| acme.clone())));
    let ports = SubscriberPorts {
        subscribers: Arc::new(store),
        organisations: Arc::new(organisations),
        mail_budget: unlimited_mail(),
        clock: clock(),
        wake_signal: Arc::default(),
    };
    Subscribers::new(ports, hmac_key())
}

#[tokio::test]
async fn every_subscriber_is_stored_alike_and_mailed_later() {
    for known in [None, Some(pending()), Some(subscribed())] {
        let status = known
            .as_ref()
            .map_or(SubscriberStatus::Pending, |known| known.status);
        let store = store(known, move |stored| {
            assert_eq!(stored.as_ref().unwrap().status, status);
        });
        service(store)
            .subscribe(&organisation(), draft(ADDRESS))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn an_operator_may_know_of_an_address() {
    let service = service(store(Some(subscribed()), |_| {}));
    let refused = service.add(&organisation(), "bob", draft(ADDRESS)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

#[tokio::test]
async fn beyond_the_mail_budget_nothing_is_stored_and_only_an_operator_gets_an_error() {
    let nothing_entered = || {
        let mut store = MockSubscriberStore::new();
        store.expect_find().returning(|_, _| Ok(None));
        let mut service = service(store);
        service.ports.mail_budget = no_mail_left();
        service
    };
    nothing_entered()
        .subscribe(&organisation(), draft(ADDRESS))
        .await
        .unwrap();
    let refused = nothing_entered()
        .add(&organisation(), "bob", draft(ADDRESS))
        .await;
    assert!(matches!(refused, Err(Error::TooMany { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_bad_address_and_an_unknown_organisation_store_nothing() {
    let service = service(MockSubscriberStore::new());
    let refused = service.subscribe(&organisation(), draft("ann")).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    let elsewhere = OrganisationId::parse("org_2").unwrap();
    let unknown = [
        service.subscribe(&elsewhere, draft(ADDRESS)).await,
        service.verify(&elsewhere, ADDRESS, "code").await,
        service.unsubscribe(&elsewhere, ADDRESS, "code").await,
    ];
    assert!(
        unknown
            .iter()
            .all(|refused| matches!(refused, Err(Error::NotFound("Organisation")))),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn the_code_that_was_mailed_verifies_until_it_ends() {
    let codes = Codes::new(hmac_key());
    let verified =
        |stored: &Result<Subscriber, Error>| assert!(stored.as_ref().unwrap().is_verified);
    let good = codes.verification_code(&pending(), now() + Subscriber::VERIFICATION_LIFE);
    service(store(Some(pending()), verified))
        .verify(&organisation(), ADDRESS, &good)
        .await
        .unwrap();
    let over = codes.verification_code(&pending(), now());
    let late = service(store(Some(pending()), |_| {}));
    let refused = late.verify(&organisation(), ADDRESS, &over).await;
    assert!(matches!(refused, Err(Error::BadCode(message)) if message.contains("subscribe again")));
}

#[tokio::test]
async fn wrong_code_gets_the_same_response_for_known_and_unknown_addresses_and_writes_nothing() {
    for known in [Some(pending()), Some(subscribed()), None] {
        let mut store = MockSubscriberStore::new();
        store.expect_find().returning(move |_, _| Ok(known.clone()));
        let service = service(store);
        for refused in [
            service.verify(&organisation(), ADDRESS, "wrong").await,
            service.unsubscribe(&organisation(), ADDRESS, "wrong").await,
        ] {
            assert!(
                matches!(
                    refused,
                    Err(Error::BadCode("This link is wrong or has expired"))
                ),
                "{refused:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_unsubscribe_code_ends_a_subscription() {
    let code = Codes::new(hmac_key()).unsubscribe_code(&subscribed());
    let ended = |stored: &Result<Subscriber, Error>| {
        assert_eq!(
            stored.as_ref().unwrap().status,
            SubscriberStatus::Unsubscribed
        );
    };
    let service = service(store(Some(subscribed()), ended));
    service
        .unsubscribe(&organisation(), "ann@EXAMPLE.com", &code)
        .await
        .unwrap();
}

#[tokio::test]
async fn what_is_not_there_cannot_be_deleted() {
    let mut store = MockSubscriberStore::new();
    store.expect_delete().returning(|_, _| Ok(false));
    let refused = service(store).delete(&organisation(), pending().id).await;
    assert!(
        matches!(refused, Err(Error::NotFound("Subscriber"))),
        "{refused:?}"
    );
}
