//! Access to the metrics for Prometheus.

use reqwest::RequestBuilder;
use serde_json::json;

use crate::app::{TestApp, TestResponse, client, operator_of, send};
use crate::process::{Process, command};

const TOKEN: &str = "0123456789abcdef";

async fn metrics(
    app: &TestApp,
    with: impl FnOnce(RequestBuilder) -> RequestBuilder,
) -> TestResponse {
    send(with(client().get(format!("{}/metrics", app.url)))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_readable_on_this_machine_and_not_through_a_proxy() {
    let app = TestApp::start().await;
    assert_eq!(metrics(&app, |request| request).await.status, 200);
    for (name, value) in [
        ("x-forwarded-for", "127.0.0.1"),
        ("x-forwarded-for", "203.0.113.7"),
        ("x-real-ip", "127.0.0.1"),
        ("forwarded", "for=127.0.0.1"),
    ] {
        let response = metrics(&app, |request| request.header(name, value)).await;
        assert_eq!(response.status, 403, "{name}: {value}");
        assert!(
            !response.body.to_string().contains("allclear_"),
            "{response:?}"
        );
    }
    let screen = metrics(&app, |request| {
        request
            .header("x-forwarded-for", "203.0.113.7")
            .header("accept", "text/html")
    });
    let screen = screen.await;
    assert_eq!(screen.status, 200, "the screen needs no permission");
    assert_eq!(screen.headers["content-type"], "text/html; charset=utf-8");
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_of_messages_and_tasks_exist_before_the_first_event() {
    let app = TestApp::start().await;
    let text = metrics(&app, |request| request).await.body;
    let text = text.as_str().unwrap();
    for series in [
        "allclear_deliveries_total{channel=\"teams\",outcome=\"given_up\"}",
        "allclear_deliveries_total{channel=\"discord\",outcome=\"ended\"}",
        "allclear_task_failures_total{task=\"prune_deliveries\"}",
        "allclear_task_failures_total{task=\"requests\"}",
        "\nallclear_account_mails_failed_total ",
    ] {
        assert!(text.contains(series), "{series}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_metric_has_a_description() {
    let app = TestApp::start().await;
    let text = metrics(&app, |request| request).await.body;
    let text = text.as_str().unwrap();
    for line in text.lines() {
        let Some(kind) = line.strip_prefix("# TYPE ") else {
            continue;
        };
        let name = kind.split_whitespace().next().unwrap();
        assert!(text.contains(&format!("# HELP {name} ")), "{name}: {text}");
    }
    let version = format!(
        "allclear_build_info{{version=\"{}\"}} 1",
        env!("CARGO_PKG_VERSION")
    );
    assert!(text.contains(&version), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_about_an_account_that_fails_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["--smtp-url", "smtp://127.0.0.1:1"];
    let process = Process::serve(command(&folder.path().join("data"), &flags)).await;
    let ada = operator_of(&process.url, "ada@example.com", "Acme").await;
    let path = format!(
        "/api/v1/identity/organisations/{}/invitations",
        ada.organisation
    );
    let invited = ada.client.post(format!("{}{path}", process.url));
    let invited = invited.json(&json!({"email": "bob@example.com", "role": "member"}));
    assert_eq!(send(invited).await.status, 503);
    let text = send(client().get(format!("{}/metrics", process.url)))
        .await
        .body;
    let text = text.as_str().unwrap();
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("allclear_account_mails_failed_total "));
    assert!(value.is_some_and(|value| value != "0"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_readable_from_a_configured_network_and_with_the_token() {
    let flags = [
        "--trusted-proxies",
        "127.0.0.1",
        "--metrics-networks",
        "192.0.2.0/24",
        "--metrics-token",
        TOKEN,
    ];
    let app = TestApp::start_with(&flags).await;
    let from = async |address: &str| {
        metrics(&app, |request| request.header("x-forwarded-for", address))
            .await
            .status
    };
    assert_eq!(from("192.0.2.7").await, 200);
    assert_eq!(from("127.0.0.1").await, 200, "from a trusted proxy");
    assert_eq!(from("203.0.113.7").await, 403);
    assert_eq!(from("192.0.2.7, 203.0.113.7").await, 403);
    let with = async |token: &str| {
        metrics(&app, |request| {
            request
                .header("x-forwarded-for", "203.0.113.7")
                .bearer_auth(token)
        })
        .await
        .status
    };
    assert_eq!(with(TOKEN).await, 200);
    assert_eq!(with("0123456789abcdeF").await, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn hsts_has_the_configured_scope() {
    for (flags, expected) in [
        (
            &["--public-url", "https://status.example"][..],
            Some("max-age=31536000"),
        ),
        (
            &[
                "--public-url",
                "https://status.example",
                "--hsts",
                "subdomains",
            ],
            Some("max-age=31536000; includeSubDomains"),
        ),
        (
            &["--public-url", "https://status.example", "--hsts", "off"],
            None,
        ),
        (&["--hsts", "subdomains"], None),
    ] {
        let app = TestApp::start_with(flags).await;
        let response = send(client().get(format!("{}/healthz", app.url))).await;
        let sent = response.headers.get("strict-transport-security");
        let sent = sent.map(|value| value.to_str().unwrap());
        assert_eq!(sent, expected, "{flags:?}");
    }
}
