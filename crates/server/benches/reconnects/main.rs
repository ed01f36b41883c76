//! A storm of reconnects: the server restarts while many viewers hold event streams of a public page. Changes are made while they are
//! away and while they come back. `cargo bench -p allclear-server --bench reconnects` prints a line of JSON per figure, and per budget
//! whether it is met.
//!
//! `-- [BINARY] [N]` measures another binary, and another number of viewers than 20,000. Where the system lets a process open fewer
//! files, as many viewers as it allows are measured.

mod readers;
mod response;
mod viewers;

use std::{
    env, io, thread,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Bench, Limit,
    crowd::progress,
    peer::Peer,
    product::{self, Person, id, post, response_of, send},
};
use readers::Readers;
use serde_json::{Value, json};
use tempfile::TempDir;
use viewers::{Counts, Page, Viewers};

const BENCH: Bench = Bench("reconnects");
const VIEWERS: usize = 20_000;
/// Open files that the server keeps for itself and for requests, or that it needs for connections without a response yet.
const OTHER_FILES: u64 = 2_500;
/// Time over which the viewers open the page, as much as the server's times to reconnect are apart.
const ARRIVAL: Duration = Duration::from_secs(8);
/// How long the server is away at least, so that viewers come to a closed port.
const AWAY: Duration = Duration::from_secs(5);
/// Changes while the viewers are away, and the time from one to the next while they come back.
const CHANGES_MEANWHILE: usize = 20;
const CHANGE_INTERVAL: Duration = Duration::from_millis(250);
/// When all viewers have to be back, in seconds.
const RETURN: f64 = 30.0;
/// Longest time of a part.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time that a server is left alone before its memory is read.
const REST: Duration = Duration::from_secs(3);

/// An installation with an organisation, of which one component is changed again and again.
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
        // What hashing a password took is not part of the memory of a server with viewers.
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
        let peer = product::start(&mut product::command(
            &self.binary,
            self.folder.path(),
            port,
        ))?;
        response_of(send(peer.port, "GET", "/readyz", "", "")?)?;
        Ok(peer)
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

    /// Stops the server, and changes the component by another one that no viewer reaches. The server is started again at its port.
    fn restart(&self, peer: Peer) -> io::Result<Restart> {
        let (port, begin) = (peer.port, Instant::now());
        peer.stop()?;
        let stop = begin.elapsed();
        let other = self.start(0)?;
        let bearer = self.bearer(other.port)?;
        for number in 0..CHANGES_MEANWHILE {
            self.change(other.port, &bearer, number)?;
        }
        other.stop()?;
        thread::sleep(AWAY.saturating_sub(begin.elapsed()));
        let peer = self.start(port)?;
        Ok(Restart {
            peer,
            stop,
            away: begin.elapsed(),
            ready: Instant::now(),
        })
    }
}

/// A server that was started again.
struct Restart {
    peer: Peer,
    /// How long it took to stop, and until the next one was ready.
    stop: Duration,
    away: Duration,
    ready: Instant,
}

/// The return of the viewers.
struct Return {
    /// Times from readiness until all have an open stream, and until all show the last change.
    open: Duration,
    current: Duration,
    /// How long the readers of the page have waited.
    pages: Vec<Duration>,
}

fn come_back(site: &Site, viewers: &mut Viewers, restart: &Restart) -> io::Result<Return> {
    let (port, ready, count) = (restart.peer.port, restart.ready, viewers.count());
    let readers = Readers::from(ready + Duration::from_secs(1), port, &site.path());
    let bearer = site.bearer(port)?;
    let mut number = CHANGES_MEANWHILE;
    while viewers.counts.open < count && ready.elapsed() < PATIENCE {
        let (site, bearer) = (site.clone(), bearer.clone());
        viewers.during(move || site.change(port, &bearer, number))?;
        viewers.until(CHANGE_INTERVAL, |viewers| viewers.counts.open == count)?;
        number += 1;
    }
    let open = ready.elapsed();
    let last = site.revision(port)?;
    viewers.until(PATIENCE, |viewers| viewers.at(last) == count)?;
    let current = ready.elapsed();
    // Enough readers for a hundredth of them, if the viewers were fast.
    let enough = Duration::from_secs(5).saturating_sub(current);
    viewers.rest(enough)?;
    Ok(Return {
        open,
        current,
        pages: readers.stop()?,
    })
}

/// Resident memory of a server with these viewers, after its page was read and a change was sent.
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
    let mut viewers = Viewers::arriving(page, count, ARRIVAL)?;
    if !viewers.until(PATIENCE, |viewers| viewers.counts.open == count)? {
        let open = viewers.counts.open;
        return Err(io::Error::other(format!("only {open} viewers came")));
    }
    let before = memory(&site, &mut viewers, &peer)?;
    progress("  restart");
    viewers.counts = Counts {
        open: count,
        ..Counts::default()
    };
    let restarting = site.clone();
    let restart = viewers.during(move || restarting.restart(peer))?;
    let found = come_back(&site, &mut viewers, &restart)?;
    let after = memory(&site, &mut viewers, &restart.peer)?;
    let missing = count - viewers.at(site.revision(restart.peer.port)?);
    report(&viewers, &restart, &found, missing, (before, after));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn report(
    viewers: &Viewers,
    restart: &Restart,
    found: &Return,
    missing: usize,
    (before, after): (u64, u64),
) {
    let (count, counts) = (viewers.count(), viewers.counts);
    let mut pages = found.pages.clone();
    pages.sort_unstable();
    let percentile = |percent: usize| {
        let page = pages.get(pages.len() * percent / 100);
        page.map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let what = format!("{count} viewers");
    BENCH.measurement(
        &what,
        json!({
            "stop_s": restart.stop.as_secs_f64(),
            "away_s": restart.away.as_secs_f64(),
            "all_open_s": found.open.as_secs_f64(),
            "all_current_s": found.current.as_secs_f64(),
            "attempts": counts.attempts,
            "attempts_before_readiness": counts.refused,
            "failed_responses": counts.failed,
            "resyncs": counts.resyncs,
            "page_ms": {"p50": percentile(50), "p99": percentile(99)},
            "memory_mib": {"before": before >> 20, "after": after >> 20},
        }),
    );
    let budget = |budget: &str, value: f64, limit: f64| {
        BENCH.budget(&format!("{what}: {budget}"), value, Limit::AtMost(limit));
    };
    let missed = counts.gaps + missing;
    budget(
        "seconds from readiness until all are back and current",
        found.current.as_secs_f64(),
        RETURN,
    );
    budget("missed changes", missed as f64, 0.0);
    budget(
        "p99 of the page from one second after readiness, milliseconds",
        percentile(99),
        50.0,
    );
    budget(
        "memory after the storm, of that before",
        after as f64 / before as f64,
        1.1,
    );
}

fn main() -> io::Result<()> {
    let (mut count, mut binary) = (VIEWERS, env!("CARGO_BIN_EXE_allclear").to_owned());
    // Cargo adds flags of its own.
    for argument in env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
    {
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
