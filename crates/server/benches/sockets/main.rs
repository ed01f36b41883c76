//! Measures one event to N viewers over WebSocket: an operator changes a component, and the sockets
//! that joined the organisation receive the change. Compares it with Node's `socket.io` server,
//! which sends an event of the same size to a room, under the same client.
//! `cargo bench -p allclear-server --bench sockets` prints a line of JSON for each measurement, and
//! one for each budget.
//!
//! `-- [BINARY] [N …]` measures another binary, and other numbers of viewers than 1,000, 9,000 and
//! 10,000. Progress goes to standard error. The bench fails if anything does not complete.

use std::io;
use std::time::{Duration, Instant};

use allclear_bench_support::crowd::{self, progress};
use allclear_bench_support::fan_out::FanOut;
use allclear_bench_support::peer::{self, Peer};
use allclear_bench_support::product::response_of;
use allclear_bench_support::site::Site;
use allclear_bench_support::websocket::{self, Frames};
use allclear_bench_support::{Bench, Limit, arguments, socket_io};
use serde_json::json;
use socket2::Socket;

type Crowd = crowd::Crowd<Frames>;

/// Prints the results.
const FOUND: Bench = Bench("sockets");

/// The number of viewers: one room that a thread serves quickly, and two larger ones.
const VIEWERS: [usize; 3] = [1000, 9000, 10_000];
/// Bytes of a component's description.
const SIZE: usize = 200;
/// Number of passes; the servers take turns.
const PASSES: usize = 2;
/// Deliveries of a pass.
const DELIVERIES: usize = 200_000;
/// Minimum number of events in a pass, for a meaningful percentile.
const ROUNDS: usize = 50;
/// Number of viewers that stop reading.
const STALLED: usize = 50;
/// Size of their kernel receive buffers, in bytes.
const RECEIVE: usize = 4096;
/// Number of events that are sent meanwhile, and bytes of each.
const FLOOD: usize = 1500;
const FLOOD_SIZE: usize = 8000;

/// A running server.
enum Server {
    Allclear(Box<Site>),
    /// The server of Node, and the bytes of text in an event that is as long as the product's.
    Node(Peer, usize),
}

/// Starts a kind of server.
type Start<'a> = &'a dyn Fn() -> io::Result<Server>;

impl Server {
    fn peer(&self) -> &Peer {
        match self {
            Self::Allclear(site) => &site.peer,
            Self::Node(peer, _) => peer,
        }
    }

    fn join(&self, receive: Option<usize>) -> io::Result<Socket> {
        match self {
            Self::Allclear(site) => {
                let join = format!("420[\"join\",\"{}\"]", site.organisation);
                let messages = [("40", "40{"), (join.as_str(), "430[")];
                websocket::join(site.peer.port, receive, &messages)
            }
            Self::Node(peer, _) => websocket::join(peer.port, receive, &socket_io::JOIN),
        }
    }

    fn gather(&self, count: usize) -> io::Result<Crowd> {
        Crowd::gather(count, || self.join(None))
    }

    /// Makes the server send an event to all viewers. Returns the time until the last one has
    /// received it. `length` has no effect on Node.
    fn publish(&self, crowd: &mut Crowd, number: usize, length: usize) -> io::Result<Duration> {
        crowd.expect(1);
        let begin = Instant::now();
        match self {
            Self::Allclear(site) => {
                let sent = site.publish(number, length)?;
                let delivered = crowd.wait();
                let time = begin.elapsed();
                // An error response explains more than the missing events.
                response_of(sent)?;
                delivered.map(|()| time)
            }
            Self::Node(_, size) => {
                crowd.send(&websocket::text(&format!("42[\"shout\",1,{size}]"))?)?;
                crowd.wait()?;
                Ok(begin.elapsed())
            }
        }
    }
}

fn measure(start: Start<'_>, viewers: usize, measurements: &mut FanOut) -> io::Result<()> {
    let server = start()?;
    // Memory that a process takes once does not count as that of a viewer.
    let mut few = server.gather(20)?;
    for number in 0..20 {
        server.publish(&mut few, number, SIZE)?;
    }
    let before = server.peer().memory()?;
    let mut crowd = server.gather(viewers)?;
    drop(few);
    crowd.rest(Duration::from_millis(300))?;
    server.publish(&mut crowd, 20, SIZE)?;
    measurements.memory = server.peer().memory()?.saturating_sub(before) / viewers as u64;
    progress("  changes");
    let rounds = (DELIVERIES / viewers).clamp(ROUNDS, 200);
    let begin = server.peer().processor()?;
    for number in 0..rounds {
        let time = server.publish(&mut crowd, 21 + number, SIZE)?;
        measurements.times.push(time);
        crowd.rest(Duration::from_millis(10))?;
    }
    measurements.processor += server.peer().processor()? - begin;
    measurements.deliveries += rounds * viewers;
    Ok(())
}

/// Maximum memory of one stalled viewer while the others receive many events.
fn stalled(start: Start<'_>) -> io::Result<u64> {
    let server = start()?;
    let mut crowd = server.gather(20)?;
    let mut numbers = 0..2 * FLOOD;
    let mut flood = || -> io::Result<()> {
        for number in numbers.by_ref().take(FLOOD) {
            server.publish(&mut crowd, number, FLOOD_SIZE)?;
        }
        Ok(())
    };
    flood()?;
    let before = server.peer().memory()?;
    let stalled: io::Result<Vec<_>> = (0..STALLED).map(|_| server.join(Some(RECEIVE))).collect();
    let watch = server.peer().watch();
    flood()?;
    let most = watch.most();
    drop(stalled?);
    Ok(most.saturating_sub(before) / STALLED as u64)
}

fn run(servers: [(&str, Start<'_>); 2], viewers: usize) -> io::Result<()> {
    let mut found = [FanOut::default(), FanOut::default()];
    for pass in 1..=PASSES {
        for ((name, start), measurements) in servers.into_iter().zip(&mut found) {
            progress(&format!(
                "{name}, {viewers} viewers, pass {pass} of {PASSES}"
            ));
            measure(start, viewers, measurements)?;
        }
    }
    for ((name, _), measurements) in servers.into_iter().zip(&found) {
        FOUND.measurement(
            &format!("{name}, {viewers} viewers"),
            json!({
                "last_viewer_ms": {"p50": measurements.percentile(50), "p99": measurements.percentile(99)},
                "processor_us_per_delivery": measurements.cost(),
                "memory_bytes_per_viewer": measurements.memory,
            }),
        );
    }
    let [ours, theirs] = found;
    let budget = |what: &str, value: f64, most: f64| {
        FOUND.budget(
            &format!("{what}, {viewers} viewers"),
            value,
            Limit::AtMost(most),
        );
    };
    if viewers > 1000 {
        let cost = ours.cost() / theirs.cost();
        let late = ours.percentile(99) / theirs.percentile(99);
        budget("processor a delivery, of socket.io's", cost, 0.55);
        budget("p99 at the last viewer, of socket.io's", late, 0.5);
    }
    budget("memory a viewer, KiB", ours.kibibytes(), 12.0);
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn main() -> io::Result<()> {
    let (mut viewers, mut binary) = (Vec::new(), env!("CARGO_BIN_EXE_allclear").to_owned());
    for argument in arguments() {
        match argument.parse::<usize>() {
            Ok(number) => viewers.push(number),
            Err(_) => binary = argument,
        }
    }
    if viewers.is_empty() {
        viewers.extend(VIEWERS);
    }
    peer::allow(viewers.iter().copied().max().unwrap_or_default())?;
    // The event has a description of that size.
    let component = Site::allclear(&binary)?.component()?;
    let text = component.to_string().len() + SIZE;
    let allclear = || Ok(Server::Allclear(Box::new(Site::allclear(&binary)?)));
    let node = || Ok(Server::Node(socket_io::start()?, text));
    for viewers in viewers {
        run([("allclear", &allclear), ("socket.io", &node)], viewers)?;
    }
    progress(&format!("allclear, {STALLED} viewers that do not read"));
    let bytes = stalled(&allclear)?;
    FOUND.measurement(
        &format!("allclear, {STALLED} viewers that do not read"),
        json!({"memory_bytes_per_stalled_viewer": bytes}),
    );
    FOUND.budget(
        "memory a stalled viewer, KiB",
        bytes as f64 / 1024.0,
        Limit::AtMost(96.0),
    );
    Ok(())
}
