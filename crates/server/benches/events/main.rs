//! Measures one event to N viewers over the event stream: an operator changes a component, and the
//! viewers of the status page receive the change. Compares it with the simplest server of Node's
//! `http` that writes the same event to each viewer, under the same client.
//! `cargo bench -p allclear-server --bench events` prints a line of JSON for each measurement, and
//! one for each budget.
//!
//! `-- [BINARY] [N …]` measures another binary, and other numbers of viewers than 1,000 and 10,000.
//! Progress goes to standard error. The bench fails if anything does not complete. If the system
//! lets a process open fewer files, the part with 50,000 viewers is left out.

mod load;
mod stream;

use std::{
    io,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Limit, arguments,
    crowd::{self, progress},
    fan_out::FanOut,
    peer,
    product::response_of,
    site::Site,
};
use serde_json::{Value, json};

type Crowd = crowd::Crowd<stream::Lines>;

/// Prints the results.
const FOUND: allclear_bench_support::Bench = allclear_bench_support::Bench("events");

const VIEWERS: [usize; 2] = [1000, 10_000];
/// Number of viewers of the last part, which has no peer.
const MANY: usize = 50_000;
/// Number of measurements of each server; the servers take turns.
const PASSES: usize = 2;
/// Number of deliveries in a pass.
const DELIVERIES: usize = 200_000;
/// Minimum number of changes in a pass.
const ROUNDS: usize = 50;
/// Memory per viewer, in KiB.
const MEMORY: Limit = Limit::AtMost(10.0);
/// Bytes of a component's description.
const SIZE: usize = 200;
/// Number of viewers that stop reading.
const STALLED: usize = 50;
/// Size of their kernel receive buffers, in bytes.
const RECEIVE: usize = 4096;
/// Number of events that are sent meanwhile, and bytes of each.
const FLOOD: usize = 1500;
const FLOOD_SIZE: usize = 8000;

/// A measured server.
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

/// The binary of the product, and the component whose event Node sends.
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

/// Makes the server publish an event. Returns the time until the last viewer received it.
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
    // Memory that a process takes once does not count as that of a viewer.
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

/// Maximum memory of one stalled viewer while the others receive many events.
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
    let stalled: io::Result<Vec<_>> = (0..STALLED)
        .map(|_| stream::join(site.peer.port, &site.stream, Some(RECEIVE)))
        .collect();
    let watch = site.peer.watch();
    flood()?;
    let most = watch.most();
    drop(stalled?);
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

/// Measures the maximum number of viewers of one process: their memory, the time to the last
/// viewer, and the page and saves meanwhile.
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
    for argument in arguments() {
        match argument.parse::<usize>() {
            Ok(number) => viewers.push(number),
            Err(_) => binary = argument,
        }
    }
    if viewers.is_empty() {
        viewers.extend(VIEWERS);
    }
    let most = viewers.iter().copied().max().unwrap_or_default();
    peer::allow(most)?;
    let bench = Bench::new(binary)?;
    for viewers in viewers {
        run(&bench, viewers)?;
    }
    for kind in [Kind::Allclear, Kind::Node] {
        progress(&format!(
            "{}, {STALLED} viewers that do not read",
            kind.name()
        ));
        let bytes = stalled(&bench, kind)?;
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
    progress("an operator's saves and the page with all viewers");
    load::run(&bench.binary, most, Limit::AtMost(10.0))?;
    if let Err(error) = peer::allow(MANY) {
        progress(&format!("{MANY} viewers are left out: {error}"));
        return Ok(());
    }
    run_many(&bench)
}
