//! Viewers behind nginx: polling viewers stay with their node, and viewers of a killed node
//! continue at the other.

use std::net::{IpAddr, Ipv4Addr};

use serde_json::Value;

use super::installation::Installation;
use super::{id, write};
use crate::app::{Operator, operator_of};
use crate::events::Stream;
use crate::socket::Client;

/// nginx chooses a socket's node by the client's address. With this many addresses, each node
/// gets some.
const ADDRESSES: std::ops::Range<u8> = 10..26;

fn address(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, last)
}

/// A socket that only polls.
struct Poller {
    client: reqwest::Client,
    url: String,
    packets: std::collections::VecDeque<String>,
}

impl Poller {
    /// Opens a session from an address of its own, and joins.
    async fn join(url: &str, from: Ipv4Addr, organisation: &str) -> Self {
        let client = crate::app::client_builder()
            .no_proxy()
            .local_address(IpAddr::V4(from))
            .build()
            .unwrap();
        let path = format!("{url}/socket.io/?EIO=4&transport=polling");
        let open = client
            .get(&path)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        let open: Value = serde_json::from_str(open.strip_prefix('0').unwrap()).unwrap();
        let url = format!("{path}&sid={}", open["sid"].as_str().unwrap());
        let mut poller = Self {
            client,
            url,
            packets: std::collections::VecDeque::new(),
        };
        poller.post("40").await.unwrap();
        assert!(poller.packet().await.unwrap().starts_with("40"));
        poller
            .post(&format!("420[\"join\",\"{organisation}\"]"))
            .await
            .unwrap();
        assert!(
            poller
                .packet()
                .await
                .unwrap()
                .starts_with("430[{\"revision\":")
        );
        poller
    }

    /// The status for an unknown session.
    async fn post(&self, packet: &str) -> Result<(), u16> {
        let response = self
            .client
            .post(&self.url)
            .body(packet.to_owned())
            .send()
            .await
            .unwrap();
        if response.status() == 200 {
            Ok(())
        } else {
            Err(response.status().as_u16())
        }
    }

    /// The next packet that is no ping; the status where the session is not known.
    async fn packet(&mut self) -> Result<String, u16> {
        loop {
            match self.packets.pop_front() {
                Some(packet) if packet == "2" => self.post("3").await?,
                Some(packet) => return Ok(packet),
                None => {
                    let response = self.client.get(&self.url).send().await.unwrap();
                    if response.status() != 200 {
                        return Err(response.status().as_u16());
                    }
                    let payload = response.text().await.unwrap();
                    self.packets
                        .extend(payload.split('\u{1e}').map(str::to_owned));
                }
            }
        }
    }

    /// The identifier in the next event.
    async fn created_component(&mut self) -> Result<String, u16> {
        let packet = self.packet().await?;
        let event: Value = serde_json::from_str(packet.strip_prefix("42").unwrap()).unwrap();
        assert_eq!(event[0], "new-component");
        Ok(id(&event[1]))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_that_poll_through_nginx_stay_with_their_node() {
    let Some(installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let mut pollers = Vec::new();
    for last in ADDRESSES {
        pollers.push(Poller::join(&installation.url, address(last), &operator.organisation).await);
    }
    for node in &installation.nodes {
        assert!(
            sockets(&node.url).await > 0,
            "{} has some of them",
            node.url
        );
    }
    let made = write(std::slice::from_ref(&operator), 20).await;
    for poller in &mut pollers {
        for made in &made {
            assert_eq!(poller.created_component().await.as_ref(), Ok(made));
        }
    }
}

/// How many sockets a node has.
async fn sockets(url: &str) -> u32 {
    let metrics = crate::app::client()
        .get(format!("{url}/metrics"))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("allclear_sockets "));
    line.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn viewers_of_a_killed_node_continue_at_the_other_through_nginx() {
    let Some(mut installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let organisation = operator.organisation.clone();
    let (mut streams, mut wires, mut pollers) = (Vec::new(), Vec::new(), Vec::new());
    for last in ADDRESSES {
        streams.push(Stream::open(&operator, "", None).await);
        let mut wire = Client::visitor_from(&installation.url, address(last)).await;
        wire.join(&organisation).await;
        wires.push(wire);
        pollers.push(Poller::join(&installation.url, address(last), &organisation).await);
    }
    let dying = installation.nodes.remove(0);
    let survivor = operator.at(&installation.nodes[0].url);
    let mut all = write(&[operator.at(&dying.url), survivor.clone()], 6).await;
    // At this moment, some viewers have received all events, some a part, and some none.
    dying.kill().await;
    all.extend(write(std::slice::from_ref(&survivor), 6).await);

    let mut moved = [0, 0, 0];
    for stream in &mut streams {
        moved[0] += usize::from(follow_stream(stream, &operator, &all).await);
    }
    for (wire, last) in wires.iter_mut().zip(ADDRESSES) {
        moved[1] += usize::from(follow_wire(wire, &operator, address(last), &all).await);
    }
    for (poller, last) in pollers.iter_mut().zip(ADDRESSES) {
        moved[2] += usize::from(follow_poller(poller, &operator, address(last), &all).await);
    }
    let count = usize::from(ADDRESSES.end - ADDRESSES.start);
    assert!(
        moved.iter().all(|moved| (1..count).contains(moved)),
        "some were cut and some were not: {moved:?}"
    );

    let after = survivor.component("After").await;
    for stream in &mut streams {
        assert_eq!(id(&stream.next().await.1[0]), after);
    }
    for wire in &mut wires {
        assert_eq!(id(&wire.event().await.1[0]), after);
    }
    for poller in &mut pollers {
        assert_eq!(poller.created_component().await, Ok(after.clone()));
    }
}

/// Asserts that a viewer receives every event once and in order. Returns whether that took
/// several connections.
async fn follow_stream(stream: &mut Stream, operator: &Operator, all: &[String]) -> bool {
    let (mut received, mut moved) = (0, false);
    while received < all.len() {
        if let Some((_, args, revision)) = stream.next_or_end().await {
            assert_eq!(id(&args[0]), all[received]);
            received += 1;
            assert_eq!(revision, i64::try_from(received).ok());
        } else {
            moved = true;
            *stream = Stream::open(operator, "", i64::try_from(received).ok()).await;
        }
    }
    moved
}

/// Receives every event, or is disconnected and reads the snapshot again.
async fn follow_wire(
    wire: &mut Client,
    operator: &Operator,
    from: Ipv4Addr,
    all: &[String],
) -> bool {
    for made in all {
        let Ok((_, args)) = wire.event_or_end().await else {
            *wire = Client::visitor_from(&operator.url, from).await;
            wire.join(&operator.organisation).await;
            let list = wire.ask("get-components", &operator.organisation).await;
            let listed: Vec<_> = list.as_array().unwrap().iter().rev().map(id).collect();
            assert_eq!(listed, all);
            return true;
        };
        assert_eq!(&id(&args[0]), made);
    }
    false
}

async fn follow_poller(
    poller: &mut Poller,
    operator: &Operator,
    from: Ipv4Addr,
    all: &[String],
) -> bool {
    for made in all {
        match poller.created_component().await {
            Ok(id) => assert_eq!(&id, made),
            Err(status) => {
                assert!([400, 502].contains(&status), "{status}");
                *poller = Poller::join(&operator.url, from, &operator.organisation).await;
                return true;
            }
        }
    }
    false
}
