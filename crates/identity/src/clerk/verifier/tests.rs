use super::*;

use allclear_application::broadcast::MockBroadcast;
use allclear_application::caller::Role;
use allclear_application::directory::{
    MockDirectoryStore, MockProfiles, MockWebhookVerifier, NameRecord, TokenStatus,
};
use allclear_application::error::Error;
use allclear_application::outbox::MockOutbox;
use allclear_application::relay::Relay;
use chrono::TimeDelta;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::clerk::fixture::{application, claims, signed};
use crate::fixture::{FakeProvider, URL, clock, name, now, published, signing};

fn directory(token_status: Result<TokenStatus, Error>) -> Arc<Directory> {
    let mut store = MockDirectoryStore::new();
    store
        .expect_token_status()
        .return_once(move |_| token_status);
    let relay = Arc::new(Relay::new(
        Arc::new(MockOutbox::new()),
        Arc::new(MockBroadcast::new()),
    ));
    let (profiles, webhook_verifier) = (
        Arc::new(MockProfiles::new()),
        Arc::new(MockWebhookVerifier::new()),
    );
    Arc::new(Directory::new(
        Arc::new(store),
        profiles,
        webhook_verifier,
        relay,
        clock(0),
    ))
}

fn known() -> TokenStatus {
    let known = |name: &str| {
        Some(NameRecord {
            name: name.into(),
            as_of: now() - TimeDelta::days(1),
        })
    };
    TokenStatus {
        revoked: false,
        user: known("Ann"),
        organisation: known("Acme"),
    }
}

fn keys() -> Keys {
    Keys::configured(include_str!("../../fixture/one_public.pem")).unwrap()
}

async fn verify_at(
    seconds: i64,
    keys: Keys,
    token: &str,
    token_status: Result<TokenStatus, Error>,
) -> Result<Caller, TokenError> {
    let parties = vec!["https://other.example.com".to_owned(), URL.to_owned()];
    ClerkVerifier::new(
        &application(),
        parties,
        keys,
        directory(token_status),
        clock(seconds),
    )
    .verify(token)
    .await
}

async fn verify(token: &str) -> Result<Caller, TokenError> {
    verify_at(0, keys(), token, Ok(known())).await
}

async fn refused(token: &str) -> bool {
    matches!(verify(token).await, Err(TokenError::Bad(_)))
}

fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut claims = claims();
    change(&mut claims);
    signed(0, &claims)
}

#[tokio::test]
async fn a_session_token_is_its_bearers() {
    let caller = verify(&signed(0, &claims())).await.unwrap();
    assert_eq!(caller.subject, "user_1");
    assert_eq!(caller.admin_session(), None, "it is Clerk's");
    let session = TokenSession::Hosted("sess_1".into());
    assert_eq!(caller.session, Some(session));
    assert_eq!(
        (caller.name.as_deref(), caller.expires_at),
        (Some("Ann"), Some(now() + TimeDelta::seconds(60)))
    );
    let membership = caller.membership.unwrap();
    assert_eq!(
        (membership.organisation.as_str(), membership.role),
        ("org_1", Role::Admin)
    );
    assert_eq!(membership.organisation_name.as_deref(), Some("Acme"));
}

#[tokio::test]
async fn a_token_without_an_organisation_has_no_membership() {
    let token = changed(|claims| drop(claims.as_object_mut().unwrap().remove("o")));
    assert_eq!(verify(&token).await.unwrap().membership, None);
}

#[tokio::test]
async fn claims_that_are_not_those_of_an_active_session_of_ours_are_refused() {
    for (claim, value) in [
        ("iss", json!("https://clerk.example.com/")),
        ("iss", json!("https://clerk.evil.example")),
        ("azp", json!("https://evil.example")),
        ("azp", json!("")),
        ("sts", json!("pending")),
        ("v", json!(3)),
        ("aud", json!("another service")),
        ("o", json!({"id": "a/b"})),
        ("exp", json!(now().timestamp() + 1_000_000)),
    ] {
        assert!(
            refused(&changed(|claims| claims[claim] = value.clone())).await,
            "{claim}: {value}"
        );
    }
    for claim in ["iss", "sub", "sid", "iat", "nbf", "exp", "azp"] {
        let without = changed(|claims| drop(claims.as_object_mut().unwrap().remove(claim)));
        assert!(refused(&without).await, "{claim}");
    }
}

#[tokio::test]
async fn a_token_counts_within_its_times_and_five_seconds_of_leeway() {
    let token = signed(0, &claims());
    for (seconds, counts) in [(-6, false), (-5, true), (64, true), (65, false)] {
        let found = verify_at(seconds, keys(), &token, Ok(known())).await;
        assert_eq!(found.is_ok(), counts, "{seconds}");
    }
}

#[tokio::test]
async fn another_algorithm_or_key_is_refused() {
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some(name(0));
    for secret in [
        include_str!("../../fixture/one_public.pem").to_owned(),
        published(0).to_string(),
    ] {
        let forged = encode(
            &header,
            &claims(),
            &EncodingKey::from_secret(secret.as_bytes()),
        )
        .unwrap();
        assert!(refused(&forged).await);
    }
    let other = encode(
        &Header {
            alg: Algorithm::RS512,
            ..header.clone()
        },
        &claims(),
        &signing(0),
    )
    .unwrap();
    assert!(refused(&other).await);
    assert!(refused(&signed(1, &claims())).await);
    let (_, rest) = signed(0, &claims())
        .split_once('.')
        .map(|(head, rest)| (head.to_owned(), rest.to_owned()))
        .unwrap();
    // {"alg":"none","kid":"ins_0"}
    assert!(refused(&format!("eyJhbGciOiJub25lIiwia2lkIjoiaW5zXzAifQ.{rest}")).await);
    assert!(
        refused(&format!(
            "eyJhbGciOiJub25lIiwia2lkIjoiaW5zXzAifQ.{}.",
            rest.split('.').next().unwrap()
        ))
        .await
    );
}

#[tokio::test]
async fn a_key_that_a_token_brings_or_points_to_is_not_taken() {
    let provider = FakeProvider::start().await;
    provider.publish(&[1]);
    let at = provider.at("/.well-known/jwks.json").to_string();
    let brought: [fn(&mut Header, &str); 3] = [
        |header, at| header.jku = Some(at.to_owned()),
        |header, at| header.x5u = Some(at.to_owned()),
        |header, _| header.jwk = serde_json::from_value(published(1)).ok(),
    ];
    for bring in brought {
        let mut header = Header::new(ALGORITHM);
        header.kid = Some(name(1));
        bring(&mut header, &at);
        assert!(refused(&encode(&header, &claims(), &signing(1)).unwrap()).await);
    }
    assert_eq!(provider.count(), 0, "nothing was fetched");
}

#[tokio::test]
async fn ended_sessions_are_refused_and_an_unavailable_database_refuses_none_for_good() {
    let token = signed(0, &claims());
    let revoked = verify_at(
        0,
        keys(),
        &token,
        Ok(TokenStatus {
            revoked: true,
            ..known()
        }),
    )
    .await;
    assert!(matches!(revoked, Err(TokenError::Bad(_))));
    let unavailable = verify_at(0, keys(), &token, Err(Error::Unavailable("down".into()))).await;
    assert!(matches!(unavailable, Err(TokenError::Unavailable(_))));
}

#[tokio::test]
async fn impersonated_user_is_named_as_such() {
    let token = changed(|claims| {
        claims["act"] = json!({"iss": "https://dashboard.clerk.com", "sub": "user_9"});
    });
    let caller = verify(&token).await.unwrap();
    assert_eq!(
        (caller.subject.as_str(), caller.name.as_deref()),
        ("user_1", Some("Ann (impersonated)"))
    );
}
