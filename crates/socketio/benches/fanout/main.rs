//! Measures a burst of events to viewers over WebSocket, and compares it with Node's `socket.io`
//! server under the same client. `cargo bench -p allclear-socketio` prints a line of JSON for each
//! measurement, and one for each budget.
//!
//! `-- N …` measures other numbers of viewers than 1,000. Progress goes to standard error. The
//! bench fails if anything does not complete.

mod server;

use std::process::Command;
use std::time::Instant;
use std::{env, io};

use allclear_bench_support::crowd::{self, progress};
use allclear_bench_support::peer::{self, Peer};
use allclear_bench_support::websocket::{self, Frames};
use allclear_bench_support::{Bench, Limit, socket_io};
use serde_json::json;

type Crowd = crowd::Crowd<Frames>;

/// Prints the results.
const FOUND: Bench = Bench("fanout");

const VIEWERS: usize = 1000;
/// Bytes of text in an event.
const SIZE: usize = 200;
/// Number of passes; the servers take turns.
const PASSES: usize = 2;
/// Deliveries of a burst.
const BURST: usize = 500_000;

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

    fn start(self) -> io::Result<Peer> {
        match self {
            Self::Allclear => {
                let mut command = Command::new(env::current_exe()?);
                Peer::start(command.arg("serve"), |line| line.parse().ok())
            }
            Self::Node => socket_io::start(),
        }
    }
}

/// Makes the server send to all viewers. Returns the messages a second until the last one has
/// received everything.
#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn shout(crowd: &mut Crowd, viewers: usize, count: u32) -> io::Result<f64> {
    crowd.expect(count);
    let begin = Instant::now();
    crowd.send(&websocket::text(&format!("42[\"shout\",{count},{SIZE}]"))?)?;
    crowd.wait()?;
    Ok(f64::from(count) * viewers as f64 / begin.elapsed().as_secs_f64())
}

/// Measures a burst, in messages a second.
fn burst(kind: Kind, viewers: usize) -> io::Result<f64> {
    let peer = kind.start()?;
    let mut crowd = Crowd::gather(viewers, || {
        websocket::join(peer.port, None, &socket_io::JOIN)
    })?;
    for _ in 0..20 {
        shout(&mut crowd, viewers, 1)?;
    }
    let events = u32::try_from(BURST / viewers).map_err(io::Error::other)?;
    shout(&mut crowd, viewers, events)
}

fn run(viewers: usize) -> io::Result<()> {
    let (mut ours, mut theirs) = (0_f64, 0_f64);
    for pass in 1..=PASSES {
        for (kind, best) in [(Kind::Node, &mut theirs), (Kind::Allclear, &mut ours)] {
            progress(&format!(
                "{}, {viewers} viewers, pass {pass} of {PASSES}",
                kind.name()
            ));
            *best = best.max(burst(kind, viewers)?);
        }
    }
    for (kind, best) in [(Kind::Allclear, ours), (Kind::Node, theirs)] {
        FOUND.measurement(
            &format!("{}, {viewers} viewers", kind.name()),
            json!({"burst_messages_per_s": best.round()}),
        );
    }
    FOUND.budget(
        &format!("burst, of socket.io's, {viewers} viewers"),
        ours / theirs,
        Limit::AtLeast(20.0),
    );
    Ok(())
}

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
        viewers.push(VIEWERS);
    }
    peer::allow(viewers.iter().copied().max().unwrap_or_default())?;
    viewers.into_iter().try_for_each(run)
}
