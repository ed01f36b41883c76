use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{ALLOWED, Site};

#[tokio::test(flavor = "multi_thread")]
async fn after_a_rotation_both_secrets_sign_for_a_day_the_new_one_first() {
    let mut site = Site::start().await;
    let hook = site.hook("webhook", "/hook").await;
    let chat = site.hook("slack", "/chat").await;
    let rotate = format!("/subscriber/{}/rotate-secret", hook.id);
    let rotated = site.operator.post(&rotate, json!({})).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    let new = rotated.body["data"]["secret"].as_str().unwrap().to_owned();
    assert!(new.starts_with("whsec_") && new != hook.secret);
    let audit = site.operator.get("/audit").await.body["data"].clone();
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
    let response = site.operator.post(&of_chat, json!({})).await;
    assert_eq!(response.status, 409, "{response:?}");

    let test = format!("/subscriber/{}/test", hook.id);
    let signature = async |site: &mut Site, secrets: &[&str]| {
        let tested = site.operator.post(&test, json!({})).await;
        assert_eq!(tested.status, 200, "{tested:?}");
        let received = site.receiver.next_at("/hook").await;
        assert_eq!(
            received.header("webhook-signature"),
            received.signatures(secrets)
        );
    };
    let both = [new.as_str(), hook.secret.as_str()];
    signature(&mut site, &both).await;
    site.clock
        .advance(TimeDelta::hours(24) - TimeDelta::minutes(1));
    site.sign_in_again().await;
    signature(&mut site, &both).await;
    site.clock.advance(TimeDelta::minutes(2));
    site.sign_in_again().await;
    signature(&mut site, &[&new]).await;

    let mut site = site.restarted(&ALLOWED).await;
    signature(&mut site, &[&new]).await;
}
