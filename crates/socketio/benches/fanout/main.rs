//! Measures one event to N viewers over WebSocket, and a burst of events, and compares both with Node's `socket.io`
//! server under the same client. `cargo bench -p allclear-socketio` prints a line of JSON for each measurement, and one
//! for each budget.
//!
//! `-- N …` measures other numbers of viewers than 1,000, 9,000 and 10,000. Progress goes to standard error. The bench
//! fails if anything does not complete.

mod frames;
mod server;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io};

use allclear_bench_support::crowd::{self, progress};
use allclear_bench_support::fan_out::FanOut;
use allclear_bench_support::peer::{self, Peer};
use allclear_bench_support::{Bench, Limit};
use frames::Frames;
use serde_json::json;

type Crowd = crowd::Crowd<Frames>;

/// Prints the results.
const FOUND: Bench = Bench("fanout");

/// The number of viewers: one room that a thread serves quickly, and two larger ones.
const VIEWERS: [usize; 3] = [1000, 9000, 10_000];
/// Bytes of text in an event.
const SIZE: usize = 200;
/// Number of passes; the servers take turns.
const PASSES: usize = 2;
/// Deliveries of single events, and of a burst, in a pass.
const DELIVERIES: usize = 200_000;
/// Minimum number of single events in a pass, for a meaningful percentile.
const ROUNDS: usize = 50;
const BURST: usize = 500_000;
/// Number of viewers that stop reading.
const STALLED: usize = 50;
/// Bound of their queues, in bytes.
const QUEUE: usize = 96 * 1024;
/// Size of their kernel receive buffers, in bytes.
const RECEIVE: usize = 4096;

/// The messages that join the room, and the text that confirms it.
const JOIN: [(&str, &str); 1] = [("40", "42[\"ready\"]")];

/// The measured server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Allclear,
    Node,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Allclear => "allclear",
            Self::Node => "socket.io",
        }
    }

    fn start(self, queue_bytes: Option<usize>) -> io::Result<Peer> {
        let mut command = match self {
            Self::Allclear => Command::new(env::current_exe()?),
            Self::Node => Command::new("node"),
        };
        match self {
            Self::Allclear => command.arg("serve"),
            Self::Node => command.arg(reference()?),
        };
        if let Some(bytes) = queue_bytes {
            command.env("QUEUE_BYTES", bytes.to_string());
        }
        Peer::start(&mut command, |line| line.parse().ok())
    }
}

/// The program of the reference server, with its packages installed.
fn reference() -> io::Result<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/fanout/node");
    if !Path::new(folder).join("node_modules/socket.io").exists() {
        let install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
        let installed = Command::new("npm")
            .args(install)
            .current_dir(folder)
            .stdout(Stdio::null())
            .status()?;
        if !installed.success() {
            return Err(io::Error::other("npm ci failed"));
        }
    }
    Ok(format!("{folder}/server.mjs"))
}

fn gather(peer: &Peer, count: usize) -> io::Result<Crowd> {
    Crowd::gather(count, || frames::join(peer.port, None, &JOIN))
}

/// Makes the server send to all viewers; returns the time until the last one has received everything.
fn shout(crowd: &mut Crowd, count: u32, size: usize) -> io::Result<Duration> {
    crowd.expect(count);
    let begin = Instant::now();
    crowd.send(&frames::text(&format!("42[\"shout\",{count},{size}]"))?)?;
    crowd.wait()?;
    Ok(begin.elapsed())
}

/// The measurements of a server at a number of viewers.
#[derive(Default)]
struct Measurements {
    single: FanOut,
    /// Messages per second of each burst.
    burst: Vec<f64>,
}

impl Measurements {
    fn best_burst(&self) -> f64 {
        self.burst.iter().copied().fold(0.0, f64::max)
    }
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn measure(kind: Kind, viewers: usize, measurements: &mut Measurements) -> io::Result<()> {
    let peer = kind.start(None)?;
    // Memory that a process takes once does not count as that of a viewer.
    let mut few = gather(&peer, 20)?;
    shout(&mut few, 20, SIZE)?;
    let before = peer.memory()?;
    let mut crowd = gather(&peer, viewers)?;
    drop(few);
    crowd.rest(Duration::from_millis(300))?;
    shout(&mut crowd, 1, SIZE)?;
    measurements.single.memory = (peer.memory()?.saturating_sub(before)) / viewers as u64;
    progress("  single events");
    let rounds = (DELIVERIES / viewers).clamp(ROUNDS, 200);
    let begin = peer.processor()?;
    for _ in 0..rounds {
        measurements.single.times.push(shout(&mut crowd, 1, SIZE)?);
        crowd.rest(Duration::from_millis(10))?;
    }
    measurements.single.processor += peer.processor()? - begin;
    measurements.single.deliveries += rounds * viewers;
    progress("  a burst");
    let events = u32::try_from(BURST / viewers).map_err(io::Error::other)?;
    let time = shout(&mut crowd, events, SIZE)?;
    measurements
        .burst
        .push(f64::from(events) * viewers as f64 / time.as_secs_f64());
    Ok(())
}

/// Maximum memory that one stalled viewer takes during a burst.
fn stalled(kind: Kind) -> io::Result<u64> {
    let peer = kind.start((kind == Kind::Allclear).then_some(QUEUE))?;
    let mut crowd = gather(&peer, 20)?;
    let flood = |crowd: &mut Crowd| -> io::Result<()> {
        for _ in 0..1200 {
            shout(crowd, 4, 2000)?;
        }
        Ok(())
    };
    flood(&mut crowd)?;
    let before = peer.memory()?;
    let stalled: io::Result<Vec<_>> = (0..STALLED)
        .map(|_| frames::join(peer.port, Some(RECEIVE), &JOIN))
        .collect();
    let watch = peer.watch();
    flood(&mut crowd)?;
    let most = watch.most();
    drop(stalled?);
    Ok(most.saturating_sub(before) / STALLED as u64)
}

fn run(viewers: usize) -> io::Result<()> {
    let (mut ours, mut theirs) = (Measurements::default(), Measurements::default());
    for pass in 1..=PASSES {
        for (kind, measurements) in [(Kind::Node, &mut theirs), (Kind::Allclear, &mut ours)] {
            progress(&format!(
                "{}, {viewers} viewers, pass {pass} of {PASSES}",
                kind.name()
            ));
            measure(kind, viewers, measurements)?;
        }
    }
    for (kind, measurements) in [(Kind::Allclear, &ours), (Kind::Node, &theirs)] {
        let single = &measurements.single;
        FOUND.measurement(
            &format!("{}, {viewers} viewers", kind.name()),
            json!({
                "last_viewer_ms": {"p50": single.percentile(50), "p99": single.percentile(99)},
                "processor_us_per_delivery": single.cost(),
                "burst_messages_per_s": measurements.best_burst().round(),
                "memory_bytes_per_viewer": single.memory,
            }),
        );
    }
    let budget = |what: &str, value: f64, limit: Limit| {
        FOUND.budget(&format!("{what}, {viewers} viewers"), value, limit);
    };
    let (single, reference) = (&ours.single, &theirs.single);
    if viewers <= 1000 {
        budget(
            "burst, of socket.io's",
            ours.best_burst() / theirs.best_burst(),
            Limit::AtLeast(20.0),
        );
    } else {
        let late = single.percentile(99) / reference.percentile(99);
        budget(
            "processor a delivery, of socket.io's",
            single.cost() / reference.cost(),
            Limit::AtMost(0.55),
        );
        budget(
            "p99 at the last viewer, of socket.io's",
            late,
            Limit::AtMost(0.5),
        );
    }
    budget(
        "memory a viewer, KiB",
        single.kibibytes(),
        Limit::AtMost(12.0),
    );
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "serve") {
        return actix_web::rt::System::new().block_on(server::serve());
    }
    let mut viewers: Vec<usize> = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    if viewers.is_empty() {
        viewers.extend(VIEWERS);
    }
    peer::allow(viewers.iter().copied().max().unwrap_or_default())?;
    for viewers in viewers {
        run(viewers)?;
    }
    for kind in [Kind::Allclear, Kind::Node] {
        progress(&format!(
            "{}, {STALLED} viewers that do not read",
            kind.name()
        ));
        let bytes = stalled(kind)?;
        let what = format!("{}, {STALLED} viewers that do not read", kind.name());
        FOUND.measurement(&what, json!({"memory_bytes_per_stalled_viewer": bytes}));
        if kind == Kind::Allclear {
            FOUND.budget(
                "memory a stalled viewer, KiB",
                bytes as f64 / 1024.0,
                Limit::AtMost(96.0),
            );
        }
    }
    Ok(())
}
