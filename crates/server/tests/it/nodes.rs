//! Many nodes: what holds on one holds across all of them, whatever breaks in between.

mod balanced;
mod clocks;
mod custom_domain;
mod idempotency;
pub(crate) mod installation;

use serde_json::Value;

use crate::app::{Operator, operator_of};
use crate::events::Stream;
use crate::socket::Client;
use installation::Installation;

/// Creates components through the nodes in turn; returns their identifiers in order.
async fn write(nodes: &[Operator], count: usize) -> Vec<String> {
    let mut made = Vec::new();
    for (number, node) in (0..count).zip(nodes.iter().cycle()) {
        made.push(node.component(&format!("Component {number}")).await);
    }
    made
}

fn id(component: &Value) -> String {
    component["id"].as_str().unwrap().to_owned()
}

/// A viewer of each kind.
struct Viewers {
    streams: Vec<Stream>,
    sockets: Vec<Client>,
}

impl Viewers {
    async fn of(operators: &[Operator]) -> Self {
        let mut viewers = Self {
            streams: Vec::new(),
            sockets: Vec::new(),
        };
        for operator in operators {
            viewers.streams.push(Stream::open(operator, "", None).await);
            let mut socket = Client::anonymous(&operator.url).await;
            socket.join(&operator.organisation).await;
            viewers.sockets.push(socket);
        }
        viewers
    }

    /// Asserts that these components are the next events of every viewer, in this order.
    async fn receive(&mut self, made: &[String]) {
        for made in made {
            for stream in &mut self.streams {
                let (name, args, _) = stream.next().await;
                assert_eq!((name.as_str(), &id(&args[0])), ("new-component", made));
            }
            for socket in &mut self.sockets {
                let (name, args) = socket.event().await;
                assert_eq!((name.as_str(), &id(&args[0])), ("new-component", made));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_on_one_node_reaches_viewers_of_all_nodes_in_order() {
    let Some(installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let nodes: Vec<_> = installation
        .nodes
        .iter()
        .map(|node| operator.at(&node.url))
        .collect();
    let everywhere = [&nodes[..], std::slice::from_ref(&operator)].concat();
    let mut viewers = Viewers::of(&everywhere).await;
    let made = write(&everywhere, 30).await;
    viewers.receive(&made).await;
    for node in &nodes {
        let snapshot = node.snapshot().await;
        assert_eq!(
            (
                snapshot["components"].as_array().unwrap().len(),
                &snapshot["revision"]
            ),
            (30, &Value::from(30))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_event_is_lost_while_redis_is_unavailable_or_when_it_is_back() {
    let Some(mut installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let nodes: Vec<_> = installation
        .nodes
        .iter()
        .map(|node| operator.at(&node.url))
        .collect();
    let mut viewers = Viewers::of(&nodes).await;
    viewers.receive(&write(&nodes, 4).await).await;
    for _ in 0..2 {
        installation.redis_goes().await;
        // Without Redis, a node learns of the other nodes' commits from the outbox only.
        for _ in 0..3 {
            viewers.receive(&write(&nodes, 20).await).await;
        }
        let missed = write(&nodes, 20).await;
        installation.redis_returns().await;
        viewers.receive(&missed).await;
        viewers.receive(&write(&nodes, 10).await).await;
    }
    for node in &nodes {
        assert_eq!(
            node.snapshot().await["revision"],
            4 + 2 * (3 * 20 + 20 + 10)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_node_loses_nothing_acknowledged_and_its_viewers_continue_at_the_other() {
    let Some(mut installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let dying = installation.nodes.remove(0);
    let (one, other) = (
        operator.at(&dying.url),
        operator.at(&installation.nodes[0].url),
    );
    let mut stream = Stream::open(&one, "", None).await;
    let mut socket = Client::anonymous(&one.url).await;
    socket.join(&operator.organisation).await;

    let (sender, mut acknowledged) = tokio::sync::mpsc::unbounded_channel();
    let writing = tokio::spawn(async move {
        for number in 0.. {
            let body = serde_json::json!({"name": format!("Component {number}")});
            let response = one
                .request(reqwest::Method::POST, "/component/create")
                .json(&body)
                .send()
                .await;
            let Ok(response) = response else { return };
            let Ok(response) = response.json::<Value>().await else {
                return;
            };
            sender.send(id(&response["data"])).unwrap();
        }
    });
    let mut kept = Vec::new();
    while kept.len() < 10 {
        kept.push(acknowledged.recv().await.unwrap());
    }
    // A write is on its way at every moment.
    dying.kill().await;
    writing.await.unwrap();
    while let Some(id) = acknowledged.recv().await {
        kept.push(id);
    }

    let mut seen = 0;
    while let Some((_, _, Some(revision))) = stream.next_or_end().await {
        assert_eq!(revision, seen + 1);
        seen = revision;
    }
    socket.end().await;
    let through = operator.at(&installation.url);
    let mut resumed = Stream::open(&through, "", Some(seen)).await;
    let mut back = Client::anonymous(&through.url).await;
    back.join(&operator.organisation).await;
    let list = back.ask("get-components", &operator.organisation).await;
    let stored: Vec<_> = list.as_array().unwrap().iter().map(id).collect();
    assert!(
        kept.iter().all(|id| stored.contains(id)),
        "what was acknowledged is there"
    );
    assert!(
        stored.len() <= kept.len() + 1,
        "and at most the one that was on its way"
    );

    let newest = other.component("After").await;
    let total = i64::try_from(stored.len()).unwrap() + 1;
    for revision in seen + 1..=total {
        let (_, args, at) = resumed.next().await;
        assert_eq!(at, Some(revision), "the stream resumes where it was cut");
        assert!(revision < total || id(&args[0]) == newest);
    }
    assert_eq!(id(&back.event().await.1[0]), newest);
}
