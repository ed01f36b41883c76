use reqwest::Method;
use serde_json::json;

use super::{ADDRESS, Site};
use crate::app::{cookie_client, send};

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_adds_lists_and_deletes_subscribers() {
    let site = Site::start().await;
    let operator = site.operator("ada@example.com").await;
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
    assert_eq!(fields, ["createdAt", "email", "id", "isVerified", "status"]);
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

    let site = site.settled().await;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_comes_in_parts() {
    let site = Site::start().await;
    let operator = site.operator("ada@example.com").await;
    for name in ["one", "two", "three"] {
        let added = operator
            .post(
                "/subscriber",
                json!({"email": format!("{name}@example.com")}),
            )
            .await;
        assert_eq!(added.status, 201);
    }
    let part = operator.get("/subscriber/list?limit=2").await.body;
    assert_eq!(
        (
            &part["data"][0]["email"],
            part["data"].as_array().unwrap().len()
        ),
        (&json!("three@example.com"), 2)
    );
    let next = part["meta"]["next"].as_str().unwrap();
    let rest = operator
        .get(&format!("/subscriber/list?limit=2&before={next}"))
        .await
        .body;
    assert_eq!(
        (&rest["data"][0]["email"], &rest["meta"]["next"]),
        (&json!("one@example.com"), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_organisations_subscribers_are_out_of_reach() {
    let site = Site::start().await;
    let (acme, other) = (
        site.operator("ada@example.com").await,
        site.operator("eve@example.com").await,
    );
    let added = acme.post("/subscriber", json!({"email": ADDRESS})).await;
    let path = format!("/subscriber/{}", added.body["data"]["id"].as_str().unwrap());
    assert_eq!(other.delete(&path).await.status, 404);
    assert_eq!(site.list(&other).await, json!([]));
    assert_eq!(
        other
            .post("/subscriber", json!({"email": ADDRESS}))
            .await
            .status,
        201
    );
    assert_eq!(site.list(&acme).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn signed_out_clients_neither_see_nor_change_subscribers() {
    let site = Site::start().await;
    for (method, path) in [
        (Method::POST, ""),
        (Method::GET, "/list"),
        (Method::DELETE, "/7"),
    ] {
        let request =
            cookie_client().request(method, format!("{}/api/v1/subscriber{path}", site.url));
        assert_eq!(
            send(request.json(&json!({"email": ADDRESS}))).await.status,
            401,
            "{path}"
        );
    }
}
