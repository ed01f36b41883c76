//! What each host serves: the public pages of one organisation, or the installation.

use std::time::Duration;

use reqwest::{Method, header};
use serde_json::json;
use tokio::time::timeout;

use super::host_header::raw;
use super::{ask, read, start, start_with};
use crate::app::{Operator, TestApp, assert_status, client, client_builder, mailed_token, send};

pub(super) const HOST: &str = "status.acme.example";

/// A server with two organisations that have a domain each.
pub(super) async fn two() -> (TestApp, Operator, Operator) {
    let app = start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    acme.take(HOST).await;
    other.take("status.other.example").await;
    (app, acme, other)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_shows_the_pages_of_its_organisation_at_the_root() {
    let (app, acme, _) = two().await;
    let incident = json!({"title": "Acme is down", "description": "All", "components": []});
    let incident = acme.create("/incident/create", incident).await;
    let code = incident["code"].as_str().unwrap();
    for (path, text) in [
        ("/", "Acme is down"),
        ("/history", "Acme is down"),
        ("/history?page=1", "Acme is down"),
        (&format!("/incidents/{code}"), "Acme is down"),
        ("/uptime", "Acme"),
        ("/subscribe", "Subscribe"),
        (
            &format!("/api/v1/status/{}", acme.organisation),
            "Acme is down",
        ),
        ("/healthz", "ok"),
        ("/readyz", "ok"),
        ("/robots.txt", ""),
        ("/favicon.svg", ""),
    ] {
        let response = read(&app, HOST, path).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        assert!(response.body.to_string().contains(text), "{path}");
    }
    let unknown = read(&app, HOST, "/incidents/0123456789ab").await;
    assert_eq!(unknown.status, 404);
    let head = ask(&app, Method::HEAD, HOST, "/").await;
    assert_eq!(head.status, 200);
    assert!(head.headers.contains_key("etag"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_else_is_served_on_a_domain() {
    let (app, _, other) = two().await;
    let foreign = format!("/status/{}", other.organisation);
    let snapshot = format!("/api/v1/status/{}", other.organisation);
    let events = format!("{snapshot}/events");
    let paths = [
        "/login",
        "/dashboard",
        "/metrics",
        "/docs",
        "/index.html",
        "/status.html",
        "/history/unknown",
        "/embed/unknown",
        "/nowhere",
        "/discord",
        "/socket.io/?EIO=4&transport=polling",
        "/api/v1/openapi.json",
        "/api/v1/component/list",
        "/api/v1/identity/session",
        "/api/v1/organisation",
        &foreign,
        &snapshot,
        &events,
    ];
    for path in paths {
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            let response = ask(&app, method.clone(), HOST, path).await;
            assert!(
                matches!(response.status, 404 | 405),
                "{method} {path}: {response:?}"
            );
            let text = response.body.to_string();
            assert!(
                !text.contains("Other") && !text.contains("<script"),
                "{path}: {text}"
            );
        }
    }
    // On the host of the public URL the same paths are there.
    assert_status(read(&app, "localhost", &foreign), 200).await;
    assert_status(read(&app, "localhost", "/login"), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_addresses_redirect_to_the_domain_and_keep_their_query() {
    let (app, acme, other) = two().await;
    let own = format!("/status/{}", acme.organisation);
    for (path, location) in [
        (own.clone(), "/"),
        (format!("{own}/"), "/"),
        (
            format!("{own}/history?page=2&component=x"),
            "/history?page=2&component=x",
        ),
        (format!("{own}//evil.example/x"), "/evil.example/x"),
        (format!("{own}/\\evil.example"), "/evil.example"),
    ] {
        let moved = raw(
            &app,
            &format!("GET {path} HTTP/1.1\r\nHost: {HOST}\r\n"),
            "",
        )
        .await;
        assert!(moved.starts_with("HTTP/1.1 301 "), "{path}: {moved}");
        assert!(
            moved.contains(&format!("\r\nlocation: {location}\r\n")),
            "{path}: {moved}"
        );
        assert!(
            moved.contains("\r\naccess-control-allow-origin: *\r\n"),
            "{path}: {moved}"
        );
    }
    let foreign = format!("/status/{}", other.organisation);
    assert_status(read(&app, HOST, &foreign), 404).await;
    // On the host of the public URL, the addresses stay valid.
    assert_status(read(&app, "localhost", &own), 200).await;
    assert_status(read(&app, "localhost", &format!("{own}/history")), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_host_is_served_as_the_default_organisation() {
    let folder = tempfile::tempdir().unwrap();
    let (organisation, folder) = {
        let app = TestApp::start_in(folder, &[]).await;
        let organisation = app.operator("Acme").await.organisation;
        (organisation, app.stop().await)
    };
    let flags = [
        "--default-organisation",
        &organisation,
        "--public-url",
        "https://status.example.com",
    ];
    let app = start_with(folder, &flags).await;
    for host in ["unknown.example", "127.0.0.1"] {
        let page = read(&app, host, "/").await;
        assert!(
            page.body.as_str().unwrap().contains("Acme"),
            "{host}: {page:?}"
        );
        assert_status(read(&app, host, "/login"), 404).await;
    }
    assert_status(read(&app, "status.example.com", "/login"), 200).await;
    let moved = read(&app, "unknown.example", &format!("/status/{organisation}")).await;
    assert_eq!(
        (moved.status, &moved.headers["location"]),
        (301, &"/".parse().unwrap())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_lead_to_the_domain() {
    let app = start().await;
    let acme = app.operator("Acme").await;
    acme.take(HOST).await;
    let body = json!({"email": "reader@example.com", "orgId": acme.organisation});
    let subscribed = send(client().post(app.call("/subscriber/public")).json(&body));
    assert_status(subscribed, 200).await;
    let word = "https://status.acme.example/verify?";
    let link = mailed_token(app.folder.path(), "reader@example.com", word).await;
    assert!(!link.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_link_works_on_the_domain_of_its_organisation_only() {
    let (app, acme, _) = two().await;
    let body = json!({"email": "reader@example.com", "orgId": acme.organisation});
    let subscribed = send(client().post(app.call("/subscriber/public")).json(&body));
    assert_status(subscribed, 200).await;
    for (page, code, message) in [
        (
            "/verify",
            "verificationCode",
            "Email verified successfully!",
        ),
        (
            "/unsubscribe",
            "unsubscribeCode",
            "Successfully unsubscribed!",
        ),
    ] {
        let word = format!("{code}=");
        let token = mailed_token(app.folder.path(), "reader@example.com", &word).await;
        let organisation = &acme.organisation;
        let path = format!("{page}?email=reader%40example.com&orgId={organisation}&{code}={token}");
        let foreign = ask(&app, Method::POST, "status.other.example", &path).await;
        assert_eq!(foreign.status, 404, "{foreign:?}");
        let sent = ask(&app, Method::POST, HOST, &path).await;
        assert_eq!(sent.status, 200, "{sent:?}");
        assert!(sent.body.as_str().unwrap().contains(message), "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_has_no_subscribers_of_another_organisation() {
    let (app, acme, other) = two().await;
    let call = async |method: Method, path: &str, organisation: &str| {
        let client = client_builder().no_proxy().build().unwrap();
        let request = client
            .request(method, app.call(path))
            .header(header::HOST, HOST);
        let body = json!({
            "email": "reader@example.com",
            "subscriberId": "0190a3a8-0000-7000-8000-000000000000",
            "orgId": organisation,
            "verificationCode": "wrong",
            "unsubscribeCode": "wrong",
            "manageCode": "wrong",
        });
        send(request.json(&body)).await.status
    };
    for (method, path, own) in [
        (Method::POST, "/subscriber/public", 200),
        (Method::POST, "/subscriber/verify", 400),
        (Method::POST, "/subscriber/unsubscribe", 400),
        (Method::POST, "/subscriber/subscription", 400),
        (Method::PATCH, "/subscriber/subscription", 400),
    ] {
        let status = call(method.clone(), path, &acme.organisation).await;
        assert_eq!(status, own, "{path}");
        let status = call(method, path, &other.organisation).await;
        assert_eq!(status, 404, "{path}");
    }
    let subscribers = other.get("/subscriber/list").await;
    assert_eq!(subscribers.body["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_that_moves_shows_the_pages_of_one_organisation_at_a_time_on_every_node() {
    let (app, acme, other) = two().await;
    let file = app.folder.path().join("data/allclear.db");
    let database = format!("sqlite:{}", file.display());
    let node = TestApp::start_with(&["--database-url", &database]).await;
    let shown_by = |node: &TestApp| {
        let url = node.url.clone();
        let pages = [&acme, &other].map(|of| format!("/api/v1/status/{}", of.organisation));
        async move {
            let mut shown = Vec::new();
            for path in pages {
                let request = client().get(format!("{url}{path}")).header("host", HOST);
                shown.push(send(request).await.status == 200);
            }
            shown
        }
    };
    assert_eq!(shown_by(&node).await, [true, false]);
    assert_status(acme.delete("/organisation/domain"), 200).await;
    other.take(HOST).await;
    // The node of the change follows at once, the other one when it has learnt of the change.
    assert_eq!(shown_by(&app).await, [false, true]);
    let follows = async {
        loop {
            match shown_by(&node).await[..] {
                [false, true] => return,
                // While the domain belongs to no organisation, the host shows the whole
                // installation.
                [true, _] => tokio::task::yield_now().await,
                [..] => panic!("no page at all"),
            }
        }
    };
    timeout(Duration::from_secs(30), follows).await.unwrap();
    assert_status(read(&node, "status.other.example", "/login"), 200).await;
}
