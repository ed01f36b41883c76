//! The security log of the binary.

use std::fs::read_to_string;

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Operator, PASSWORD, assert_status, client, cookie_client, operator_of, send};
use crate::process::{Process, command};

/// The lines of the security log, in order.
fn lines(log: &std::path::Path) -> Vec<Value> {
    let text = read_to_string(log).unwrap();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["target"] == "security").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_security_event_names_actor_action_and_address_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let arguments = [
        "--log-format",
        "json",
        "--limit-guesses",
        "2/1",
        "--limit-streams",
        "1",
    ];
    let server = command(&data, &arguments);
    let process = Process::serve_with_json_log(server, &log).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let call = |path: &str| format!("{}/api/v1/identity{path}", process.url);
    let user = send(operator.client.get(call("/session"))).await.body["data"]["user"]["id"].clone();

    let anonymous = cookie_client();
    let wrong = json!({"email": "ada@example.com", "password": "a wrong password"});
    let mut failed = Value::Null;
    loop {
        let response = send(anonymous.post(call("/sign-in")).json(&wrong)).await;
        if response.status == 429 {
            break;
        }
        assert_eq!(response.status, 401);
        failed = json!(response.headers["x-request-id"].to_str().unwrap());
    }
    let list = format!("{}/api/v1/component/list", process.url);
    let error_response = send(client().get(list).bearer_auth("not.a.token")).await;
    assert_eq!(error_response.status, 401);
    let key = json!({"name": "Deploys", "role": "viewer"});
    let key = operator.create("/api-key/create", key).await;
    let create = format!("{}/api/v1/component/create", process.url);
    let create = client()
        .post(create)
        .bearer_auth(key["key"].as_str().unwrap());
    let error_response = send(create.json(&json!({"name": "API"}))).await;
    assert_eq!(error_response.status, 403, "{error_response:?}");
    let foreign = client().post(call("/sign-out"));
    let foreign = foreign.header("origin", "https://evil.example");
    assert_eq!(send(foreign).await.status, 403);
    let path = format!("/organisations/{}/invitations", operator.organisation);
    let invitation = json!({"email": "bob@example.com", "role": "admin"});
    let invited = operator.client.request(Method::POST, call(&path));
    assert_eq!(send(invited.json(&invitation)).await.status, 201);
    rename(&operator, &process.url).await;
    let id = key["id"].as_str().unwrap();
    let revoke = format!("{}/api/v1/api-key/{id}", process.url);
    let revoke = client().delete(revoke).bearer_auth(&operator.token);
    assert_eq!(send(revoke).await.status, 200);
    let stream = async || {
        let events = format!(
            "{}/api/v1/status/{}/events",
            process.url, operator.organisation
        );
        client().get(events).send().await.unwrap()
    };
    let _open = stream().await;
    let refused_stream = stream().await;
    assert_eq!(refused_stream.status(), 429);
    let refused_stream = json!(refused_stream.headers()["x-request-id"].to_str().unwrap());
    assert_status(send(operator.client.post(call("/sign-out"))), 200).await;
    assert_eq!(process.terminate().await, Some(0));

    let lines = lines(&log);
    let mut events: Vec<_> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    let renamings = events
        .iter()
        .filter(|event| **event == "organisation-renamed");
    assert_eq!(renamings.count(), 2, "one of each route");
    events.dedup();
    assert_eq!(
        events,
        [
            "signed-in",
            "organisation-created",
            "sign-in-failed",
            "throttled",
            "token-refused",
            "api-key-created",
            "access-refused",
            "foreign-request-refused",
            "invited",
            "organisation-renamed",
            "api-key-revoked",
            "throttled",
            "signed-out"
        ]
    );
    let expected = Expected {
        operator: &operator,
        user,
        key: key["id"].clone(),
        failed,
        refused_stream,
    };
    expected.assert_recorded(&lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_wrong_passwords_and_codes_of_a_session_are_recorded_as_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let server = command(&data, &["--log-format", "json"]);
    let process = Process::serve_with_json_log(server, &log).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let call = |path: &str| format!("{}/api/v1/identity{path}", process.url);
    let wrong = "another few words";
    for (current, new) in [
        (PASSWORD, "ada@example.com 1843"),
        (wrong, "a brand new password"),
    ] {
        let change = operator.client.post(call("/user/password"));
        let change = change.json(&json!({"currentPassword": current, "newPassword": new}));
        assert_status(send(change), 422).await;
    }
    let password = json!({"password": wrong});
    let again = operator.client.post(call("/re-authenticate"));
    assert_status(send(again.json(&password)), 401).await;
    let deletion = operator.client.delete(call("/user"));
    assert_status(send(deletion.json(&password)), 422).await;
    assert_status(send(operator.client.post(call("/user/totp"))), 201).await;
    for code in ["", "000000"] {
        let confirmation = operator.client.post(call("/user/totp/confirm"));
        assert_status(send(confirmation.json(&json!({"code": code}))), 422).await;
    }
    assert_eq!(process.terminate().await, Some(0));
    let lines = lines(&log);
    let events: Vec<_> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        events,
        [
            "signed-in",
            "organisation-created",
            "password-change-refused",
            "re-authentication-failed",
            "re-authentication-failed",
            "second-factor-failed",
        ]
    );
}

/// Renames an organisation by its session and by its settings, and by each also to the name that
/// it has.
async fn rename(operator: &Operator, url: &str) {
    let path = format!(
        "{url}/api/v1/identity/organisations/{}",
        operator.organisation
    );
    for _ in 0..2 {
        let renamed = operator.client.patch(&path).json(&json!({"name": "Beta"}));
        assert_eq!(send(renamed).await.status, 200);
    }
    for _ in 0..2 {
        let settings = client().patch(format!("{url}/api/v1/organisation"));
        let settings = settings.bearer_auth(&operator.token);
        let renamed = settings.json(&json!({"name": "Gamma"}));
        assert_eq!(send(renamed).await.status, 200);
    }
}

/// What the records of the events must contain.
struct Expected<'a> {
    operator: &'a Operator,
    /// Identifier of the operator's account.
    user: Value,
    /// Identifier of the API key.
    key: Value,
    /// Identifier of the request of the last failed sign-in.
    failed: Value,
    /// Identifier of the request of the refused event stream.
    refused_stream: Value,
}

impl Expected<'_> {
    fn assert_recorded(&self, lines: &[Value]) {
        let latest = |event: &str| lines.iter().rfind(|line| line["event"] == event).unwrap();
        for event in [
            "signed-in",
            "organisation-created",
            "invited",
            "signed-out",
            "organisation-renamed",
            "api-key-created",
            "api-key-revoked",
        ] {
            assert_eq!(latest(event)["subject"], self.user, "{event}");
        }
        assert_eq!(latest("sign-in-failed")["subject"], "a***@example.com");
        assert_eq!(latest("sign-in-failed")["request_id"], self.failed);
        let throttled = lines.iter().find(|line| line["event"] == "throttled");
        assert_eq!(throttled.unwrap()["object"], "/api/v1/identity/sign-in");
        assert_eq!(latest("throttled")["request_id"], self.refused_stream);
        let foreign = latest("foreign-request-refused");
        assert_eq!(foreign["object"], "/api/v1/identity/sign-out");
        let record = latest("access-refused");
        assert_eq!(record["object"], "/api/v1/component/create");
        assert_eq!(record["subject"], self.key);
        for event in [
            "organisation-created",
            "access-refused",
            "invited",
            "organisation-renamed",
            "api-key-created",
            "api-key-revoked",
        ] {
            assert_eq!(latest(event)["organisation"], self.operator.organisation);
        }
        for event in ["api-key-created", "api-key-revoked"] {
            assert_eq!(latest(event)["object"], self.key, "{event}");
            assert!(latest(event)["request_id"].is_string(), "{event}");
        }
        for line in lines {
            assert_eq!(line["address"], "127.0.0.1", "{line}");
            let text = line.to_string();
            for secret in [PASSWORD, "a wrong password", self.operator.token.as_str()] {
                assert!(!text.contains(secret), "{text}");
            }
        }
    }
}
