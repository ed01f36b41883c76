//! Each call by which people change their accounts, sessions, factors and memberships leaves
//! one item.

use std::collections::BTreeSet;
use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use super::{Document, exception, mutating, writing};
use crate::app::{PASSWORD, TestApp, TestResponse, confirmation_link, mailed_token, send};
use crate::built_in::Person;
use crate::built_in::passkey::authenticator::Authenticator;

const FLAGS: [&str; 6] = [
    "--limit-invite",
    "1000/1000",
    "--limit-sign-in",
    "1000/1000",
    "--limit-guesses",
    "1000/1000",
];
const OTHER_PASSWORD: &str = "another horse battery";

/// Which states an item has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum States {
    After,
    Before,
    Both,
    /// None, because everything that changes is secret.
    None,
}

/// The audit log of an organisation, as its admin reads it after each call.
struct Log<'t> {
    app: &'t TestApp,
    reader: &'t Person,
    organisation: String,
    items: Vec<Value>,
    /// The calls that left one item each.
    made: BTreeSet<String>,
}

impl Log<'_> {
    async fn read(&self) -> Vec<Value> {
        let token = self.reader.token(&self.organisation).await;
        let request = self.reader.client.get(self.app.call("/audit"));
        let found = send(request.bearer_auth(token)).await;
        assert_eq!(found.status, 200, "{found:?}");
        found.body["data"].as_array().unwrap().clone()
    }

    /// Skips the items that earlier calls left.
    async fn begin(mut self) -> Self {
        self.items = self.read().await;
        self
    }

    /// Asserts that the call with this response left one item, by the person whom it is about.
    async fn assert_one(
        &mut self,
        call: &str,
        response: &TestResponse,
        (action, states): (&str, States),
    ) {
        let call = call.replacen(' ', " /identity", 1);
        assert!(response.status < 300, "{call}: {response:?}");
        let items = self.read().await;
        let ids = |items: &[Value]| -> Vec<Value> {
            items.iter().map(|item| item["id"].clone()).collect()
        };
        let (newest, older) = items.split_first().unwrap();
        assert_eq!(ids(older), ids(&self.items), "{call}: {newest}");
        assert_eq!(newest["action"], action, "{call}: {newest}");
        let id = response.headers["x-request-id"].to_str().unwrap();
        assert_eq!(newest["requestId"], id, "{call}");
        let (actor, target) = (&newest["actor"], &newest["target"]);
        assert_eq!(actor["type"], "USER", "{call}: {newest}");
        if target["type"] == "USER" {
            assert_eq!(actor["id"], target["id"], "{call}: {newest}");
        }
        let (before, after) = (&newest["before"], &newest["after"]);
        let found = match (before.is_null(), after.is_null()) {
            (true, true) => States::None,
            (true, false) => States::After,
            (false, true) => States::Before,
            (false, false) => States::Both,
        };
        assert_eq!(found, states, "{call}: {newest}");
        assert!(before.is_null() || before != after, "{call}: {newest}");
        self.items = items;
        self.made.insert(call);
    }
}

/// An authenticator app that is not confirmed.
async fn begin_totp(person: &Person) -> Totp {
    let began = person.post("/user/totp", json!({})).await;
    assert_eq!(began.status, 201, "{began:?}");
    let secret = began.body["data"]["secret"].as_str().unwrap();
    let secret = Secret::try_from_base32(secret).unwrap();
    Builder::new().with_secret(secret).build().unwrap()
}

fn code(totp: &Totp, clock: &TestClock) -> Value {
    let now = u64::try_from(clock.now().timestamp()).unwrap();
    json!({"code": totp.generate(now).to_string()})
}

fn sign_up(email: &str, invitation: &str) -> Value {
    json!({"name": "Ann", "email": email, "password": PASSWORD, "invitationToken": invitation})
}

/// People become members, by each way; the one returned last is an admin.
async fn arrive(log: &mut Log<'_>, bob: &Person, acme: &str) -> (Person, Person) {
    let (added, app) = (("member.added", States::After), log.app);
    let ann = Person::new(app, "ann@example.com");
    let link = bob.invite(app, acme, &ann.email, "admin").await;
    log.items = log.read().await;
    let joined = ann.post("/sign-up", sign_up(&ann.email, &link)).await;
    log.assert_one("post /sign-up", &joined, added).await;

    // The address is not the one of the invitation, so it has to be confirmed.
    let cy = Person::new(app, "cy@example.com");
    let link = bob.invite(app, acme, "office@example.com", "editor").await;
    log.items = log.read().await;
    let pending = cy.post("/sign-up", sign_up(&cy.email, &link)).await;
    assert_eq!(pending.status, 202, "{pending:?}");
    let token = confirmation_link(app.folder.path(), &cy.email).await;
    let joined = cy.post("/sign-up/confirm", json!({"token": token})).await;
    log.assert_one("post /sign-up/confirm", &joined, added)
        .await;

    let dan = Person::signed_up(app, "dan@example.com").await;
    let link = bob.invite(app, acme, &dan.email, "viewer").await;
    log.items = log.read().await;
    let joined = dan.post("/invitations/accept", json!({"token": link}));
    log.assert_one("post /invitations/accept", &joined.await, added)
        .await;
    (dan, ann)
}

/// Sessions begin and end, and the password changes.
async fn come_and_go(log: &mut Log<'_>, ann: &Person) {
    let created = ("session.created", States::After);
    let deleted = ("session.deleted", States::Before);
    let there = Person::new(log.app, &ann.email);
    let renamed = ann.patch("/user", json!({"name": "Anne"})).await;
    let updated = ("account.updated", States::Both);
    log.assert_one("patch /user", &renamed, updated).await;

    let signed_in = there.sign_in(PASSWORD).await;
    log.assert_one("post /sign-in", &signed_in, created).await;
    let sessions = ann.get("/sessions").await.body["data"].clone();
    let sessions = sessions.as_array().unwrap().iter();
    let other: Vec<_> = sessions
        .filter(|session| session["current"] == false)
        .collect();
    let other = other[0]["id"].as_str().unwrap();
    let ended = ann.delete(&format!("/sessions/{other}")).await;
    log.assert_one("delete /sessions/{id}", &ended, deleted)
        .await;

    let signed_in = there.sign_in(PASSWORD).await;
    log.assert_one("post /sign-in", &signed_in, created).await;
    let ended = ann.delete("/sessions").await;
    log.assert_one("delete /sessions", &ended, deleted).await;

    let signed_in = there.sign_in(PASSWORD).await;
    log.assert_one("post /sign-in", &signed_in, created).await;
    let left = there.post("/sign-out", json!({})).await;
    log.assert_one("post /sign-out", &left, deleted).await;

    let changed = ("password.changed", States::None);
    let passwords = json!({"currentPassword": PASSWORD, "newPassword": OTHER_PASSWORD});
    let set = ann.post("/user/password", passwords).await;
    log.assert_one("post /user/password", &set, changed).await;
    let response = ann.post("/password-reset", json!({"email": ann.email}));
    assert_eq!(response.await.status, 200);
    let token = mailed_token(log.app.folder.path(), &ann.email, "reset=").await;
    let reset = json!({"token": token, "password": PASSWORD});
    let reset = ann.post("/password-reset/confirm", reset).await;
    log.assert_one("post /password-reset/confirm", &reset, changed)
        .await;
    let signed_in = ann.sign_in(PASSWORD).await;
    log.assert_one("post /sign-in", &signed_in, created).await;
}

/// A person gets another address.
async fn change_address(log: &mut Log<'_>, dan: &Person) {
    let new = "dan@new.example";
    let requested = dan.post("/user/address", json!({"email": new})).await;
    assert_eq!(requested.status, 202, "{requested:?}");
    let token = mailed_token(log.app.folder.path(), new, "address=").await;
    let confirmed = dan.post("/user/address/confirm", json!({"token": token}));
    let updated = ("account.updated", States::Both);
    log.assert_one("post /user/address/confirm", &confirmed.await, updated)
        .await;
}

/// Second factors are made, used and removed.
async fn prove(log: &mut Log<'_>, ann: &Person, clock: &TestClock) {
    let (created, deleted) = (
        ("factor.created", States::After),
        ("factor.deleted", States::Before),
    );
    let totp = begin_totp(ann).await;
    let confirmed = ann.post("/user/totp/confirm", code(&totp, clock)).await;
    log.assert_one("post /user/totp/confirm", &confirmed, created)
        .await;
    let codes = ann.post("/user/recovery-codes", json!({})).await;
    let made = ("recovery-codes.created", States::After);
    log.assert_one("post /user/recovery-codes", &codes, made)
        .await;

    clock.advance(TimeDelta::seconds(30));
    let there = Person::new(log.app, &ann.email);
    assert_eq!(there.sign_in(PASSWORD).await.status, 202);
    let signed_in = there.post("/sign-in/code", code(&totp, clock)).await;
    let session = ("session.created", States::After);
    log.assert_one("post /sign-in/code", &signed_in, session)
        .await;

    let mut phone = Authenticator::new(&log.app.url.replace("127.0.0.1", "localhost"));
    let challenge = ann.post("/user/passkeys/options", json!({})).await;
    let response = phone.create(&challenge.body["data"]);
    let passkey = json!({"name": "Phone", "response": response});
    let added = ann.post("/user/passkeys", passkey).await;
    log.assert_one("post /user/passkeys", &added, created).await;
    let id = added.body["data"]["passkey"]["id"].as_str().unwrap();
    let passkey = format!("/user/passkeys/{id}");
    let renamed = ann.patch(&passkey, json!({"name": "Work phone"})).await;
    let updated = ("factor.updated", States::Both);
    log.assert_one("patch /user/passkeys/{id}", &renamed, updated)
        .await;
    let challenge = there.post("/sign-in/passkey/options", json!({"afterPassword": false}));
    let response = phone.get(&challenge.await.body["data"]);
    let signed_in = there.post("/sign-in/passkey", json!({"response": response}));
    log.assert_one("post /sign-in/passkey", &signed_in.await, session)
        .await;

    let removed = ann.delete(&passkey).await;
    log.assert_one("delete /user/passkeys/{id}", &removed, deleted)
        .await;
    let removed = ann.delete("/user/totp").await;
    log.assert_one("delete /user/totp", &removed, deleted).await;
}

/// An admin with a second factor requires one of everybody.
async fn require(log: &mut Log<'_>, bob: &Person, clock: &TestClock) {
    let totp = begin_totp(bob).await;
    let confirmed = bob.post("/user/totp/confirm", code(&totp, clock)).await;
    let created = ("factor.created", States::After);
    log.assert_one("post /user/totp/confirm", &confirmed, created)
        .await;
    let path = format!("/organisations/{}/second-factor", log.organisation);
    let body = Some(json!({"required": true}));
    let required = bob.call(Method::PUT, &path, body).await;
    let updated = ("organisation.updated", States::Both);
    log.assert_one("put /organisations/{id}/second-factor", &required, updated)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_people_leaves_one_item() {
    assert_every_call_leaves_one_item(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_people_leaves_one_item_on_postgresql() {
    if let Some(url) = allclear_test_support::postgres() {
        assert_every_call_leaves_one_item(&["--database-url", &url]).await;
    }
}

/// Makes the calls on the database that these flags name.
async fn assert_every_call_leaves_one_item(database: &[&str]) {
    let clock = TestClock::system();
    let flags = [&FLAGS, database].concat();
    let app = TestApp::start_at(&flags, Arc::clone(&clock) as _).await;
    let bob = Person::signed_up(&app, "bob@example.com").await;
    let acme = bob.organisation().await;
    let log = Log {
        app: &app,
        reader: &bob,
        organisation: acme.clone(),
        items: Vec::new(),
        made: BTreeSet::new(),
    };
    let mut log = log.begin().await;
    let (dan, ann) = arrive(&mut log, &bob, &acme).await;
    come_and_go(&mut log, &ann).await;
    change_address(&mut log, &dan).await;
    prove(&mut log, &ann, &clock).await;
    require(&mut log, &bob, &clock).await;

    let password = Some(json!({"password": PASSWORD}));
    let deleted = dan.call(Method::DELETE, "/user", password).await;
    let removed = ("member.removed", States::Before);
    log.assert_one("delete /user", &deleted, removed).await;

    let founded = ann.post("/organisations", json!({"name": "Beta"})).await;
    let mut beta = Log {
        app: &app,
        reader: &ann,
        organisation: founded.body["data"]["id"].as_str().unwrap().to_owned(),
        items: Vec::new(),
        made: log.made,
    };
    let created = ("organisation.created", States::After);
    beta.assert_one("post /organisations", &founded, created)
        .await;

    let document = Document::of(&app).await;
    let mut people = mutating(&document);
    people.retain(|call| {
        let (method, path) = call.split_once(' ').unwrap();
        !exception::is_exception(method, path)
    });
    for route in writing(&document) {
        people.remove(&format!("{} {}", route.method, route.path));
    }
    assert_eq!(beta.made, people, "each call has one place");
}
