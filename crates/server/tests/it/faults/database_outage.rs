//! The database becomes unavailable and available again.

use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};

use allclear_test_support::postgres;

use super::proxy::Proxy;
use crate::app::{Operator, PASSWORD, WAIT_LIMIT, client, cookie_client, operator_of, send, until};
use crate::events::Stream;
use crate::process::{Process, command};
use crate::socket::Client;

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
        let url = postgres()?;
        let (account, rest) = url
            .trim_start_matches("postgres://")
            .split_once('@')
            .unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let network = Proxy::before(server).await;
        let url = format!("postgres://{account}@{}/{name}", network.address());
        let folder = tempfile::tempdir().unwrap();
        let own = ["--database-url", &url, "--log", "off"];
        let process = Process::serve(command(&folder.path().join("data"), &own)).await;
        let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
        operator.component("before").await;
        assert_eq!(
            operator.snapshot().await["components"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        Some(Self {
            network,
            operator,
            _process: process,
            _folder: folder,
        })
    }

    /// A viewer on the event stream, and one on the socket.
    async fn viewers(&self) -> (Stream, Client) {
        let stream = Stream::open(&self.operator, "", None).await;
        let mut socket = Client::anonymous(&self.operator.url).await;
        socket.join(&self.operator.organisation).await;
        (stream, socket)
    }

    /// The public page stays as it was, operators get errors, and the process is alive but
    /// not ready.
    async fn is_cut_off(&self, before: &Value) {
        let start = Instant::now();
        self.page_stands(before).await;
        assert!(start.elapsed() < BOUND);
        let create = self
            .operator
            .post("/component/create", json!({"name": "during"}));
        let list = self.operator.get("/component/list");
        let sign_in = json!({"email": "ada@example.com", "password": PASSWORD});
        let sign_in = send(
            cookie_client()
                .post(self.call("/identity/sign-in"))
                .json(&sign_in),
        );
        let (created, listed, signed_in) = tokio::join!(create, list, sign_in);
        for response in [created, listed, signed_in] {
            assert_eq!(response.status, 503, "{response:?}");
            assert!(response.headers.contains_key("retry-after"), "{response:?}");
            assert_eq!(
                response.body["message"],
                "Temporarily unavailable, please try again"
            );
        }
        assert!(start.elapsed() < BOUND, "{:?}", start.elapsed());
        let probe = async |path: &str| {
            send(
                self.operator
                    .client
                    .get(format!("{}{path}", self.operator.url)),
            )
            .await
        };
        assert_eq!(probe("/healthz").await.status, 200);
        assert_eq!(probe("/readyz").await.status, 503);
    }

    fn call(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.operator.url)
    }

    /// The snapshot and the page show what was known, and of when that is.
    async fn page_stands(&self, before: &Value) {
        assert_eq!(&self.operator.snapshot().await, before);
        let url = format!(
            "{}/status/{}",
            self.operator.url, self.operator.organisation
        );
        let page = send(client().get(url)).await;
        let (page, as_of) = (
            page.body.as_str().unwrap().to_owned(),
            before["generatedAt"].as_str().unwrap(),
        );
        assert!(
            page.contains(&format!("State of <time datetime=\"{as_of}\"")),
            "{page}"
        );
    }

    /// No viewer keeps a connection that suggests an up-to-date state.
    async fn assert_viewers_are_disconnected(&self, viewers: (Stream, Client), before: &Value) {
        let (stream, socket) = viewers;
        tokio::time::timeout(WAIT_LIMIT, stream.ends())
            .await
            .expect("streams end");
        tokio::time::timeout(WAIT_LIMIT, socket.end())
            .await
            .expect("sockets end");
        let events = self.call(&format!("/status/{}/events", self.operator.organisation));
        let handshake = format!("{}/socket.io/?EIO=4&transport=polling", self.operator.url);
        for address in [events, handshake] {
            let response = send(client().get(address)).await;
            assert_eq!(response.status, 503, "{response:?}");
            assert!(response.headers.contains_key("retry-after"), "{response:?}");
        }
        // From now on no request for the page waits for the database.
        self.page_stands(before).await;
    }

    /// Everything works again, soon and without a restart.
    async fn recovers(&self, before: &Value) {
        until(201, async || {
            let body = json!({"name": "after"});
            let created = self.operator.post("/component/create", body);
            created.await.status
        })
        .await;
        let snapshot = self.operator.snapshot().await;
        let names: Vec<_> = snapshot["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|component| &component["name"])
            .collect();
        assert_eq!(
            (names[0], names[names.len() - 1]),
            (&json!("after"), &json!("before"))
        );
        assert!(snapshot["generatedAt"].as_str() > before["generatedAt"].as_str());
        let (mut stream, mut socket) = self.viewers().await;
        let made = self.operator.component("seen").await;
        assert_eq!(stream.next().await.1[0]["id"], made.as_str());
        assert_eq!(socket.event().await.1[0]["id"], made.as_str());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_stopped_operators_get_503_and_the_public_page_stands() {
    let Some(mut installation) = Installation::start().await else {
        return;
    };
    let (viewers, before) = (
        installation.viewers().await,
        installation.operator.snapshot().await,
    );
    installation.network.close().await;
    installation.is_cut_off(&before).await;
    installation
        .assert_viewers_are_disconnected(viewers, &before)
        .await;
    installation.network.open().await;
    installation.recovers(&before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unresponsive_database_times_out() {
    let Some(installation) = Installation::start().await else {
        return;
    };
    let (viewers, before) = (
        installation.viewers().await,
        installation.operator.snapshot().await,
    );
    installation.network.swallow();
    installation.is_cut_off(&before).await;
    installation
        .assert_viewers_are_disconnected(viewers, &before)
        .await;
    installation.network.go_on();
    installation.recovers(&before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_gets_no_list_that_is_older_than_its_events() {
    let Some(database) = postgres() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let own = ["--database-url", &database, "--log", "off"];
    let process = Process::serve(command(&folder.path().join("data"), &own)).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    operator.component("before").await;
    let mut socket = Client::anonymous(&operator.url).await;
    socket.join(&operator.organisation).await;
    let list = "get-components";
    assert!(socket.ask(list, &operator.organisation).await.is_array());

    // The page cannot be read, but the settings can be changed.
    let other = sea_orm::Database::connect(&database).await.unwrap();
    let blocking = other.begin().await.unwrap();
    let lock = "LOCK TABLE components IN ACCESS EXCLUSIVE MODE";
    blocking.execute_unprepared(lock).await.unwrap();
    let change = json!({"pageTitle": "Acme Cloud"});
    assert_eq!(operator.patch("/organisation", change).await.status, 200);
    assert_eq!(socket.event().await.0, "organisation-updated");
    let refused = socket.ask(list, &operator.organisation).await;
    assert_eq!(
        refused["message"],
        "Temporarily unavailable, please try again"
    );

    blocking.rollback().await.unwrap();
    until(true, async || {
        socket.ask(list, &operator.organisation).await.is_array()
    })
    .await;
    let made = operator.component("after").await;
    assert_eq!(socket.event().await.1[0]["id"], made.as_str());
}
