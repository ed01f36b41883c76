//! Badges: what they show, what they refuse, and how long caches keep them.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::app::{Operator, TestApp, TestResponse, client, send};

#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// A badge below the organisation's page.
async fn badge(operator: &Operator, path: &str) -> TestResponse {
    let url = format!("{}/status/{}{path}", operator.url, operator.organisation);
    send(client().get(url)).await
}

fn svg(response: &TestResponse) -> &str {
    assert_eq!(
        (response.status, &response.headers["content-type"]),
        (200, &"image/svg+xml".parse().unwrap()),
        "{response:?}"
    );
    response.body.as_str().unwrap()
}

/// The badge in words.
fn title(response: &TestResponse) -> &str {
    let (_, rest) = svg(response).split_once("<title>").unwrap();
    rest.split_once("</title>").unwrap().0
}

/// Creates a component and returns its identifier and its code.
async fn component(operator: &Operator, name: &str) -> (String, String) {
    let id = operator.component(name).await;
    let snapshot = operator.snapshot().await;
    let components = snapshot["components"].as_array().unwrap();
    let found = components
        .iter()
        .find(|found| found["id"] == id.as_str())
        .unwrap();
    (id, found["code"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn badge_shows_the_status_of_the_page_and_of_a_component_at_once() {
    let (_app, operator) = TestApp::with_operator().await;
    let (id, code) = component(&operator, "API").await;
    let (_, other) = component(&operator, "Web").await;
    let path = format!("/badge/{code}.svg");
    assert_eq!(
        title(&badge(&operator, "/badge.svg").await),
        "Acme: All Systems Operational"
    );
    assert_eq!(title(&badge(&operator, &path).await), "API: Operational");

    let outage = json!({"status": "MAJOR_OUTAGE"});
    operator.patch(&format!("/component/{id}"), outage).await;
    assert_eq!(
        title(&badge(&operator, "/badge.svg").await),
        "Acme: Partial System Outage"
    );
    assert_eq!(title(&badge(&operator, &path).await), "API: Major Outage");
    let other = badge(&operator, &format!("/badge/{other}.svg")).await;
    assert_eq!(title(&other), "Web: Operational");
}

#[tokio::test(flavor = "multi_thread")]
async fn badge_of_a_component_shows_a_maintenance() {
    let (_app, operator) = TestApp::with_operator().await;
    let (id, code) = component(&operator, "API").await;
    let started = now() - TimeDelta::hours(1);
    let maintenance =
        json!({"title": "Move", "description": "d", "startAt": started, "components": [id]});
    operator.create("/maintenance/create", maintenance).await;
    let shown = badge(&operator, &format!("/badge/{code}.svg")).await;
    assert_eq!(title(&shown), "API: Under Maintenance");
    assert_eq!(
        title(&badge(&operator, "/badge.svg").await),
        "Acme: Service Under Maintenance"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn badge_shows_the_uptime_unless_it_is_hidden() {
    let (_app, operator) = TestApp::with_operator().await;
    let (id, code) = component(&operator, "API").await;
    // The days before the component was created count, too.
    let path = format!("/component/{id}");
    let changed = operator.patch(&path, json!({"startDate": null})).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let uptime = format!("/badge/{code}.svg?metric=uptime");
    assert_eq!(
        title(&badge(&operator, &uptime).await),
        "API: uptime of the last 90 days: 100.0 %"
    );
    let week = badge(&operator, &format!("{uptime}&days=7")).await;
    assert_eq!(title(&week), "API: uptime of the last 7 days: 100.0 %");
    assert!(svg(&week).contains(">100.0 %</text>"), "{week:?}");

    let outage = now() - TimeDelta::days(20);
    let body =
        json!({"status": "MAJOR_OUTAGE", "startAt": outage, "endAt": outage + TimeDelta::hours(1)});
    operator
        .create(&format!("/component/{id}/history/create"), body)
        .await;
    for (days, percentage) in [(7, "100.0"), (30, "99.86"), (90, "99.95")] {
        let shown = badge(&operator, &format!("{uptime}&days={days}")).await;
        let expected = format!("API: uptime of the last {days} days: {percentage} %");
        assert_eq!(title(&shown), expected);
    }

    let hidden = operator
        .patch(&format!("/component/{id}"), json!({"showUptime": false}))
        .await;
    assert_eq!(hidden.status, 200, "{hidden:?}");
    assert_eq!(badge(&operator, &uptime).await.status, 404);
    assert_eq!(
        badge(&operator, &format!("/badge/{code}.svg")).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_badges_are_not_found_and_unknown_values_are_refused() {
    let (app, operator) = TestApp::with_operator().await;
    let (_, code) = component(&operator, "API").await;
    let foreign = app.operator("Other").await;
    let path = format!("/badge/{code}.svg");
    assert_eq!(
        badge(&foreign, &path).await.status,
        404,
        "of another organisation"
    );
    for path in [
        "/badge/000000000000.svg",
        "/badge/x.svg",
        "/badge/.svg",
        "/badge.png",
    ] {
        assert_eq!(badge(&operator, path).await.status, 404, "{path}");
    }
    let nobody = format!("{}/status/org_nobody/badge.svg", app.url);
    assert_eq!(send(client().get(nobody)).await.status, 404);

    let long = "x".repeat(101);
    for (query, field) in [
        ("style=plastic", "style"),
        ("metric=ping", "metric"),
        ("metric=uptime&days=0", "days"),
        ("metric=uptime&days=91", "days"),
        ("label=a%0Ab", "label"),
        (&format!("label={long}"), "label"),
    ] {
        let response = badge(&operator, &format!("{path}?{query}")).await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!(field)),
            "{query}"
        );
    }
    assert_eq!(
        badge(&operator, "/badge.svg?metric=uptime").await.status,
        422
    );
    let posted = format!("{}/status/{}/badge.svg", app.url, operator.organisation);
    assert_eq!(send(client().post(posted)).await.status, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn label_in_the_query_is_escaped() {
    let (_app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let label = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%26";
    let drawn = badge(
        &operator,
        &format!("/badge.svg?style=flat-square&label={label}"),
    )
    .await;
    let text = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;";
    assert_eq!(title(&drawn), format!("{text}: All Systems Operational"));
    assert!(!svg(&drawn).contains("<script"), "{drawn:?}");
    let policy = drawn.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
}

#[tokio::test(flavor = "multi_thread")]
async fn badge_is_cached_for_a_minute_by_anybody_and_has_no_cookie() {
    let (_app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let url = format!(
        "{}/status/{}/badge.svg",
        operator.url, operator.organisation
    );
    let first = send(client().get(&url)).await;
    assert_eq!(first.headers["cache-control"], "max-age=60");
    assert_eq!(first.headers["vary"], "Accept-Encoding");
    assert_eq!(first.headers["access-control-allow-origin"], "*");
    assert_eq!(
        first.headers["cross-origin-resource-policy"],
        "cross-origin"
    );
    assert!(!first.headers.contains_key("set-cookie"), "{first:?}");
    let tag = first.etag.clone().unwrap();
    let known = send(client().get(&url).header("if-none-match", &tag)).await;
    assert_eq!((known.status, &known.etag), (304, &first.etag));
    let head = send(client().head(&url)).await;
    assert_eq!((head.status, &head.etag), (200, &first.etag));
    let other = send(
        client()
            .get(format!("{url}?label=x"))
            .header("if-none-match", &tag),
    )
    .await;
    assert_eq!(other.status, 200, "another picture has another tag");
    for accepted in ["gzip", "gzip, deflate, br, zstd"] {
        let request = client().get(&url).header("Accept-Encoding", accepted);
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["content-encoding"], "gzip", "{accepted}");
    }
    let personal = send(client().get(&url).header("cookie", "allclear_session=x")).await;
    assert_eq!(personal.headers["cache-control"], "no-store");
}
