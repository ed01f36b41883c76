use reqwest::{Method, header};
use serde_json::json;

use crate::app::{TestApp, assert_status, send};

#[tokio::test(flavor = "multi_thread")]
async fn review_is_written_published_and_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let incident = json!({"title": "Down", "description": "All of it"});
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}", incident["id"].as_str().unwrap());
    let review = format!("{path}/review");
    assert_eq!(operator.get(&review).await.status, 404);
    let write = |body: &str| {
        let request = operator.request(Method::PUT, &review);
        send(request.json(&json!({"body": body})))
    };
    let revision = operator.snapshot().await["revision"].clone();
    let written = write("# Why\n<script>alert(1)</script>").await;
    assert_eq!(written.status, 200);
    let data = &written.body["data"];
    assert_eq!(
        (&data["status"], &data["publishedAt"]),
        (&json!("DRAFT"), &json!(null))
    );
    let html = data["html"].as_str().unwrap();
    assert!(html.contains("<h1>Why</h1>") && !html.contains("script"));
    let nested = write(&"<div>".repeat(10_000)).await;
    let html = nested.body["data"]["html"].as_str().unwrap();
    assert!(html.starts_with("&lt;div&gt;") && !html.contains('<'));
    assert_eq!(operator.snapshot().await["revision"], revision);

    let publish = format!("{review}/publish");
    assert_eq!(operator.post(&publish, json!({})).await.status, 409);
    operator.patch(&path, json!({"status": "RESOLVED"})).await;
    let text = operator.request(Method::POST, &publish).body("notify");
    assert_status(send(text), 415).await;
    let published = send(operator.request(Method::POST, &publish)).await;
    assert_eq!(published.body["data"]["status"], "PUBLISHED");
    assert_eq!(operator.post(&publish, json!({})).await.status, 409);
    let edited = write("Other").await;
    assert_eq!(edited.body["data"]["status"], "PUBLISHED");
    assert_eq!(operator.delete(&review).await.status, 200);
    assert_eq!(operator.get(&review).await.status, 404);
    assert_eq!(operator.post(&publish, json!({})).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn review_is_written_only_over_the_version_that_was_read() {
    let (_app, operator) = TestApp::with_operator().await;
    let incident = json!({"title": "Down", "description": "All of it"});
    let incident = operator.create("/incident/create", incident).await;
    let review = format!("/incident/{}/review", incident["id"].as_str().unwrap());
    let write = |version: &str, body: &str| {
        let request = operator.request(Method::PUT, &review);
        let request = request.header(header::IF_MATCH, version);
        send(request.json(&json!({"body": body})))
    };
    // An absent review is version 0.
    let first = write("\"0\"", "Mine").await;
    assert_eq!(first.status, 200);
    assert_eq!(write("\"0\"", "Theirs").await.status, 412);
    let etag = first.etag.unwrap();
    assert_eq!(write(&etag, "Mine again").await.status, 200);
    assert_eq!(write(&etag, "Theirs").await.status, 412);
    let deletion = operator.request(Method::DELETE, &review);
    let deletion = deletion.header(header::IF_MATCH, &etag);
    assert_eq!(send(deletion).await.status, 412);
    assert_eq!(
        operator.get(&review).await.body["data"]["body"],
        "Mine again"
    );
    assert_status(operator.delete(&review), 200).await;
    let other = write("\"0\"", "Another one").await.etag.unwrap();
    assert_ne!(other, etag);
    assert_eq!(write(&etag, "Theirs").await.status, 412);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_review_is_refused_and_a_preview_stores_nothing() {
    let (_app, operator) = TestApp::with_operator().await;
    let incident = json!({"title": "Down", "description": "All of it"});
    let incident = operator.create("/incident/create", incident).await;
    let review = format!("/incident/{}/review", incident["id"].as_str().unwrap());
    let rows = [
        (json!({}), "body: Review is required"),
        (json!({"body": " "}), "body: Review is required"),
        (
            json!({"body": "x".repeat(50_001)}),
            "body: Must be at most 50000 characters",
        ),
    ];
    operator.assert_invalid(Method::PUT, &review, &rows).await;
    let escaped = r"\ud83d\ude00".repeat(50_000);
    let longest = operator.request(Method::PUT, &review);
    let longest = longest
        .header(header::CONTENT_TYPE, "application/json")
        .body(format!(r#"{{"body": "{escaped}"}}"#));
    assert_status(send(longest), 200).await;
    assert_eq!(operator.delete(&review).await.status, 200);
    let preview = format!("{review}/preview");
    let shown = operator.post(&preview, json!({"body": "*x*"})).await;
    assert_eq!(shown.body["data"]["html"], "<p><em>x</em></p>\n");
    assert_eq!(operator.get(&review).await.status, 404);
}
