//! The database goes away and comes back.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{postgres, proxy::Proxy};
use crate::app::{Operator, operator_of, send};
use crate::process::{Process, command};

/// How long a refusal takes at most. A busy machine adds to what the product itself waits.
const BOUND: Duration = Duration::from_secs(25);

/// A server whose database is behind a network that breaks.
struct Installation {
    network: Proxy,
    operator: Operator,
    _process: Process,
    _folder: tempfile::TempDir,
}

impl Installation {
    async fn start() -> Option<Self> {
        let url = postgres().await?;
        let (account, rest) = url.trim_start_matches("postgres://").split_once('@').unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let network = Proxy::before(server).await;
        let url = format!("postgres://{account}@{}/{name}", network.address());
        let folder = tempfile::tempdir().unwrap();
        let own = ["--database-url", &url, "--log", "off"];
        let process = Process::serve(command(&folder.path().join("data"), &own)).await;
        let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
        operator.component("before").await;
        assert_eq!(operator.snapshot().await["components"].as_array().unwrap().len(), 1);
        Some(Self { network, operator, _process: process, _folder: folder })
    }

    /// The public page stands, operators are told, and the process is alive, if not ready.
    async fn is_cut_off(&self) {
        let start = Instant::now();
        let snapshot = self.operator.snapshot().await;
        assert_eq!(snapshot["components"][0]["name"], "before");
        assert!(start.elapsed() < BOUND);
        let create = self.operator.post("/component/create", json!({"name": "during"}));
        let list = self.operator.get("/component/list");
        let (created, listed) = tokio::join!(create, list);
        for refused in [created, listed] {
            assert_eq!(refused.status, 503, "{refused:?}");
            assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
            assert_eq!(refused.body["message"], "Temporarily unavailable, please try again");
        }
        assert!(start.elapsed() < BOUND, "{:?}", start.elapsed());
        let probe = async |path: &str| send(self.operator.client.get(format!("{}{path}", self.operator.url))).await;
        assert_eq!(probe("/healthz").await.status, 200);
        assert_eq!(probe("/readyz").await.status, 503);
    }

    /// Everything works again, soon and without a restart.
    async fn recovers(&self) {
        let mut tries = tokio::time::interval(Duration::from_millis(100));
        let recovered = async {
            loop {
                tries.tick().await;
                if self.operator.post("/component/create", json!({"name": "after"})).await.status == 201 {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), recovered).await.expect("it recovers within a minute");
        let snapshot = self.operator.snapshot().await;
        let names: Vec<_> =
            snapshot["components"].as_array().unwrap().iter().map(|component| &component["name"]).collect();
        assert_eq!((names[0], names[names.len() - 1]), (&json!("after"), &json!("before")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_stopped_operators_get_503_and_the_public_page_stands() {
    let Some(mut installation) = Installation::start().await else { return };
    installation.network.close().await;
    installation.is_cut_off().await;
    installation.network.open().await;
    installation.recovers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_no_longer_answers_is_given_up_in_time() {
    let Some(installation) = Installation::start().await else { return };
    installation.network.swallow();
    installation.is_cut_off().await;
    installation.network.go_on();
    installation.recovers().await;
}
