use super::*;

use allclear_application::clock::TestClock;
use serde_json::json;

use crate::fixture::{FakeProvider, name, published};

const PATH: &str = "/.well-known/jwks.json";

async fn start() -> (FakeProvider, Keys, Arc<TestClock>) {
    let provider = FakeProvider::start().await;
    let clock = TestClock::stopped();
    let keys = Keys::published(provider.at(PATH), Arc::clone(&clock) as _).unwrap();
    (provider, keys, clock)
}

fn is_bad(found: &Result<Arc<DecodingKey>, TokenError>) -> bool {
    matches!(found, Err(TokenError::Bad(_)))
}

fn is_unavailable(found: &Result<Arc<DecodingKey>, TokenError>) -> bool {
    matches!(found, Err(TokenError::Unavailable(_)))
}

#[tokio::test]
async fn keys_are_fetched_once_and_known_from_then_on() {
    let (provider, keys, _) = start().await;
    provider.publish(&[0, 1]);
    for which in [0, 1, 0, 1] {
        assert!(keys.find(&name(which)).await.is_ok());
    }
    assert_eq!(provider.count(), 1);
}

#[tokio::test]
async fn a_new_key_is_found_and_unknown_names_do_not_make_it_ask_for_ever() {
    let (provider, keys, clock) = start().await;
    provider.publish(&[0]);
    assert!(keys.find(&name(0)).await.is_ok());
    provider.publish(&[0, 1]);
    assert!(is_bad(&keys.find(&name(1)).await), "it was asked just now");
    clock.advance(TimeDelta::seconds(31));
    assert!(keys.find(&name(1)).await.is_ok());
    for _ in 0..5 {
        assert!(is_bad(&keys.find("ins_unknown").await));
    }
    assert_eq!(provider.count(), 2);
}

#[tokio::test]
async fn known_keys_stay_valid_while_clerk_does_not_respond() {
    let (provider, keys, clock) = start().await;
    provider.set(PATH, 500, &json!({}));
    assert!(is_unavailable(&keys.find(&name(0)).await));
    provider.publish(&[0]);
    assert!(
        is_unavailable(&keys.find(&name(0)).await),
        "it was asked just now"
    );
    clock.advance(TimeDelta::seconds(3));
    assert!(keys.find(&name(0)).await.is_ok());

    for response in [
        json!({"keys": []}),
        json!([]),
        json!({"keys": [{"kty": "oct", "k": "AA", "kid": "ins_1"}]}),
    ] {
        provider.set(PATH, 200, &response);
        clock.advance(TimeDelta::seconds(31));
        assert!(
            is_unavailable(&keys.find(&name(1)).await),
            "a token signed with a new key is not bad for that: {response}"
        );
        assert!(keys.find(&name(0)).await.is_ok());
    }
}

#[tokio::test]
async fn old_keys_are_refreshed_in_the_background_of_a_request() {
    let (provider, keys, clock) = start().await;
    provider.publish(&[0]);
    assert!(keys.find(&name(0)).await.is_ok());
    provider.publish(&[1]);
    clock.advance(TimeDelta::seconds(241));
    assert!(keys.find(&name(0)).await.is_ok(), "nobody waits");
    let Keys::Published(published) = &keys else {
        panic!("they are published")
    };
    let withdrawn = async {
        while published.cached(&name(0)).is_some() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), withdrawn)
        .await
        .expect("a withdrawn key goes");
    assert!(keys.find(&name(1)).await.is_ok());
}

#[tokio::test]
async fn a_withdrawn_key_counts_five_minutes_at_most() {
    let (provider, keys, clock) = start().await;
    provider.publish(&[0]);
    assert!(keys.find(&name(0)).await.is_ok());
    provider.publish(&[1]);
    clock.advance(TimeDelta::seconds(300));
    assert!(is_bad(&keys.find(&name(0)).await));
    assert!(keys.find(&name(1)).await.is_ok());
    assert_eq!(provider.count(), 2);
}

#[tokio::test]
async fn old_keys_count_while_clerk_does_not_respond_and_a_withdrawn_one_goes_when_it_does() {
    let (provider, keys, clock) = start().await;
    provider.publish(&[0]);
    assert!(keys.find(&name(0)).await.is_ok());
    provider.set(PATH, 500, &json!({}));
    clock.advance(TimeDelta::seconds(86_400));
    for _ in 0..5 {
        assert!(keys.find(&name(0)).await.is_ok());
    }
    assert_eq!(provider.count(), 2, "it is not asked for every token");
    provider.publish(&[1]);
    clock.advance(TimeDelta::seconds(31));
    let Keys::Published(published) = &keys else {
        panic!("they are published")
    };
    let withdrawn = async {
        while keys.find(&name(0)).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), withdrawn)
        .await
        .expect("a withdrawn key goes");
    assert!(published.cached(&name(1)).is_some());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (provider, keys, _) = start().await;
    provider.set(PATH, 302, &json!({}));
    provider.set("/elsewhere", 200, &json!({"keys": [published(0)]}));
    assert!(is_unavailable(&keys.find(&name(0)).await));
    assert_eq!(provider.count(), 1);
}

#[test]
fn keys_for_other_purposes_are_left_out() {
    let usable_as = |change: serde_json::Value| {
        let mut key = published(0);
        key.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        named_key(key).is_some()
    };
    assert!(usable_as(json!({})));
    assert!(!usable_as(json!({"use": "enc"})));
    assert!(!usable_as(json!({"alg": "RS512"})));
    assert!(!usable_as(json!({"kid": null})));
    assert!(!usable_as(json!({"kty": "unheard of"})));
}

#[test]
fn a_configured_key_may_have_its_line_breaks_written_out() {
    let pem = include_str!("../../fixture/one_public.pem");
    assert!(Keys::configured(pem).is_ok());
    assert!(Keys::configured(&pem.replace('\n', "\\n")).is_ok());
    for bad in [
        "",
        "abc",
        include_str!("../../fixture/one_public.pem").trim_start_matches('-'),
    ] {
        assert!(Keys::configured(bad).is_err());
    }
}
