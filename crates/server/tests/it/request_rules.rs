//! Rules of every route: no compressed bodies, HEAD, OPTIONS and `Allow`, and
//! `Cache-Control: no-store`.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, TestResponse, assert_status, client, send};
use crate::process::{Process, command};

/// Size of the decompressed body, in bytes.
const UNPACKED: usize = 32 * 1024 * 1024;
/// Bombs sent to a route at the same time.
const CONCURRENT_BOMBS: usize = 4;
/// Growth of the peak of resident memory, in KiB, over all routes: far less than one bomb unpacked.
const GROWTH: u64 = 16 * 1024;

fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![0; 1024 * 1024];
    for _ in 0..UNPACKED / zeros.len() {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap()
}

/// Every method and path of the OpenAPI document.
async fn routes(url: &str) -> Vec<(Method, String)> {
    let document: Value = client()
        .get(format!("{url}/api/v1/openapi.json"))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let Ok(method) = method.to_uppercase().parse() else {
                continue;
            };
            routes.push((method, path.clone()));
        }
    }
    assert!(routes.len() > 30, "{routes:?}");
    routes
}

/// A path whose parameters all have this value.
fn filled(path: &str, value: &str) -> String {
    let mut filled = String::new();
    for (index, part) in path.split(['{', '}']).enumerate() {
        filled += if index % 2 == 0 { part } else { value };
    }
    filled
}

async fn send_bomb(client: &Client, method: Method, url: &str, body: Vec<u8>) -> TestResponse {
    let request = client
        .request(method, url)
        .header("content-type", "application/json")
        .header("content-encoding", "gzip");
    send(request.body(body)).await
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn every_route_refuses_a_compressed_body_before_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::serve(command(&folder.path().join("data"), &["serve"])).await;
    let (client, bomb) = (client(), bomb());
    let routes = routes(&process.url).await;
    let before = process.peak_memory();
    for (method, path) in routes {
        let url = format!("{}{}", process.url, filled(&path, "x"));
        let sent =
            (0..CONCURRENT_BOMBS).map(|_| send_bomb(&client, method.clone(), &url, bomb.clone()));
        for response in join_all(sent).await {
            assert_eq!(response.status, 415, "{method} {path}: {response:?}");
            assert_eq!(response.headers["accept-encoding"], "identity");
            assert_eq!(response.headers["content-type"], "application/problem+json");
        }
    }
    let grown = process.peak_memory() - before;
    assert!(grown < GROWTH, "the peak grew by {grown} KiB");
    assert_eq!(process.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_without_a_length_is_counted_as_it_is_read() {
    let app = TestApp::start().await;
    let mut stream = TcpStream::connect(app.url.strip_prefix("http://").unwrap())
        .await
        .unwrap();
    let head = "POST /api/v1/identity/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
        Content-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = format!("4000\r\n{}\r\n", "a".repeat(0x4000));
    for _ in 0..17 {
        // The server may have responded and closed before everything is sent.
        if stream.write_all(piece.as_bytes()).await.is_err() {
            break;
        }
    }
    let mut response = [0; 12];
    tokio::time::timeout(Duration::from_secs(20), stream.read_exact(&mut response))
        .await
        .expect("a response in time")
        .unwrap();
    assert_eq!(&response, b"HTTP/1.1 413");
}

#[tokio::test(flavor = "multi_thread")]
async fn head_responds_like_get_without_a_body() {
    let (app, operator) = TestApp::with_operator().await;
    let (mut found, client) = (0, client());
    for (method, path) in routes(&app.url).await {
        if method != Method::GET {
            continue;
        }
        let url = format!("{}{}", app.url, filled(&path, &operator.organisation));
        let ask = |method| {
            client
                .request(method, &url)
                .bearer_auth(&operator.token)
                .send()
        };
        let (get, head) = (
            ask(Method::GET).await.unwrap(),
            ask(Method::HEAD).await.unwrap(),
        );
        assert_eq!(head.status(), get.status(), "{path}");
        for name in ["content-type", "content-length", "etag"] {
            assert_eq!(
                head.headers().get(name),
                get.headers().get(name),
                "{path} {name}"
            );
        }
        assert_eq!(head.text().await.unwrap(), "", "{path}");
        found += u32::from(get.status() == 200);
    }
    assert!(found >= 8, "{found} calls were found");
}

#[tokio::test(flavor = "multi_thread")]
async fn options_and_a_refused_method_list_every_method_of_a_call() {
    let app = TestApp::start().await;
    let rows = [
        ("/component/7", "GET, HEAD, PATCH, DELETE, OPTIONS"),
        ("/component/list", "GET, HEAD, OPTIONS"),
        ("/component/create", "POST, OPTIONS"),
        ("/status/org", "GET, HEAD, OPTIONS"),
        ("/status/org/events", "GET, HEAD, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ];
    for (path, methods) in rows {
        let ask = |method| send(client().request(method, app.call(path)));
        let options = ask(Method::OPTIONS).await;
        assert_eq!(
            (options.status, &options.headers["allow"]),
            (204, &HeaderValue::from_static(methods)),
            "{path}"
        );
        let response = ask(Method::PUT).await;
        assert_eq!(
            (response.status, &response.headers["allow"]),
            (405, &HeaderValue::from_static(methods)),
            "{path}"
        );
    }
    for path in ["/nowhere", "/status/org/nowhere"] {
        assert_status(send(client().request(Method::OPTIONS, app.call(path))), 404).await;
    }
    let preflight = client()
        .request(Method::OPTIONS, app.call("/status/org"))
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "GET");
    let preflight = send(preflight).await;
    assert_eq!(preflight.headers["access-control-allow-origin"], "*");
    assert_eq!(
        preflight.headers["access-control-allow-methods"],
        "GET, HEAD"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_origins_may_read_the_headers_of_responses() {
    let origin = "https://other.example.com";
    let app = TestApp::start_with(&["--allowed-origins", origin]).await;
    for path in ["/component/list", "/status/org"] {
        let response = send(client().get(app.call(path)).header("origin", origin)).await;
        let exposed = &response.headers["access-control-expose-headers"];
        let exposed: Vec<_> = exposed.to_str().unwrap().split(", ").collect();
        for name in ["etag", "retry-after", "x-request-id"] {
            assert!(exposed.contains(&name), "{path}: {exposed:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_authorization_is_refused() {
    let (app, operator) = TestApp::with_operator().await;
    let bearer = format!("Bearer {}", operator.token);
    for path in ["/component/list", "/status/org", "/nowhere"] {
        for other in [bearer.as_str(), "Bearer wrong", "Basic eDp5", ""] {
            let request = client().get(app.call(path));
            let request = request.header("authorization", &bearer);
            let response = send(request.header("authorization", other)).await;
            assert_eq!(
                (response.status, &response.body["message"]),
                (400, &json!("Authorization must not be repeated")),
                "{path} {other}"
            );
            assert_eq!(response.headers["cache-control"], "no-store");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cache_keeps_a_response_to_a_token_or_a_session() {
    let (app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let page = format!("/status/{}", operator.organisation);
    let snapshot = format!("/api/v1{page}");
    let ask = async |path: &str, credential: Option<(&str, &str)>| {
        let mut headers = HeaderMap::new();
        if let Some((name, value)) = credential {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.insert(name, HeaderValue::from_str(value).unwrap());
        }
        let response = send(client().get(format!("{}{path}", app.url)).headers(headers)).await;
        let kept = response.headers.get("cache-control").cloned();
        kept.map(|value| value.to_str().unwrap().to_owned())
    };
    let bearer = format!("Bearer {}", operator.token);
    for credential in [
        ("authorization", bearer.as_str()),
        ("authorization", "Bearer wrong"),
        ("cookie", "theme=dark; allclear_session=x"),
    ] {
        for path in [
            "/api/v1/component/list",
            "/api/v1/component/nowhere",
            "/api/v1/nowhere",
            "/api/v1/identity/session",
            "/nowhere",
            &page,
            &snapshot,
        ] {
            assert_eq!(
                ask(path, Some(credential)).await.as_deref(),
                Some("no-store"),
                "{path} {credential:?}"
            );
        }
    }
    let history = format!("{page}/history");
    let uptime = format!("{page}/uptime");
    let incident = format!(
        "{page}/incidents/{}",
        crate::history::incident(&operator, "Outage", "2026-01-01T12:00:00.000Z").await
    );
    // Read twice: the second response comes from memory.
    for path in [
        &page, &snapshot, &page, &snapshot, &history, &uptime, &incident,
    ] {
        assert_eq!(
            ask(path, None).await.as_deref(),
            Some("public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400"),
            "{path}"
        );
    }
    for path in [&history, &uptime, &incident] {
        let credential = ("cookie", "allclear_session=x");
        assert_eq!(
            ask(path, Some(credential)).await.as_deref(),
            Some("no-store")
        );
    }
    let error_response = send(
        operator
            .request(Method::POST, "/component/create")
            .json(&json!({})),
    )
    .await;
    assert_eq!(
        (
            error_response.status,
            &error_response.headers["cache-control"]
        ),
        (422, &HeaderValue::from_static("no-store"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn item_of_another_version_is_neither_changed_nor_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let titled =
        json!({"title": "Move", "description": "All of it", "startAt": "2030-01-01T00:00"});
    for (item, body) in [
        ("component", json!({"name": "API"})),
        ("component-group", json!({"name": "Core"})),
        (
            "incident",
            json!({"title": "Down", "description": "All of it"}),
        ),
        ("maintenance", titled),
    ] {
        let created = operator.create(&format!("/{item}/create"), body).await;
        let path = format!("/{item}/{}", created["id"].as_str().unwrap());
        let loaded = operator.get(&path).await.etag.unwrap();
        let named = |name: &str| json!({"name": name, "title": name});
        assert_status(operator.patch(&path, named("Renamed")), 200).await;
        let current = operator.get(&path).await;
        let request = |method: Method, etag: &str| {
            let request = operator.request(method, &path);
            request.header("if-match", etag)
        };
        let edit = request(Method::PATCH, &loaded).json(&named("Stale"));
        assert_status(send(edit), 412).await;
        assert_status(send(request(Method::DELETE, &loaded)), 412).await;
        let kept = operator.get(&path).await;
        assert_eq!((&kept.body, &kept.etag), (&current.body, &current.etag));
        let etag = current.etag.unwrap();
        assert_status(send(request(Method::DELETE, &etag)), 200).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_another_version_are_not_changed() {
    let (_app, operator) = TestApp::with_operator().await;
    let loaded = operator.get("/organisation").await.etag.unwrap();
    let edit = |title: &str| {
        let request = operator.request(Method::PATCH, "/organisation");
        let request = request.header("if-match", &loaded);
        send(request.json(&json!({"pageTitle": title, "notifyByDefault": false})))
    };
    assert_status(edit("First"), 200).await;
    let changed = operator.get("/organisation").await;
    let shown = operator.snapshot().await;
    assert_eq!(shown["organisation"]["pageTitle"], "First");
    assert_status(edit("Second"), 412).await;
    let kept = operator.get("/organisation").await;
    assert_eq!((&kept.body, &kept.etag), (&changed.body, &changed.etag));
    assert_eq!(operator.snapshot().await, shown);
}
