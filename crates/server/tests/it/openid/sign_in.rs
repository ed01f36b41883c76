//! Sign-in and sign-out at a real provider.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

use super::real_provider::Setup;
use super::{Browser, parameter};
use crate::built_in::mails_in;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_at_a_real_provider_and_out_again() {
    let setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    let provider_url = browser.begin_at("real", "/components?tab=all").await;
    assert_eq!(parameter(&provider_url, "code_challenge_method"), "S256");
    assert_eq!(parameter(&provider_url, "response_type"), "code");
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/components?tab=all");
    let session = browser.session().await;
    assert_eq!(session["user"]["email"], "grace@example.com");
    assert_eq!(session["user"]["name"], "Grace Hopper");
    assert_eq!(
        session["user"]["administrator"], true,
        "the first account administers"
    );

    let token = browser.post("/token", json!({})).await;
    assert_eq!(token.status, 200, "{token:?}");

    let out = browser.post("/sign-out", json!({})).await;
    assert_eq!(browser.session().await, Value::Null);
    let url = out.body["data"]["providerUrl"].as_str().unwrap();
    let url = Url::parse(url).unwrap();
    assert!(url.as_str().starts_with(&setup.provider.issuer), "{url}");
    let back = format!("{}/login", setup.app.url);
    assert_eq!(parameter(&url, "post_logout_redirect_uri"), back);
    let page = browser.client.get(url).send().await.unwrap();
    assert_eq!(page.status(), 200, "the provider takes the request");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_is_audited_and_mailed_once_for_each_browser() {
    let setup = Setup::new().await;
    let sign_in = async |browser: &Browser| {
        let provider_url = browser.begin("real").await;
        let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
        assert_eq!(browser.open(&callback).await, "/dashboard");
    };
    let browser = Browser::new(&setup.app);
    sign_in(&browser).await;
    let acme = browser.organisation().await;
    sign_in(&browser).await;
    let elsewhere = Browser::new(&setup.app);
    sign_in(&elsewhere).await;
    sign_in(&elsewhere).await;

    let items = browser.audit(&acme, "session.created").await;
    assert_eq!(items.len(), 3, "{items:?}");
    assert_eq!(items[0]["actor"]["name"], "Grace Hopper");
    let folder = setup.app.stop().await;
    let mails = mails_in(folder.path());
    let subject = "Subject: New sign-in to your account";
    let count = mails.iter().filter(|mail| mail.contains(subject)).count();
    assert_eq!(count, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_used_once_and_the_account_stays_the_same() {
    let setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    let provider_url = browser.begin("real").await;
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/dashboard");
    let id = browser.session().await["user"]["id"].clone();

    let other = Browser::new(&setup.app);
    let provider_url = other.begin("real").await;
    // The stolen code of another sign-in, with a state of its own.
    let code = parameter(&Url::parse(&callback).unwrap(), "code");
    let (state, issuer) = (parameter(&provider_url, "state"), &*setup.provider.issuer);
    let page = other
        .respond(&[("code", &code), ("state", &state), ("iss", issuer)])
        .await;
    assert_eq!(page, "/login?signInError=invalid-response&provider=real");
    assert_eq!(other.session().await, Value::Null);

    let provider_url = other.begin("real").await;
    let callback = other.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(other.open(&callback).await, "/dashboard");
    assert_eq!(other.session().await["user"]["id"], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_may_be_rotated_during_a_sign_in() {
    let mut setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    let provider_url = browser.begin("real").await;
    setup.provider.send(&json!({"rotate": true})).await;
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/dashboard");
}

#[tokio::test(flavor = "multi_thread")]
async fn unverified_addresses_of_a_real_provider_are_refused() {
    let mut setup = Setup::new().await;
    let claims = json!({"email_verified": false});
    let person = json!({"person": "grace@example.com", "claims": claims});
    setup.provider.send(&person).await;
    let browser = Browser::new(&setup.app);
    for (login, reason) in [
        ("grace@example.com", "email-unverified"),
        ("grace@evil.example", "foreign-domain"),
    ] {
        let browser = Browser::new(&setup.app);
        let provider_url = browser.begin("real").await;
        let callback = browser.sign_in_at(&provider_url, login).await;
        let page = browser.open(&callback).await;
        assert_eq!(page, format!("/login?signInError={reason}&provider=real"));
    }
    assert_eq!(browser.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_continue_and_sign_in_fails_soon_while_the_provider_is_unavailable() {
    let setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    let provider_url = browser.begin("real").await;
    let callback = browser.sign_in_at(&provider_url, "grace@example.com").await;
    assert_eq!(browser.open(&callback).await, "/dashboard");
    let late = Browser::new(&setup.app);
    let provider_url = late.begin("real").await;
    let callback = late.sign_in_at(&provider_url, "late@example.com").await;
    setup.provider.stop().await;

    let requested_at = Instant::now();
    let page = late.open(&callback).await;
    assert_eq!(
        page,
        "/login?signInError=provider-unavailable&provider=real"
    );
    assert_eq!(
        browser.session().await["user"]["email"],
        "grace@example.com"
    );
    let token = browser.post("/token", json!({})).await;
    assert_eq!(token.status, 200, "{token:?}");
    assert_eq!(browser.post("/sign-out", json!({})).await.status, 200);
    assert!(requested_at.elapsed() < Duration::from_secs(15));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_never_responded_is_unavailable() {
    let flags = super::flags("gone", "http://127.0.0.1:9", &[]);
    let app = super::start("gone", &flags).await;
    let response = Browser::new(&app).start("gone/start", "/").await;
    assert_eq!(response.status(), 503);
}
