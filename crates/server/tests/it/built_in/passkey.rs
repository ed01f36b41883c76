//! Passkeys, with an authenticator in software.

pub(crate) mod authenticator;

use std::sync::Arc;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;
use futures_util::stream;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use self::authenticator::Authenticator;
use super::{Person, mails_in};
use crate::app::{PASSWORD, TestApp, TestResponse, assert_status, client, mailed_token, send};

const ADDRESS: &str = "ann@example.com";
/// The response to every passkey that is not accepted.
const REFUSED: &str = "This passkey was not accepted";

/// The origin of a server's public address.
fn origin(app: &TestApp) -> String {
    app.url.replace("127.0.0.1", "localhost")
}

async fn add(person: &Person, name: &str, authenticator: &mut Authenticator) -> TestResponse {
    let challenge = person.post("/user/passkeys/options", json!({})).await;
    assert_eq!(challenge.status, 200, "{challenge:?}");
    let response = authenticator.create(&challenge.body["data"]);
    let body = json!({"name": name, "response": response});
    person.post("/user/passkeys", body).await
}

/// The options of a sign-in in this person's browser.
async fn options(person: &Person, after_password: bool) -> Value {
    let body = json!({"afterPassword": after_password});
    let challenge = person.post("/sign-in/passkey/options", body).await;
    assert_eq!(challenge.status, 200, "{challenge:?}");
    challenge.body["data"].clone()
}

async fn sign_in(person: &Person, authenticator: &mut Authenticator) -> TestResponse {
    let options = options(person, false).await;
    respond(person, &authenticator.get(&options)).await
}

async fn respond(person: &Person, response: &Value) -> TestResponse {
    person
        .post("/sign-in/passkey", json!({"response": response}))
        .await
}

/// Asserts that a passkey was refused like every other, and that nobody is signed in.
async fn assert_refused(person: &Person, response: &TestResponse, context: &str) {
    assert_eq!(
        (response.status, &response.body["message"]),
        (401, &json!(REFUSED)),
        "{context}: {response:?}"
    );
    assert_eq!(person.session().await, Value::Null, "{context}");
}

/// The first account of a server whose time the test moves, with a passkey.
struct Enrolled {
    app: TestApp,
    clock: Arc<TestClock>,
    ann: Person,
    passkey: Authenticator,
    id: String,
    recovery_codes: Vec<String>,
}

impl Enrolled {
    async fn start() -> Self {
        let clock = TestClock::stopped();
        let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
        let ann = Person::new(&app, ADDRESS);
        assert_status(ann.sign_up(PASSWORD), 201).await;
        let mut passkey = Authenticator::new(&origin(&app));
        let added = add(&ann, "Phone", &mut passkey).await;
        assert_eq!(added.status, 201, "{added:?}");
        let codes = added.body["data"]["recoveryCodes"].as_array().unwrap();
        let codes = codes.iter().map(|code| code.as_str().unwrap().to_owned());
        Self {
            app,
            clock,
            ann,
            passkey,
            id: added.body["data"]["passkey"]["id"]
                .as_str()
                .unwrap()
                .to_owned(),
            recovery_codes: codes.collect(),
        }
    }

    /// Ann in another browser.
    fn elsewhere(&self) -> Person {
        Person::new(&self.app, ADDRESS)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_whose_request_outlives_its_session_is_not_added() {
    let app = TestApp::start_at(&[], TestClock::stopped()).await;
    let thief = Person::new(&app, ADDRESS);
    assert_status(thief.sign_up(PASSWORD), 201).await;
    let challenge = thief.post("/user/passkeys/options", json!({})).await;
    let response = Authenticator::new(&origin(&app)).create(&challenge.body["data"]);
    let body = json!({"name": "Thief", "response": response}).to_string();
    let (finish, finished) = oneshot::channel::<String>();
    let adding = thief
        .client
        .post(app.call("/identity/user/passkeys"))
        .header(CONTENT_TYPE, "application/json")
        .body(Body::wrap_stream(stream::once(finished)));
    let adding = tokio::spawn(send(adding));

    let owner = Person::new(&app, ADDRESS);
    let request = owner.post("/password-reset", json!({"email": ADDRESS}));
    assert_status(request, 200).await;
    let link = mailed_token(app.folder.path(), ADDRESS, "reset=").await;
    let new = "another few words";
    let reset = json!({"token": link, "password": new});
    assert_status(owner.post("/password-reset/confirm", reset), 200).await;
    assert!(!adding.is_finished(), "it waits for its body");
    finish.send(body).unwrap();
    let refused = adding.await.unwrap();
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (401, &json!("Please sign in")),
        "{refused:?}"
    );
    assert_status(owner.sign_in(new), 200).await;
    let factors = owner.get("/user/factors").await.body["data"].clone();
    assert_eq!(factors["passkeys"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_is_added_listed_renamed_and_removed() {
    let Enrolled { app, ann, id, .. } = Enrolled::start().await;
    let listed = ann.get("/user/factors").await.body["data"].clone();
    assert_eq!(listed["recoveryCodes"], 10);
    assert_eq!(listed["totp"], Value::Null);
    assert_eq!(listed["passkeys"][0]["name"], "Phone");
    assert_eq!(listed["passkeys"][0]["lastUsedAt"], Value::Null);
    assert!(listed["passkeys"][0]["createdAt"].is_string());

    let mut key = Authenticator::new(&origin(&app));
    let added = add(&ann, "Key", &mut key).await;
    assert_eq!(added.status, 201, "{added:?}");
    assert_eq!(added.body["data"]["recoveryCodes"], Value::Null);
    let again = ann.post("/user/passkeys/options", json!({})).await;
    let excluded = &again.body["data"]["excludeCredentials"];
    assert_eq!(excluded.as_array().unwrap().len(), 2);
    assert_eq!(again.body["data"]["rp"]["id"], "localhost");
    let selection = &again.body["data"]["authenticatorSelection"];
    assert_eq!(
        (&selection["residentKey"], &selection["userVerification"]),
        (&json!("required"), &json!("required"))
    );

    let path = format!("/user/passkeys/{id}");
    let nameless = ann.patch(&path, json!({"name": " "})).await;
    assert_eq!(
        (nameless.status, &*nameless.invalid()),
        (422, "name: Name is required")
    );
    let renamed = ann.patch(&path, json!({"name": "Work phone"})).await;
    assert_eq!(renamed.body["data"]["name"], "Work phone", "{renamed:?}");
    assert_eq!(ann.delete(&path).await.status, 200);
    assert_eq!(ann.delete(&path).await.status, 404);
    let listed = ann.get("/user/factors").await.body["data"].clone();
    assert_eq!(listed["passkeys"].as_array().unwrap().len(), 1);
    assert_eq!(listed["recoveryCodes"], 10, "the key stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_signs_in_without_a_password() {
    let mut enrolled = Enrolled::start().await;
    let there = enrolled.elsewhere();
    let options = options(&there, false).await;
    assert_eq!(options["allowCredentials"], json!([]));
    assert_eq!(options["userVerification"], "required");
    let response = enrolled.passkey.get(&options);
    let signed_in = respond(&there, &response).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    assert_eq!(signed_in.body["data"]["user"]["email"], ADDRESS);
    assert_ne!(there.session().await, Value::Null);
    let listed = there.get("/user/factors").await;
    assert!(listed.body["data"]["passkeys"][0]["lastUsedAt"].is_string());
    let replayed = respond(&there, &response).await;
    assert_eq!(replayed.status, 401, "the cookie is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_or_a_recovery_code_follows_the_password() {
    let mut enrolled = Enrolled::start().await;
    let there = enrolled.elsewhere();
    let first = there.sign_in(PASSWORD).await;
    assert_eq!(first.status, 202, "{first:?}");
    let factors = json!({"secondFactor": true, "authenticatorApp": false, "passkey": true});
    assert_eq!(first.body["data"], factors);
    assert_eq!(there.session().await, Value::Null);
    let challenge = options(&there, true).await;
    assert_eq!(
        challenge["allowCredentials"][0]["id"],
        enrolled.passkey.id()
    );
    enrolled.passkey.names_user = false;
    let signed_in = respond(&there, &enrolled.passkey.get(&challenge)).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");

    for (used, code) in enrolled.recovery_codes.iter().enumerate() {
        let lost = enrolled.elsewhere();
        assert_status(lost.sign_in(PASSWORD), 202).await;
        let entered = lost.post("/sign-in/code", json!({"code": code})).await;
        assert_eq!(entered.status, 200, "{used}");
        assert_status(lost.sign_in(PASSWORD), 202).await;
        let again = lost.post("/sign-in/code", json!({"code": code})).await;
        assert_eq!(again.status, 401, "{used}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_step_needs_the_password_and_a_passkey_of_the_same_account() {
    let enrolled = Enrolled::start().await;
    let nobody = Person::new(&enrolled.app, ADDRESS);
    let body = json!({"afterPassword": true});
    let response = nobody.post("/sign-in/passkey/options", body).await;
    assert_eq!(response.status, 401, "{response:?}");
    let bob = Person::signed_up(&enrolled.app, "bob@example.com").await;
    let mut of_bob = Authenticator::new(&origin(&enrolled.app));
    assert_status(add(&bob, "Phone", &mut of_bob), 201).await;
    let there = enrolled.elsewhere();
    assert_status(there.sign_in(PASSWORD), 202).await;
    let challenge = options(&there, true).await;
    let response = respond(&there, &of_bob.get(&challenge)).await;
    assert_refused(&there, &response, "another person's passkey").await;
}

/// A change of an authenticator or its response.
type Fault = (&'static str, fn(&mut Authenticator));

#[tokio::test(flavor = "multi_thread")]
async fn a_response_that_is_not_of_this_sign_in_is_refused_like_an_unknown_passkey() {
    let enrolled = Enrolled::start().await;
    let faults: [Fault; 7] = [
        ("wrong origin", |passkey| {
            passkey.origin = "https://evil.example".to_owned();
        }),
        ("wrong port", |passkey| passkey.origin.push('1')),
        ("wrong relying party", |passkey| {
            passkey.relying_party = Some("evil.example".to_owned());
        }),
        ("user not verified", |passkey| passkey.verifies_user = false),
        ("wrong signature", |passkey| passkey.signs_correctly = false),
        ("no account", |passkey| passkey.names_user = false),
        ("unknown credential", |passkey| {
            *passkey = Authenticator::new(&passkey.origin);
        }),
    ];
    for (context, change) in faults {
        let mut passkey = enrolled.passkey.clone();
        passkey.counter = Some(100);
        change(&mut passkey);
        let there = enrolled.elsewhere();
        let response = sign_in(&there, &mut passkey).await;
        assert_refused(&there, &response, context).await;
    }
    let there = enrolled.elsewhere();
    let mut options = options(&there, false).await;
    options["challenge"] = json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let response = respond(&there, &enrolled.passkey.clone().get(&options)).await;
    assert_refused(&there, &response, "wrong challenge").await;
    let response = respond(&there, &json!({"id": "nonsense"})).await;
    assert_refused(&there, &response, "no response").await;
    let mut right = enrolled.passkey.clone();
    assert_status(sign_in(&there, &mut right), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_is_used_once_within_five_minutes_in_its_browser() {
    let mut enrolled = Enrolled::start().await;
    // Without a counter, only the challenge reveals a replay.
    enrolled.passkey.counter = None;
    let there = enrolled.elsewhere();
    let challenge = there.post("/sign-in/passkey/options", json!({})).await;
    let cookie = challenge.headers["set-cookie"].to_str().unwrap().to_owned();
    let response = enrolled.passkey.get(&challenge.body["data"]);
    assert_status(respond(&there, &response), 200).await;
    let url = enrolled.app.call("/identity/sign-in/passkey");
    let replay = client().post(url).header("cookie", cookie);
    let replayed = send(replay.json(&json!({"response": response}))).await;
    assert_eq!(
        (replayed.status, &replayed.body["message"]),
        (401, &json!(REFUSED)),
        "{replayed:?}"
    );

    let elsewhere = enrolled.elsewhere();
    let stolen = options(&there, false).await;
    options(&elsewhere, false).await;
    let error_response = respond(&elsewhere, &enrolled.passkey.get(&stolen)).await;
    assert_refused(&elsewhere, &error_response, "another browser's challenge").await;

    let late = enrolled.elsewhere();
    let challenge = options(&late, false).await;
    enrolled.clock.advance(TimeDelta::minutes(5));
    let error_response = respond(&late, &enrolled.passkey.get(&challenge)).await;
    assert_eq!(error_response.status, 401);
    assert_eq!(late.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_that_goes_back_is_refused_audited_and_mailed() {
    let mut enrolled = Enrolled::start().await;
    let acme = enrolled.ann.organisation().await;
    let mut copy = enrolled.passkey.clone();
    for _ in 0..3 {
        let there = enrolled.elsewhere();
        assert_status(sign_in(&there, &mut enrolled.passkey), 200).await;
    }
    let thief = enrolled.elsewhere();
    let challenge = options(&thief, false).await;
    let response = copy.get(&challenge);
    for _ in 0..2 {
        let error_response = respond(&thief, &response).await;
        assert_refused(&thief, &error_response, "the copy's counter is behind").await;
    }
    let there = enrolled.elsewhere();
    assert_status(sign_in(&there, &mut enrolled.passkey), 200).await;

    let audit = enrolled.app.call("/audit?action=factor.copied");
    let audit = there
        .client
        .get(audit)
        .bearer_auth(there.token(&acme).await);
    let audit = send(audit).await;
    let items = audit.body["data"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{audit:?}");
    assert_eq!(items[0]["before"]["name"], "Phone");
    let folder = enrolled.app.stop().await;
    let subject = "Subject: A passkey of your account may have been copied";
    let mails = mails_in(folder.path());
    let count = mails.iter().filter(|mail| mail.contains(subject)).count();
    assert_eq!(count, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_passkeys_need_a_recent_authentication_which_a_passkey_gives() {
    let mut enrolled = Enrolled::start().await;
    let (ann, id) = (&enrolled.ann, &enrolled.id);
    enrolled.clock.advance(TimeDelta::minutes(11));
    let path = format!("/user/passkeys/{id}");
    for (method, path) in [
        (Method::POST, "/user/passkeys/options"),
        (Method::POST, "/user/passkeys"),
        (Method::DELETE, &*path),
    ] {
        let error_response = ann.call(method, path, Some(json!({}))).await;
        assert!(
            error_response.needs_authentication(),
            "{path}: {error_response:?}"
        );
    }
    let ask = || ann.post("/re-authenticate/passkey/options", json!({}));
    let challenge = ask().await;
    let offered = &challenge.body["data"]["allowCredentials"];
    assert_eq!(offered[0]["id"], enrolled.passkey.id(), "{challenge:?}");
    let mut wrong = enrolled.passkey.clone();
    wrong.signs_correctly = false;
    let body = json!({"response": wrong.get(&challenge.body["data"])});
    assert_status(ann.post("/re-authenticate/passkey", body), 401).await;
    let response = enrolled.passkey.get(&challenge.body["data"]);
    let body = json!({"response": response});
    let confirmed = ann.post("/re-authenticate/passkey", body).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    assert_eq!(ann.delete(&path).await.status, 200);
    assert_eq!(ask().await.status, 409, "the passkey is gone");
    let there = enrolled.elsewhere();
    assert_status(there.sign_in(PASSWORD), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_of_a_sign_in_authenticates_no_session() {
    let mut enrolled = Enrolled::start().await;
    let challenge = options(&enrolled.ann, false).await;
    let response = json!({"response": enrolled.passkey.get(&challenge)});
    let error_response = enrolled.ann.post("/re-authenticate/passkey", response);
    assert_status(error_response, 401).await;
    let without = Person::signed_up(&enrolled.app, "bob@example.com").await;
    let request = without.post("/re-authenticate/passkey/options", json!({}));
    assert_status(request, 409).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_passkey_from_another_place_or_without_its_user_is_refused() {
    let enrolled = Enrolled::start().await;
    let changes: [Fault; 3] = [
        ("wrong origin", |key| {
            key.origin = "https://evil.example".into();
        }),
        ("wrong relying party", |key| {
            key.relying_party = Some("evil.example".into());
        }),
        ("user not verified", |key| key.verifies_user = false),
    ];
    for (context, change) in changes {
        let mut key = Authenticator::new(&origin(&enrolled.app));
        change(&mut key);
        let response = add(&enrolled.ann, "Key", &mut key).await;
        assert_eq!(
            (response.status, &*response.invalid()),
            (422, "response: This passkey cannot be used"),
            "{context}"
        );
    }
    let mut known = enrolled.passkey.clone();
    let bob = Person::signed_up(&enrolled.app, "bob@example.com").await;
    let response = add(&bob, "Mine", &mut known).await;
    assert_eq!(response.status, 409, "{response:?}");
    let long = json!({"name": "Key", "response": {"id": "x".repeat(40_000)}});
    let response = enrolled.ann.post("/user/passkeys", long).await;
    assert_eq!(response.invalid(), "response: Is too long");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_satisfies_an_organisation_that_requires_a_second_factor() {
    let mut enrolled = Enrolled::start().await;
    let ann = &enrolled.ann;
    let acme = ann.organisation().await;
    let path = format!("/organisations/{acme}/second-factor");
    let required = ann.call(Method::PUT, &path, Some(json!({"required": true})));
    assert_status(required, 200).await;
    let there = enrolled.elsewhere();
    assert_status(sign_in(&there, &mut enrolled.passkey), 200).await;
    assert_status(there.post("/token", json!({"organisationId": acme})), 200).await;
    let path = format!("/user/passkeys/{}", enrolled.id);
    assert_eq!(there.delete(&path).await.status, 200);
    let response = there.post("/token", json!({"organisationId": acme})).await;
    assert_eq!(response.status, 403, "{response:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_passkey_ends_the_other_sessions_and_is_mailed_and_audited() {
    let mut enrolled = Enrolled::start().await;
    let acme = enrolled.ann.organisation().await;
    let there = enrolled.elsewhere();
    assert_status(sign_in(&there, &mut enrolled.passkey), 200).await;
    let mut key = Authenticator::new(&origin(&enrolled.app));
    assert_status(add(&enrolled.ann, "Key", &mut key), 201).await;
    assert_eq!(there.session().await, Value::Null);
    assert_status(sign_in(&there, &mut key), 200).await;
    let path = format!("/user/passkeys/{}", enrolled.id);
    assert_eq!(enrolled.ann.delete(&path).await.status, 200);
    assert_eq!(there.session().await, Value::Null);
    let gone = enrolled.elsewhere();
    let response = sign_in(&gone, &mut enrolled.passkey).await;
    assert_refused(&gone, &response, "a removed passkey").await;

    let token = enrolled.ann.token(&acme).await;
    let audit = enrolled.ann.client.get(enrolled.app.call("/audit"));
    let audit = send(audit.bearer_auth(token)).await;
    let of = |action: &str, state: &str| {
        let items = audit.body["data"].as_array().unwrap().iter();
        let items = items.filter(|item| item["action"] == action);
        items
            .map(|item| item[state]["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("factor.created", "after"), [json!("Key")]);
    assert_eq!(of("factor.deleted", "before"), [json!("Phone")]);
    let folder = enrolled.app.stop().await;
    let mails = mails_in(folder.path());
    for (subject, count) in [
        ("Subject: A passkey was added to your account", 2),
        ("Subject: A passkey of your account was removed", 1),
    ] {
        let found = mails.iter().filter(|mail| mail.contains(subject)).count();
        assert_eq!(found, count, "{subject}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_and_responses_of_a_client_are_limited() {
    let app = TestApp::start().await;
    let nobody = Person::new(&app, ADDRESS);
    let mut statuses = Vec::new();
    for _ in 0..61 {
        let challenge = nobody.post("/sign-in/passkey/options", json!({})).await;
        statuses.push(challenge.status);
    }
    assert_eq!(statuses[..60], [200; 60]);
    assert_eq!(statuses[60], 429);
    let empty = json!({"response": {}});
    assert_status(nobody.post("/sign-in/passkey", empty), 429).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passkeys_are_not_offered_on_an_address_without_a_name() {
    let app = TestApp::start_with(&["--public-url", "http://192.0.2.1"]).await;
    let configuration = send(client().get(app.call("/configuration"))).await;
    assert_eq!(configuration.body["data"]["passkeys"], false);
    let nobody = Person::new(&app, ADDRESS);
    let response = nobody.post("/sign-in/passkey/options", json!({})).await;
    assert_eq!(response.status, 403, "{response:?}");
    let app = TestApp::start().await;
    let configuration = send(client().get(app.call("/configuration"))).await;
    assert_eq!(configuration.body["data"]["passkeys"], true);
}
