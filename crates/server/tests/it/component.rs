mod history;
mod monitor;

use reqwest::Method;
use serde_json::json;

use crate::app::{TestApp, send};

#[tokio::test(flavor = "multi_thread")]
async fn a_component_is_created_read_changed_and_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let input = json!({"name": " API ", "description": "The API", "status": "DEGRADED"});
    let created = operator.post("/component/create", input).await;
    assert_eq!(created.status, 201);
    let component = &created.body["data"];
    assert_eq!(
        (&component["name"], &component["status"]),
        (&json!("API"), &json!("DEGRADED"))
    );
    let path = format!("/component/{}", component["id"].as_str().unwrap());

    let read = operator.get(&path).await;
    assert_eq!(
        (read.status, &read.body["data"], &read.etag),
        (200, component, &created.etag)
    );

    let changed = operator
        .patch(&path, json!({"status": "MAJOR_OUTAGE"}))
        .await;
    assert_eq!(changed.status, 200);
    assert_eq!(changed.body["data"]["name"], "API");
    assert_eq!(changed.body["data"]["status"], "MAJOR_OUTAGE");
    assert_ne!(changed.etag, created.etag);

    let deleted = operator.delete(&path).await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["id"]),
        (200, &component["id"])
    );
    assert_eq!(operator.get(&path).await.status, 404);
    assert_eq!(operator.delete(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_component_takes_the_defaults() {
    let (_app, operator) = TestApp::with_operator().await;
    let created = operator
        .post("/component/create", json!({"name": "API"}))
        .await;
    assert_eq!(created.body["data"]["status"], "OPERATIONAL");
    assert_eq!(created.body["data"]["description"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_is_named_and_nothing_is_stored() {
    let (_app, operator) = TestApp::with_operator().await;
    let rows = [
        (json!({}), "name: Name is required"),
        (json!({"name": "A"}), "name: Name is required"),
        (json!({"name": null}), "name: Name is required"),
        (json!({"name": "A\0B"}), "name: Must be one line"),
        (
            json!({"name": 1, "description": [], "status": {}}),
            "name: Name is required; description: Must be a text; status: Select Any One",
        ),
    ];
    operator
        .assert_invalid(Method::POST, "/component/create", &rows)
        .await;
    let list = operator.get("/component/list").await;
    assert_eq!(list.body["data"], json!([]));
    let path = format!("/component/{}", operator.component("API").await);
    let both = (
        json!({"name": "", "status": "X"}),
        "name: Name is required; status: Select Any One",
    );
    operator.assert_invalid(Method::PATCH, &path, &[both]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_an_old_version_is_refused() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = format!("/component/{}", operator.component("API").await);
    let loaded = operator.get(&path).await.etag.unwrap();
    let edit = |etag: &str, name: &str| {
        send(
            operator
                .request(Method::PATCH, &path)
                .header("if-match", etag)
                .json(&json!({"name": name})),
        )
    };
    assert_eq!(edit(&loaded, "First").await.status, 200);
    assert_eq!(edit(&loaded, "Second").await.status, 412);
    assert_eq!(operator.get(&path).await.body["data"]["name"], "First");
    assert_eq!(edit("*", "Third").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_whole_or_comes_in_parts() {
    let (_app, operator) = TestApp::with_operator().await;
    for name in ["one", "two", "three"] {
        operator.component(name).await;
    }
    let names = |body: &serde_json::Value| {
        let items = body["data"].as_array().unwrap().iter();
        items
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let whole = operator.get("/component/list").await.body;
    assert_eq!(
        (names(&whole), whole.get("meta")),
        (vec!["three".into(), "two".into(), "one".into()], None)
    );
    let part = operator.get("/component/list?limit=2").await.body;
    assert_eq!(names(&part), ["three", "two"]);
    let next = part["meta"]["next"].as_str().unwrap();
    let rest = operator
        .get(&format!("/component/list?limit=2&before={next}"))
        .await
        .body;
    assert_eq!(
        (names(&rest), &rest["meta"]["next"]),
        (vec!["one".to_owned()], &json!(null))
    );
    assert_eq!(operator.get("/component/list?limit=501").await.status, 422);
}
