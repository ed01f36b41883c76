//! Passwords that are switched off.

use reqwest::Method;
use serde_json::{Value, json};

use super::lying_provider::{LyingProvider, Setup};
use super::{Browser, flags, start};
use crate::app::{TestApp, client, send};
use crate::process::{command, run};

async fn without_passwords() -> TestApp {
    let provider = LyingProvider::start();
    let mut flags = flags("liar", &provider.issuer, &["name=Example ID"]);
    flags.extend(["--passwords".to_owned(), "off".to_owned()]);
    start("liar", &flags).await
}

/// Methods and paths of the calls of the OpenAPI document whose body has a password.
async fn calls_with_a_password(app: &TestApp) -> Vec<(Method, String)> {
    let document = send(client().get(app.call("/openapi.json"))).await.body;
    let has_password = |operation: &Value| {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let name = schema["$ref"].as_str().and_then(|at| at.rsplit('/').next());
        let properties = &document["components"]["schemas"][name.unwrap_or_default()]["properties"];
        let mut properties = properties.as_object().into_iter().flatten();
        properties.any(|(name, kind)| name.ends_with("assword") && kind["type"] != "boolean")
    };
    let mut calls = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            if has_password(operation) {
                let method = Method::from_bytes(method.to_uppercase().as_bytes());
                calls.push((method.unwrap(), path.clone()));
            }
        }
    }
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_that_are_switched_off_are_refused_everywhere() {
    let app = without_passwords().await;
    let (person, _) = app.account("ann@example.com").await;
    let mut calls = calls_with_a_password(&app).await;
    assert!(calls.len() >= 6, "{calls:?}");
    // The password was entered before, or will be, or the address leads to one.
    for path in [
        "/sign-up/confirm",
        "/sign-in/code",
        "/password-reset",
        "/user/address",
        "/sign%2Din",
    ] {
        calls.push((Method::POST, format!("/api/v1/identity{path}")));
    }
    for (method, path) in calls {
        let body = json!({
            "email": "ann@example.com", "password": crate::app::PASSWORD, "name": "Ann", "token": "x",
        });
        let request = person.request(method, format!("{}{path}", app.url));
        let response = send(request.json(&body)).await;
        assert_eq!(response.status, 403, "{path}: {response:?}");
        let message = response.body["message"].as_str().unwrap();
        assert!(
            message.starts_with("Passwords are switched off"),
            "{message}"
        );
    }
    let session = send(person.get(app.call("/identity/session"))).await;
    assert_eq!(session.body["data"]["user"]["email"], "ann@example.com");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_in_page_learns_the_providers_and_no_secret() {
    let app = without_passwords().await;
    let configuration = send(client().get(app.call("/configuration"))).await;
    let data = &configuration.body["data"];
    assert_eq!(data["passwords"], false);
    assert_eq!(
        data["signInProviders"],
        json!([{"id": "liar", "name": "Example ID"}])
    );
    assert!(
        !configuration
            .body
            .to_string()
            .contains("secret-of-the-client")
    );
    let plain = TestApp::start().await;
    let configuration = send(client().get(plain.call("/configuration"))).await;
    assert_eq!(configuration.body["data"]["passwords"], true);
    assert_eq!(configuration.body["data"]["signInProviders"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_knows_the_password_of_a_new_account() {
    let setup = Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    let stranger = Browser::new(&setup.app);
    for password in ["", "!", "grace@example.com", crate::app::PASSWORD] {
        let body = json!({"email": "grace@example.com", "password": password});
        let response = stranger.post("/sign-in", body).await;
        assert!([401, 422].contains(&response.status), "{response:?}");
    }
    assert_eq!(stranger.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_stop_the_start_with_one_clear_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let clerk = [
        "--clerk-publishable-key",
        "pk_test_Y2xlcmsuZXhhbXBsZS5jb20k",
        "--clerk-secret-key",
        "sk_test_abc",
        "--clerk-webhook-secret",
        "whsec_YWJj",
    ];
    let okta = ["--oidc-providers", "okta"];
    let rows: [(Vec<&str>, &str); 3] = [
        (okta.to_vec(), "ALLCLEAR_OIDC_OKTA_ISSUER is missing"),
        (
            vec!["--passwords", "off"],
            "ALLCLEAR_PASSWORDS=off needs a provider",
        ),
        (
            [&clerk[..], &okta[..]].concat(),
            "cannot be used with Clerk",
        ),
    ];
    for (flags, reason) in rows {
        let mut command = command(&data, &flags);
        command.env("ALLCLEAR_OIDC_OKTA_CLIENT_SECRET", "hunter2");
        if !flags.contains(&"okta") {
            command.env_remove("ALLCLEAR_OIDC_OKTA_CLIENT_SECRET");
        }
        let (ended, _, stderr) = run(command).await;
        let lines: Vec<_> = stderr
            .lines()
            .filter(|line| line.starts_with("allclear: "))
            .collect();
        assert_eq!((ended, lines.len()), (Some(2), 1), "{flags:?}: {stderr}");
        assert!(
            lines[0].contains(reason) && !stderr.contains("hunter2"),
            "{}",
            lines[0]
        );
    }
}
