use serde_json::json;

use super::{ADDRESS, Site};

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_adds_lists_and_deletes_subscribers() {
    let site = Site::start().await;
    let operator = site.operator("Acme").await;
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
    assert_eq!(site.list(&operator).await, json!([subscriber]));

    let site = site.restart_and_drain().await;
    let operator = site.at(&operator);
    let path = format!("/subscriber/{}", subscriber["id"].as_str().unwrap());
    let deleted = operator.delete(&path).await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["id"]),
        (200, &subscriber["id"])
    );
    assert_eq!(operator.delete(&path).await.status, 404);
    assert_eq!(operator.delete("/subscriber/7").await.status, 404);

    let mut link = site.links(ADDRESS, "verify");
    assert_eq!(link.len(), 1);
    // A deleted subscriber stays deleted; earlier links do not work.
    assert_eq!(site.post("/verify", link.remove(0)).await.status, 400);
}
