use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{ALLOWED, WebhookSetup};

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

    let test = format!("/subscriber/{}/test", hook.id);
    let signature = async |setup: &mut WebhookSetup, secrets: &[&str]| {
        let tested = setup.operator.post(&test, json!({})).await;
        assert_eq!(tested.status, 200, "{tested:?}");
        let received = setup.receiver.next_at("/hook").await;
        assert_eq!(
            received.header("webhook-signature"),
            received.signatures(secrets)
        );
    };
    let both = [new.as_str(), hook.secret.as_str()];
    signature(&mut setup, &both).await;
    setup
        .clock
        .advance(TimeDelta::hours(24) - TimeDelta::minutes(1));
    setup.sign_in_again().await;
    signature(&mut setup, &both).await;
    setup.clock.advance(TimeDelta::minutes(2));
    setup.sign_in_again().await;
    signature(&mut setup, &[&new]).await;

    let mut setup = setup.restarted(&ALLOWED).await;
    signature(&mut setup, &[&new]).await;
}
