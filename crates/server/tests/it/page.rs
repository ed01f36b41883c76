use reqwest::header::{HeaderName, HeaderValue};
use serde_json::json;

use crate::app::{TestApp, TestResponse, assert_status, send};

/// The route table of the web app.
const ROUTES: &str = include_str!("../../../../apps/web/src/routes.txt");

/// A path of a route: `/blog/{entry}` becomes `/blog/7`.
fn example(route: &str) -> String {
    let segments = route.split('/');
    let segments = segments.map(|segment| {
        if segment.starts_with('{') {
            "7"
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

async fn page(app: &TestApp, path: &str) -> TestResponse {
    send(
        crate::app::client()
            .get(format!("{}{path}", app.url))
            .header("accept", "text/html"),
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_serves_the_app_and_every_other_path_its_not_found_page() {
    let app = TestApp::start().await;
    let routes: Vec<&str> = ROUTES.lines().collect();
    assert!(routes.len() >= 27, "{routes:?}");
    for route in routes {
        let path = example(route);
        let response = page(&app, &path).await;
        assert_eq!(
            (
                response.status,
                response.headers["content-type"].to_str().unwrap()
            ),
            (200, "text/html; charset=utf-8"),
            "{path}"
        );
    }
    for path in [
        "/nowhere",
        "/discord",
        "/sponsor",
        "/status.html",
        "/assets/nothing.js",
        "/components/component/edit",
        "/docs/decisions/7/8",
    ] {
        assert_eq!(page(&app, path).await.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn public_page_with_a_slash_at_the_end_redirects_to_the_one_without() {
    let app = TestApp::start().await;
    for (path, target) in [
        ("/status/org_1/", "/status/org_1"),
        (
            "/status/org_1/history/?page=2",
            "/status/org_1/history?page=2",
        ),
        ("/status/org_1//", "/status/org_1"),
    ] {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let request = client.build().unwrap().get(format!("{}{path}", app.url));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 301, "{path}");
        assert_eq!(response.headers()["location"], target, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_and_favicon_are_served() {
    let app = TestApp::start().await;
    let robots = page(&app, "/robots.txt").await;
    assert_eq!(
        (
            robots.status,
            robots.headers["content-type"].to_str().unwrap()
        ),
        (200, "text/plain; charset=utf-8")
    );
    let rules = robots.body.as_str().unwrap();
    // The longest rule that fits counts (RFC 9309, section 2.2.2).
    let fitting = |rule: &str, path: &str| {
        let starts = rules.lines().filter_map(|line| line.strip_prefix(rule));
        starts
            .filter(|start| path.starts_with(start))
            .map(str::len)
            .max()
    };
    let is_kept = |path: &str| fitting("Disallow: ", path) > fitting("Allow: ", path);
    for path in [
        "/api/v1/component/list",
        "/socket.io/",
        "/metrics",
        "/verify",
        "/unsubscribe",
        "/subscription",
    ] {
        assert!(is_kept(path), "{path}: {rules}");
    }
    // The landing page requests these before its first paint.
    let requests = ["/api/v1/configuration", "/api/v1/identity/session"];
    for path in [
        "/",
        "/status/acme",
        "/docs/api",
        "/blog",
        "/about",
        "/assets/app.js",
        "/favicon.ico",
    ]
    .iter()
    .chain(&requests)
    {
        assert!(!is_kept(path), "{path}: {rules}");
    }
    let icon = crate::app::client()
        .get(format!("{}/favicon.ico", app.url))
        .send()
        .await
        .unwrap();
    assert_eq!(
        (
            icon.status().as_u16(),
            icon.headers()["content-type"].to_str().unwrap()
        ),
        (200, "image/x-icon")
    );
    assert!(
        icon.bytes().await.unwrap().starts_with(&[0, 0, 1, 0]),
        "it is an icon"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn discord_and_sponsor_lead_where_they_are_configured_to() {
    let app = TestApp::start_with(&["--discord-url", "https://discord.example/allclear"]).await;
    let client = crate::app::client_builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let response = send(client.get(format!("{}/discord", app.url))).await;
    assert_eq!(
        (
            response.status,
            response.headers["location"].to_str().unwrap()
        ),
        (302, "https://discord.example/allclear")
    );
    let configuration = send(client.get(app.call("/configuration"))).await;
    assert_eq!(
        configuration.body["data"]["discordUrl"],
        "https://discord.example/allclear"
    );
    assert_eq!(configuration.body["data"]["sponsorUrl"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_response_carries_the_security_headers() {
    let (app, operator) = TestApp::with_operator().await;
    let status = format!("/status/{}", operator.organisation);
    for path in [
        "/",
        status.as_str(),
        "/healthz",
        "/api/v1/configuration",
        "/api/v1/nowhere",
        "/assets/nothing.js",
    ] {
        let response = page(&app, path).await;
        let policy = response.headers["content-security-policy"]
            .to_str()
            .unwrap();
        assert!(
            policy.contains("script-src 'self'") && !policy.contains("unsafe"),
            "{path}: {policy}"
        );
        assert_eq!(
            response.headers["x-content-type-options"], "nosniff",
            "{path}"
        );
        assert_eq!(response.headers["referrer-policy"], "no-referrer", "{path}");
    }
}

/// A response without the headers that differ between two equal responses.
async fn carried(request: reqwest::RequestBuilder) -> (u16, Vec<(String, Vec<u8>)>, Vec<u8>) {
    let response = request.send().await.unwrap();
    let named =
        |name: &HeaderName, value: &HeaderValue| (name.to_string(), value.as_bytes().to_vec());
    // A connection with an unread body is closed.
    let own = ["connection", "date", "x-request-id"];
    let headers = response
        .headers()
        .iter()
        .filter(|(name, _)| !own.contains(&name.as_str()));
    assert!(response.headers().contains_key("x-request-id"));
    let mut headers: Vec<_> = headers.map(|(name, value)| named(name, value)).collect();
    headers.sort();
    (
        response.status().as_u16(),
        headers,
        response.bytes().await.unwrap().to_vec(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn fast_path_and_app_send_equal_responses() {
    let app = TestApp::start_with(&["--public-url", "https://status.example"]).await;
    let operator = app.operator("Acme").await;
    let client = crate::app::client();
    for path in [
        format!("/status/{}", operator.organisation),
        format!("/api/v1/status/{}", operator.organisation),
        format!("/status/{}/history", operator.organisation),
        format!("/status/{}/history?page=2", operator.organisation),
        format!("/status/{}/history.atom", operator.organisation),
    ] {
        for coding in ["br", "gzip", "identity"] {
            for tag in ["\"another\"", "*"] {
                let request = || {
                    client
                        .get(format!("{}{path}", app.url))
                        .header("accept-encoding", coding)
                        .header("if-none-match", tag)
                };
                // The app serves the first request, and every request with a body.
                let by_the_app = carried(request().body("x")).await;
                let ahead = carried(request()).await;
                assert_eq!(ahead, by_the_app, "{path}, {coding}, {tag}");
                assert_eq!(ahead.0, if tag == "*" { 304 } else { 200 }, "{path}");
            }
        }
    }
}

/// The tags of the elements that a browser would run.
fn scripts(html: &str) -> Vec<&str> {
    let tags = html
        .split("<script")
        .skip(1)
        .filter_map(|rest| rest.split_once('>'));
    tags.map(|(tag, _)| tag)
        .filter(|tag| !tag.contains("type=\"application/json\""))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_page_alone_holds_a_script_and_a_style_each_allowed_by_its_hash() {
    let (app, operator) = TestApp::with_operator().await;
    for (path, count) in [
        ("/", 0),
        (format!("/status/{}", operator.organisation).as_str(), 1),
        ("/status/nobody", 1),
    ] {
        let response = page(&app, path).await;
        let policy = response.headers["content-security-policy"]
            .to_str()
            .unwrap();
        let source = |name: &str| {
            policy
                .split("; ")
                .find(|part| part.starts_with(name))
                .unwrap()
        };
        for kind in ["script-src", "style-src"] {
            let source = source(kind);
            assert!(source.starts_with(&format!("{kind} 'self'")), "{source}");
            assert_eq!(source.matches("'sha256-").count(), count, "{path}");
            assert!(!source.contains("unsafe"), "{path}: {source}");
        }
        let html = response.body.as_str().unwrap();
        assert_eq!(html.matches("<style").count(), count, "{path}");
        let (inline, found): (Vec<_>, Vec<_>) =
            scripts(html).into_iter().partition(|tag| tag.is_empty());
        assert_eq!(inline.len(), count, "{path}");
        assert!(
            !found.is_empty() && found.iter().all(|tag| tag.contains(" src=\"/")),
            "{path}: {found:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_page_shows_text_of_people_as_text() {
    let app = TestApp::start().await;
    let operator = app.operator("</script><script>alert(1)</script>").await;
    operator.component("<!--<script>").await;
    let response = page(&app, &format!("/status/{}", operator.organisation)).await;
    assert_eq!(response.status, 200);
    let html = response.body.as_str().unwrap();
    assert!(html.contains("id=\"drawn\""), "{html}");
    assert!(
        !html.contains("alert(1)</script>") && !html.contains("<!--<script>"),
        "{html}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_and_metrics_show_a_live_and_ready_server() {
    let app = TestApp::start().await;
    let client = crate::app::client();
    assert_status(send(client.get(format!("{}/healthz", app.url))), 200).await;
    assert_status(send(client.get(format!("{}/readyz", app.url))), 200).await;
    let metrics = send(client.get(format!("{}/metrics", app.url))).await;
    let text = metrics.body.as_str().unwrap();
    assert!(
        text.contains("allclear_http_requests_total") && text.contains("route=\"/healthz\""),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn openapi_document_has_the_routes_of_components_and_describes_every_response() {
    let app = TestApp::start().await;
    let document = send(crate::app::client().get(app.call("/openapi.json")))
        .await
        .body;
    for (path, method) in [
        ("/api/v1/component/list", "get"),
        ("/api/v1/component/create", "post"),
        ("/api/v1/component/order", "get"),
        ("/api/v1/component/order", "post"),
        ("/api/v1/component/{id}", "get"),
        ("/api/v1/component/{id}", "patch"),
        ("/api/v1/component/{id}", "delete"),
        ("/api/v1/component/{id}/status", "post"),
        ("/api/v1/component/{id}/history", "get"),
        ("/api/v1/component/{id}/history/create", "post"),
        ("/api/v1/component/{id}/uptime", "get"),
        ("/api/v1/status/{organisation}", "get"),
        ("/api/v1/status/{organisation}/events", "get"),
    ] {
        assert!(
            document["paths"][path][method].is_object(),
            "{method} {path}"
        );
    }
    let calls = document["paths"].as_object().unwrap().values();
    let calls = calls.flat_map(|path| path.as_object().unwrap().values());
    for call in calls {
        for (status, response) in call["responses"].as_object().unwrap() {
            let description = response["description"].as_str();
            assert!(
                description.is_some_and(|text| !text.is_empty()),
                "{status} of {call}"
            );
        }
    }
}
