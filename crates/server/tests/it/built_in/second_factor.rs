use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use super::Person;
use crate::app::{PASSWORD, TestApp, TestResponse, assert_status, mailed_token, send};

const ADDRESS: &str = "ann@example.com";

/// The first account of a server whose time the test moves, with an authenticator app.
struct Enrolled {
    app: TestApp,
    clock: Arc<TestClock>,
    ann: Person,
    totp: Totp,
    recovery_codes: Vec<String>,
}

impl Enrolled {
    async fn start() -> Self {
        let clock = TestClock::stopped();
        let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
        let ann = Person::new(&app, ADDRESS);
        assert_status(ann.sign_up(PASSWORD), 201).await;
        let (totp, recovery_codes) = enrol(&ann, &clock).await;
        let enrolled = Self {
            app,
            clock,
            ann,
            totp,
            recovery_codes,
        };
        enrolled.next_step();
        enrolled
    }

    /// The code that the app shows now.
    fn code(&self) -> String {
        shown(&self.totp, &self.clock)
    }

    /// Waits until the app shows another code.
    fn next_step(&self) {
        self.clock.advance(TimeDelta::seconds(30));
    }

    /// Ann in another browser, who has entered the password.
    async fn elsewhere(&self) -> Person {
        let there = Person::new(&self.app, ADDRESS);
        let first = there.sign_in(PASSWORD).await;
        assert_eq!(first.status, 202, "{first:?}");
        let factors = json!({"secondFactor": true, "authenticatorApp": true, "passkey": false});
        assert_eq!(first.body["data"], factors);
        assert_eq!(there.session().await, Value::Null);
        assert_status(there.post("/token", json!({})), 401).await;
        there
    }
}

/// Adds an authenticator app to a person's account. Returns it, and the recovery codes.
async fn enrol(person: &Person, clock: &TestClock) -> (Totp, Vec<String>) {
    let began = person.post("/user/totp", json!({})).await;
    assert_eq!(began.status, 201, "{began:?}");
    let secret = began.body["data"]["secret"].as_str().unwrap();
    let uri = began.body["data"]["uri"].as_str().unwrap();
    assert!(
        uri.starts_with("otpauth://totp/Allclear:") && uri.contains(secret),
        "{uri}"
    );
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let code = json!({"code": shown(&totp, clock)});
    let confirmed = person.post("/user/totp/confirm", code).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    (totp, recovery_codes(&confirmed))
}

/// The code that an app shows now.
fn shown(totp: &Totp, clock: &TestClock) -> String {
    let now = clock.now().timestamp();
    totp.generate(u64::try_from(now).unwrap()).to_string()
}

fn recovery_codes(response: &TestResponse) -> Vec<String> {
    let codes = response.body["data"]["recoveryCodes"].as_array().unwrap();
    let codes: Vec<_> = codes
        .iter()
        .map(|code| code.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(codes.len(), 10);
    codes
}

async fn enter(person: &Person, code: &str) -> u16 {
    let entered = person.post("/sign-in/code", json!({"code": code})).await;
    entered.status
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_with_an_authenticator_app_needs_password_and_code() {
    let enrolled = Enrolled::start().await;
    let listed = enrolled.ann.get("/user/factors").await;
    assert_eq!(listed.body["data"]["recoveryCodes"], 10);
    assert!(listed.body["data"]["totp"]["createdAt"].is_string());
    let there = enrolled.elsewhere().await;
    assert_eq!(enter(&there, "000000").await, 401);
    let code = enrolled.code();
    let entered = there.post("/sign-in/code", json!({"code": code})).await;
    assert_eq!(
        (entered.status, &entered.body["data"]["user"]["email"]),
        (200, &json!(ADDRESS))
    );
    assert_ne!(there.session().await, Value::Null);
    assert_eq!(enter(&there, &code).await, 401, "the sign-in has ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_works_once_and_one_step_early_or_late() {
    let enrolled = Enrolled::start().await;
    let code = enrolled.code();
    enrolled.next_step();
    let there = enrolled.elsewhere().await;
    assert_eq!(enter(&there, &code).await, 200, "one step late");
    let again = enrolled.elsewhere().await;
    assert_eq!(enter(&again, &code).await, 401, "used");
    enrolled.clock.advance(TimeDelta::seconds(60));
    let early = enrolled.code();
    enrolled.clock.advance(TimeDelta::seconds(-30));
    assert_eq!(enter(&again, &early).await, 200, "one step early");
    enrolled.clock.advance(TimeDelta::seconds(60));
    let late = enrolled.elsewhere().await;
    let old = enrolled.code();
    enrolled.clock.advance(TimeDelta::seconds(60));
    assert_eq!(enter(&late, &old).await, 401, "two steps late");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_recovery_code_works_once() {
    let enrolled = Enrolled::start().await;
    for (used, code) in enrolled.recovery_codes.iter().enumerate() {
        let there = enrolled.elsewhere().await;
        assert_eq!(enter(&there, code).await, 200, "{used}");
        let listed = there.get("/user/factors").await;
        assert_eq!(listed.body["data"]["recoveryCodes"], 9 - used);
    }
    let there = enrolled.elsewhere().await;
    for code in &enrolled.recovery_codes[..5] {
        assert_eq!(enter(&there, code).await, 401);
    }
    let words = "0 codes are left";
    let mails = enrolled.app.stop().await;
    let mails = super::mails_in(mails.path());
    assert!(mails.iter().any(|mail| mail.contains(words)));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_recovery_codes_replace_the_old_ones() {
    let enrolled = Enrolled::start().await;
    let made = enrolled.ann.post("/user/recovery-codes", json!({})).await;
    assert_eq!(made.status, 201, "{made:?}");
    let fresh = recovery_codes(&made);
    let there = enrolled.elsewhere().await;
    assert_eq!(enter(&there, &enrolled.recovery_codes[0]).await, 401);
    assert_eq!(enter(&there, &fresh[0]).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pending_sign_in_ends_after_five_minutes_and_with_another_password() {
    let enrolled = Enrolled::start().await;
    let there = enrolled.elsewhere().await;
    enrolled.clock.advance(TimeDelta::minutes(5));
    assert_eq!(enter(&there, &enrolled.code()).await, 401);
    let there = enrolled.elsewhere().await;
    let new = "another few words";
    let change = json!({"currentPassword": PASSWORD, "newPassword": new});
    assert_status(enrolled.ann.post("/user/password", change), 200).await;
    assert_eq!(enter(&there, &enrolled.code()).await, 401);
    let nobody = Person::new(&enrolled.app, ADDRESS);
    assert_eq!(enter(&nobody, &enrolled.code()).await, 401);
    let empty = nobody.post("/sign-in/code", json!({"code": ""})).await;
    assert_eq!(
        (empty.status, &*empty.invalid()),
        (422, "code: Code is required")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pending_sign_in_accepts_codes_of_the_present_factor_only() {
    let enrolled = Enrolled::start().await;
    let (ann, there) = (&enrolled.ann, enrolled.elsewhere().await);
    let recovery_code = &enrolled.recovery_codes[0];
    assert_status(ann.delete("/user/totp"), 200).await;
    assert_eq!(enter(&there, &enrolled.code()).await, 401, "it has none");
    assert_eq!(enter(&there, recovery_code).await, 401);
    let (totp, _) = enrol(ann, &enrolled.clock).await;
    enrolled.next_step();
    assert_eq!(enter(&there, &enrolled.code()).await, 401, "another app");
    assert_eq!(enter(&there, recovery_code).await, 401);
    let code = shown(&totp, &enrolled.clock);
    assert_eq!(enter(&there, &code).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_reset_does_not_replace_the_second_factor() {
    let enrolled = Enrolled::start().await;
    let there = Person::new(&enrolled.app, ADDRESS);
    let response = there.post("/password-reset", json!({"email": ADDRESS}));
    assert_status(response, 200).await;
    let link = mailed_token(enrolled.app.folder.path(), ADDRESS, "reset=").await;
    let new = "another few words";
    let reset = json!({"token": link, "password": new});
    assert_status(there.post("/password-reset/confirm", reset), 200).await;
    assert_eq!(there.sign_in(new).await.status, 202);
    assert_eq!(there.session().await, Value::Null);
    assert_eq!(enter(&there, &enrolled.code()).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_of_codes_are_limited_per_account() {
    let enrolled = Enrolled::start().await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let there = enrolled.elsewhere().await;
        for _ in 0..3 {
            statuses.push(enter(&there, "000000").await);
        }
    }
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[10..], [429; 2]);
    let there = enrolled.elsewhere().await;
    assert_eq!(enter(&there, &enrolled.code()).await, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_of_codes_at_a_reauthentication_count_like_those_at_a_sign_in() {
    let enrolled = Enrolled::start().await;
    let reauthenticate = async |password: &str, code: &str| {
        let body = json!({"password": password, "code": code});
        enrolled.ann.post("/re-authenticate", body).await.status
    };
    for _ in 0..5 {
        let status = reauthenticate("another few words", "000000").await;
        assert_eq!(status, 401, "no code is compared");
    }
    for _ in 0..5 {
        assert_eq!(reauthenticate(PASSWORD, "000000").await, 401);
    }
    let there = enrolled.elsewhere().await;
    for _ in 0..5 {
        assert_eq!(enter(&there, "000000").await, 401);
    }
    assert_eq!(enter(&there, &enrolled.code()).await, 429);
    assert_eq!(reauthenticate(PASSWORD, &enrolled.code()).await, 429);
    // The wrong codes do not count as wrong passwords.
    let without_code = json!({"password": "another few words"});
    assert_status(enrolled.ann.post("/re-authenticate", without_code), 401).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn right_codes_at_a_reauthentication_are_not_counted() {
    let enrolled = Enrolled::start().await;
    for _ in 0..12 {
        let body = json!({"password": PASSWORD, "code": enrolled.code()});
        assert_status(enrolled.ann.post("/re-authenticate", body), 200).await;
        enrolled.next_step();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_factors_need_a_recent_authentication_with_every_factor() {
    let enrolled = Enrolled::start().await;
    let ann = &enrolled.ann;
    enrolled.clock.advance(TimeDelta::minutes(11));
    for (method, path) in [
        (Method::POST, "/user/totp"),
        (Method::POST, "/user/totp/confirm"),
        (Method::POST, "/user/recovery-codes"),
        (Method::DELETE, "/user/totp"),
    ] {
        let response = ann
            .call(method, path, Some(json!({"code": "123456"})))
            .await;
        assert!(response.needs_authentication(), "{path}: {response:?}");
    }
    let without = ann.post("/re-authenticate", json!({"password": PASSWORD}));
    let without = without.await;
    assert_eq!(
        (without.status, &*without.invalid()),
        (422, "code: Enter a code of your second factor")
    );
    let wrong = json!({"password": PASSWORD, "code": "000000"});
    assert_status(ann.post("/re-authenticate", wrong), 401).await;
    let right = json!({"password": PASSWORD, "code": enrolled.code()});
    assert_status(ann.post("/re-authenticate", right), 200).await;
    assert_eq!(ann.delete("/user/totp").await.status, 200);
    assert_eq!(ann.delete("/user/totp").await.status, 404);
    let there = Person::new(&enrolled.app, ADDRESS);
    assert_eq!(there.sign_in(PASSWORD).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_factor_ends_the_other_sessions() {
    let enrolled = Enrolled::start().await;
    let there = enrolled.elsewhere().await;
    assert_eq!(enter(&there, &enrolled.code()).await, 200);
    let acme = there.organisation().await;
    let token = there.token(&acme).await;
    assert_eq!(there.components(&token).await, 200);
    assert_eq!(enrolled.ann.delete("/user/totp").await.status, 200);
    assert_eq!(there.components(&token).await, 401);
    assert_eq!(there.session().await, Value::Null);
    assert_ne!(enrolled.ann.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_is_mailed_once_for_each_browser() {
    let app = TestApp::start().await;
    Person::signed_up(&app, ADDRESS).await;
    let there = Person::new(&app, ADDRESS);
    for _ in 0..3 {
        assert_status(there.sign_in(PASSWORD), 200).await;
    }
    let elsewhere = Person::new(&app, ADDRESS);
    assert_status(elsewhere.sign_in(PASSWORD), 200).await;
    let folder = app.stop().await;
    let subject = "Subject: New sign-in to your account";
    let mails = super::mails_in(folder.path());
    let count = mails.iter().filter(|mail| mail.contains(subject)).count();
    assert_eq!(count, 2);
}

/// An organisation of Ann, and Bob, another admin without a second factor.
async fn with_second_admin(enrolled: &Enrolled) -> (String, Person) {
    let acme = enrolled.ann.organisation().await;
    let (app, ann) = (&enrolled.app, &enrolled.ann);
    let bob = Person::new(app, "bob@example.com");
    let link = ann.invite(app, &acme, &bob.email, "admin").await;
    let sign_up =
        json!({"name": "Bob", "email": bob.email, "password": PASSWORD, "invitationToken": link});
    assert_status(bob.post("/sign-up", sign_up), 201).await;
    (acme, bob)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_that_requires_a_factor_gives_no_token_to_members_without_one() {
    let enrolled = Enrolled::start().await;
    let (app, ann) = (&enrolled.app, &enrolled.ann);
    let (acme, bob) = with_second_admin(&enrolled).await;
    let path = format!("/organisations/{acme}/second-factor");
    let set = |person: &'static str, required: Value| {
        let person = if person == "ann" { ann } else { &bob };
        person.call(Method::PUT, &path, Some(json!({"required": required})))
    };
    let response = set("bob", json!(true)).await;
    assert_eq!(response.status, 409, "{response:?}");
    assert_eq!(set("ann", json!("yes")).await.status, 422);
    let token = json!({"organisationId": acme});
    assert_status(bob.post("/token", token.clone()), 200).await;

    assert_eq!(set("ann", json!(true)).await.status, 200);
    let listed = bob.get(&path).await;
    assert_eq!(listed.body["data"], json!({"required": true}));
    let response = bob.post("/token", token.clone()).await;
    assert!(response.needs_factor(), "{response:?}");
    assert_status(bob.post("/token", json!({})), 200).await;
    assert_status(ann.post("/token", token.clone()), 200).await;
    let outsider = Person::signed_up(app, "eve@example.com").await;
    let response = outsider.post("/token", token.clone()).await;
    assert!(
        response.status == 403 && !response.needs_factor(),
        "{response:?}"
    );

    let response = set("bob", json!(false)).await;
    assert!(response.needs_factor(), "{response:?}");
    assert_eq!(set("ann", json!(false)).await.status, 200);
    assert_status(bob.post("/token", token), 200).await;
    let audit = ann
        .client
        .get(app.call("/audit?action=organisation.updated"));
    let audit = send(audit.bearer_auth(ann.token(&acme).await)).await;
    let states: Vec<_> = audit.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["before"], &item["after"]))
        .collect();
    let (on, off) = (
        json!({"requireSecondFactor": true}),
        json!({"requireSecondFactor": false}),
    );
    assert_eq!(states, [(&on, &off), (&off, &on)], "newest first");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_password_alone_deletes_no_account_with_a_factor() {
    let enrolled = Enrolled::start().await;
    let ann = &enrolled.ann;
    enrolled.clock.advance(TimeDelta::minutes(11));
    let password = Some(json!({"password": PASSWORD}));
    let refused = ann.call(Method::DELETE, "/user", password.clone()).await;
    assert!(refused.needs_authentication(), "{refused:?}");
    assert_status(ann.get("/session"), 200).await;
    let code = enrolled.code();
    let again = json!({"password": PASSWORD, "code": code});
    assert_status(ann.post("/re-authenticate", again), 200).await;
    assert_status(ann.call(Method::DELETE, "/user", password), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_leaves_the_active_organisation_as_it_is() {
    let enrolled = Enrolled::start().await;
    let (acme, bob) = with_second_admin(&enrolled).await;
    let created = bob.post("/organisations", json!({"name": "Own"})).await;
    let own = created.body["data"]["id"].as_str().unwrap();
    assert_status(bob.post("/token", json!({"organisationId": own})), 200).await;
    let path = format!("/organisations/{acme}/second-factor");
    let require = Some(json!({"required": true}));
    assert_status(enrolled.ann.call(Method::PUT, &path, require), 200).await;
    let refused = bob.post("/token", json!({"organisationId": acme})).await;
    assert!(refused.needs_factor(), "{refused:?}");
    assert_eq!(bob.session().await["activeOrganisationId"], json!(own));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_factor_binds_every_call_about_the_organisation_except_leaving() {
    let enrolled = Enrolled::start().await;
    let (app, ann) = (&enrolled.app, &enrolled.ann);
    let (acme, bob) = with_second_admin(&enrolled).await;
    let eve = Person::member(app, ann, &acme, "eve@example.com", "viewer").await;
    let at = format!("/organisations/{acme}");
    let factor = format!("{at}/second-factor");
    let invitation = json!({"email": "joe@example.com", "role": "admin"});
    let invited = ann
        .post(&format!("{at}/invitations"), invitation.clone())
        .await;
    let invited = invited.body["data"]["id"].as_str().unwrap();
    let require = Some(json!({"required": true}));
    let required = ann.call(Method::PUT, &factor, require);
    assert_status(required, 200).await;

    let member_path = format!("{at}/members/{}", eve.id().await);
    let role = json!({"role": "admin"});
    for (method, path, body) in [
        (Method::PATCH, at.clone(), Some(json!({"name": "Bob's"}))),
        (Method::GET, format!("{at}/members"), None),
        (Method::PATCH, member_path.clone(), Some(role)),
        (Method::DELETE, member_path, None),
        (Method::GET, format!("{at}/invitations"), None),
        (Method::POST, format!("{at}/invitations"), Some(invitation)),
        (Method::DELETE, format!("{at}/invitations/{invited}"), None),
        (Method::DELETE, at.clone(), None),
    ] {
        let response = bob.call(method, &path, body).await;
        assert!(response.needs_factor(), "{path}: {response:?}");
    }
    let listed = ann.get(&format!("{at}/members")).await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 3);
    assert_status(bob.get(&factor), 200).await;
    let own = format!("{at}/members/{}", bob.id().await);
    assert_status(bob.delete(&own), 200).await;
}
