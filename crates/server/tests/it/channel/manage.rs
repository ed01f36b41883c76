use serde_json::{Value, json};

use super::{Hook, WebhookSetup};
use crate::app::{client, send};

/// The parameters of a manage link with these fields.
fn with(hook: &Hook, fields: &Value) -> Value {
    let mut body = hook.manage.clone();
    for (field, value) in fields.as_object().unwrap() {
        body[field] = value.clone();
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manage_link_reads_and_changes_one_subscription() {
    let mut setup = WebhookSetup::start().await;
    let api = setup.operator.component("API").await;
    let hook = setup.hook("webhook", "/one-abcdefgh").await;
    let other = setup.hook("webhook", "/other").await;
    assert_eq!(hook.manage["subscriberId"], json!(hook.id));
    assert_eq!(hook.manage.as_object().unwrap().len(), 3);

    let read = setup.post("/subscription", &hook.manage).await;
    assert_eq!(read.status, 200, "{read:?}");
    assert_eq!(read.body["data"], setup.subscriber(&hook).await);
    assert!(!read.body.to_string().contains("one-abcdefgh"));
    let change = json!({"components": [api], "muteMaintenances": true});
    let changed = setup.patch("/subscription", &with(&hook, &change)).await;
    assert_eq!(
        (changed.status, &changed.body["message"]),
        (200, &json!("Subscription updated successfully!"))
    );
    let after = setup.subscriber(&hook).await;
    assert_eq!(changed.body["data"], after);
    assert_eq!(
        (
            &after["scope"],
            &after["components"],
            &after["muteMaintenances"]
        ),
        (&json!("COMPONENTS"), &json!([api]), &json!(true))
    );
    let bad = with(&hook, &json!({"components": [hook.id]}));
    let response = setup.patch("/subscription", &bad).await;
    assert_eq!(
        (response.status, &*response.invalid()),
        (422, "components[0]: Unknown component")
    );

    // Neither a wrong code nor another subscriber's opens it.
    let change = json!({"components": null, "muteMaintenances": false});
    for code in [json!("wrong"), other.manage["manageCode"].clone()] {
        let mut link = hook.manage.clone();
        link["manageCode"] = code;
        let read = setup.post("/subscription", &link).await;
        assert_eq!(
            (read.status, &read.body["message"]),
            (400, &json!("This link is wrong or has expired"))
        );
        for (field, value) in change.as_object().unwrap() {
            link[field] = value.clone();
        }
        assert_eq!(setup.patch("/subscription", &link).await.status, 400);
        assert_eq!(setup.post("/unsubscribe", &link).await.status, 400);
    }
    let page = format!(
        "{}/subscription?subscriberId={}&orgId={}&manageCode={}",
        setup.app.url,
        hook.id,
        setup.operator.organisation,
        hook.manage["manageCode"].as_str().unwrap()
    );
    // Following the link is not enough.
    send(client().get(page)).await;
    assert_eq!(setup.subscriber(&hook).await, after);
    assert_eq!(
        setup.subscriber(&other).await["scope"],
        "ALL",
        "the other one is as before"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manage_link_ends_the_subscription() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/one").await;
    setup.hook("webhook", "/other").await;
    for _ in 0..2 {
        let left = setup.post("/unsubscribe", &hook.manage).await;
        assert_eq!(
            (left.status, &left.body["message"]),
            (200, &json!("Successfully unsubscribed!"))
        );
    }
    assert_eq!(setup.subscriber(&hook).await["status"], "UNSUBSCRIBED");
    setup.incident("Down").await;
    let (_site, received) = setup.restart_and_drain().await;
    let paths: Vec<_> = received.iter().map(|received| &*received.path).collect();
    assert_eq!(paths, ["/other"]);
}
