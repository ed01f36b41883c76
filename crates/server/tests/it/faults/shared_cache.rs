//! The server ends behind nginx as a cache, with the configuration of `docs/nginx-cache.conf`.

use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::proxy::Proxy;
use crate::app::{Operator, TestResponse, client, operator_of, send};
use crate::process::{Process, command, lasting_port};

const NGINX: &str = include_str!("../../../../../docs/nginx-cache.conf");
const PATIENCE: Duration = Duration::from_mins(1);

/// nginx before a server. It ends with this.
struct SharedCache {
    url: String,
    _nginx: Child,
    _folder: TempDir,
}

impl SharedCache {
    /// `None` where nginx is not installed; on CI that is a failure.
    async fn before(server: &str, port: u16) -> Option<Self> {
        let Some(nginx) = installed() else {
            assert!(std::env::var_os("CI").is_none(), "nginx is missing");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let configuration = NGINX
            .replace("10.0.0.11:8080", server)
            .replace("/var/cache/nginx/allclear", &cache.display().to_string())
            .replace(
                "listen 80;",
                &format!("listen 127.0.0.1:{port};\n        access_log off;"),
            );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, configuration).unwrap();
        let globals = format!(
            "daemon off; master_process off; pid {}/nginx.pid;",
            folder.path().display()
        );
        let nginx = Command::new(nginx)
            .arg("-c")
            .arg(&file)
            .args(["-g", &globals])
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut tries = tokio::time::interval(Duration::from_millis(20));
        let connected = async {
            while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                tries.tick().await;
            }
        };
        tokio::time::timeout(PATIENCE, connected).await.unwrap();
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
        let mut tries = tokio::time::interval(Duration::from_millis(50));
        let asking = async {
            loop {
                let (response, from) = self.get(path).await;
                if expected(&response, &from) {
                    return;
                }
                assert_eq!(response.status, 200, "{path} {from}: {response:?}");
                tries.tick().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, asking).await;
        waited.unwrap_or_else(|_| panic!("{path} does not become as expected"));
    }
}

fn installed() -> Option<&'static str> {
    let found = ["nginx", "/usr/sbin/nginx"].into_iter().find(|program| {
        let version = std::process::Command::new(program).arg("-v").output();
        version.is_ok()
    });
    if found.is_none() {
        eprintln!("left out: needs nginx");
    }
    found
}

/// The public resources of an organisation with a component.
fn resources(operator: &Operator) -> [String; 5] {
    let page = format!("/status/{}", operator.organisation);
    [
        page.clone(),
        format!("{page}/history"),
        format!("{page}/uptime"),
        format!("{page}/embed"),
        format!("/api/v1{page}"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_pages_stand_while_the_server_is_gone_and_follow_it_again() {
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
