use serde_json::json;

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
        (409, &json!("This address is a subscriber already"))
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
        {"field": "channel", "message": "Unknown value"},
        {"field": "scope", "message": "Unknown value"},
        {"field": "status", "message": "Unknown value"},
        {"field": "failing", "message": "Unknown value"},
    ]);
    assert_eq!((bad.status, &bad.body["errors"]), (422, &errors));
    let bad = operator.get("/subscriber/list?email=%00").await;
    assert_eq!(bad.status, 422);
}
