//! Second factors of people who sign in at a provider.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use super::Browser;
use super::real_provider::Setup;
use crate::app::{TestResponse, send};

const GRACE: &str = "grace@example.com";

impl Browser {
    async fn sign_in(&self, login: &str) {
        let provider_url = self.begin("real").await;
        let callback = self.sign_in_at(&provider_url, login).await;
        assert_eq!(self.open(&callback).await, "/dashboard");
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> TestResponse {
        let url = format!("{}/api/v1/identity{path}", self.url);
        send(self.client.request(method, url).json(&body)).await
    }

    /// Requires a second factor in an organisation; returns the status.
    async fn require_factor(&self, organisation: &str) -> u16 {
        let path = format!("/organisations/{organisation}/second-factor");
        let set = self.call(Method::PUT, &path, json!({"required": true}));
        set.await.status
    }

    /// The status of a request for a token of an organisation, and whether it needs a
    /// second factor.
    async fn token(&self, organisation: &str) -> (u16, bool) {
        let body = json!({"organisationId": organisation});
        let response = self.post("/token", body).await;
        (response.status, response.needs_factor())
    }

    /// Adds an authenticator app; returns the recovery codes.
    async fn enrol(&self) -> Vec<Value> {
        let began = self.post("/user/totp", json!({})).await;
        assert_eq!(began.status, 201, "{began:?}");
        let secret = began.body["data"]["secret"].as_str().unwrap();
        let secret = Secret::try_from_base32(secret).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let code = json!({"code": totp.generate(now.as_secs()).to_string()});
        let confirmed = self.post("/user/totp/confirm", code).await;
        assert_eq!(confirmed.status, 200, "{confirmed:?}");
        let codes = confirmed.body["data"]["recoveryCodes"].as_array();
        codes.unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_names_several_factors_satisfies_a_requirement() {
    let mut setup = Setup::new().await;
    let methods = async |setup: &mut Setup, amr: Value| {
        let person = json!({"person": GRACE, "claims": {}, "amr": amr});
        setup.provider.send(&person).await;
    };
    methods(&mut setup, json!(["pwd", "otp", "mfa"])).await;
    let browser = Browser::new(&setup.app);
    browser.sign_in(GRACE).await;
    let acme = browser.organisation().await;
    assert_eq!(browser.require_factor(&acme).await, 200);
    assert_eq!(browser.token(&acme).await, (200, false));

    methods(&mut setup, json!(["pwd"])).await;
    let elsewhere = Browser::new(&setup.app);
    elsewhere.sign_in(GRACE).await;
    assert_eq!(elsewhere.token(&acme).await, (403, true));
    assert_eq!(browser.token(&acme).await, (200, false));

    // The provider asks for another factor when the person authenticates again.
    methods(&mut setup, json!(["pwd", "mfa"])).await;
    let provider_url = elsewhere.begin_reauthentication("real").await;
    let callback = elsewhere.sign_in_at(&provider_url, GRACE).await;
    assert_eq!(elsewhere.open(&callback).await, "/signed-in");
    assert_eq!(elsewhere.token(&acme).await, (200, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_always_checks_factors_satisfies_a_requirement_by_setting() {
    let setup = Setup::with(&["second_factor=*"]).await;
    let browser = Browser::new(&setup.app);
    browser.sign_in(GRACE).await;
    let acme = browser.organisation().await;
    assert_eq!(browser.require_factor(&acme).await, 200);
    assert_eq!(browser.token(&acme).await, (200, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_of_a_provider_without_factors_adds_one_and_confirms_it_after_each_sign_in() {
    let setup = Setup::new().await;
    let browser = Browser::new(&setup.app);
    browser.sign_in(GRACE).await;
    let acme = browser.organisation().await;
    assert_eq!(browser.require_factor(&acme).await, 409, "there is none");
    let codes = browser.enrol().await;
    assert_eq!(browser.require_factor(&acme).await, 200);
    assert_eq!(browser.token(&acme).await, (200, false));

    let elsewhere = Browser::new(&setup.app);
    elsewhere.sign_in(GRACE).await;
    assert_eq!(elsewhere.token(&acme).await, (403, true));
    assert_eq!(elsewhere.require_factor(&acme).await, 403);
    for (method, path) in [
        (Method::DELETE, "/user/totp"),
        (Method::POST, "/user/totp"),
        (Method::POST, "/user/recovery-codes"),
        (Method::POST, "/user/passkeys/options"),
    ] {
        let response = elsewhere.call(method, path, json!({})).await;
        assert!(response.needs_factor(), "{path}: {response:?}");
    }

    let path = "/session/second-factor";
    let wrong = elsewhere.post(path, json!({"code": "000000"})).await;
    assert_eq!(wrong.status, 401, "{wrong:?}");
    assert_eq!(elsewhere.token(&acme).await, (403, true));
    let proven = elsewhere.post(path, json!({"code": codes[0]})).await;
    assert_eq!(proven.status, 200, "{proven:?}");
    assert_eq!(elsewhere.token(&acme).await, (200, false));
    let again = elsewhere.post(path, json!({"code": codes[0]})).await;
    assert_eq!(again.status, 401, "a recovery code works once");

    // Without the factor the session satisfies the requirement no longer.
    let removed = elsewhere.call(Method::DELETE, "/user/totp", json!({}));
    assert_eq!(removed.await.status, 200);
    assert_eq!(elsewhere.token(&acme).await, (403, true));
    elsewhere.enrol().await;
    assert_eq!(elsewhere.token(&acme).await, (200, false));
}
