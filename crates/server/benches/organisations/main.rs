//! Ten thousand organisations with 20 components each on one node: its start, its memory, the first drawing of a page and a save, beside
//! the same with ten organisations, in turns, on SQLite and, where `ALLCLEAR_TEST_POSTGRES_URL` names a server, on PostgreSQL.
//! `cargo bench -p allclear-server --bench organisations -- [BINARY]`

mod copies;

use std::{
    env, io,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Bench, Limit,
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
/// How often both servers are started, in turns: for a start alone, and to work with them.
const STARTS: usize = 20;
const ROUNDS: usize = 8;
/// Saves after a start.
const SAVES: usize = 30;
/// Pages drawn at the end beside many organisations.
const PAGES: usize = 200;
/// Time that a server is left alone before it is stopped, and before its memory is read.
const STOP_DELAY: Duration = Duration::from_millis(200);
const REST: Duration = Duration::from_secs(2);
/// How much more something may take beside many organisations than beside few.
const BUDGET: f64 = 1.2;

/// An installation, and the organisation of which the others are copies.
struct Side {
    binary: String,
    folder: TempDir,
    /// URL of the database; `None` for SQLite in the data folder.
    database: Option<String>,
    count: usize,
    person: Person,
    organisation: String,
    component: String,
    found: Found,
}

/// What was measured.
#[derive(Default)]
struct Found {
    start: Vec<Duration>,
    drawing: Vec<Duration>,
    save: Vec<Duration>,
    /// Drawings of a page after a save.
    drawing_anew: Vec<Duration>,
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
            found: Found::default(),
        };
        // A first start after such an import is not measured.
        let peer = side.start()?;
        thread::sleep(REST);
        peer.stop()?;
        Ok(side)
    }

    /// Starts the server; notes how long that takes.
    fn timed_start(&mut self) -> io::Result<Peer> {
        let begin = Instant::now();
        let peer = self.start()?;
        self.found.start.push(begin.elapsed());
        Ok(peer)
    }

    fn start(&self) -> io::Result<Peer> {
        let data = self.folder.path().to_owned();
        let peer = product::start(&mut command(&self.binary, &data, self.database.as_deref()))?;
        response_of(send(peer.port, "GET", "/readyz", "", "")?)?;
        Ok(peer)
    }

    /// Starts the server, draws pages that are spread over all organisations, and saves.
    fn round(&mut self) -> io::Result<Peer> {
        let peer = self.timed_start()?;
        thread::sleep(REST);
        self.found.at_rest.push(peer.memory()?);
        for number in 0..FEW {
            let time = self.draw(peer.port, number * self.count / FEW)?;
            self.found.drawing.push(time);
        }
        self.found.after_pages.push(peer.memory()?);
        let bearer = self.person.bearer(peer.port, &self.organisation)?;
        for number in 0..SAVES {
            let path = format!("/api/v1/component/{}", self.component);
            let body = json!({"description": format!("Change {number}")}).to_string();
            let begin = Instant::now();
            response_of(send(peer.port, "PATCH", &path, &bearer, &body)?)?;
            self.found.save.push(begin.elapsed());
            self.found.drawing_anew.push(self.draw(peer.port, 0)?);
        }
        Ok(peer)
    }

    /// Asks for the page of a copy, or of the original.
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

/// Memory of the many organisations' server after pages of 200 organisations were drawn, and the time of the slowest tenth.
fn draw_many(side: &Side, peer: &Peer, database: &str) -> io::Result<()> {
    for number in 1..=PAGES {
        side.draw(peer.port, number * side.count / (PAGES + 1))?;
    }
    let before = median(&side.found.after_pages);
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
    let (few, many) = (few.found, many.found);
    for (what, few, many) in [
        ("start to the first response", few.start, many.start),
        ("first drawing of a page", few.drawing, many.drawing),
        ("save", few.save, many.save),
        ("drawing after a save", few.drawing_anew, many.drawing_anew),
    ] {
        let of = format!("beside {MANY} organisations, of beside {FEW}");
        BENCH.growth(&format!("{what}, {database}"), &of, few, many, BUDGET);
    }
    memory("memory at rest", database, &few.at_rest, &many.at_rest);
    let what = format!("memory after {FEW} pages");
    memory(&what, database, &few.after_pages, &many.after_pages);
    Ok(())
}

fn main() -> io::Result<()> {
    // Cargo adds flags of its own.
    let binary = env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
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
