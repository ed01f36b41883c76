//! Secrets with which the server is configured are in no line of the log and no error.
//! Those of mail and OpenID Connect are in the test of issued secrets, those of Clerk in a
//! test of their own.

use std::fs::read_to_string;

use allclear_test_support::postgres;
use serde_json::json;
use url::Url;

use super::assert_hidden;
use crate::app::{client, operator_of, send};
use crate::process::{Process, command, run};

const POSTGRES_PASSWORD: &str = "CanaryPostgres2e8b";
const REDIS_PASSWORD: &str = "CanaryRedis5c1f";
const METRICS_TOKEN: &str = "CanaryMetrics-9d3a-token";

fn secrets() -> [(&'static str, String); 3] {
    [
        ("password of PostgreSQL", POSTGRES_PASSWORD.to_owned()),
        ("password of Redis", REDIS_PASSWORD.to_owned()),
        ("token of the metrics", METRICS_TOKEN.to_owned()),
    ]
}

/// An address of a server, with a password.
fn with_password(url: &str, password: &str) -> String {
    let mut url: Url = url.parse().unwrap();
    url.set_password(Some(password)).unwrap();
    url.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_a_running_server_is_in_its_log_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let redis = std::env::var("ALLCLEAR_TEST_REDIS_URL");
    let redis = redis.unwrap_or_else(|_| "redis://127.0.0.1:1".to_owned());
    let redis = with_password(&redis, REDIS_PASSWORD);
    let mut arguments = vec!["--log", "trace", "--log-format", "json"];
    arguments.extend(["--redis-url", &redis, "--metrics-token", METRICS_TOKEN]);
    let database = postgres().map(|url| with_password(&url, POSTGRES_PASSWORD));
    if let Some(url) = &database {
        arguments.extend(["--database-url", url]);
    }
    let server = command(&data, &arguments);
    let process = Process::serve_with_json_log(server, &log).await;
    let ada = operator_of(&process.url, "ada@example.com", "Acme").await;
    ada.create("/component/create", json!({"name": "API"}))
        .await;
    let mut errors = Vec::new();
    for token in [METRICS_TOKEN.to_owned(), format!("{METRICS_TOKEN}x")] {
        for path in ["/metrics", "/api/v1/component/list"] {
            let request = client().get(format!("{}{path}", process.url));
            errors.push(send(request.bearer_auth(&token)).await.body.to_string());
        }
    }
    assert_eq!(process.terminate().await, Some(0));
    let log = read_to_string(&log).unwrap();
    assert!(log.contains("\"level\":\"TRACE\""), "a log at each level");
    assert_hidden(
        &secrets(),
        log.lines().chain(errors.iter().map(String::as_str)),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_the_reason_why_a_server_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (flag, url) in [
        (
            "--database-url",
            format!("postgres://ann:{POSTGRES_PASSWORD}@127.0.0.1:1/none"),
        ),
        (
            "--database-url",
            format!("postgres://ann:{POSTGRES_PASSWORD}@[/none"),
        ),
        (
            "--database-url",
            format!("mysql://ann:{POSTGRES_PASSWORD}@127.0.0.1/none"),
        ),
        ("--redis-url", format!("redis://ann:{REDIS_PASSWORD}@[")),
        (
            "--redis-url",
            format!("http://ann:{REDIS_PASSWORD}@127.0.0.1"),
        ),
    ] {
        let arguments = [
            flag,
            &url,
            "--log",
            "trace",
            "--metrics-token",
            METRICS_TOKEN,
        ];
        let (code, stdout, stderr) = run(command(&data, &arguments)).await;
        assert!(matches!(code, Some(1 | 2)), "{url}: {stderr}");
        assert!(stderr.contains("allclear: "), "{url}: {stderr}");
        assert_hidden(&secrets(), stderr.lines().chain(stdout.lines()));
    }
}
