use serde_json::{Value, json};

use super::{ADDRESS, SubscriberSetup};

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_adds_lists_and_deletes_subscribers() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let added = operator
        .post("/subscriber", json!({"email": format!(" {ADDRESS} ")}))
        .await;
    assert_eq!(
        (added.status, &added.body["message"]),
        (201, &json!("Verification email sent successfully"))
    );
    let subscriber = added.body["data"].clone();
    let mut fields: Vec<_> = subscriber
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "channel",
            "components",
            "createdAt",
            "email",
            "failing",
            "groups",
            "id",
            "incidentId",
            "isVerified",
            "muteMaintenances",
            "scope",
            "status",
            "target"
        ]
    );
    assert_eq!(
        (&subscriber["email"], &subscriber["status"]),
        (&json!(ADDRESS), &json!("PENDING"))
    );

    let known = operator
        .post("/subscriber", json!({"email": "Ann@EXAMPLE.com"}))
        .await;
    assert_eq!(
        (known.status, &known.body["message"]),
        (
            409,
            &json!("This address is a subscriber already, and has not confirmed yet")
        )
    );
    let bad = operator.post("/subscriber", json!({"email": "ann"})).await;
    let errors = json!([{"field": "email", "message": "Invalid email address"}]);
    assert_eq!((bad.status, &bad.body["errors"]), (422, &errors));
    assert_eq!(setup.list(&operator).await, json!([subscriber]));

    let setup = setup.restart_and_drain().await;
    let operator = setup.at(&operator);
    let path = format!("/subscriber/{}", subscriber["id"].as_str().unwrap());
    let deleted = operator.delete(&path).await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["id"]),
        (200, &subscriber["id"])
    );
    assert_eq!(operator.delete(&path).await.status, 404);
    assert_eq!(operator.delete("/subscriber/7").await.status, 404);

    let mut link = setup.links(ADDRESS, "verify");
    assert_eq!(link.len(), 1);
    // A deleted subscriber stays deleted; earlier links do not work.
    assert_eq!(setup.post("/verify", link.remove(0)).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_sends_the_confirmation_again_until_it_is_followed() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let body = json!({"email": ADDRESS});
    let added = operator.create("/subscriber", body).await;
    let id = added["id"].as_str().unwrap();
    let path = format!("/subscriber/{id}/verification");
    let setup = setup.restart_and_drain().await;
    let operator = setup.at(&operator);
    for mails in [2, 3] {
        let sent = operator.post(&path, json!({})).await;
        let message = json!("Verification email sent successfully");
        assert_eq!((sent.status, &sent.body["message"]), (200, &message));
        assert_eq!(sent.body["data"], added);
        assert_eq!(setup.links(ADDRESS, "verify").len(), mails);
    }
    let beyond = operator.post(&path, json!({})).await;
    assert_eq!(beyond.status, 429, "{beyond:?}");
    let detail = beyond.body["detail"].as_str().unwrap();
    assert!(
        detail.contains("ALLCLEAR_LIMIT_VERIFICATION_MAIL"),
        "{detail}"
    );
    let newest = setup.links(ADDRESS, "verify").remove(2);
    assert_eq!(setup.post("/verify", newest).await.status, 200);
    let confirmed = operator.post(&path, json!({})).await;
    assert_eq!(
        (confirmed.status, &confirmed.body["message"]),
        (409, &json!("A confirmation needs a pending subscription"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_sees_a_sample_of_what_each_channel_gets() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let preview = async |channel: &str| {
        let path = format!("/subscriber/preview?channel={channel}");
        operator.get(&path).await
    };
    let mail = preview("email").await;
    assert_eq!(mail.status, 200, "{mail:?}");
    let mail = &mail.body["data"];
    assert_eq!(mail["channel"], "email");
    assert_eq!(mail["subject"], "[Acme] Elevated error rates");
    let text = mail["body"].as_str().unwrap();
    assert!(text.starts_with("Acme reports an incident."), "{text}");
    let html = mail["html"].as_str().unwrap();
    assert!(html.starts_with("<!doctype html>"), "{html}");
    assert!(html.contains("Elevated error rates"), "{html}");

    let body = json!({"title": "<b>Down</b>", "description": "d", "status": "INVESTIGATING"});
    operator.create("/incident/create", body).await;
    let mail = preview("email").await;
    let mail = &mail.body["data"];
    assert_eq!(mail["subject"], "[Acme] <b>Down</b>");
    let text = mail["body"].as_str().unwrap();
    assert!(text.starts_with("Acme reports an incident."), "{text}");
    let html = mail["html"].as_str().unwrap();
    assert!(!html.contains("<b>Down"), "{html}");

    for channel in ["webhook", "slack", "teams", "discord"] {
        let message = preview(channel).await;
        let message = &message.body["data"];
        assert_eq!(message["subject"], Value::Null, "{channel}");
        assert_eq!(message["html"], Value::Null, "{channel}");
        let body: Value = serde_json::from_str(message["body"].as_str().unwrap()).unwrap();
        assert!(body.is_object(), "{channel}: {body}");
    }
    let bad = preview("fax").await;
    let errors = json!([{"field": "channel", "message": "Select Any One"}]);
    assert_eq!((bad.status, &bad.body["errors"]), (422, &errors));
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_finds_subscribers_by_a_part_of_the_address() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    for email in ["ann@example.com", "bob@example.com"] {
        operator.post("/subscriber", json!({"email": email})).await;
    }
    let found = async |query: &str| {
        let response = operator.get(&format!("/subscriber/list?{query}")).await;
        assert_eq!(response.status, 200, "{query}");
        let listed = response.body["data"].as_array().unwrap().clone();
        listed
            .iter()
            .map(|it| it["email"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("email=%20ANN%20").await, ["ann@example.com"]);
    assert_eq!(found("email=&status=&channel=").await.len(), 2);
    assert_eq!(
        found("status=PENDING&channel=email&scope=ALL").await.len(),
        2
    );
    assert!(found("status=SUBSCRIBED").await.is_empty());
    assert!(found("failing=true").await.is_empty());
    let part = operator.get("/subscriber/list?email=example&limit=1").await;
    assert_eq!(part.body["data"][0]["email"], json!("bob@example.com"));
    assert!(part.body["meta"]["next"].is_string());

    let long = "a".repeat(255);
    let query = format!("email={long}&channel=fax&scope=x&status=x&failing=x");
    let bad = operator.get(&format!("/subscriber/list?{query}")).await;
    let errors = json!([
        {"field": "email", "message": "Must be at most 254 characters"},
        {"field": "channel", "message": "Select Any One"},
        {"field": "scope", "message": "Select Any One"},
        {"field": "status", "message": "Select Any One"},
        {"field": "failing", "message": "Must be true or false"},
    ]);
    assert_eq!((bad.status, &bad.body["errors"]), (422, &errors));
    let bad = operator.get("/subscriber/list?email=%00").await;
    assert_eq!(bad.status, 422);
    for twice in ["status=PENDING&status=SUBSCRIBED", "limit=1&limit=2"] {
        let bad = operator.get(&format!("/subscriber/list?{twice}")).await;
        assert_eq!(bad.status, 400, "{bad:?}");
    }
}
