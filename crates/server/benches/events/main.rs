//! Fan-out over the event stream: an operator changes a component, and N viewers of the status page receive the event; beside the plainest
//! server of Node that writes the same event to each, driven by the same client program as the socket's bench. `cargo bench -p
//! allclear-server --bench events` prints a line of JSON per figure, and per budget whether it is met.
//!
//! `-- [BINARY] [N …]` measures another binary, and other numbers of viewers than 1,000 and 10,000. Progress is printed on
//! standard error, and whatever does not come to its end fails.

mod load;
mod site;
mod stream;

use std::{
    env, io,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Limit,
    crowd::{self, progress},
    fan_out::FanOut,
    peer,
    product::response_of,
};
use serde_json::{Value, json};
use site::Site;

type Crowd = crowd::Crowd<stream::Lines>;

/// Prints the results.
const FOUND: allclear_bench_support::Bench = allclear_bench_support::Bench("events");

const VIEWERS: [usize; 2] = [1000, 10_000];
/// Viewers of the last part, without the peer.
const MANY: usize = 50_000;
/// Times that everything is measured; the servers take turns.
const PASSES: usize = 2;
/// Deliveries in a pass, and changes at least.
const DELIVERIES: usize = 200_000;
const ROUNDS: usize = 50;
/// Memory per viewer, in KiB.
const MEMORY: Limit = Limit::AtMost(10.0);
/// Bytes of a component's description.
const SIZE: usize = 200;
/// Viewers that stop reading, the kernel's buffer for each, and the events sent meanwhile.
const STALLED: usize = 50;
const RECEIVE: usize = 4096;
const FLOOD: usize = 1500;
const FLOOD_SIZE: usize = 8000;

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Allclear,
    Node,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Allclear => "allclear",
            Self::Node => "node:http",
        }
    }
}

/// What is measured, and beside what.
struct Bench {
    binary: String,
    component: Value,
}

impl Bench {
    fn new(binary: String) -> io::Result<Self> {
        let component = Site::allclear(&binary)?.component()?;
        Ok(Self { binary, component })
    }

    fn start(&self, kind: Kind) -> io::Result<Site> {
        match kind {
            Kind::Allclear => Site::allclear(&self.binary),
            Kind::Node => Site::node(self.component.clone()),
        }
    }
}

fn gather(site: &Site, count: usize) -> io::Result<Crowd> {
    Crowd::gather(count, || stream::join(site.peer.port, &site.stream, None))
}

/// Makes the server publish an event; returns the time until the last viewer received it.
fn publish(site: &Site, crowd: &mut Crowd, number: usize, length: usize) -> io::Result<Duration> {
    crowd.expect(1);
    let begin = Instant::now();
    let sent = site.publish(number, length)?;
    let delivered = crowd.wait();
    let time = begin.elapsed();
    // An error response explains more than the missing events.
    response_of(sent)?;
    delivered.map(|()| time)
}

fn measure(bench: &Bench, kind: Kind, viewers: usize, measurements: &mut FanOut) -> io::Result<()> {
    let site = bench.start(kind)?;
    // What a process takes once is not a viewer's.
    let mut few = gather(&site, 20)?;
    for number in 0..20 {
        publish(&site, &mut few, number, SIZE)?;
    }
    let before = site.peer.memory()?;
    let mut crowd = gather(&site, viewers)?;
    drop(few);
    crowd.rest(Duration::from_millis(300))?;
    publish(&site, &mut crowd, 20, SIZE)?;
    measurements.memory = site.peer.memory()?.saturating_sub(before) / viewers as u64;
    progress("  changes");
    let rounds = (DELIVERIES / viewers).clamp(ROUNDS, 200);
    let begin = site.peer.processor()?;
    for number in 0..rounds {
        measurements
            .times
            .push(publish(&site, &mut crowd, 21 + number, SIZE)?);
        crowd.rest(Duration::from_millis(10))?;
    }
    measurements.processor += site.peer.processor()? - begin;
    measurements.deliveries += rounds * viewers;
    Ok(())
}

/// Largest memory of one stalled viewer while the others receive many events.
fn stalled(bench: &Bench, kind: Kind) -> io::Result<u64> {
    let site = bench.start(kind)?;
    let mut crowd = gather(&site, 20)?;
    let mut numbers = 0..2 * FLOOD;
    let mut flood = || -> io::Result<()> {
        for number in numbers.by_ref().take(FLOOD) {
            publish(&site, &mut crowd, number, FLOOD_SIZE)?;
        }
        Ok(())
    };
    flood()?;
    let before = site.peer.memory()?;
    let deaf: io::Result<Vec<_>> = (0..STALLED)
        .map(|_| stream::join(site.peer.port, &site.stream, Some(RECEIVE)))
        .collect();
    let watch = site.peer.watch();
    flood()?;
    let most = watch.most();
    drop(deaf?);
    Ok(most.saturating_sub(before) / STALLED as u64)
}

fn run(bench: &Bench, viewers: usize) -> io::Result<()> {
    let (mut ours, mut theirs) = (FanOut::default(), FanOut::default());
    for pass in 1..=PASSES {
        for (kind, measurements) in [(Kind::Node, &mut theirs), (Kind::Allclear, &mut ours)] {
            progress(&format!(
                "{}, {viewers} viewers, pass {pass} of {PASSES}",
                kind.name()
            ));
            measure(bench, kind, viewers, measurements)?;
        }
    }
    for (kind, measurements) in [(Kind::Allclear, &ours), (Kind::Node, &theirs)] {
        FOUND.measurement(
            &format!("{}, {viewers} viewers", kind.name()),
            json!({
                "last_viewer_ms": {"p50": measurements.percentile(50), "p99": measurements.percentile(99)},
                "processor_us_per_delivery": measurements.cost(),
                "memory_bytes_per_viewer": measurements.memory,
            }),
        );
    }
    let budget = format!("memory a viewer of {viewers}, KiB");
    FOUND.budget(&budget, ours.kibibytes(), MEMORY);
    Ok(())
}

/// As many viewers as one process is to carry: their memory, the last one to receive a change, and everything at once.
fn run_many(bench: &Bench) -> io::Result<()> {
    progress(&format!("allclear, {MANY} viewers"));
    let mut measurements = FanOut::default();
    measure(bench, Kind::Allclear, MANY, &mut measurements)?;
    let last = measurements.percentile(99);
    FOUND.measurement(
        &format!("allclear, {MANY} viewers"),
        json!({
            "last_viewer_ms": {"p50": measurements.percentile(50), "p99": last},
            "processor_us_per_delivery": measurements.cost(),
            "memory_bytes_per_viewer": measurements.memory,
        }),
    );
    let memory = format!("memory a viewer of {MANY}, KiB");
    FOUND.budget(&memory, measurements.kibibytes(), MEMORY);
    let reached = format!("{MANY} viewers: a change reaches the last one, p99, milliseconds");
    FOUND.budget(&reached, last, Limit::AtMost(600.0));
    load::run(&bench.binary, MANY, Limit::AtMost(25.0))
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn main() -> io::Result<()> {
    let (mut viewers, mut binary) = (Vec::new(), env!("CARGO_BIN_EXE_allclear").to_owned());
    // Cargo adds flags of its own.
    for argument in env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
    {
        match argument.parse::<usize>() {
            Ok(number) => viewers.push(number),
            Err(_) => binary = argument,
        }
    }
    if viewers.is_empty() {
        viewers.extend(VIEWERS);
    }
    let most = viewers.iter().copied().max().unwrap_or_default();
    peer::allow(MANY)?;
    let bench = Bench::new(binary)?;
    for viewers in viewers {
        run(&bench, viewers)?;
    }
    for kind in [Kind::Allclear, Kind::Node] {
        progress(&format!(
            "{}, {STALLED} viewers who do not read",
            kind.name()
        ));
        let bytes = stalled(&bench, kind)?;
        let what = format!("{}, {STALLED} viewers who do not read", kind.name());
        FOUND.measurement(&what, json!({"memory_bytes_per_stalled_viewer": bytes}));
        if kind == Kind::Allclear {
            FOUND.budget(
                "memory a stalled viewer, KiB",
                bytes as f64 / 1024.0,
                Limit::AtMost(96.0),
            );
        }
    }
    progress("an operator's save and the page while everybody looks");
    load::run(&bench.binary, most, Limit::AtMost(10.0))?;
    run_many(&bench)
}
