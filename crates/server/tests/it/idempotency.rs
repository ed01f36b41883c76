//! `Idempotency-Key`: what is repeated, what is refused, and how long it holds.

use std::sync::Arc;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::app::{Operator, TestApp, TestResponse, send};

async fn create(operator: &Operator, path: &str, key: &str, body: Value) -> TestResponse {
    let request = operator.request(Method::POST, path);
    send(request.header("idempotency-key", key).json(&body)).await
}

async fn component(operator: &Operator, key: &str, name: &str) -> TestResponse {
    create(operator, "/component/create", key, json!({"name": name})).await
}

async fn components(operator: &Operator) -> usize {
    let listed = operator.get("/component/list").await;
    listed.body["data"].as_array().unwrap().len()
}

fn is_replayed(response: &TestResponse) -> bool {
    response.headers.contains_key("idempotency-replayed")
}

#[tokio::test(flavor = "multi_thread")]
async fn key_belongs_to_one_organisation_and_one_caller() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let body = json!({"name": "Deploys", "role": "editor"});
    let key = acme.create("/api-key/create", body).await;
    let program = Operator {
        token: key["key"].as_str().unwrap().to_owned(),
        ..acme.clone()
    };
    let first = component(&acme, "k", "Website").await;
    for caller in [&other, &program] {
        let response = component(caller, "k", "Website").await;
        assert_eq!(response.status, 201, "{response:?}");
        assert!(!is_replayed(&response));
        assert_ne!(response.body["data"]["id"], first.body["data"]["id"]);
    }
    assert!(is_replayed(&component(&program, "k", "Website").await));
    assert_eq!(components(&acme).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_path_or_body_with_a_key_is_refused() {
    let (_app, operator) = TestApp::with_operator().await;
    assert_eq!(component(&operator, "k", "Website").await.status, 201);
    assert_eq!(component(&operator, "k", "Other").await.status, 422);
    let body = json!({"name": "Website"});
    let group = create(&operator, "/component-group/create", "k", body).await;
    assert_eq!(group.status, 422, "{group:?}");
    assert_eq!(components(&operator).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_key_is_refused_and_only_successes_are_kept() {
    let (_app, operator) = TestApp::with_operator().await;
    for key in ["", " ", "a b", &"k".repeat(256)] {
        let response = component(&operator, key, "Website").await;
        assert_eq!(response.status, 400, "{key:?}: {response:?}");
    }
    assert_eq!(component(&operator, "k", "x").await.status, 422);
    let corrected = component(&operator, "k", "Website").await;
    assert_eq!((corrected.status, is_replayed(&corrected)), (201, false));
    assert_eq!(
        component(&operator, &"~".repeat(255), "Website")
            .await
            .status,
        201
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn response_is_kept_for_a_day_whatever_happens_to_the_created_thing() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
    let operator = app.operator("Acme").await;
    let key = operator
        .create(
            "/api-key/create",
            json!({"name": "Deploys", "role": "editor"}),
        )
        .await;
    let program = Operator {
        token: key["key"].as_str().unwrap().to_owned(),
        ..operator.clone()
    };
    let first = component(&program, "k", "Website").await;
    let id = first.body["data"]["id"].as_str().unwrap();
    assert_eq!(
        program.delete(&format!("/component/{id}")).await.status,
        200
    );
    clock.advance(TimeDelta::hours(23));
    let again = component(&program, "k", "Website").await;
    assert!(is_replayed(&again));
    assert_eq!(again.body, first.body);
    clock.advance(TimeDelta::hours(2));
    let later = component(&program, "k", "Website").await;
    assert_eq!((later.status, is_replayed(&later)), (201, false));
    assert_ne!(later.body["data"]["id"], first.body["data"]["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_key_create_one_thing() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut requests = JoinSet::new();
    for _ in 0..16 {
        let operator = operator.clone();
        requests.spawn(async move { component(&operator, "k", "Website").await });
    }
    let responses = requests.join_all().await;
    let made = |response: &&TestResponse| response.status == 201 && !is_replayed(response);
    assert_eq!(responses.iter().filter(made).count(), 1);
    for response in &responses {
        assert!([201, 409].contains(&response.status), "{response:?}");
    }
    assert_eq!(components(&operator).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_of_a_response_is_not_readable_in_the_database() {
    let (app, operator) = TestApp::with_operator().await;
    let body = json!({"name": "Deploys"});
    let first = create(&operator, "/api-key/create", "k-1", body.clone()).await;
    let again = create(&operator, "/api-key/create", "k-1", body).await;
    let key = first.body["data"]["key"].as_str().unwrap().to_owned();
    assert_eq!(again.body["data"]["key"], first.body["data"]["key"]);
    let folder = app.stop().await;
    let mut files = 0;
    for file in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let contains = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
            assert!(!contains(key.as_bytes()), "{}", path.display());
            files += usize::from(contains(&key.as_bytes()[..12]));
        }
    }
    assert!(files > 0, "the prefix is stored");
}
