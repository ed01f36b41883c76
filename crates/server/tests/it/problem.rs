use reqwest::Method;
use serde_json::json;

use crate::app::{TestApp, send, token};

#[tokio::test(flavor = "multi_thread")]
async fn without_a_good_token_nothing_is_told() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let url = app.call("/component/list");
    let client = crate::app::client();
    let nobody = send(client.get(&url)).await;
    assert_eq!((nobody.status, nobody.headers["www-authenticate"].to_str().unwrap()), (401, "Bearer"));
    assert_eq!(send(client.get(&url).bearer_auth("nonsense")).await.status, 401);
    assert_eq!(send(client.get(&url).basic_auth("a", Some("b"))).await.status, 401);

    let homeless = send(operator.client.post(app.call("/identity/token")).json(&json!({}))).await;
    let homeless = homeless.body["data"]["token"].as_str().unwrap();
    assert_eq!(send(client.get(&url).bearer_auth(homeless)).await.status, 403);
    let good = token(&operator.client, &app.url, &operator.organisation).await;
    assert_eq!(send(client.get(&url).bearer_auth(good)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_not_a_json_object_is_refused_by_what_is_wrong_with_it() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let post = |kind: &str, body: String| {
        send(operator.request(Method::POST, "/component/create").header("content-type", kind).body(body))
    };
    assert_eq!(post("application/json", "{\"name\":".into()).await.status, 400);
    assert_eq!(post("application/json", String::new()).await.status, 400);
    assert_eq!(post("text/plain", "{\"name\": \"API\"}".into()).await.status, 415);
    assert_eq!(post("application/json", "[]".into()).await.status, 422);
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(256 * 1024));
    assert_eq!(post("application/json", large).await.status, 413);
    assert_eq!(post("application/json; charset=utf-8", "{\"name\": \"API\"}".into()).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    assert_eq!(operator.get("/component/not-an-id").await.status, 404);
    assert_eq!(operator.get("/component/0190b6a0-0000-7000-8000-000000000000").await.status, 404);
    assert_eq!(operator.get("/nowhere").await.status, 404);
    assert_eq!(operator.post("/component/list", json!({})).await.status, 405);
}
