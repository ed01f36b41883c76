//! Limits of use: how much an account and an organisation may have and write.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tokio::task::JoinSet;

use crate::app::{Operator, PASSWORD, TestApp, TestResponse, assert_status, client, send, until};
use crate::built_in::Person;

/// A time that is so many seconds ahead.
#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn in_seconds(seconds: i64) -> DateTime<Utc> {
    Utc::now() + TimeDelta::seconds(seconds)
}

/// A refusal names the setting that an operator of the installation can change.
fn assert_refused(response: &TestResponse, status: u16, setting: &str) {
    assert_eq!(response.status, status, "{response:?}");
    let detail = response.body["detail"].as_str().unwrap();
    assert!(detail.contains(setting), "{detail}");
}

async fn subscribe(app: &TestApp, operator: &Operator, email: &str) -> TestResponse {
    let body = json!({"email": email, "orgId": operator.organisation});
    send(client().post(app.call("/subscriber/public")).json(&body)).await
}

/// Asserts that an organisation has at most three of the things below a path, also when they are
/// created at once.
async fn assert_at_most_three(flag: &str, path: &str, setting: &str) {
    let app = TestApp::start_with(&[flag, "3"]).await;
    let operator = app.operator("Acme").await;
    let create = format!("{path}/create");
    let mut requests = JoinSet::new();
    for number in 0..8 {
        let (operator, create) = (operator.clone(), create.clone());
        requests.spawn(async move {
            let body = json!({"name": format!("Number {number}")});
            operator.post(&create, body).await
        });
    }
    let responses = requests.join_all().await;
    let (created, refused): (Vec<_>, Vec<_>) = responses
        .into_iter()
        .partition(|response| response.status == 201);
    assert_eq!(created.len(), 3);
    for response in &refused {
        assert_refused(response, 409, setting);
    }
    let id = created[0].body["data"]["id"].as_str().unwrap();
    assert_status(operator.delete(&format!("{path}/{id}")), 200).await;
    let body = json!({"name": "In its place"});
    operator.create(&create, body.clone()).await;
    assert_refused(&operator.post(&create, body.clone()).await, 409, setting);
    app.operator("Other").await.create(&create, body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn organisation_has_so_many_components_also_when_they_are_created_at_once() {
    let setting = "ALLCLEAR_LIMIT_COMPONENTS";
    assert_at_most_three("--limit-components", "/component", setting).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_beyond_the_limit_are_refused_also_when_created_at_once() {
    let setting = "ALLCLEAR_LIMIT_GROUPS";
    assert_at_most_three("--limit-groups", "/component-group", setting).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unresolved_incidents_beyond_the_limit_are_refused_until_others_are_resolved() {
    let app = TestApp::start_with(&["--limit-open-incidents", "2"]).await;
    let operator = app.operator("Acme").await;
    let body = json!({"title": "Down", "description": "All of it"});
    let first = operator.create("/incident/create", body.clone()).await;
    operator.create("/incident/create", body.clone()).await;
    let refused = operator.post("/incident/create", body.clone()).await;
    assert_refused(&refused, 409, "ALLCLEAR_LIMIT_OPEN_INCIDENTS");
    let id = first["id"].as_str().unwrap();
    let update = json!({"status": "RESOLVED", "message": "Over"});
    operator
        .create(&format!("/incident/{id}/updates/create"), update)
        .await;
    operator.create("/incident/create", body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn maintenances_beyond_the_limit_are_refused() {
    let app = TestApp::start_with(&["--limit-maintenances", "1"]).await;
    let operator = app.operator("Acme").await;
    let start = "2999-01-01T00:00:00Z";
    let body = json!({"title": "Move", "description": "All of it", "startAt": start});
    operator.create("/maintenance/create", body.clone()).await;
    let refused = operator.post("/maintenance/create", body).await;
    assert_refused(&refused, 409, "ALLCLEAR_LIMIT_MAINTENANCES");
}

#[tokio::test(flavor = "multi_thread")]
async fn account_creates_so_many_organisations() {
    let app = TestApp::start_with(&["--limit-organisations", "2"]).await;
    let operator = app.operator("One").await;
    let create = async |name: &str| {
        let body = json!({"name": name});
        let call = app.call("/identity/organisations");
        send(operator.client.post(call).json(&body)).await
    };
    assert_eq!(create("Two").await.status, 201);
    assert_refused(&create("Three").await, 409, "ALLCLEAR_LIMIT_ORGANISATIONS");
    app.operator("of another account").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_of_subscribers_does_not_reveal_known_addresses() {
    let flags = [
        "--limit-subscribers",
        "2",
        "--limit-subscribe",
        "100/100",
        "--limit-mail-mailbox",
        "2",
    ];
    let app = TestApp::start_with(&flags).await;
    let operator = app.operator("Acme").await;
    assert_status(subscribe(&app, &operator, "ann@example.com"), 200).await;
    assert_eq!(
        subscribe(&app, &operator, "ann@example.com").await.status,
        200,
        "a known address counts once"
    );
    assert_status(subscribe(&app, &operator, "bob@example.com"), 200).await;
    let known = subscribe(&app, &operator, "ann@example.com").await;
    let unknown = subscribe(&app, &operator, "cid@example.com").await;
    assert_refused(&unknown, 409, "ALLCLEAR_LIMIT_SUBSCRIBERS");
    assert_eq!((known.status, known.body), (unknown.status, unknown.body));
    let exhausted = subscribe(&app, &operator, "ann@example.com").await;
    assert_refused(&exhausted, 409, "ALLCLEAR_LIMIT_SUBSCRIBERS");
    // A refused subscriber uses up no mails, of which the mailbox has two.
    for _ in 0..3 {
        let added = operator
            .post("/subscriber", json!({"email": "cid@example.com"}))
            .await;
        assert_refused(&added, 409, "ALLCLEAR_LIMIT_SUBSCRIBERS");
    }

    let list = operator.get("/subscriber/list").await;
    let id = list.body["data"][0]["id"].as_str().unwrap().to_owned();
    assert_status(operator.delete(&format!("/subscriber/{id}")), 200).await;
    assert_status(subscribe(&app, &operator, "cid@example.com"), 200).await;
    let other = app.operator("Other").await;
    assert_eq!(subscribe(&app, &other, "ann@example.com").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_calls_of_a_viewer_use_nothing_of_the_organisation_up() {
    let app = TestApp::start_with(&["--limit-writes", "3/60"]).await;
    let operator = app.operator("Acme").await;
    let key = json!({"name": "Reads", "role": "viewer"});
    let key = operator.create("/api-key/create", key).await;
    let viewer = Operator {
        token: key["key"].as_str().unwrap().to_owned(),
        client: client(),
        ..operator.clone()
    };
    for _ in 0..5 {
        let response = viewer
            .post("/component/create", json!({"name": "one"}))
            .await;
        assert_eq!(response.status, 403);
    }
    operator.component("one").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn api_key_in_a_loop_keeps_no_person_from_writing() {
    let app = TestApp::start_with(&["--limit-writes", "12/60"]).await;
    let person = app.operator("Acme").await;
    let body = json!({"name": "Monitor", "role": "editor"});
    let created = person.create("/api-key/create", body).await;
    let key = Operator {
        token: created["key"].as_str().unwrap().to_owned(),
        client: client(),
        ..person.clone()
    };
    let mut components = Vec::new();
    for number in 0..10 {
        let id = key.component(&format!("Number {number}")).await;
        components.push(json!({"componentId": id, "status": "MAJOR_OUTAGE"}));
    }
    // With its eleven events, it counts as two changes of the key.
    let incident = json!({"title": "Down", "description": "All of it", "components": components});
    key.create("/incident/create", incident).await;
    let body = json!({"name": "One more"});
    let more = async || key.post("/component/create", body.clone()).await;
    until(429, async || more().await.status).await;
    assert_refused(&more().await, 429, "ALLCLEAR_LIMIT_WRITES");
    for number in 0..12 {
        person.component(&format!("Of a person {number}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn maintenance_of_an_api_key_counts_for_no_person_when_it_begins_and_ends() {
    let app = TestApp::start_with(&["--limit-writes", "12/60"]).await;
    let person = app.operator("Acme").await;
    let body = json!({"name": "Deployment", "role": "editor"});
    let created = person.create("/api-key/create", body).await;
    let key = Operator {
        token: created["key"].as_str().unwrap().to_owned(),
        client: client(),
        ..person.clone()
    };
    let mut components = Vec::new();
    for number in 0..10 {
        components.push(key.component(&format!("Number {number}")).await);
    }
    let maintenance = json!({
        "title": "Move",
        "description": "All of it",
        "startAt": in_seconds(1),
        "endAt": in_seconds(3),
        "components": components,
    });
    key.create("/maintenance/create", maintenance).await;
    // The events of its beginning and its end count as two changes of the key. Without them, it
    // would wait a minute at most.
    let body = json!({"name": "One more"});
    let waits_longer = async || {
        let response = key.post("/component/create", body.clone()).await;
        let wait = response.headers.get("retry-after");
        let seconds = wait.and_then(|wait| wait.to_str().unwrap().parse::<u64>().ok());
        seconds.is_some_and(|seconds| seconds > 61)
    };
    until(true, waits_longer).await;
    let ended = async || {
        let path = "/audit?action=maintenance.completed";
        let items = person.get(path).await.body["data"].as_array().map(Vec::len);
        items == Some(1)
    };
    until(true, ended).await;
    for number in 0..12 {
        person.component(&format!("Of a person {number}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_an_account_beyond_the_limit_are_refused_and_tokens_issued() {
    let app = TestApp::start_with(&["--limit-writes", "3/60"]).await;
    let operator = app.operator("Acme").await;
    let rename = async || {
        let call = operator.client.patch(app.call("/identity/user"));
        send(call.json(&json!({"name": "Ann"}))).await
    };
    let mut renamed = rename().await;
    for _ in 0..3 {
        renamed = rename().await;
    }
    assert_refused(&renamed, 429, "ALLCLEAR_LIMIT_WRITES");
    // Otherwise the account could not even read.
    let body = json!({"organisationId": operator.organisation});
    let token = operator.client.post(app.call("/identity/token"));
    assert_eq!(send(token.json(&body)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_an_organisation_beyond_the_limit_are_refused_and_reads_allowed() {
    let app = TestApp::start_with(&["--limit-writes", "3/60"]).await;
    let operator = app.operator("Acme").await;
    let id = operator.component("one").await;
    operator.component("two").await;
    let path = format!("/component/{id}");
    assert_status(operator.patch(&path, json!({"name": "uno"})), 200).await;
    let response = operator.delete(&path).await;
    assert_refused(&response, 429, "ALLCLEAR_LIMIT_WRITES");
    let wait: u64 = response.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    assert_eq!(operator.get(&path).await.body["data"]["name"], "uno");
    app.operator("Other").await.component("of another").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_a_day_beyond_the_limit_is_refused() {
    let app = TestApp::start_with(&["--limit-text", "20000"]).await;
    let operator = app.operator("Acme").await;
    let body = json!({"name": "API", "description": "x".repeat(9000)});
    for _ in 0..2 {
        assert_status(operator.post("/component/create", body.clone()), 201).await;
    }
    let response = operator.post("/component/create", body).await;
    assert_refused(&response, 429, "ALLCLEAR_LIMIT_TEXT");
    assert!(response.headers.contains_key("retry-after"));
    operator.component("a short one").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn authentications_within_a_session_count_as_changes_of_the_account() {
    let app = TestApp::start_with(&["--limit-writes", "3/60"]).await;
    let person = Person::signed_up(&app, "ann@example.com").await;
    for _ in 0..3 {
        let again = person.post("/re-authenticate", json!({"password": PASSWORD}));
        assert_status(again, 200).await;
    }
    let again = person.post("/re-authenticate", json!({"password": PASSWORD}));
    assert_refused(&again.await, 429, "ALLCLEAR_LIMIT_WRITES");
}
