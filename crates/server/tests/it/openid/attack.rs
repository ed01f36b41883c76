//! Attacks on sign-in, each by a provider or a page that lies.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::{Value, json};

use super::lying_provider::{LyingProvider, Setup};
use super::{Browser, address, cookies, flags, open_with_cookies, parameter, start};
use crate::clerk::fake_clerk::{now, published, signed, with_header};

const INVALID: &str = "/login?signInError=invalid-response&provider=liar";
const UNAVAILABLE: &str = "/login?signInError=provider-unavailable&provider=liar";
const EXPIRED: &str = "/login?signInError=expired";

#[tokio::test(flavor = "multi_thread")]
async fn wrong_claims_of_an_id_token_are_refused() {
    let setup = Setup::new().await;
    for changes in [
        json!({"iss": "https://evil.example"}),
        json!({"iss": format!("{}/", setup.provider.issuer)}),
        json!({"iss": null}),
        json!({"aud": "another-client"}),
        json!({"aud": ["allclear", "another-client"]}),
        json!({"aud": null}),
        json!({"azp": "another-client"}),
        json!({"nonce": "another"}),
        json!({"nonce": null}),
        json!({"exp": now() - 6}),
        json!({"exp": null}),
        json!({"iat": now() + 60}),
        json!({"sub": null}),
        json!({"sub": "x".repeat(256)}),
    ] {
        let page = setup.sign_in(&changes).await;
        assert_eq!(page, INVALID, "{changes}");
        assert_eq!(setup.browser.session().await, Value::Null, "{changes}");
    }
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_signatures_are_refused() {
    let setup = Setup::new().await;
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let by_secret = |claims: Value, key: &[u8]| {
        let text = format!(
            "{}.{}",
            part(&json!({"alg": "HS256", "typ": "JWT"})),
            part(&claims)
        );
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        let signature = hmac::sign(&key, text.as_bytes());
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    };
    let unsigned = |claims: Value| format!("{}.{}.", part(&json!({"alg": "none"})), part(&claims));
    let client_secret = |claims| by_secret(claims, b"secret-of-the-client");
    let public_key = |claims| by_secret(claims, published(0)["n"].as_str().unwrap().as_bytes());
    let own_key = |claims| {
        with_header(
            1,
            &json!({"alg": "RS256", "kid": "ins_1", "jwk": published(1)}),
            &claims,
        )
    };
    let other_name = |claims| with_header(1, &json!({"alg": "RS256", "kid": "ins_0"}), &claims);
    assert_eq!(setup.sign_in_with(unsigned).await, INVALID);
    assert_eq!(setup.sign_in_with(client_secret).await, INVALID);
    assert_eq!(setup.sign_in_with(public_key).await, INVALID);
    assert_eq!(setup.sign_in_with(own_key).await, INVALID);
    assert_eq!(setup.sign_in_with(other_name).await, INVALID);
    assert_eq!(setup.browser.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_is_fetched_at_once_and_unknown_keys_are_not_fetched_again_and_again() {
    let setup = Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    assert_eq!(setup.provider.key_requests(), 1);
    setup.provider.set(|responses| responses.keys = vec![1]);
    assert_eq!(
        setup.sign_in_with(|claims| signed(1, &claims)).await,
        "/dashboard"
    );
    assert_eq!(setup.provider.key_requests(), 2);
    for _ in 0..3 {
        assert_eq!(
            setup.sign_in_with(|claims| signed(0, &claims)).await,
            INVALID
        );
    }
    assert_eq!(setup.provider.key_requests(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_without_the_state_of_this_browser_is_refused() {
    let setup = Setup::new().await;
    let provider_url = setup.browser.begin("liar").await;
    let token = signed(0, &setup.provider.claims(&provider_url));
    setup.provider.set(|responses| responses.token = token);
    let state = parameter(&provider_url, "state");
    let attacker = Browser::new(&setup.app);
    attacker.begin("liar").await;
    for (browser, query) in [
        (&setup.browser, vec![("code", "abc")]),
        (&setup.browser, vec![("code", "abc"), ("state", "")]),
        (&setup.browser, vec![("code", "abc"), ("state", "another")]),
        (&attacker, vec![("code", "abc"), ("state", &state)]),
        (
            &Browser::new(&setup.app),
            vec![("code", "abc"), ("state", &state)],
        ),
    ] {
        assert_eq!(browser.respond(&query).await, EXPIRED, "{query:?}");
        assert_eq!(browser.session().await, Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_completed_sign_in_cannot_be_repeated() {
    let setup = Setup::new().await;
    let response = setup.browser.start("liar/start", "/").await;
    let kept = cookies(&response);
    let provider_url = address(response).await;
    let token = signed(0, &setup.provider.claims(&provider_url));
    setup.provider.set(|responses| responses.token = token);
    let callback = format!(
        "{}/api/v1/identity/oidc/callback?code=abc&state={}",
        setup.app.url,
        parameter(&provider_url, "state")
    );
    assert_eq!(setup.browser.open(&callback).await, "/");
    // The browser has forgotten the cookie; a thief kept it.
    assert_eq!(setup.browser.open(&callback).await, EXPIRED);
    let page = open_with_cookies(&callback, &kept).await;
    assert_eq!(page, "/login?signInError=expired&provider=liar");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_response_of_another_provider_is_refused() {
    let (honest, liar) = (LyingProvider::start(), LyingProvider::start());
    liar.set(|responses| {
        responses.metadata = json!({"authorization_response_iss_parameter_supported": true});
    });
    let flags = [
        flags("honest", &honest.issuer, &[]),
        flags("liar", &liar.issuer, &[]),
    ]
    .concat();
    let app = start("honest,liar", &flags).await;
    for (name, provider, issuer, expected) in [
        ("honest", &honest, Some(&liar.issuer), None),
        ("honest", &honest, Some(&honest.issuer), Some("/dashboard")),
        ("honest", &honest, None, Some("/dashboard")),
        ("liar", &liar, None, None),
        ("liar", &liar, Some(&honest.issuer), None),
        ("liar", &liar, Some(&liar.issuer), Some("/dashboard")),
    ] {
        let browser = Browser::new(&app);
        let provider_url = browser.begin(name).await;
        let mut claims = provider.claims(&provider_url);
        claims["sub"] = json!(name);
        claims["email"] = json!(format!("{name}@example.com"));
        let token = signed(0, &claims);
        provider.set(|responses| responses.token = token);
        let state = parameter(&provider_url, "state");
        let mut query = vec![("code", "abc"), ("state", &*state)];
        query.extend(issuer.map(|issuer| ("iss", &**issuer)));
        let login_page = format!("/login?signInError=invalid-response&provider={name}");
        let page = browser.respond(&query).await;
        assert_eq!(page, expected.unwrap_or(&login_page), "{name} {issuer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_provider_signs_nobody_in_at_another() {
    let (first, second) = (LyingProvider::start(), LyingProvider::start());
    let flags = [
        flags("first", &first.issuer, &[]),
        flags("second", &second.issuer, &[]),
    ]
    .concat();
    let app = start("first,second", &flags).await;
    let browser = Browser::new(&app);
    let provider_url = browser.begin("first").await;
    // Both have the same keys; only the issuer tells them apart.
    let token = signed(0, &second.claims(&provider_url));
    first.set(|responses| responses.token = token);
    let state = parameter(&provider_url, "state");
    let page = browser.respond(&[("code", "abc"), ("state", &state)]).await;
    assert_eq!(page, "/login?signInError=invalid-response&provider=first");
}

#[tokio::test(flavor = "multi_thread")]
async fn unproven_and_foreign_addresses_are_refused() {
    let setup = Setup::new().await;
    for (changes, reason) in [
        (json!({"email_verified": false}), "email-unverified"),
        (json!({"email_verified": "false"}), "email-unverified"),
        (json!({"email_verified": null}), "email-unverified"),
        (json!({"email": null}), "email-unverified"),
        (json!({"email": "not an address"}), "email-unverified"),
        (json!({"email": "grace@evil.example"}), "foreign-domain"),
        (json!({"email": "grace@sub.example.com"}), "foreign-domain"),
        (
            json!({"email": "grace@example.com.evil.example"}),
            "foreign-domain",
        ),
    ] {
        // What the token does not say, the user information could.
        setup
            .provider
            .set(|responses| responses.user = json!({"sub": "grace"}));
        let page = setup.sign_in(&changes).await;
        assert_eq!(
            page,
            format!("/login?signInError={reason}&provider=liar"),
            "{changes}"
        );
        assert_eq!(setup.browser.session().await, Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn user_information_counts_only_for_the_same_person_and_never_against_the_token() {
    let setup = Setup::new().await;
    let without_address = json!({"email": null, "email_verified": null});
    let other = json!({"sub": "mallory", "email": "grace@example.com", "email_verified": true});
    setup.provider.set(|responses| responses.user = other);
    assert_eq!(setup.sign_in(&without_address).await, INVALID);
    let same = json!({"sub": "grace", "email": "grace@example.com", "email_verified": true});
    setup.provider.set(|responses| responses.user = same);
    assert_eq!(setup.sign_in(&without_address).await, "/dashboard");
    let unverified = json!({"email_verified": false});
    let page = setup.sign_in(&unverified).await;
    assert_eq!(page, "/login?signInError=email-unverified&provider=liar");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_the_token_lacks_comes_from_the_user_information() {
    let setup = Setup::new().await;
    let user = json!({"sub": "grace", "name": "Grace Hopper"});
    setup.provider.set(|responses| responses.user = user);
    assert_eq!(setup.sign_in(&json!({"name": null})).await, "/dashboard");
    let session = setup.browser.session().await;
    assert_eq!(session["user"]["name"], "Grace Hopper");
    // A sign-in that lacks only a name does not need the endpoint.
    let unreachable = json!({"userinfo_endpoint": "http://127.0.0.1:9/me"});
    let setup = Setup::new().await;
    setup
        .provider
        .set(|responses| responses.metadata = unreachable);
    assert_eq!(setup.sign_in(&json!({"name": null})).await, "/dashboard");
    let without_address = json!({"email": null, "email_verified": null});
    assert_eq!(setup.sign_in(&without_address).await, UNAVAILABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_token_endpoint_tells_wrong_settings_from_a_wrong_code() {
    let setup = Setup::new().await;
    for (status, error, expected) in [
        (401, "invalid_client", UNAVAILABLE),
        (400, "unauthorized_client", UNAVAILABLE),
        (400, "invalid_grant", INVALID),
    ] {
        let body = json!({"error": error, "error_description": "refused"});
        setup
            .provider
            .set(|responses| responses.token_error = Some((status, body)));
        assert_eq!(setup.sign_in(&json!({})).await, expected, "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_with_a_new_owner_does_not_give_away_its_account() {
    let setup = Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    let first = setup.browser.session().await["user"]["id"].clone();
    let acme = setup.browser.organisation().await;
    let page = setup.sign_in(&json!({"sub": "another-grace"})).await;
    assert_eq!(page, "/login?signInError=another-person&provider=liar");
    let unproven = json!({"email_verified": false});
    let page = setup.sign_in(&unproven).await;
    assert_eq!(page, "/login?signInError=email-unverified&provider=liar");
    let items = setup.browser.audit(&acme, "session.refused").await;
    assert_eq!(items.len(), 2, "{items:?}");
    // The session of the first person stays valid.
    assert_eq!(setup.browser.session().await["user"]["id"], first);
    let renamed = json!({"email": "hopper@example.com"});
    assert_eq!(setup.sign_in(&renamed).await, "/dashboard");
    assert_eq!(setup.browser.session().await["user"]["id"], first);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_does_not_return_to_another_site() {
    let setup = Setup::new().await;
    for (page, expected) in [
        ("/components?a=b", "/components?a=b"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/..//evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/api/v1/identity/session", "/"),
    ] {
        let provider_url = setup.browser.begin_at("liar", page).await;
        let token = signed(0, &setup.provider.claims(&provider_url));
        setup.provider.set(|responses| responses.token = token);
        let state = parameter(&provider_url, "state");
        let led = setup
            .browser
            .respond(&[("code", "abc"), ("state", &state)])
            .await;
        assert_eq!(led, expected, "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_provider_leads_to_the_sign_in_page() {
    let setup = Setup::new().await;
    for (error, text) in [("access_denied", "x"), ("<script>", "javascript:alert(1)")] {
        let provider_url = setup.browser.begin("liar").await;
        let state = parameter(&provider_url, "state");
        let query = [
            ("error", error),
            ("error_description", text),
            ("state", &state),
        ];
        let page = setup.browser.respond(&query).await;
        assert_eq!(page, "/login?signInError=refused&provider=liar");
    }
    let provider_url = setup.browser.begin("liar").await;
    let state = parameter(&provider_url, "state");
    assert_eq!(setup.browser.respond(&[("state", &state)]).await, INVALID);
    let unknown = setup.browser.start("nobody/start", "/").await;
    assert_eq!(unknown.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_and_responses_that_lie_are_refused() {
    for metadata in [
        json!({"issuer": "https://evil.example"}),
        json!({"token_endpoint": "http://192.0.2.1/token"}),
        json!({"jwks_uri": "http://192.0.2.1/jwks"}),
        json!({"authorization_endpoint": "http://192.0.2.1/auth"}),
    ] {
        let setup = Setup::new().await;
        setup
            .provider
            .set(|responses| responses.metadata = metadata.clone());
        let response = setup.browser.start("liar/start", "/").await;
        assert_eq!(response.status(), 503, "{metadata}");
    }
    let setup = Setup::new().await;
    setup
        .provider
        .set(|responses| responses.padding = 600 * 1024);
    assert_eq!(setup.sign_in(&json!({})).await, UNAVAILABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_that_a_client_begins_are_limited() {
    let provider = LyingProvider::start();
    let mut flags = flags("liar", &provider.issuer, &[]);
    flags.extend(["--limit-oidc".to_owned(), "3/1".to_owned()]);
    let app = start("liar", &flags).await;
    let browser = Browser::new(&app);
    for _ in 0..3 {
        browser.begin("liar").await;
    }
    let response = browser.start("liar/start", "/").await;
    assert_eq!(response.status(), 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_site_cannot_start_a_sign_in() {
    let setup = Setup::new().await;
    let url = setup.app.call("/identity/oidc/liar/start");
    let link = setup.browser.client.get(&url).send().await.unwrap();
    assert_eq!(link.status(), 405, "a link begins nothing");
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let request = setup.browser.client.post(&url).json(&json!({}));
        let response = request.header(name, value).send().await.unwrap();
        assert_eq!(response.status(), 403, "{name}: {value}");
        assert!(cookies(&response).is_empty(), "{name}: {value}");
    }
    let form = setup.browser.client.post(&url).body("returnTo=/");
    let kind = "application/x-www-form-urlencoded";
    let form = form.header("content-type", kind).send().await.unwrap();
    assert_eq!(form.status(), 415);
}
