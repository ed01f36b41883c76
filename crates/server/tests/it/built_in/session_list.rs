use std::sync::Arc;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use super::Person;
use crate::app::{PASSWORD, TestApp, assert_status, send};

const ADDRESS: &str = "ann@example.com";

/// Signs the person in from another browser.
async fn elsewhere(app: &TestApp) -> Person {
    let there = Person::new(app, ADDRESS);
    assert_status(there.sign_in(PASSWORD), 200).await;
    there
}

async fn sessions(person: &Person) -> Vec<Value> {
    let listed = person.get("/sessions").await;
    assert_eq!(listed.status, 200, "{listed:?}");
    listed.body["data"].as_array().unwrap().clone()
}

/// A server whose time the test moves, with the first account.
async fn moving() -> (TestApp, Arc<TestClock>, Person) {
    let clock = TestClock::system();
    let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
    let ann = Person::new(&app, ADDRESS);
    assert_status(ann.sign_up(PASSWORD), 201).await;
    (app, clock, ann)
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_with_device_and_address() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let there = Person::new(&app, ADDRESS);
    let sign_in = there
        .client
        .post(app.call("/identity/sign-in"))
        .header(
            "user-agent",
            "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        )
        .json(&json!({"email": ADDRESS, "password": PASSWORD}));
    assert_eq!(send(sign_in).await.status, 200);
    let listed = sessions(&there).await;
    assert_eq!(listed.len(), 2, "{listed:?}");
    let mut current = listed.iter().filter(|listed| listed["current"] == true);
    let current = current.next().unwrap();
    assert_eq!(current["device"], "Firefox on Linux");
    assert_eq!(current["address"], "127.0.0.1");
    assert_eq!(current["createdAt"], current["usedAt"]);
    let of_ann = sessions(&ann).await;
    let is_current = |id: &Value| {
        of_ann
            .iter()
            .any(|one| one["id"] == *id && one["current"] == true)
    };
    assert!(!is_current(&current["id"]), "{of_ann:?}");
    assert_status(Person::new(&app, ADDRESS).get("/sessions"), 401).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_session_and_its_tokens_stop_at_once() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let acme = ann.organisation().await;
    let there = elsewhere(&app).await;
    let token = there.token(&acme).await;
    let listed = sessions(&there).await;
    let id = listed.iter().find(|one| one["current"] == true).unwrap()["id"].clone();
    let path = format!("/sessions/{}", id.as_str().unwrap());
    let eve = Person::signed_up(&app, "eve@example.com").await;
    assert_status(eve.delete(&path), 404).await;
    assert_eq!(there.components(&token).await, 200);
    let ended = ann.delete(&path).await;
    assert_eq!((ended.status, &ended.body["data"]["id"]), (200, &id));
    assert_eq!(there.components(&token).await, 401);
    assert_eq!(there.session().await, Value::Null);
    assert_status(ann.delete(&path), 404).await;
    assert_status(ann.delete("/sessions/nothing"), 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_other_sessions_are_ended_at_once() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let (one, other) = (elsewhere(&app).await, elsewhere(&app).await);
    let ended = ann.delete("/sessions").await;
    assert_eq!(
        (ended.status, &ended.body["data"]),
        (200, &json!({"ended": 2}))
    );
    assert_eq!(one.session().await, Value::Null);
    assert_eq!(other.session().await, Value::Null);
    assert_eq!(sessions(&ann).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_ended_by_itself_loses_its_cookie() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let id = sessions(&ann).await[0]["id"].clone();
    let ended = ann
        .delete(&format!("/sessions/{}", id.as_str().unwrap()))
        .await;
    let cookie = ended.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("Max-Age=0"), "{cookie}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_seven_days_after_its_last_use() {
    let (_app, clock, ann) = moving().await;
    clock.advance(TimeDelta::days(7) - TimeDelta::minutes(1));
    assert_ne!(ann.session().await, Value::Null);
    clock.advance(TimeDelta::days(6));
    assert_status(ann.post("/token", json!({})), 200).await;
    clock.advance(TimeDelta::days(7));
    assert_eq!(ann.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_thirty_days_after_its_beginning_however_much_it_is_used() {
    let (_app, clock, ann) = moving().await;
    let acme = ann.organisation().await;
    for _ in 0..29 {
        clock.advance(TimeDelta::days(1));
        assert_ne!(ann.session().await, Value::Null);
    }
    clock.advance(TimeDelta::days(1) - TimeDelta::minutes(1));
    let issued = ann.post("/token", json!({"organisationId": acme})).await;
    let token = issued.body["data"]["token"].as_str().unwrap().to_owned();
    assert_eq!(ann.components(&token).await, 200);
    clock.advance(TimeDelta::minutes(1));
    assert_eq!(
        ann.components(&token).await,
        401,
        "nor do its tokens live on"
    );
    assert_eq!(ann.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn sensitive_calls_need_an_authentication_of_the_last_ten_minutes() {
    let (_app, clock, ann) = moving().await;
    let acme = ann.organisation().await;
    let member = format!("/organisations/{acme}/members/{}", ann.id().await);
    let change = json!({"currentPassword": PASSWORD, "newPassword": "another few words"});
    let role = json!({"role": "admin"});
    clock.advance(TimeDelta::minutes(9));
    assert_status(ann.patch(&member, role.clone()), 200).await;
    clock.advance(TimeDelta::seconds(61));
    for response in [
        ann.patch(&member, role.clone()).await,
        ann.post("/user/password", change.clone()).await,
        ann.delete("/sessions").await,
        ann.delete(&format!("/sessions/{}", uuid::Uuid::nil()))
            .await,
    ] {
        assert!(response.needs_authentication(), "{response:?}");
    }
    let wrong = ann
        .post("/re-authenticate", json!({"password": "a wrong password"}))
        .await;
    assert_eq!(
        (wrong.status, &wrong.body["message"]),
        (401, &json!("Wrong password"))
    );
    assert_status(ann.patch(&member, role.clone()), 403).await;
    let right = ann
        .post("/re-authenticate", json!({"password": PASSWORD}))
        .await;
    assert_eq!(right.status, 200, "{right:?}");
    assert_status(ann.patch(&member, role), 200).await;
    assert_status(ann.post("/user/password", change), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_an_organisation_needs_no_recent_authentication() {
    let (app, clock, ann) = moving().await;
    let acme = ann.organisation().await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "admin").await;
    let members = format!("/organisations/{acme}/members");
    let (ann_id, bob_id) = (ann.id().await, bob.id().await);
    clock.advance(TimeDelta::minutes(11));
    let response = bob.delete(&format!("{members}/{ann_id}")).await;
    assert!(response.needs_authentication(), "{response:?}");
    assert_status(bob.delete(&format!("{members}/{bob_id}")), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_from_before_the_authentication_may_change_the_domain_after_it() {
    let (app, clock, ann) = moving().await;
    let acme = ann.organisation().await;
    clock.advance(TimeDelta::minutes(11));
    let token = ann.token(&acme).await;
    let domain = async |method: Method, path: &str| {
        let request = ann.client.request(method, app.call(path));
        send(
            request
                .bearer_auth(&token)
                .json(&json!({"name": "status.example.com"})),
        )
        .await
    };
    for (method, path) in [
        (Method::PUT, "/organisation/domain"),
        (Method::POST, "/organisation/domain/verify"),
        (Method::DELETE, "/organisation/domain"),
    ] {
        let response = domain(method, path).await;
        assert!(response.needs_authentication(), "{path}: {response:?}");
    }
    let body = json!({"password": PASSWORD});
    assert_status(ann.post("/re-authenticate", body), 200).await;
    let claimed = domain(Method::PUT, "/organisation/domain").await;
    assert_eq!(claimed.status, 200, "{claimed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn authenticating_again_changes_the_cookie_and_guesses_are_throttled() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let acme = ann.organisation().await;
    let token = ann.token(&acme).await;
    let right = ann
        .post("/re-authenticate", json!({"password": PASSWORD}))
        .await;
    let cookie = right.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("allclear_session="), "{cookie}");
    assert_ne!(ann.session().await, Value::Null);
    assert_eq!(ann.components(&token).await, 200, "the session is the same");
    let wrong = json!({"password": "a wrong password"});
    let mut statuses = Vec::new();
    for _ in 0..12 {
        statuses.push(ann.post("/re-authenticate", wrong.clone()).await.status);
    }
    assert!(
        statuses.starts_with(&[401, 401]) && statuses.ends_with(&[429]),
        "{statuses:?}"
    );
    let nobody = Person::new(&app, ADDRESS);
    assert_status(nobody.post("/re-authenticate", wrong), 401).await;
}
