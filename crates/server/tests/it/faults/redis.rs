//! Redis ends or stops responding, and returns. It only makes commits reach other nodes faster than
//! the outbox does.

use allclear_test_support::postgres;

use super::proxy::Proxy;
use crate::app::{Operator, client, operator_of, until};
use crate::events::Stream;
use crate::process::{Process, command};

/// The server the test run has started.
const REDIS: &str = "ALLCLEAR_TEST_REDIS_URL";

/// Nodes that reach Redis through a network that breaks. `database` is what they share.
struct Nodes {
    network: Proxy,
    operators: Vec<Operator>,
    viewers: Vec<Stream>,
    processes: Vec<Process>,
    _folder: tempfile::TempDir,
}

impl Nodes {
    /// None, and a word about it, where the test run has no Redis; on CI that is a failure.
    async fn start(count: usize, database: &[&str]) -> Option<Self> {
        let Ok(url) = std::env::var(REDIS) else {
            assert!(std::env::var_os("CI").is_none(), "{REDIS} is not set");
            eprintln!("left out: {REDIS} is not set");
            return None;
        };
        let network = Proxy::before(url.trim_start_matches("redis://")).await;
        let redis = format!("redis://{}", network.address());
        let own = [
            "--redis-url",
            &redis,
            "--public-url",
            "http://allclear.example",
            "--log",
            "off",
        ];
        let folder = tempfile::tempdir().unwrap();
        let (mut processes, mut operators, mut viewers) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..count {
            let data = folder.path().join(number.to_string());
            processes.push(Process::serve(command(&data, &[&own, database].concat())).await);
        }
        let operator = operator_of(&processes[0].url, "ada@example.com", "Acme").await;
        for process in &processes {
            let operator = operator.at(&process.url);
            viewers.push(Stream::open(&operator, "", None).await);
            operators.push(operator);
        }
        Some(Self {
            network,
            operators,
            viewers,
            processes,
            _folder: folder,
        })
    }

    /// Operators write on every node, viewers of every node receive the events in order, and every
    /// page shows the result.
    async fn go_on(&mut self, phase: &str) {
        let mut made = Vec::new();
        for number in 0..5 {
            for operator in &self.operators {
                made.push(operator.component(&format!("{phase} {number}")).await);
            }
        }
        for viewer in &mut self.viewers {
            for made in &made {
                assert_eq!(viewer.next().await.1[0]["id"], made.as_str(), "{phase}");
            }
        }
        for operator in &self.operators {
            assert_eq!(
                operator.snapshot().await["components"][0]["id"],
                made[made.len() - 1].as_str(),
                "{phase}"
            );
            let ready = client()
                .get(format!("{}/readyz", operator.url))
                .send()
                .await
                .unwrap();
            assert_eq!(ready.status(), 200, "{phase}");
        }
    }

    /// Waits until the metrics of every node say whether it is connected.
    async fn show_connected(&self, connected: bool) {
        let line = format!("allclear_redis_connected {}", u8::from(connected));
        for operator in &self.operators {
            let metrics = format!("{}/metrics", operator.url);
            until(true, async || {
                let response = client().get(&metrics).send().await.unwrap();
                let text = response.text().await.unwrap();
                text.lines().any(|found| found == line)
            })
            .await;
        }
    }

    async fn live_through_it(mut self) {
        self.show_connected(true).await;
        self.go_on("with Redis").await;
        self.network.close().await;
        self.show_connected(false).await;
        self.go_on("without Redis").await;
        self.network.open().await;
        self.show_connected(true).await;
        self.go_on("with Redis again").await;
        self.network.swallow();
        self.go_on("while Redis is silent").await;
        self.network.go_on();
        self.go_on("after its silence").await;
        for process in self.processes {
            assert_eq!(process.terminate().await, Some(0));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_alone_goes_on_whatever_becomes_of_redis() {
    let Some(nodes) = Nodes::start(1, &[]).await else {
        return;
    };
    nodes.live_through_it().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_go_on_whatever_becomes_of_redis() {
    let Some(database) = postgres() else {
        return;
    };
    let Some(nodes) = Nodes::start(2, &["--database-url", &database]).await else {
        return;
    };
    nodes.live_through_it().await;
}
