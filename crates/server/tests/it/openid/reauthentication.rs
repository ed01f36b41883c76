//! Authentication at a provider within a session, before sensitive changes.

use allclear_application::clock::Clock;
use allclear_server::clock::SystemClock;
use chrono::TimeDelta;
use sea_orm::{ConnectionTrait, Database};
use serde_json::{Value, json};

use super::lying_provider::{self, LyingProvider};
use super::real_provider::Setup;
use super::{Browser, flags, parameter, start};
use crate::app::{PASSWORD, TestApp, send};
use crate::clerk::fake_clerk::{now, signed};

const NOT_NOW: &str = "/signed-in?signInError=not-authenticated-now&provider=liar";

/// Makes the last authentication of every session eleven minutes old.
async fn age_sessions(app: &TestApp) {
    let connection = Database::connect(app.database_url()).await.unwrap();
    let earlier = (SystemClock.now() - TimeDelta::minutes(11)).to_rfc3339();
    let update = format!("UPDATE sessions SET authenticated_at = '{earlier}'");
    connection.execute_unprepared(&update).await.unwrap();
    connection.close().await.unwrap();
}

/// The status of a sensitive change, and whether it needs an authentication.
async fn sensitive(browser: &Browser) -> (u16, bool) {
    let response = browser.post("/user/totp", json!({})).await;
    (response.status, response.needs_authentication())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_a_password_authenticates_again_at_a_real_provider() {
    let setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    let provider_url = browser.begin("real").await;
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/dashboard");
    let session = browser.session().await;
    let ways = json!({"password": false, "providers": [{"id": "real", "name": "Real"}]});
    assert_eq!(session["ways"], ways);
    age_sessions(&setup.app).await;
    assert_eq!(sensitive(&browser).await, (403, true));

    let provider_url = browser.begin_reauthentication("real").await;
    assert_eq!(parameter(&provider_url, "prompt"), "login");
    assert_eq!(parameter(&provider_url, "max_age"), "0");
    assert_eq!(parameter(&provider_url, "login_hint"), "grace@example.com");
    // The provider knows the browser, and still asks for the password.
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/signed-in");
    assert_eq!(sensitive(&browser).await, (201, false));
    assert_eq!(browser.session().await["user"], session["user"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_person_of_the_provider_cannot_authenticate_in_the_session() {
    let setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    let provider_url = browser.begin("real").await;
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/dashboard");
    let user = browser.session().await["user"].clone();
    age_sessions(&setup.app).await;
    // Once for a stranger to the installation, once for a person with an account.
    for round in 0..2 {
        let provider_url = browser.begin_reauthentication("real").await;
        let callback = browser
            .sign_in_at(&provider_url, "mallory@example.com")
            .await;
        let page = browser.open(&callback).await;
        let expected = "/signed-in?signInError=another-account&provider=real";
        assert_eq!(page, expected, "round {round}");
        assert_eq!(sensitive(&browser).await, (403, true), "round {round}");
        assert_eq!(browser.session().await["user"], user);
        let other = Browser::new(&setup.app);
        let provider_url = other.begin("real").await;
        let callback = other.sign_in_at(&provider_url, "mallory@example.com").await;
        assert_eq!(other.open(&callback).await, "/dashboard");
    }
}

/// Authenticates again with these changes of good claims; returns the page that the browser is
/// led to.
async fn reauthenticate(setup: &lying_provider::Setup, changes: &Value) -> String {
    let provider_url = setup.browser.begin_reauthentication("liar").await;
    let mut claims = setup.provider.claims(&provider_url);
    claims["auth_time"] = json!(now());
    let claims_map = claims.as_object_mut().unwrap();
    claims_map.extend(changes.as_object().unwrap().clone());
    claims_map.retain(|_, value| !value.is_null());
    let token = signed(0, &claims);
    setup.provider.set(|responses| responses.token = token);
    let state = parameter(&provider_url, "state");
    let query = [("code", "abc"), ("state", &*state)];
    setup.browser.respond(&query).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authentication_before_the_request_or_without_its_time_is_refused() {
    let setup = lying_provider::Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    age_sessions(&setup.app).await;
    for auth_time in [
        Value::Null,
        json!(now() - 7),
        json!(now() - 86_400),
        json!(now() + 60),
    ] {
        let page = reauthenticate(&setup, &json!({"auth_time": auth_time})).await;
        assert_eq!(page, NOT_NOW, "{auth_time}");
        assert_eq!(sensitive(&setup.browser).await, (403, true), "{auth_time}");
    }
    for auth_time in [json!(now().to_string()), json!(true)] {
        let page = reauthenticate(&setup, &json!({"auth_time": auth_time})).await;
        let invalid = "/signed-in?signInError=invalid-response&provider=liar";
        assert_eq!(page, invalid, "{auth_time}");
    }
    // The user information does not give the time that the token lacks.
    setup.provider.set(|responses| {
        responses.user =
            json!({"sub": "grace", "auth_time": now(), "email": "grace@example.com", "email_verified": true});
    });
    let from_user_information = json!({"auth_time": null, "email": null, "email_verified": null});
    assert_eq!(
        reauthenticate(&setup, &from_user_information).await,
        NOT_NOW
    );
    assert_eq!(reauthenticate(&setup, &json!({})).await, "/signed-in");
    assert_eq!(sensitive(&setup.browser).await, (201, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_claims_and_other_persons_do_not_authenticate_in_the_session() {
    let setup = lying_provider::Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    age_sessions(&setup.app).await;
    for (changes, reason) in [
        (json!({"nonce": "another"}), "invalid-response"),
        (json!({"aud": "another-client"}), "invalid-response"),
        (json!({"sub": "mallory"}), "another-account"),
        (
            json!({"sub": "mallory", "email": "mallory@example.com"}),
            "another-account",
        ),
        (json!({"email_verified": false}), "email-unverified"),
        (json!({"email": "grace@evil.example"}), "foreign-domain"),
    ] {
        let page = reauthenticate(&setup, &changes).await;
        let expected = format!("/signed-in?signInError={reason}&provider=liar");
        assert_eq!(page, expected, "{changes}");
        assert_eq!(sensitive(&setup.browser).await, (403, true), "{changes}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_has_ended_is_not_authenticated_again() {
    let setup = lying_provider::Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    let provider_url = setup.browser.begin_reauthentication("liar").await;
    let mut claims = setup.provider.claims(&provider_url);
    claims["auth_time"] = json!(now());
    let token = signed(0, &claims);
    setup.provider.set(|responses| responses.token = token);
    setup.browser.post("/sign-out", json!({})).await;
    let state = parameter(&provider_url, "state");
    let query = [("code", "abc"), ("state", &*state)];
    let page = setup.browser.respond(&query).await;
    assert_eq!(page, "/signed-in?signInError=expired&provider=liar");
    assert_eq!(setup.browser.session().await, Value::Null);
    let response = setup.browser.start("liar/re-authenticate", "/").await;
    assert_eq!(response.status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_with_a_password_has_both_ways_once_it_is_linked() {
    let provider = LyingProvider::start();
    let app = start("liar", &flags("liar", &provider.issuer, &["name=Liar"])).await;
    let browser = Browser::new(&app);
    let (person, _) = app.account("grace@example.com").await;
    let ways = async || {
        let session = send(person.get(app.call("/identity/session"))).await;
        session.body["data"]["ways"].clone()
    };
    assert_eq!(ways().await, json!({"password": true, "providers": []}));
    let provider_url = browser.begin("liar").await;
    let token = signed(0, &provider.claims(&provider_url));
    provider.set(|responses| responses.token = token);
    let state = parameter(&provider_url, "state");
    browser.respond(&[("code", "abc"), ("state", &state)]).await;
    let linked = json!({"password": true, "providers": [{"id": "liar", "name": "Liar"}]});
    assert_eq!(ways().await, linked);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_passwords_an_account_is_deleted_after_an_authentication_at_the_provider() {
    let provider = LyingProvider::start();
    let mut flags = flags("liar", &provider.issuer, &["name=Liar"]);
    flags.extend(["--passwords".to_owned(), "off".to_owned()]);
    let app = start("liar", &flags).await;
    // The account is older than the provider and is not linked to it yet.
    let (person, _) = app.account("grace@example.com").await;
    let session = send(person.get(app.call("/identity/session"))).await;
    let linkable = json!({"password": false, "providers": [{"id": "liar", "name": "Liar"}]});
    assert_eq!(session.body["data"]["ways"], linkable);
    let by_password = send(
        person
            .post(app.call("/identity/re-authenticate"))
            .json(&json!({"password": PASSWORD})),
    )
    .await;
    assert_eq!(by_password.status, 403, "{by_password:?}");
    let delete = async |body: Value| {
        send(person.delete(app.call("/identity/user")).json(&body))
            .await
            .status
    };
    assert_eq!(delete(json!({"password": PASSWORD})).await, 403);
    age_sessions(&app).await;
    assert_eq!(delete(json!({})).await, 403);
    let url = app.call("/identity/oidc/liar/re-authenticate");
    let provider_url = send(person.post(url).json(&json!({"returnTo": "/signed-in"}))).await;
    let provider_url = provider_url.body["data"]["url"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let mut claims = provider.claims(&provider_url);
    claims["auth_time"] = json!(now());
    let token = signed(0, &claims);
    provider.set(|responses| responses.token = token);
    let callback = format!(
        "/identity/oidc/callback?code=abc&state={}",
        parameter(&provider_url, "state")
    );
    let answered = person.get(app.call(&callback)).send().await.unwrap();
    assert!(
        answered.url().path().ends_with("/signed-in"),
        "{answered:?}"
    );
    assert_eq!(delete(json!({})).await, 200);
}
