//! API keys: their calls, what they may do, and how they end.

mod guide;
mod socket;

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use chrono::TimeDelta;
use futures_util::stream;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::app::{Operator, PASSWORD, TestApp, TestResponse, assert_status, client, send, until};
use crate::built_in::{Person, mails_in};

/// Creates a key; returns its payload.
pub(crate) async fn key(admin: &Operator, role: &str) -> Value {
    let body = json!({"name": format!("A key, {role}"), "role": role});
    admin.create("/api-key/create", body).await
}

/// A program with this key.
pub(crate) fn program(admin: &Operator, key: &Value) -> Operator {
    Operator {
        token: key["key"].as_str().unwrap().to_owned(),
        client: client(),
        ..admin.clone()
    }
}

async fn listed(admin: &Operator) -> Vec<Value> {
    let listed = admin.get("/api-key/list").await;
    assert_eq!(listed.status, 200, "{listed:?}");
    listed.body["data"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_shown_once_and_listed_by_its_prefix() {
    let (_app, admin) = TestApp::with_operator().await;
    let created = admin
        .create("/api-key/create", json!({"name": "  Deploys "}))
        .await;
    let text = created["key"].as_str().unwrap();
    assert_eq!((text.len(), &text[..4]), (53, "ack_"));
    let mut item = created.clone();
    item.as_object_mut().unwrap().remove("key");
    assert_eq!(listed(&admin).await, [item.clone()]);
    assert_eq!(item["name"], "Deploys");
    assert_eq!(item["role"], "viewer", "the default");
    assert_eq!(item["prefix"], text[..12]);
    assert_eq!(item["expiresAt"], Value::Null);
    assert_eq!(item["lastUsedAt"], Value::Null);
    assert_eq!(item.as_object().unwrap().len(), 7);
    let other = key(&admin, "editor").await;
    assert_eq!(listed(&admin).await[0]["id"], other["id"], "newest first");
}

#[tokio::test(flavor = "multi_thread")]
async fn person_who_creates_a_key_gets_a_mail() {
    let (app, admin) = TestApp::with_operator().await;
    let created = key(&admin, "editor").await;
    let folder = app.stop().await;
    let mails = mails_in(folder.path());
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(
        mails[0].contains("Subject: You created an API key"),
        "{mails:?}"
    );
    assert!(mails[0].contains("A key, editor"), "{mails:?}");
    assert!(!mails[0].contains(created["key"].as_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_whose_request_outlives_its_session_is_not_created() {
    let app = TestApp::start().await;
    let thief = Person::signed_up(&app, "ann@example.com").await;
    let organisation = thief.organisation().await;
    let (finish, finished) = oneshot::channel::<String>();
    let creating = thief
        .client
        .post(app.call("/api-key/create"))
        .bearer_auth(thief.token(&organisation).await)
        .header(CONTENT_TYPE, "application/json")
        .body(Body::wrap_stream(stream::once(finished)));
    let creating = tokio::spawn(send(creating));

    let owner = Person::new(&app, &thief.email);
    assert_status(owner.sign_in(PASSWORD), 200).await;
    assert_status(owner.delete("/sessions"), 200).await;
    assert!(!creating.is_finished(), "it waits for its body");
    finish.send(json!({"name": "Thief"}).to_string()).unwrap();
    let refused = creating.await.unwrap();
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (401, &json!("Please sign in")),
        "{refused:?}"
    );
    let admin = Operator {
        url: app.url.clone(),
        token: owner.token(&organisation).await,
        organisation,
        client: owner.client,
    };
    assert!(listed(&admin).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_key_is_refused_at_its_field() {
    let (_app, admin) = TestApp::with_operator().await;
    let rows = [
        (json!({}), "name: Name is required"),
        (json!({"name": "x"}), "name: Name is required"),
        (
            json!({"name": "", "role": null}),
            "name: Name is required; role: Select Any One",
        ),
        (
            json!({"name": "Deploys", "role": "admin"}),
            "role: Select Any One",
        ),
        (
            json!({"name": "Deploys", "role": "king"}),
            "role: Select Any One",
        ),
        (
            json!({"name": "Deploys", "expiresAt": "2020-01-01T00:00:00Z"}),
            "expiresAt: Must be in the future",
        ),
        (
            json!({"name": "Deploys", "expiresAt": 7}),
            "expiresAt: Must be a time",
        ),
    ];
    admin
        .assert_invalid(Method::POST, "/api-key/create", &rows)
        .await;
    assert!(listed(&admin).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn organisation_has_at_most_a_hundred_keys() {
    let (_app, admin) = TestApp::with_operator().await;
    for _ in 0..100 {
        key(&admin, "viewer").await;
    }
    let response = admin
        .post("/api-key/create", json!({"name": "One more"}))
        .await;
    assert_eq!(response.status, 409, "{response:?}");
    assert!(response.body["detail"].as_str().unwrap().contains("100"));
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_key_is_refused_at_once_and_another_organisation_cannot_revoke_it() {
    let app = TestApp::start().await;
    let (admin, other) = (app.operator("Acme").await, app.operator("Other").await);
    let key = key(&admin, "editor").await;
    let program = program(&admin, &key);
    let path = format!("/api-key/{}", key["id"].as_str().unwrap());
    assert_status(other.delete(&path), 404).await;
    assert_status(program.get("/component/list"), 200).await;
    assert_status(admin.delete(&path), 200).await;
    assert_status(program.get("/component/list"), 401).await;
    assert_status(admin.delete(&path), 404).await;
    assert!(listed(&admin).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn key_expires_and_its_use_is_noted() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
    let admin = app.operator("Acme").await;
    let expires_at = (clock.now() + TimeDelta::seconds(90)).to_rfc3339();
    let body = json!({"name": "Short", "role": "viewer", "expiresAt": expires_at});
    let key = admin.create("/api-key/create", body).await;
    let program = program(&admin, &key);
    assert_status(program.get("/component/list"), 200).await;
    let is_noted = async || listed(&admin).await[0]["lastUsedAt"].is_string();
    until(true, is_noted).await;
    clock.advance(TimeDelta::seconds(91));
    let refused = program.get("/component/list").await;
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (401, &json!("This API key has expired"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_listed_in_pages() {
    let (_app, admin) = TestApp::with_operator().await;
    let (first, second) = (key(&admin, "viewer").await, key(&admin, "viewer").await);
    let whole = admin.get("/api-key/list").await.body;
    assert_eq!(whole.get("meta"), None);
    let page = admin.get("/api-key/list?limit=1").await.body;
    assert_eq!(
        (&page["data"][0]["id"], &page["meta"]["next"]),
        (&second["id"], &second["id"])
    );
    let before = second["id"].as_str().unwrap();
    let rest = admin
        .get(&format!("/api-key/list?limit=1&before={before}"))
        .await
        .body;
    assert_eq!(
        (&rest["data"][0]["id"], &rest["meta"]),
        (&first["id"], &json!({"next": null}))
    );
    assert_status(admin.get("/api-key/list?limit=0"), 422).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn update_by_a_key_has_its_name_and_the_change_its_kind() {
    let (_app, admin) = TestApp::with_operator().await;
    let key = key(&admin, "editor").await;
    let program = program(&admin, &key);
    let incident = json!({"title": "Down", "description": "All of it"});
    let incident = program.create("/incident/create", incident).await;
    let path = format!(
        "/incident/{}/updates/create",
        incident["id"].as_str().unwrap()
    );
    let update = json!({"status": "MONITORING", "message": "Better"});
    let update = program.create(&path, update).await;
    let author = json!({"id": key["id"], "name": key["name"]});
    assert_eq!(update["user"], author);
    let dashboard = admin.get("/dashboard").await;
    let change = &dashboard.body["data"]["changes"][0];
    assert_eq!(change["action"], "incident-update.created");
    let actor = json!({"type": "API_KEY", "id": key["id"], "name": key["name"]});
    assert_eq!(change["actor"], actor);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_deleted_organisation_are_refused() {
    let (app, admin) = TestApp::with_operator().await;
    let key = key(&admin, "viewer").await;
    let program = program(&admin, &key);
    let call = app.call(&format!("/identity/organisations/{}", admin.organisation));
    assert_status(send(admin.client.delete(call)), 200).await;
    assert_status(program.get("/component/list"), 401).await;
}

fn rate_limit(response: &TestResponse) -> (String, String) {
    let header = |name: &str| {
        let value = response.headers.get(name).expect("a rate limit header");
        value.to_str().unwrap().to_owned()
    };
    (header("ratelimit-policy"), header("ratelimit"))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_response_to_a_key_has_its_rate_limit_and_the_limit_holds_for_each_key() {
    let app = TestApp::start_with(&["--limit-api-key", "3/60"]).await;
    let admin = app.operator("Acme").await;
    let (key, other) = (key(&admin, "viewer").await, key(&admin, "viewer").await);
    let (program, other) = (program(&admin, &key), program(&admin, &other));
    let responses = [
        (program.get("/component/list").await, 200, 2),
        (program.get("/component/7").await, 404, 1),
        (
            program
                .post("/component/create", json!({"name": "No"}))
                .await,
            403,
            0,
        ),
        (program.get("/component/list").await, 429, 0),
    ];
    for (response, status, remaining) in &responses {
        assert_eq!(response.status, *status, "{response:?}");
        let (policy, state) = rate_limit(response);
        assert_eq!(policy, "\"key\";q=3;w=60");
        assert!(
            state.starts_with(&format!("\"key\";r={remaining};t=")),
            "{state}"
        );
    }
    let error_response = &responses[3].0;
    assert!(error_response.headers.contains_key("retry-after"));
    assert!(
        error_response.body["detail"]
            .as_str()
            .unwrap()
            .contains("ALLCLEAR_LIMIT_API_KEY")
    );
    assert_status(other.get("/component/list"), 200).await;
    let by_person = admin.get("/component/list").await;
    assert!(!by_person.headers.contains_key("ratelimit"));
}

#[tokio::test(flavor = "multi_thread")]
async fn public_and_refused_requests_of_a_key_are_counted_and_described() {
    let app = TestApp::start_with(&["--limit-api-key", "7/60"]).await;
    let admin = app.operator("Acme").await;
    let program = program(&admin, &key(&admin, "viewer").await);
    let page = format!("/status/{}", admin.organisation);
    // A page that was read before is in memory.
    assert!(admin.snapshot().await.is_object());
    let read = |path: &str| program.request(Method::GET, path);
    let list = || read("/component/list");
    let compressed = list().header("content-encoding", "gzip").body("x");
    let requests = [
        (read(&page), 200),
        (read("/openapi.json"), 200),
        (read("/nowhere"), 404),
        (compressed, 415),
        (list().header("x-note", "x".repeat(33_000)), 431),
        (list().header("host", "a/b"), 400),
        (program.request(Method::PUT, "/component/list"), 405),
        (read(&page), 429),
        (read("/openapi.json"), 429),
    ];
    for (index, (request, status)) in requests.into_iter().enumerate() {
        let response = send(request).await;
        assert_eq!(response.status, status, "{index}: {response:?}");
        let (policy, state) = rate_limit(&response);
        assert_eq!(policy, "\"key\";q=7;w=60");
        let remaining = format!("\"key\";r={};", 6_usize.saturating_sub(index));
        assert!(state.starts_with(&remaining), "{index}: {state}");
    }
    let call = |path: &str| client().get(app.call(path));
    for request in [call(&page), call("/component/list").bearer_auth("ack_")] {
        let response = send(request).await;
        assert!(!response.headers.contains_key("ratelimit"), "{response:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_of_keys_has_a_default_and_can_be_off() {
    let (_app, admin) = TestApp::with_operator().await;
    let program = program(&admin, &key(&admin, "viewer").await);
    let (policy, state) = rate_limit(&program.get("/component/list").await);
    assert_eq!(policy, "\"key\";q=600;w=60");
    assert_eq!(state, "\"key\";r=599;t=1");
    let app = TestApp::start_with(&["--limit-api-key", "0"]).await;
    let admin = app.operator("Acme").await;
    let program = self::program(&admin, &key(&admin, "viewer").await);
    let response = program.get("/component/list").await;
    assert_eq!(response.status, 200);
    assert!(!response.headers.contains_key("ratelimit"));
}
