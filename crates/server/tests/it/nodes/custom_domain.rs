//! A domain moves from one organisation to another while viewers of the other node read it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use allclear_test_support::postgres;
use reqwest::header::{ETAG, HOST, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::app::{Operator, assert_status, client_builder, founder, operator_of};
use crate::events::Stream;
use crate::process::{Process, command};
use crate::tenant_isolation::host::{Hosts, Owner};
use crate::tenant_isolation::public_path::public_paths;
use crate::tenant_isolation::tenant::Tenant;

/// The server that the test run has started.
const REDIS: &str = "ALLCLEAR_TEST_REDIS_URL";
const DOMAIN: &str = "status.shared.example";
/// Viewers of each path.
const VIEWERS: usize = 2;
/// How soon the other node shows a domain's new organisation, also if the broadcast is lost and it
/// waits for the next regular read.
const FOLLOWS: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_mins(1);

/// Two nodes on one database.
struct Nodes {
    /// Its checks of domains reach the second node.
    first: Process,
    second: Process,
    _folder: tempfile::TempDir,
}

impl Nodes {
    /// `None`, with a line on standard error, where the test run has no PostgreSQL or Redis; on CI
    /// that is a failure.
    async fn start() -> Option<Self> {
        let Ok(redis) = std::env::var(REDIS) else {
            assert!(std::env::var_os("CI").is_none(), "{REDIS} is not set");
            eprintln!("left out: {REDIS} is not set");
            return None;
        };
        let database = postgres()?;
        let folder = tempfile::tempdir().unwrap();
        let shared = [
            "--database-url",
            &database,
            "--redis-url",
            &redis,
            "--public-url",
            "http://allclear.example",
            "--log",
            "error",
        ];
        let second = Process::serve(command(&folder.path().join("two"), &shared)).await;
        let address = second.url.trim_start_matches("http://");
        let checked = [&shared[..], &["--domain-check-address", address]].concat();
        let first = Process::serve(command(&folder.path().join("one"), &checked)).await;
        Some(Self {
            first,
            second,
            _folder: folder,
        })
    }
}

/// Whose a response is. A domain passes through these in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    North,
    Nobody,
    South,
}

/// A viewer with a cache, which reads one path of the domain.
struct Viewer {
    client: Client,
    url: String,
    path: String,
    /// Entity tag and body of the last complete response.
    kept: Option<(String, String)>,
}

impl Viewer {
    /// The status and the text that the viewer sees now.
    async fn read(&mut self) -> (StatusCode, String) {
        let request = self.client.get(&self.url).header(HOST, DOMAIN);
        let request = match &self.kept {
            Some((tag, _)) => request.header(IF_NONE_MATCH, tag),
            None => request,
        };
        let response = request.send().await.unwrap();
        let status = response.status();
        if status == StatusCode::NOT_MODIFIED {
            let (_, body) = self.kept.clone().unwrap();
            return (status, body);
        }
        let tag = response.headers().get(ETAG);
        let tag = tag.map(|tag| tag.to_str().unwrap().to_owned());
        let body = response.text().await.unwrap();
        self.kept = tag.map(|tag| (tag, body.clone()));
        (status, body)
    }

    /// Reads until the path shows what is expected last. Fails if an earlier organisation is shown
    /// again. Waits for the other viewers after the first read.
    async fn watch(mut self, tenants: &[Tenant; 2], last: Shown, all_read: &Barrier) {
        self.read().await;
        all_read.wait().await;
        let mut newest = Shown::North;
        loop {
            let (status, body) = self.read().await;
            let shown = match tenants.each_ref().map(|tenant| tenant.named_in(&body)) {
                [None, None] => Shown::Nobody,
                [Some(_), None] => Shown::North,
                [None, Some(_)] => Shown::South,
                [north, south] => panic!("{}: {north:?} and {south:?}: {body}", self.path),
            };
            assert!(
                shown >= newest,
                "{} {status}: {shown:?} after {newest:?}: {body}",
                self.path
            );
            newest = shown;
            if shown >= last {
                return;
            }
        }
    }
}

/// The event stream of an organisation at the domain.
async fn stream(node: &Process, organisation: &str) -> reqwest::Response {
    let url = format!("{}/api/v1/status/{organisation}/events", node.url);
    let client = client_builder().no_proxy().build().unwrap();
    client.get(url).header(HOST, DOMAIN).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn domains_taken_on_one_node_are_apart_on_the_other() {
    let Some(nodes) = Nodes::start().await else {
        return;
    };
    let north = operator_of(&nodes.first.url, "ada@example.com", "northwind").await;
    let south = founder(north.client.clone(), &nodes.first.url, "contoso").await;
    let owners = [
        Owner::create(north, "northwind").await,
        Owner::create(south, "contoso").await,
    ];
    let hosts = Hosts::at(&nodes.second.url, owners);
    timeout(TIMEOUT, hosts.are_known()).await.unwrap();
    hosts.walk_domains().await;
    hosts.walk_other_hosts().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_that_moves_shows_one_organisation_at_a_time_on_the_other_node() {
    let Some(nodes) = Nodes::start().await else {
        return;
    };
    let north = operator_of(&nodes.first.url, "ada@example.com", "northwind").await;
    let south = founder(north.client.clone(), &nodes.first.url, "contoso").await;
    north.take(DOMAIN).await;
    let tenants = [
        Tenant::create(north, "northwind").await,
        Tenant::create(south, "contoso").await,
    ];
    let [north, south] = &tenants;
    let mut of_north = Stream::of(stream(&nodes.second, &north.operator.organisation).await);
    let response = stream(&nodes.second, &south.operator.organisation).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);

    let mut paths: HashMap<String, Shown> = HashMap::new();
    for (tenant, last) in [(north, Shown::Nobody), (south, Shown::South)] {
        for path in public_paths(tenant) {
            let last = if path.has_code { last } else { Shown::South };
            // The script of the banner is everybody's.
            if path.on_domain() != "/embed.js" {
                paths.insert(path.on_domain(), last);
            }
        }
    }
    let client = client_builder().no_proxy().build().unwrap();
    let viewer = |path: &str| Viewer {
        client: client.clone(),
        url: format!("{}{path}", nodes.second.url),
        path: path.to_owned(),
        kept: None,
    };
    let before = follows(&client, &nodes.second, north);
    timeout(TIMEOUT, before).await.unwrap();
    let tenants = Arc::new(tenants);
    let [north, south] = &*tenants;
    let all_read = Arc::new(Barrier::new(paths.len() * VIEWERS + 1));
    let mut viewers = JoinSet::new();
    for (path, last) in &paths {
        for _ in 0..VIEWERS {
            let (viewer, last) = (viewer(path), *last);
            let tenants = Arc::clone(&tenants);
            let all_read = Arc::clone(&all_read);
            viewers.spawn(async move { viewer.watch(&tenants, last, &all_read).await });
        }
    }
    timeout(TIMEOUT, all_read.wait()).await.unwrap();
    moved(&north.operator, &south.operator).await;
    let all = async {
        while let Some(watched) = viewers.join_next().await {
            watched.unwrap();
        }
    };
    timeout(FOLLOWS, all)
        .await
        .expect("the other node shows the new organisation");

    // A stream that was opened before continues with the events of its organisation, and cannot be
    // opened again.
    south.operator.component("contoso again").await;
    let made = north.operator.component("northwind again").await;
    loop {
        let (name, arguments, _) = of_north.next().await;
        assert_eq!(south.named_in(&arguments.to_string()), None, "{arguments}");
        if name == "new-component" {
            assert_eq!(arguments[0]["id"], made.as_str());
            break;
        }
    }
    let response = stream(&nodes.second, &north.operator.organisation).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let opened = stream(&nodes.second, &south.operator.organisation).await;
    assert_eq!(opened.status(), StatusCode::OK);
}

/// The domain goes from one organisation to another.
async fn moved(from: &Operator, to: &Operator) {
    assert_status(from.delete("/organisation/domain"), 200).await;
    to.take(DOMAIN).await;
}

/// Waits until a node shows an organisation at the domain.
async fn follows(client: &Client, node: &Process, tenant: &Tenant) {
    loop {
        let request = client.get(&node.url).header(HOST, DOMAIN);
        let page = request.send().await.unwrap().text().await.unwrap();
        if tenant.named_in(&page).is_some() {
            return;
        }
    }
}
