use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{ALLOWED, WebhookSetup};

/// Replaces the secret of a webhook. Returns the new one.
async fn rotate(setup: &WebhookSetup, id: &str) -> String {
    let path = format!("/subscriber/{id}/rotate-secret");
    let rotated = setup.operator.post(&path, json!({})).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    rotated.body["data"]["secret"].as_str().unwrap().to_owned()
}

/// Sends a test message, and checks that these secrets have signed it, in this order.
async fn assert_signed(setup: &mut WebhookSetup, id: &str, secrets: &[&str]) {
    let test = format!("/subscriber/{id}/test");
    let tested = setup.operator.post(&test, json!({})).await;
    assert_eq!(tested.status, 200, "{tested:?}");
    let received = setup.receiver.next_at("/hook").await;
    assert_eq!(
        received.header("webhook-signature"),
        received.signatures(secrets)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_rotation_both_secrets_sign_for_a_day_the_new_one_first() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let chat = setup.hook("slack", "/chat").await;
    let rotate = format!("/subscriber/{}/rotate-secret", hook.id);
    let rotated = setup.operator.post(&rotate, json!({})).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    let new = rotated.body["data"]["secret"].as_str().unwrap().to_owned();
    assert!(new.starts_with("whsec_") && new != hook.secret);
    let audit = setup.operator.get("/audit").await.body["data"].clone();
    let of_rotation =
        |item: &&Value| item["requestId"] == *rotated.headers["x-request-id"].to_str().unwrap();
    let items: Vec<_> = audit
        .as_array()
        .unwrap()
        .iter()
        .filter(of_rotation)
        .collect();
    assert_eq!(items.len(), 1, "{audit}");
    assert_eq!(items[0]["action"], "subscriber.updated");
    assert!(items[0]["before"]["secretRotatedAt"].is_null());
    assert!(items[0]["after"]["secretRotatedAt"].is_string());
    let of_chat = format!("/subscriber/{}/rotate-secret", chat.id);
    let response = setup.operator.post(&of_chat, json!({})).await;
    assert_eq!(response.status, 409, "{response:?}");

    let both = [new.as_str(), hook.secret.as_str()];
    assert_signed(&mut setup, &hook.id, &both).await;
    setup
        .clock
        .advance(TimeDelta::hours(24) - TimeDelta::minutes(1));
    setup.sign_in_again().await;
    assert_signed(&mut setup, &hook.id, &both).await;
    setup.clock.advance(TimeDelta::minutes(2));
    setup.sign_in_again().await;
    assert_signed(&mut setup, &hook.id, &[&new]).await;

    let mut setup = setup.restarted(&ALLOWED).await;
    assert_signed(&mut setup, &hook.id, &[&new]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_that_is_replaced_twice_within_a_day_signs_for_a_day() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let second = rotate(&setup, &hook.id).await;
    setup.clock.advance(TimeDelta::hours(23));
    setup.sign_in_again().await;
    let third = rotate(&setup, &hook.id).await;
    let all = [third.as_str(), second.as_str(), hook.secret.as_str()];
    assert_signed(&mut setup, &hook.id, &all).await;
    setup.clock.advance(TimeDelta::hours(2));
    setup.sign_in_again().await;
    assert_signed(&mut setup, &hook.id, &all[..2]).await;
}
