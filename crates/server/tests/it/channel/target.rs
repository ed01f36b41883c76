use allclear_domain::channel::Channel;
use serde_json::{Value, json};

use super::WebhookSetup;
use super::ready::subscribe;
use crate::app::{TestResponse, until};

/// A target of the public internet. Nobody has its address.
fn public(path: &str) -> String {
    format!("https://[2e00::1]/{path}")
}

/// Status, names of the headers, and body: what a visitor can compare.
fn visible(response: &TestResponse) -> (u16, Vec<String>, Value) {
    let names = response.headers.keys().map(ToString::to_string);
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    (response.status, names, response.body.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_has_one_subscription_and_one_for_each_incident() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let incidents = [setup.incident("One").await, setup.incident("Two").await];
    for _ in &incidents {
        setup.receiver.next_at("/hook").await;
    }
    let target = setup.receiver.url("/hook");
    let body = json!({"channel": "webhook", "target": target});
    let known = setup.operator.post("/subscriber", body.clone()).await;
    assert_eq!(
        (known.status, &known.body["message"]),
        (409, &json!("This target is a subscriber already"))
    );
    for incident in &incidents {
        let follow = json!({"channel": "webhook", "target": target, "incidentId": incident});
        let followed = setup.operator.post("/subscriber", follow.clone()).await;
        assert_eq!(followed.status, 201, "{followed:?}");
        assert_ne!(followed.body["data"]["id"], json!(hook.id));
        let again = setup.operator.post("/subscriber", follow).await;
        assert_eq!(again.status, 409);
    }
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_get_the_same_response_for_known_and_unknown_targets() {
    let setup = WebhookSetup::start().await;
    let (database, organisation) = (setup.app.database().await, &setup.operator.organisation);
    let known = [public("known")];
    subscribe(&database, organisation, Channel::Webhook, &known).await;
    let post = async |path: &str| {
        let body = json!({"channel": "webhook", "target": public(path), "orgId": organisation});
        setup.post("/public", &body).await
    };
    let subscribed = post("known").await;
    let unknown = post("new").await;
    let pending = post("new").await;
    assert_eq!(unknown.status, 200, "{unknown:?}");
    assert_eq!(visible(&subscribed), visible(&unknown));
    assert_eq!(visible(&pending), visible(&unknown));
    assert_eq!(unknown.body["data"], Value::Null);
    assert!(!unknown.body.to_string().contains("2e00"));
    // Those of the new one. The known one receives nothing.
    until(json!(2), async || {
        let counts = setup.operator.get("/subscriber/deliveries").await;
        counts.body["data"]["waiting"].clone()
    })
    .await;
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_is_switched_off_is_for_operators_only() {
    let mut setup = WebhookSetup::start().await;
    let channels =
        json!({"email": true, "webhook": true, "slack": false, "teams": true, "discord": true});
    let changed = setup
        .operator
        .patch("/organisation", json!({"publicChannels": channels}))
        .await;
    assert_eq!(changed.body["data"]["publicChannels"], channels);
    let subscribe = json!({"channel": "slack", "target": setup.receiver.url("/slack"),
        "orgId": setup.operator.organisation});
    let response = setup.post("/public", &subscribe).await;
    assert_eq!(
        (response.status, &*response.invalid()),
        (422, "channel: Subscribing by Slack is switched off")
    );
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(listed.body["data"], json!([]));
    setup.hook("slack", "/slack").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn visitor_subscribes_a_listed_address() {
    let mut setup = WebhookSetup::start().await;
    let subscribe = json!({"channel": "webhook", "target": setup.receiver.url("/hook"),
        "orgId": setup.operator.organisation});
    let subscribed = setup.post("/public", &subscribe).await;
    assert_eq!(subscribed.status, 200, "{subscribed:?}");
    let first = setup.receiver.next_at("/hook").await;
    let verified = setup.post("/verify", &first.link("verify")).await;
    assert_eq!(verified.status, 200, "{verified:?}");
    let secret = verified.body["data"]["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    setup.incident("Down").await;
    setup.receiver.next_at("/hook").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_ranges_are_for_operators_only() {
    let flags = ["--webhook-allow", "127.0.0.0/8"];
    let mut setup = WebhookSetup::start().await.restarted(&flags).await;
    setup.hook("webhook", "/known").await;
    for path in ["/known", "/new"] {
        let subscribe = json!({"channel": "webhook", "target": setup.receiver.url(path),
            "orgId": setup.operator.organisation});
        let refused = setup.post("/public", &subscribe).await;
        assert_eq!(
            (refused.status, &*refused.invalid()),
            (422, "target: Must begin with https://")
        );
    }
    let (setup, received) = setup.restart_and_drain().await;
    assert!(received.is_empty(), "{received:?}");
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn targets_inside_the_network_are_refused() {
    let setup = WebhookSetup::start().await;
    for target in [
        "",
        "hooks.example/x",
        "ftp://hooks.example/x",
        "http://93.184.216.34/",
        "https://93.184.216.34:8443/",
        "https://ann:secret@93.184.216.34/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://2130706434/",
        "https://100.64.0.1/",
        "https://192.0.2.1/",
    ] {
        let body = json!({"channel": "webhook", "target": target,
            "orgId": setup.operator.organisation});
        let response = setup.operator.post("/subscriber", body.clone()).await;
        assert_eq!(response.status, 422, "{target}: {response:?}");
        assert_eq!(response.body["errors"][0]["field"], "target", "{target}");
        // Refusals do not count as subscriptions, but visitors have fewer attempts than there
        // are rows.
        if target.starts_with("https://10.") || target.starts_with("https://ann") {
            let response = setup.post("/public", &body).await;
            assert_eq!(response.status, 422, "{target}: {response:?}");
            assert_eq!(response.body["errors"][0]["field"], "target", "{target}");
        }
    }
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(listed.body["data"], json!([]));
}
