//! The database becomes unavailable for longer than cached documents count as current.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allclear_application::clock::TestClock;
use allclear_test_support::postgres;
use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::json;

use super::proxy::Proxy;
use crate::app::{Operator, TestApp, TestResponse, client, eventually, send, until};
use crate::tenant_isolation::public_path::public_paths;
use crate::tenant_isolation::tenant::Tenant;

/// How long a response takes at most. A busy machine adds to what the product itself waits.
const BOUND: Duration = Duration::from_secs(25);
/// Longer than any document counts as current.
const OUTAGE: TimeDelta = TimeDelta::minutes(20);
/// Documents that nobody requests before the outage. They have the state of the others.
const FIRST_READ_IN_OUTAGE: [&str; 2] = ["/api/v2/components.json", "/history.rss"];

/// A server with an organisation, whose database is behind a network that breaks.
struct OutageSetup {
    network: Proxy,
    clock: Arc<TestClock>,
    tenant: Tenant,
    /// Everything public, with the response before the outage.
    before: Vec<(String, TestResponse)>,
    _app: TestApp,
}

impl OutageSetup {
    async fn start() -> Option<Self> {
        let url = postgres()?;
        let (account, rest) = url
            .trim_start_matches("postgres://")
            .split_once('@')
            .unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let network = Proxy::before(server).await;
        let url = format!("postgres://{account}@{}/{name}", network.address());
        let clock = TestClock::system();
        let app = TestApp::start_at(&["--database-url", &url], clock.clone()).await;
        let tenant = Tenant::create(app.operator("northwind").await, "northwind").await;
        let mut before = Vec::new();
        for path in public_paths(&tenant) {
            if !FIRST_READ_IN_OUTAGE.contains(&&*path.below) {
                let path = path.on_installation(&tenant.operator.organisation);
                let response = send(client().get(format!("{}{path}", app.url))).await;
                assert_eq!(response.status, 200, "{path}: {response:?}");
                before.push((path, response));
            }
        }
        Some(Self {
            network,
            clock,
            tenant,
            before,
            _app: app,
        })
    }

    async fn read(&self, path: &str) -> TestResponse {
        send(client().get(format!("{}{path}", self.tenant.operator.url))).await
    }

    /// Everything is served as it was, by requests at the same time.
    async fn stands(&self) {
        self.clock.advance(OUTAGE);
        let start = Instant::now();
        let reads = self.before.iter().map(|(path, before)| async move {
            let response = self.read(path).await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            assert_eq!(response.body, before.body, "{path}");
            assert_eq!(response.etag, before.etag, "{path}");
        });
        join_all(reads).await;
        for below in FIRST_READ_IN_OUTAGE {
            let path = format!("/status/{}{below}", self.tenant.operator.organisation);
            let response = self.read(&path).await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            let text = response.body.to_string();
            assert!(self.tenant.named_in(&text).is_some(), "{path}: {text}");
        }
        assert!(start.elapsed() < BOUND, "{:?}", start.elapsed());
    }

    /// A token that is valid after the outage.
    async fn new_token(&self) -> String {
        let operator = &self.tenant.operator;
        let body = json!({"organisationId": operator.organisation});
        eventually("a new token", async || {
            let call = format!("{}/api/v1/identity/token", operator.url);
            let response = send(operator.client.post(call).json(&body)).await;
            response.body["data"]["token"].as_str().map(str::to_owned)
        })
        .await
    }

    /// Everything that lists components follows again.
    async fn follows(&self) {
        let create = json!({"name": "northwind again"});
        let operator = &self.tenant.operator;
        until(201, async || {
            let operator = Operator {
                // Of this moment: the node may have taken the time of the database again.
                token: self.new_token().await,
                ..operator.clone()
            };
            let created = operator.post("/component/create", create.clone());
            created.await.status
        })
        .await;
        for below in [
            "",
            "/uptime",
            "/api/v2/components.json",
            "/api/v2/summary.json",
        ] {
            let path = format!("/status/{}{below}", operator.organisation);
            until(true, async || {
                let response = self.read(&path).await;
                response.body.to_string().contains("northwind again")
            })
            .await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn public_documents_are_served_while_the_database_is_stopped() {
    let Some(mut setup) = OutageSetup::start().await else {
        return;
    };
    setup.network.close().await;
    setup.stands().await;
    setup.network.open().await;
    setup.follows().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn public_documents_are_served_while_the_database_does_not_respond() {
    let Some(setup) = OutageSetup::start().await else {
        return;
    };
    setup.network.swallow();
    setup.stands().await;
    setup.network.go_on();
    setup.follows().await;
}
