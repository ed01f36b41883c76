use serde_json::json;

use crate::app::{TestApp, assert_status, send};

#[tokio::test(flavor = "multi_thread")]
async fn committed_change_is_in_the_next_snapshot() {
    let (_app, operator) = TestApp::with_operator().await;
    let empty = operator.snapshot().await;
    assert_eq!(
        (&empty["organisation"]["name"], &empty["banner"]),
        (&json!("Acme"), &json!(null))
    );

    let id = operator.component("API").await;
    let one = operator.snapshot().await;
    assert_eq!(
        one["banner"],
        json!({"operational": true, "text": "All Systems Operational"})
    );
    assert_eq!(one["components"][0]["name"], "API");

    operator
        .patch(
            &format!("/component/{id}"),
            json!({"status": "PARTIAL_OUTAGE"}),
        )
        .await;
    let broken = operator.snapshot().await;
    assert_eq!(
        broken["banner"],
        json!({"operational": false, "text": "Some systems are experiencing issues"})
    );
    assert_eq!(
        broken["revision"].as_i64().unwrap(),
        one["revision"].as_i64().unwrap() + 1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn revision_is_the_etag_and_a_matching_request_gets_304() {
    let (app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let url = app.call(&format!("/status/{}", operator.organisation));
    let client = crate::app::client();
    let first = send(client.get(&url)).await;
    let tag = first.etag.clone().unwrap();
    assert_eq!(tag, format!("\"{}\"", first.body["data"]["revision"]));
    assert_eq!(
        first.headers["access-control-allow-origin"], "*",
        "anybody's page may read it"
    );
    let again = send(client.get(&url).header("if-none-match", &tag)).await;
    assert_eq!((again.status, again.etag), (304, Some(tag.clone())));
    operator.component("Web").await;
    assert_status(send(client.get(&url).header("if-none-match", &tag)), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_is_compressed_for_clients_that_accept_it() {
    let (app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let url = app.call(&format!("/status/{}", operator.organisation));
    for (accepted, coding) in [("gzip, deflate, br, zstd", "br"), ("gzip", "gzip")] {
        let response = crate::app::client()
            .get(&url)
            .header("Accept-Encoding", accepted)
            .send()
            .await
            .unwrap();
        assert_eq!(response.headers()["content-encoding"], coding);
        assert_eq!(response.headers()["vary"], "Accept-Encoding");
    }
    let plain = crate::app::client().get(&url).send().await.unwrap();
    assert!(!plain.headers().contains_key("content-encoding"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_organisation_is_not_found() {
    let app = TestApp::start().await;
    let client = crate::app::client();
    for organisation in ["org_nobody", "bad%00id", &"x".repeat(65)] {
        assert_status(
            send(client.get(app.call(&format!("/status/{organisation}")))),
            404,
        )
        .await;
        assert_status(
            send(client.get(app.call(&format!("/status/{organisation}/events")))),
            404,
        )
        .await;
        assert_status(
            send(client.get(format!("{}/status/{organisation}", app.url))),
            404,
        )
        .await;
    }
}
