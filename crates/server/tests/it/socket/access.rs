use std::sync::Arc;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::json;

use super::{Client, End};
use crate::app::{TestApp, token};
use crate::built_in::Person;

/// Interval of the checks of access.
const OFTEN: [&str; 2] = ["--ping-interval", "200"];

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_taken_from_auth_or_the_header_and_a_bad_one_is_refused_with_a_sentence() {
    let (app, acme) = TestApp::with_operator().await;
    let good = format!("Bearer {}", acme.token);
    let connect = async |auth, authorization: Option<&str>| {
        let headers: Vec<_> = authorization
            .iter()
            .map(|value| ("authorization", *value))
            .collect();
        Client::connect(&app.url, auth, &headers).await
    };
    assert!(connect(json!({}), Some(&good)).await.is_ok());
    assert!(
        connect(json!({"token": acme.token}), Some("Bearer old"))
            .await
            .is_ok(),
        "the newer credentials apply"
    );
    assert!(connect(json!({"token": null}), None).await.is_ok());
    assert!(
        connect(json!({}), Some("Basic YTpi")).await.is_ok(),
        "a proxy's credentials are not ours"
    );

    let expected = Some(json!({"message": "Please sign in again"}));
    assert_eq!(
        connect(json!({}), Some("Bearer nonsense")).await.err(),
        expected
    );
    assert_eq!(
        connect(json!({"token": "nonsense"}), Some(&good))
            .await
            .err(),
        expected
    );
    assert_eq!(connect(json!({"token": ""}), None).await.err(), expected);
    let malformed = Some(json!({"message": "auth.token must be a token, or absent"}));
    assert_eq!(connect(json!({"token": 7}), None).await.err(), malformed);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_out_disconnects_the_user_and_no_viewer() {
    let app = TestApp::start_with(&OFTEN).await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    let mut member = Client::signed_in(&app.url, &ann.token(&acme).await).await;
    member.join(&acme).await;
    let mut visitor = Client::anonymous(&app.url).await;
    assert_eq!(ann.post("/sign-out", json!({})).await.status, 200);
    assert_eq!(member.end().await, End::Disconnected);
    assert_eq!(visitor.join(&acme).await, json!({"revision": 0}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_member_is_disconnected_and_the_others_stay() {
    let app = TestApp::start_with(&OFTEN).await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "member").await;
    let mut admin = Client::signed_in(&app.url, &ann.token(&acme).await).await;
    let member = Client::signed_in(&app.url, &bob.token(&acme).await).await;
    let removed = ann
        .call(
            Method::DELETE,
            &format!("/organisations/{acme}/members/{}", bob.id().await),
            None,
        )
        .await;
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(member.end().await, End::Disconnected);
    assert_eq!(admin.join(&acme).await["revision"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn member_who_leaves_is_disconnected_from_that_organisation_only() {
    let app = TestApp::start_with(&OFTEN).await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "member").await;
    let home = bob.organisation().await;
    let there = Client::signed_in(&app.url, &bob.token(&acme).await).await;
    let mut elsewhere = Client::signed_in(&app.url, &bob.token(&home).await).await;
    let mut admin = Client::signed_in(&app.url, &ann.token(&acme).await).await;
    let left = bob
        .delete(&format!("/organisations/{acme}/members/{}", bob.id().await))
        .await;
    assert_eq!(left.status, 200, "{left:?}");
    assert_eq!(
        there.end().await,
        End::Disconnected,
        "long before its token ends"
    );
    assert_eq!(elsewhere.join(&home).await["revision"], 0);
    assert_eq!(admin.join(&acme).await["revision"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_ends_with_its_token_unless_it_brings_a_fresh_one() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&OFTEN, Arc::clone(&clock) as _).await;
    let acme = app.operator("Acme").await;
    let expiring = Client::signed_in(&app.url, &acme.token).await;
    let mut renewed = Client::signed_in(&app.url, &acme.token).await;
    let mut visitor = Client::anonymous(&app.url).await;

    clock.advance(TimeDelta::seconds(240));
    let fresh = token(&acme.client, &app.url, &acme.organisation).await;
    let response = renewed.ask("authenticate", &fresh).await;
    assert!(response["expiresAt"].is_string(), "{response}");
    clock.advance(TimeDelta::seconds(90));
    assert_eq!(
        expiring.end().await,
        End::Closed,
        "its client comes back with a fresh token"
    );
    assert_eq!(renewed.join(&acme.organisation).await["revision"], 0);
    assert_eq!(visitor.join(&acme.organisation).await["revision"], 0);
    clock.advance(TimeDelta::seconds(370));
    assert_eq!(renewed.end().await, End::Closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_does_not_change_its_user() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let mut client = Client::signed_in(&app.url, &acme.token).await;
    let response = client.ask("authenticate", &other.token).await;
    assert_eq!(
        response["message"],
        "This connection belongs to another session or organisation"
    );
    assert_eq!(
        client.ask("authenticate", "nonsense").await["message"],
        "Please sign in again"
    );
    assert!(client.ask("authenticate", &acme.token).await["expiresAt"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn tenth_refused_token_closes_the_connection() {
    let app = TestApp::start().await;
    let mut visitor = Client::anonymous(&app.url).await;
    for _ in 0..10 {
        assert!(visitor.ask("authenticate", "nonsense").await["message"].is_string());
    }
    assert_eq!(visitor.end().await, End::Closed);
}
