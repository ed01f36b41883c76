//! Measures a restart of the server while many viewers hold event streams of a public page. The
//! component changes while the server is unavailable and while the viewers reconnect.
//! `cargo bench -p allclear-server --bench reconnects` prints a line of JSON for each measurement,
//! and one for each budget.
//!
//! `-- [BINARY] [N]` measures another binary, and another number of viewers than 20,000. If the
//! system lets a process open fewer files, the bench measures as many viewers as possible.

mod readers;
mod response;
mod viewers;

use std::{
    io, thread,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Bench, Limit, arguments,
    crowd::progress,
    peer::Peer,
    percentile,
    product::{self, Person, id, post, response_of, send},
};
use readers::Readers;
use serde_json::{Value, json};
use tempfile::TempDir;
use viewers::{Counts, Page, Viewers};

const BENCH: Bench = Bench("reconnects");
const VIEWERS: usize = 20_000;
/// Number of files that the server keeps free for itself and for requests, or opens for connections
/// without a response.
const OTHER_FILES: u64 = 2_500;
/// Time in which the viewers open the page. The reconnect times that the server sends are spread
/// over the same time.
const ARRIVAL: Duration = Duration::from_secs(8);
/// Minimum time without a server, so that viewers try to connect to a closed port.
const DOWNTIME: Duration = Duration::from_secs(5);
/// Number of changes while the server is unavailable.
const UNSEEN_CHANGES: usize = 20;
/// Time from one change to the next while the viewers reconnect.
const CHANGE_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum time from readiness until all viewers are connected and up to date, in seconds.
const RECONNECT_LIMIT: f64 = 30.0;
/// Maximum time of the viewers' part in one step.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Time from a change until the memory is read.
const REST: Duration = Duration::from_secs(3);

/// An installation with an organisation and a component.
#[derive(Clone)]
struct Site {
    binary: String,
    folder: std::sync::Arc<TempDir>,
    person: Person,
    organisation: String,
    component: String,
}

impl Site {
    fn new(binary: &str) -> io::Result<(Self, Peer)> {
        let folder = tempfile::tempdir()?;
        let mut command = product::command(binary, folder.path(), 0);
        let peer = product::start(&mut command)?;
        let person = Person::sign_up(peer.port)?;
        let organisation = person.organisation(peer.port, "Acme")?;
        let bearer = person.bearer(peer.port, &organisation)?;
        let draft = json!({"name": "API"});
        let component = id(&post(peer.port, "/component/create", &bearer, &draft)?.1);
        // Viewers would reuse the memory that hashing a password has freed. So the server is
        // started again before it is measured.
        let port = peer.port;
        peer.stop()?;
        let site = Self {
            binary: binary.to_owned(),
            folder: folder.into(),
            person,
            organisation,
            component,
        };
        let peer = site.start(port)?;
        Ok((site, peer))
    }

    fn start(&self, port: u16) -> io::Result<Peer> {
        product::start(&mut product::command(
            &self.binary,
            self.folder.path(),
            port,
        ))
    }

    /// Path of the page.
    fn path(&self) -> String {
        format!("/status/{}", self.organisation)
    }

    fn bearer(&self, port: u16) -> io::Result<String> {
        self.person.bearer(port, &self.organisation)
    }

    fn change(&self, port: u16, bearer: &str, number: usize) -> io::Result<()> {
        let path = format!("/api/v1/component/{}", self.component);
        let body = json!({"description": format!("{number:0>200}")}).to_string();
        response_of(send(port, "PATCH", &path, bearer, &body)?).map(|_| ())
    }

    fn revision(&self, port: u16) -> io::Result<i64> {
        let path = format!("/api/v1/status/{}", self.organisation);
        let (_, snapshot) = response_of(send(port, "GET", &path, "", "")?)?;
        let revision = &snapshot["data"]["revision"];
        Value::as_i64(revision).ok_or_else(|| io::Error::other("no revision"))
    }

    /// Stops the server, and starts it again at its port. Meanwhile, a server at another port,
    /// without viewers, changes the component.
    fn restart(&self, peer: Peer) -> io::Result<Restart> {
        let (port, begin) = (peer.port, Instant::now());
        peer.stop()?;
        let stop = begin.elapsed();
        let other = self.start(0)?;
        let bearer = self.bearer(other.port)?;
        for number in 0..UNSEEN_CHANGES {
            self.change(other.port, &bearer, number)?;
        }
        other.stop()?;
        thread::sleep(DOWNTIME.saturating_sub(begin.elapsed()));
        let peer = self.start(port)?;
        Ok(Restart {
            peer,
            stop,
            downtime: begin.elapsed(),
            ready: Instant::now(),
        })
    }
}

/// A server that was started again.
struct Restart {
    peer: Peer,
    /// Time that the stop took.
    stop: Duration,
    /// Time from the begin of the stop until the server was ready again.
    downtime: Duration,
    ready: Instant,
}

/// The results of a restart.
struct Reconnection {
    /// Time from readiness until all viewers have an open stream.
    open: Duration,
    /// Time from readiness until all viewers have received the last change.
    current: Duration,
    /// Response times of the page.
    pages: Vec<Duration>,
}

/// Changes the component until all viewers have reconnected, and reads the page meanwhile.
fn reconnect(site: &Site, viewers: &mut Viewers, restart: &Restart) -> io::Result<Reconnection> {
    let (port, ready, count) = (restart.peer.port, restart.ready, viewers.count());
    let readers = Readers::from(ready + Duration::from_secs(1), port, &site.path());
    let bearer = site.bearer(port)?;
    let mut number = UNSEEN_CHANGES;
    while viewers.counts.open < count && ready.elapsed() < TIMEOUT {
        let (site, bearer) = (site.clone(), bearer.clone());
        viewers.during(move || site.change(port, &bearer, number))?;
        viewers.until(CHANGE_INTERVAL, |viewers| viewers.counts.open == count)?;
        number += 1;
    }
    let open = ready.elapsed();
    let last = site.revision(port)?;
    viewers.until(TIMEOUT, |viewers| viewers.up_to_date(last) == count)?;
    let current = ready.elapsed();
    // If the viewers were fast, the page is read longer, so that its 99th percentile has
    // enough values.
    let enough = Duration::from_secs(5).saturating_sub(current);
    viewers.rest(enough)?;
    Ok(Reconnection {
        open,
        current,
        pages: readers.stop()?,
    })
}

/// Resident memory of a server with these viewers, after requests for its page and a change.
fn memory(site: &Site, viewers: &mut Viewers, peer: &Peer) -> io::Result<u64> {
    let (site, port) = (site.clone(), peer.port);
    viewers.during(move || {
        let readers = Readers::from(Instant::now(), port, &site.path());
        site.change(port, &site.bearer(port)?, usize::MAX)?;
        thread::sleep(REST);
        readers.stop().map(|_| ())
    })?;
    peer.memory()
}

fn run(binary: &str, count: usize) -> io::Result<()> {
    let (site, peer) = Site::new(binary)?;
    let revision = site.revision(peer.port)?;
    let page = Page {
        port: peer.port,
        stream: format!(
            "/api/v1/status/{}/events?since={revision}",
            site.organisation
        ),
        revision,
    };
    progress(&format!("{count} viewers"));
    let mut viewers = Viewers::new(page, count, ARRIVAL)?;
    if !viewers.until(TIMEOUT, |viewers| viewers.counts.open == count)? {
        let open = viewers.counts.open;
        return Err(io::Error::other(format!(
            "only {open} viewers are connected"
        )));
    }
    let before = memory(&site, &mut viewers, &peer)?;
    progress("  restart");
    viewers.counts = Counts {
        open: count,
        ..Counts::default()
    };
    let restarting = site.clone();
    let restart = viewers.during(move || restarting.restart(peer))?;
    let found = reconnect(&site, &mut viewers, &restart)?;
    let after = memory(&site, &mut viewers, &restart.peer)?;
    let missing = count - viewers.up_to_date(site.revision(restart.peer.port)?);
    report(&viewers, &restart, &found, missing, (before, after));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn report(
    viewers: &Viewers,
    restart: &Restart,
    found: &Reconnection,
    missing: usize,
    (before, after): (u64, u64),
) {
    let (count, counts) = (viewers.count(), viewers.counts);
    let page = |percent| percentile(&found.pages, percent);
    let what = format!("{count} viewers");
    BENCH.measurement(
        &what,
        json!({
            "stop_s": restart.stop.as_secs_f64(),
            "downtime_s": restart.downtime.as_secs_f64(),
            "all_open_s": found.open.as_secs_f64(),
            "all_current_s": found.current.as_secs_f64(),
            "attempts": counts.attempts,
            "attempts_before_readiness": counts.refused,
            "failed_responses": counts.failed,
            "resyncs": counts.resyncs,
            "page_ms": {"p50": page(50), "p99": page(99)},
            "memory_mib": {"before": before >> 20, "after": after >> 20},
        }),
    );
    let budget = |budget: &str, value: f64, limit: f64| {
        BENCH.budget(&format!("{what}: {budget}"), value, Limit::AtMost(limit));
    };
    let missed = counts.gaps + missing;
    budget(
        "seconds from readiness until all are connected and up to date",
        found.current.as_secs_f64(),
        RECONNECT_LIMIT,
    );
    budget("missed changes", missed as f64, 0.0);
    budget(
        "p99 of the page from one second after readiness, milliseconds",
        page(99),
        50.0,
    );
    budget(
        "memory after the restart, of that before",
        after as f64 / before as f64,
        1.1,
    );
}

fn main() -> io::Result<()> {
    let (mut count, mut binary) = (VIEWERS, env!("CARGO_BIN_EXE_allclear").to_owned());
    for argument in arguments() {
        match argument.parse() {
            Ok(number) => count = number,
            Err(_) => binary = argument,
        }
    }
    let files = rlimit::increase_nofile_limit(count as u64 + OTHER_FILES)?;
    let most = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
    if most < count {
        progress(&format!("{files} open files are allowed: {most} viewers"));
    }
    run(&binary, count.min(most))
}
