//! Measures a node with ten thousand organisations of 20 components each, in turns with a node with
//! ten: its start, its memory, the first drawing of a page, and a save. Runs on SQLite and, if
//! `ALLCLEAR_TEST_POSTGRES_URL` names a server, on PostgreSQL.
//! `cargo bench -p allclear-server --bench organisations -- [BINARY]` measures another binary.

mod copies;

use std::{
    io,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Bench, Limit, arguments,
    crowd::progress,
    peer::Peer,
    postgres,
    product::{self, Person, id, post, response_of, send},
};
use serde_json::json;
use tempfile::TempDir;

const BENCH: Bench = Bench("organisations");
const FEW: usize = 10;
const MANY: usize = 10_000;
const COMPONENTS: usize = 20;
/// Number of starts of each server that only measure the start.
const STARTS: usize = 20;
/// Number of starts of each server that are followed by work.
const ROUNDS: usize = 8;
/// Number of saves in a round.
const SAVES: usize = 30;
/// Number of pages that the node with many organisations draws at the end.
const PAGES: usize = 200;
/// Time from a start to the stop of a server that does no work.
const STOP_DELAY: Duration = Duration::from_millis(200);
/// Time without a request before the memory is read.
const REST: Duration = Duration::from_secs(2);
/// Maximum cost among many organisations, as a multiple of the cost among few.
const BUDGET: f64 = 1.2;

/// An installation. All organisations are copies of the first one.
struct Side {
    binary: String,
    folder: TempDir,
    /// URL of the database; `None` for SQLite in the data folder.
    database: Option<String>,
    count: usize,
    person: Person,
    organisation: String,
    component: String,
    measured: Measurements,
}

/// The results of an installation.
#[derive(Default)]
struct Measurements {
    start: Vec<Duration>,
    drawing: Vec<Duration>,
    save: Vec<Duration>,
    /// Drawings of a page after a save.
    drawing_after_save: Vec<Duration>,
    /// Resident memory at rest, and after ten pages were drawn, in bytes.
    at_rest: Vec<u64>,
    after_pages: Vec<u64>,
}

impl Side {
    fn new(binary: &str, database: Option<String>, count: usize) -> io::Result<Self> {
        progress(&format!("{count} organisations"));
        let folder = tempfile::tempdir()?;
        let data = folder.path().to_owned();
        let peer = product::start(&mut command(binary, &data, database.as_deref()))?;
        let person = Person::sign_up(peer.port)?;
        let organisation = person.organisation(peer.port, "Acme")?;
        let bearer = person.bearer(peer.port, &organisation)?;
        let mut component = String::new();
        for number in 0..COMPONENTS {
            let draft = json!({"name": format!("Component {number}")});
            component = id(&post(peer.port, "/component/create", &bearer, &draft)?.1);
        }
        peer.stop()?;
        let file = || format!("sqlite:{}", data.join("allclear.db").display());
        let url = database.clone().unwrap_or_else(file);
        tokio::runtime::Runtime::new()?
            .block_on(copies::make(&url, count - 1))
            .map_err(io::Error::other)?;
        let side = Self {
            binary: binary.to_owned(),
            folder,
            database,
            count,
            person,
            organisation,
            component,
            measured: Measurements::default(),
        };
        // The first start after such an import is not measured.
        let peer = side.start()?;
        thread::sleep(REST);
        peer.stop()?;
        Ok(side)
    }

    /// Starts the server, and records the duration.
    fn timed_start(&mut self) -> io::Result<Peer> {
        let begin = Instant::now();
        let peer = self.start()?;
        self.measured.start.push(begin.elapsed());
        Ok(peer)
    }

    fn start(&self) -> io::Result<Peer> {
        let data = self.folder.path();
        product::start(&mut command(&self.binary, data, self.database.as_deref()))
    }

    /// Starts the server, draws pages that are spread over all organisations, and saves.
    fn round(&mut self) -> io::Result<Peer> {
        let peer = self.timed_start()?;
        thread::sleep(REST);
        self.measured.at_rest.push(peer.memory()?);
        for number in 0..FEW {
            let time = self.draw(peer.port, number * self.count / FEW)?;
            self.measured.drawing.push(time);
        }
        self.measured.after_pages.push(peer.memory()?);
        let bearer = self.person.bearer(peer.port, &self.organisation)?;
        for number in 0..SAVES {
            let path = format!("/api/v1/component/{}", self.component);
            let body = json!({"description": format!("Change {number}")}).to_string();
            let begin = Instant::now();
            response_of(send(peer.port, "PATCH", &path, &bearer, &body)?)?;
            self.measured.save.push(begin.elapsed());
            self.measured
                .drawing_after_save
                .push(self.draw(peer.port, 0)?);
        }
        Ok(peer)
    }

    /// Requests the page of a copy, or of the original if the number is 0. Returns the duration.
    fn draw(&self, port: u16, number: usize) -> io::Result<Duration> {
        let organisation = match number {
            0 => self.organisation.clone(),
            number => copies::identifier(number, &self.organisation),
        };
        let begin = Instant::now();
        response_of(send(
            port,
            "GET",
            &format!("/status/{organisation}"),
            "",
            "",
        )?)?;
        Ok(begin.elapsed())
    }
}

fn command(binary: &str, data: &Path, database: Option<&str>) -> Command {
    let mut command = product::command(binary, data, 0);
    if let Some(url) = database {
        command.args(["--database-url", url]);
    }
    command
}

fn median(values: &[u64]) -> u64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Draws the pages of 200 organisations, and prints the memory that they take.
fn draw_many(side: &Side, peer: &Peer, database: &str) -> io::Result<()> {
    for number in 1..=PAGES {
        side.draw(peer.port, number * side.count / (PAGES + 1))?;
    }
    let before = median(&side.measured.after_pages);
    let after = peer.memory()?;
    BENCH.measurement(
        &format!("{PAGES} pages of {MANY} organisations, {database}"),
        json!({
            "memoryMiB": after >> 20,
            "memoryKiBOfAPage": (after.saturating_sub(before) >> 10) / PAGES as u64,
        }),
    );
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "measurements to read")]
fn memory(what: &str, database: &str, few: &[u64], many: &[u64]) {
    let (few, many) = (median(few), median(many));
    let what = format!("{what}, {database}");
    BENCH.measurement(
        &what,
        json!({"kibibytesBesideFew": few >> 10, "kibibytesBesideMany": many >> 10}),
    );
    BENCH.budget(
        &format!("{what}: beside {MANY} organisations, of beside {FEW}"),
        many as f64 / few as f64,
        Limit::AtMost(BUDGET),
    );
}

fn run(database: &str, mut few: Side, mut many: Side) -> io::Result<()> {
    progress(&format!("rounds, {database}"));
    for _ in 0..STARTS {
        for side in [&mut few, &mut many] {
            let peer = side.timed_start()?;
            thread::sleep(STOP_DELAY);
            peer.stop()?;
        }
    }
    for round in 1..=ROUNDS {
        few.round()?.stop()?;
        let peer = many.round()?;
        if round == ROUNDS {
            draw_many(&many, &peer, database)?;
        }
        peer.stop()?;
    }
    let (few, many) = (few.measured, many.measured);
    for (what, few, many) in [
        ("start to the first response", few.start, many.start),
        ("first drawing of a page", few.drawing, many.drawing),
        ("save", few.save, many.save),
        (
            "drawing after a save",
            few.drawing_after_save,
            many.drawing_after_save,
        ),
    ] {
        let of = format!("beside {MANY} organisations, of beside {FEW}");
        BENCH.growth(&format!("{what}, {database}"), &of, &few, &many, BUDGET);
    }
    memory("memory at rest", database, &few.at_rest, &many.at_rest);
    let what = format!("memory after {FEW} pages");
    memory(&what, database, &few.after_pages, &many.after_pages);
    Ok(())
}

fn main() -> io::Result<()> {
    let binary = arguments().next();
    let binary = binary.unwrap_or_else(|| env!("CARGO_BIN_EXE_allclear").to_owned());
    let side = |url, count| Side::new(&binary, url, count);
    run("SQLite", side(None, FEW)?, side(None, MANY)?)?;
    if let Some(server) = postgres::server() {
        let url = |name| Some(postgres::recreate(&server, name));
        let (few, many) = (url("organisations_few"), url("organisations_many"));
        run("PostgreSQL", side(few, FEW)?, side(many, MANY)?)?;
    }
    Ok(())
}
