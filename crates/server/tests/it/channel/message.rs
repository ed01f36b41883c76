use serde_json::{Value, json};

use super::WebhookSetup;
use super::receiver::Received;

/// Status and newest entry of the incident in a body.
fn incident_of(received: &Received) -> (String, String) {
    let body = received.json();
    let incident = &body["incident"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (
        text(&incident["status"]),
        text(&incident["incident_updates"][0]["body"]),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_gets_incidents_and_maintenances_as_statuspage_sends_them_in_order() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let component = setup.operator.component("API").await;
    let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING",
        "components": [{"componentId": component, "status": "PARTIAL_OUTAGE"}]});
    let incident = setup.created("incident", body).await;
    setup
        .update(&incident, "IDENTIFIED", "A cable was cut")
        .await;
    setup.update(&incident, "RESOLVED", "It is mended").await;
    let body = json!({"title": "Move", "description": "To another rack", "startAt": "2999-01-01T00:00:00.000Z",
        "endAt": "2999-01-01T02:00:00.000Z"});
    setup.created("maintenance", body).await;

    let (_site, all) = setup.restart_and_drain().await;
    let (components, received): (Vec<_>, Vec<_>) = all
        .iter()
        .partition(|received| !received.json()["component_update"].is_null());
    assert_eq!(received.len(), 4, "{all:?}");
    // The message about a component follows that of the incident that changed it.
    let change = &all[1].json()["component_update"];
    assert_eq!(
        (&change["old_status"], &change["new_status"]),
        (&json!("operational"), &json!("partial_outage"))
    );
    for received in components {
        received.assert_signed(&hook.secret);
        assert_eq!(received.json()["component"]["name"], "API");
    }
    for (received, expected) in received.iter().zip([
        ("investigating", "All of it"),
        ("identified", "A cable was cut"),
        ("resolved", "It is mended"),
        ("scheduled", "To another rack"),
    ]) {
        received.assert_signed(&hook.secret);
        let (status, text) = incident_of(received);
        assert_eq!((&*status, &*text), expected);
        let body = received.json();
        let mut fields: Vec<_> = body.as_object().unwrap().keys().collect();
        fields.sort_unstable();
        assert_eq!(fields, ["incident", "meta", "page"]);
        let generated = body["meta"]["generated_at"].as_str().unwrap();
        assert!(
            generated.len() == 24 && generated.ends_with('Z'),
            "{generated}"
        );
    }
    let first = received[0].json();
    assert_eq!(first["incident"]["name"], "Down");
    assert_eq!(first["incident"]["components"][0]["name"], "API");
    assert_eq!(first["incident"]["scheduled_for"], Value::Null);
    assert_eq!(first["page"]["id"].as_str().unwrap().len(), 12);
    let resolved = received[2].json();
    assert!(resolved["incident"]["resolved_at"].is_string());
    let maintenance = received[3].json();
    assert_eq!(
        maintenance["incident"]["scheduled_for"],
        "2999-01-01T00:00:00.000Z"
    );
    let ids: std::collections::HashSet<_> = all
        .iter()
        .map(|received| received.header("webhook-id"))
        .collect();
    assert_eq!(ids.len(), all.len(), "each message has its own identifier");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_set_without_an_update_is_sent_with_a_text_of_its_own() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let incident = setup.incident("Down").await;
    setup.receiver.next_at(&hook.path).await;
    let path = format!("/incident/{incident}");
    setup
        .operator
        .patch(&path, json!({"status": "RESOLVED"}))
        .await;
    let resolved = setup.receiver.next_at(&hook.path).await;
    let expected = ("resolved", "This incident has been resolved.");
    let (status, text) = incident_of(&resolved);
    assert_eq!((&*status, &*text), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_chat_gets_the_body_of_its_product_and_mentions_nobody() {
    let mut setup = WebhookSetup::start().await;
    for channel in ["slack", "teams", "discord"] {
        setup.hook(channel, &format!("/{channel}")).await;
    }
    setup.incident("Down <!channel> @everyone").await;
    let mut bodies = std::collections::BTreeMap::new();
    for _ in 0..3 {
        let received = setup.receiver.next().await;
        assert!(!received.headers.contains_key("webhook-id"));
        bodies.insert(received.path.clone(), received.json());
    }
    let slack = &bodies["/slack"];
    assert_eq!(slack["blocks"][0]["type"], "header");
    assert!(!slack.to_string().contains("<!channel>"), "{slack}");
    let teams = &bodies["/teams"];
    assert_eq!(teams["type"], "message");
    assert_eq!(
        teams["attachments"][0]["contentType"],
        "application/vnd.microsoft.card.adaptive"
    );
    let discord = &bodies["/discord"];
    assert_eq!(discord["allowed_mentions"], json!({"parse": []}));
    assert!(
        discord["embeds"][0]["title"]
            .as_str()
            .unwrap()
            .contains("Down")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_does_not_notify_is_sent_to_no_channel() {
    let mut setup = WebhookSetup::start().await;
    setup.hook("webhook", "/hook").await;
    let quiet =
        json!({"title": "Quiet", "description": "d", "status": "INVESTIGATING", "notify": false});
    setup.created("incident", quiet).await;
    setup.incident("Loud").await;
    let (_site, rest) = setup.restart_and_drain().await;
    let names: Vec<_> = rest
        .iter()
        .map(|received| received.json()["incident"]["name"].clone())
        .collect();
    assert_eq!(names, ["Loud"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_an_incident_withdraws_what_is_queued() {
    use super::receiver::Reply;

    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    setup.receiver.reply("/hook", &[Reply::Status(500, "")]);
    let incident = setup.incident("Down").await;
    setup
        .update(&incident, "IDENTIFIED", "A cable was cut")
        .await;
    let failed = setup.receiver.next_at(&hook.path).await;
    assert_eq!(incident_of(&failed).0, "investigating");
    let path = format!("/incident/{incident}");
    assert_eq!(setup.operator.delete(&path).await.status, 200);
    let counts = setup.operator.get("/subscriber/deliveries").await;
    assert_eq!(counts.body["data"]["waiting"], 0, "{counts:?}");
    setup.incident("Another").await;
    let next = setup.receiver.next_at(&hook.path).await;
    assert_eq!(next.json()["incident"]["name"], "Another");
    let (_site, rest) = setup.restart_and_drain().await;
    assert!(rest.is_empty(), "{rest:?}");
}
