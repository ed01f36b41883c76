//! The secrets of Clerk are in no line of the log and no error.

use std::fs::read_to_string;

use serde_json::json;

use super::fake_clerk::{FakeClerk, WEBHOOK_SECRET, now, signature, token};
use super::flags;
use crate::app::{client, send};
use crate::canary::assert_hidden;
use crate::process::{Process, command};

#[tokio::test(flavor = "multi_thread")]
async fn log_and_errors_contain_no_secret_of_clerk() {
    let clerk = FakeClerk::start();
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let configured = flags(&clerk);
    let mut arguments: Vec<_> = configured.iter().map(String::as_str).collect();
    arguments.extend(["--log", "trace", "--log-format", "json"]);
    let server = command(&data, &arguments);
    let process = Process::serve_with_json_log(server, &log).await;
    let call = |path: &str| format!("{}/api/v1{path}", process.url);

    let mut errors = Vec::new();
    // The server asks Clerk's Backend API for names, which the fake does not have for every user.
    let user = json!({"id": "user_1", "first_name": "Ann", "last_name": "Lee", "username": null});
    clerk.set("/v1/users/user_1", 200, user);
    for user in ["user_1", "user_2"] {
        let create = client().post(call("/component/create"));
        let create = create.bearer_auth(token(user, "org_1"));
        let created = send(create.json(&json!({"name": "API"}))).await;
        errors.push(created.body.to_string());
    }
    let ended = token("user_1", "org_1");
    let request = client().get(call("/component/list"));
    let error_response = send(request.bearer_auth(format!("{ended}x"))).await;
    assert_eq!(error_response.status, 401);
    errors.push(error_response.body.to_string());

    let event = json!({"type": "session.ended", "object": "event", "data": {"id": "sess_of_user_1"}, "timestamp": 1, "instance_id": "i"});
    let (body, at) = (event.to_string(), now());
    let right = signature("msg_1", at, &body);
    for (signature, status) in [("v1,d3Jvbmc=", 400), (&*right, 200)] {
        let delivery = client()
            .post(call("/clerk/webhooks"))
            .header("content-type", "application/json")
            .header("svix-id", "msg_1")
            .header("svix-timestamp", at.to_string())
            .header("svix-signature", signature);
        let response = send(delivery.body(body.clone())).await;
        assert_eq!(response.status, status, "{response:?}");
        errors.push(response.body.to_string());
    }
    assert_eq!(process.terminate().await, Some(0));

    let log = read_to_string(&log).unwrap();
    assert!(log.contains("\"level\":\"TRACE\""), "a log at each level");
    let key = WEBHOOK_SECRET.strip_prefix("whsec_").unwrap();
    let secrets = [
        ("secret key", "sk_test_abc".to_owned()),
        ("webhook secret", key.to_owned()),
        ("webhook signature", right),
        ("session token", ended),
    ];
    assert_hidden(
        &secrets,
        log.lines().chain(errors.iter().map(String::as_str)),
    );
}
