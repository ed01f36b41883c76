//! The server ends behind nginx as a cache, with the configuration of `docs/nginx-cache.conf`.

use std::time::Instant;

use futures_util::future::join_all;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Child;

use super::proxy::Proxy;
use crate::app::{Operator, TestResponse, client, eventually, operator_of, send};
use crate::other_servers;
use crate::process::{Process, command, lasting_port};

const NGINX: &str = include_str!("../../../../../docs/nginx-cache.conf");

/// nginx before a server. It ends with this.
struct SharedCache {
    url: String,
    _nginx: Child,
    _folder: TempDir,
}

impl SharedCache {
    /// `None` where nginx is not installed; on CI that is a failure.
    async fn before(server: &str, port: u16) -> Option<Self> {
        let nginx = other_servers::installed("nginx")?;
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let configuration = NGINX
            .replace("10.0.0.11:8080", server)
            .replace("/var/lib/nginx/allclear", &cache.display().to_string())
            .replace(
                "listen 80;",
                &format!("listen 127.0.0.1:{port};\n        access_log off;"),
            );
        let nginx = other_servers::nginx(&nginx, &configuration, folder.path(), port).await;
        Some(Self {
            url: format!("http://127.0.0.1:{port}"),
            _nginx: nginx,
            _folder: folder,
        })
    }

    /// A public resource, and where the response comes from.
    async fn get(&self, path: &str) -> (TestResponse, String) {
        let response = send(client().get(format!("{}{path}", self.url))).await;
        let from = response.headers.get("x-cache");
        let from = from.map_or("", |from| from.to_str().unwrap()).to_owned();
        (response, from)
    }

    /// Asks until a response is as expected.
    async fn until(&self, path: &str, expected: impl Fn(&TestResponse, &str) -> bool) {
        eventually(path, async || {
            let (response, from) = self.get(path).await;
            let is_expected = expected(&response, &from);
            if !is_expected {
                assert_eq!(response.status, 200, "{path} {from}: {response:?}");
            }
            is_expected.then_some(())
        })
        .await;
    }
}

/// The public resources of an organisation with a component.
fn resources(operator: &Operator) -> [String; 7] {
    let page = format!("/status/{}", operator.organisation);
    [
        page.clone(),
        format!("{page}/history"),
        format!("{page}/uptime"),
        format!("{page}/embed"),
        format!("/api/v1{page}"),
        format!("{page}/api/v2/summary.json"),
        format!("{page}/history.atom"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_pages_are_served_while_the_server_is_down_and_updated_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let port = lasting_port();
    let url = format!("http://127.0.0.1:{port}");
    let serve = || Process::serve(command(&data, &["--public-url", &url, "--log", "error"]));
    let address = |process: &Process| process.url.trim_start_matches("http://").to_owned();
    let process = serve().await;
    let mut network = Proxy::before(&address(&process)).await;
    let Some(cache) = SharedCache::before(&network.address().to_string(), port).await else {
        return;
    };
    let operator = operator_of(&url, "ada@example.com", "Acme").await;
    let component = operator.component("Checkout").await;

    let resources = resources(&operator);
    for path in &resources {
        let (first, from) = cache.get(path).await;
        assert_eq!((first.status, from.as_str()), (200, "MISS"), "{path}");
        let (second, from) = cache.get(path).await;
        assert_ne!(from, "MISS", "{path}");
        assert_eq!(second.body, first.body, "{path}");
        let personal = client()
            .get(format!("{url}{path}"))
            .header("cookie", "allclear_session=x");
        let personal = send(personal).await;
        assert_eq!(personal.headers["x-cache"], "BYPASS", "{path}");
        assert_eq!(personal.headers["cache-control"], "no-store", "{path}");
    }

    process.kill().await;
    for path in &resources {
        cache
            .until(path, |response, from| {
                response.status == 200 && from == "STALE"
            })
            .await;
    }
    let (page, _) = cache.get(&resources[0]).await;
    assert!(page.body.as_str().unwrap().contains("Checkout"), "{page:?}");
    let unknown = client()
        .get(format!("{url}/status/org_nobody"))
        .send()
        .await;
    assert_eq!(unknown.unwrap().status(), 502, "the server is gone");

    let process = serve().await;
    network.lead_to(&address(&process)).await;
    let outage = json!({"status": "MAJOR_OUTAGE"});
    let changed = operator
        .patch(&format!("/component/{component}"), outage)
        .await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let shows = |response: &TestResponse, _: &str| response.body.to_string().contains("Major");
    cache.until(&resources[0], shows).await;
    cache.until(&resources[3], shows).await;
    let shows =
        |response: &TestResponse, _: &str| response.body.to_string().contains("MAJOR_OUTAGE");
    cache.until(&resources[4], shows).await;
}

/// How many requests the server itself has responded to.
async fn received(server: &Process) -> u64 {
    let metrics = send(client().get(format!("{}/metrics", server.url))).await;
    let text = metrics.body.as_str().unwrap().to_owned();
    text.lines()
        .filter(|line| line.starts_with("allclear_http_requests_total{"))
        .filter(|line| line.contains("/status/{organisation}"))
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_readers_reach_the_server_at_most_once_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let port = lasting_port();
    let url = format!("http://127.0.0.1:{port}");
    let data = folder.path().join("data");
    let flags = ["--public-url", &url, "--log", "error"];
    let server = Process::serve(command(&data, &flags)).await;
    let address = server.url.trim_start_matches("http://").to_owned();
    let Some(_cache) = SharedCache::before(&address, port).await else {
        return;
    };
    let operator = operator_of(&url, "ada@example.com", "Acme").await;
    let page = format!("{url}/status/{}", operator.organisation);
    let before = received(&server).await;

    let began = Instant::now();
    let reader = async || {
        let client = client();
        for _ in 0..200 {
            let response = client.get(&page).send().await.unwrap();
            assert_eq!(response.status(), 200);
            assert!(response.text().await.unwrap().contains("Acme"));
        }
    };
    join_all((0..50).map(|_| reader())).await;
    // Each second that has begun may cost one request.
    let allowed = began.elapsed().as_secs() + 1;

    let requests = received(&server).await - before;
    assert!((1..=allowed).contains(&requests), "{requests} of {allowed}");
    server.kill().await;
}
