use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::key;
use crate::app::{TestApp, assert_status};
use crate::socket::{Client, End};

/// Interval of the checks of access.
const OFTEN: [&str; 2] = ["--ping-interval", "200"];

fn text(key: &Value) -> &str {
    key["key"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_accepts_a_key_in_the_header_and_in_auth() {
    let (app, admin) = TestApp::with_operator().await;
    let key = key(&admin, "viewer").await;
    let bearer = format!("Bearer {}", text(&key));
    let by_header = Client::connect(&app.url, json!({}), &[("authorization", &bearer)]).await;
    assert!(by_header.is_ok());
    let mut client = Client::signed_in(&app.url, text(&key)).await;
    assert_eq!(client.join(&admin.organisation).await["revision"], 0);
    let prolonged = client.ask("authenticate", text(&key)).await;
    assert_eq!(prolonged, json!({"expiresAt": null}));
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_of_a_revoked_key_is_disconnected_and_a_new_one_is_refused() {
    let app = TestApp::start_with(&OFTEN).await;
    let admin = app.operator("Acme").await;
    let (key, other) = (key(&admin, "viewer").await, key(&admin, "viewer").await);
    let client = Client::signed_in(&app.url, text(&key)).await;
    let mut stays = Client::signed_in(&app.url, text(&other)).await;
    let path = format!("/api-key/{}", key["id"].as_str().unwrap());
    assert_status(admin.delete(&path), 200).await;
    assert_eq!(client.end().await, End::Disconnected);
    let again = Client::connect(&app.url, json!({"token": text(&key)}), &[]).await;
    assert_eq!(
        again.err(),
        Some(json!({"message": "Please sign in again"}))
    );
    assert_eq!(stays.join(&admin.organisation).await["revision"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_of_an_expired_key_is_disconnected() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&OFTEN, Arc::clone(&clock) as _).await;
    let admin = app.operator("Acme").await;
    let expires_at = (clock.now() + TimeDelta::seconds(60)).to_rfc3339();
    let body = json!({"name": "Short", "expiresAt": expires_at});
    let key = admin.create("/api-key/create", body).await;
    let client = Client::signed_in(&app.url, text(&key)).await;
    clock.advance(TimeDelta::seconds(61));
    assert_eq!(
        client.end().await,
        End::Disconnected,
        "it must not reconnect"
    );
}
