//! Secrets that people send are in no item of the audit log, no line of the log and no error.

mod configured;
mod issued;

use std::fs::read_to_string;

use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, client, cookie_client, eventually, operator_of, send};
use crate::process::{Process, command};

/// Part of every secret.
const CANARY: &str = "Canary7b9f";

/// Asserts that no line contains one of these secrets, each given with its kind.
pub(crate) fn assert_hidden<'l>(
    secrets: &[(&str, String)],
    lines: impl IntoIterator<Item = &'l str>,
) {
    let mut leaks = Vec::new();
    for line in lines {
        for (kind, secret) in secrets {
            if line.contains(secret) {
                leaks.push(format!("{kind} {secret}: {line}"));
            }
        }
    }
    assert!(leaks.is_empty(), "{} leaks: {leaks:#?}", leaks.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_the_audit_log_the_log_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let server = command(
        &data,
        &["--log-format", "json", "--webhook-allow", "127.0.0.1"],
    );
    let process = Process::serve_with_json_log(server, &log).await;
    let ada = operator_of(&process.url, "ada@example.com", "Acme").await;
    let api = |path: &str| format!("{}/api/v1{path}", process.url);
    let secret = |number: u8| format!("{CANARY}-{number}");

    let mut errors = Vec::new();
    let anonymous = cookie_client();
    for (path, body) in [
        (
            "/identity/sign-in",
            json!({"email": "ada@example.com", "password": secret(1)}),
        ),
        ("/identity/sign-up/confirm", json!({"token": secret(2)})),
        (
            "/identity/password-reset/confirm",
            json!({"token": secret(3), "password": secret(4)}),
        ),
        (
            "/subscriber/verify",
            json!({"subscriberId": ada.organisation, "orgId": ada.organisation, "verificationCode": secret(5)}),
        ),
        ("/identity/invitations/inspect", json!({"token": secret(6)})),
    ] {
        let response = send(anonymous.post(api(path)).json(&body)).await;
        assert!(response.status >= 400, "{path}: {response:?}");
        errors.push(response.body.to_string());
    }
    let response = send(client().get(api("/audit")).bearer_auth(secret(7))).await;
    assert_eq!(response.status, 401);
    errors.push(response.body.to_string());

    let accept = json!({"token": secret(8)});
    let wrong = json!({"currentPassword": secret(9), "newPassword": secret(10)});
    for (path, body) in [
        ("/identity/invitations/accept", accept),
        ("/identity/user/password", wrong),
    ] {
        let response = send(ada.client.post(api(path)).json(&body)).await;
        assert!(response.status >= 400, "{path}: {response:?}");
        errors.push(response.body.to_string());
    }
    // The path of such a URL is a password.
    let hook = json!({"channel": "slack", "target": format!("https://127.0.0.1:9/services/{}xyz1", secret(11))});
    let added = ada.request(Method::POST, "/subscriber").json(&hook);
    assert_eq!(send(added).await.status, 201);
    let changed = json!({"currentPassword": PASSWORD, "newPassword": secret(12)});
    let changed = ada
        .client
        .post(api("/identity/user/password"))
        .json(&changed);
    assert_eq!(send(changed).await.status, 200);

    // A refused sign-in is noted in the background.
    let complete = eventually("each action has an item", async || {
        let file = ada.request(Method::GET, "/audit?format=jsonl").send();
        let items = file.await.unwrap().text().await.unwrap();
        let expected = ["subscriber.created", "session.refused", "password.changed"];
        let is_complete = expected.iter().all(|action| items.contains(action));
        is_complete.then_some(items)
    });
    let items = complete.await;
    assert_eq!(process.terminate().await, Some(0));
    let log = read_to_string(&log).unwrap();
    assert!(log.contains("sign-in-failed"), "{log}");
    let mut texts = vec![items, log];
    texts.extend(errors);
    for text in texts {
        assert!(!text.contains(CANARY), "{text}");
        assert!(!text.contains(PASSWORD), "{text}");
        assert!(!text.contains(&ada.token), "{text}");
    }
}
