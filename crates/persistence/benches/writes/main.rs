//! Measures how many incident updates of sixteen operators are acknowledged per second, and
//! compares them with bare transactions that store the same rows with the same sync setting. Runs
//! on SQLite and, if `ALLCLEAR_TEST_POSTGRES_URL` and `ALLCLEAR_TEST_DURABLE_POSTGRES_URL` name
//! servers, on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a bench ends by a panic")]

mod bare;
mod operators;

use std::time::Duration;

use allclear_bench_support::{Bench, Limit, percentile, postgres};
use serde_json::json;

use operators::Operators;

/// Number of operators that write at the same time.
const OPERATORS: usize = 16;
/// Number of updates that each operator records.
const EACH: usize = 400;
const ROUNDS: usize = 3;
/// Acknowledged updates per second, on SQLite.
const RATE: Limit = Limit::AtLeast(2000.0);
/// Rate as a share of that of bare transactions, on SQLite.
const SHARE: Limit = Limit::AtLeast(0.6);
const BENCH: Bench = Bench("writes");

/// Durations of a run.
struct Taken {
    whole: Duration,
    each: Vec<Duration>,
}

impl Taken {
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    fn rate(&self) -> f64 {
        self.each.len() as f64 / self.whole.as_secs_f64()
    }

    fn print(&self, database: &str, writer: &str) {
        let measurement = json!({
            "operators": OPERATORS, "writes": self.each.len(), "perSecond": self.rate().round(),
            "p50Milliseconds": percentile(&self.each, 50), "p99Milliseconds": percentile(&self.each, 99),
        });
        BENCH.measurement(&format!("{writer}, {database}"), measurement);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The median rate and the median share of the bare rate.
fn medians(rates: &[(f64, f64)]) -> (f64, f64) {
    let rate = median(rates.iter().map(|(ours, _)| *ours).collect());
    (
        rate,
        median(rates.iter().map(|(ours, bare)| ours / bare).collect()),
    )
}

async fn sqlite() {
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let url = |name: &str| format!("sqlite:{}", file(name).display());
        let open = Operators::fill(&url("ours.db")).await;
        for copy in ["one.db", "many.db"] {
            std::fs::copy(file("ours.db"), file(copy)).unwrap();
        }
        let operators = Operators::connect(&url("ours.db"), open).await;
        let ours = operators.write().await;
        let rows = bare::rows(&url("ours.db")).await;
        let one = bare::sqlite(&file("one.db"), rows.clone(), 1).await;
        let many = bare::sqlite(&file("many.db"), rows, OPERATORS).await;
        ours.print("SQLite", "allclear");
        one.print("SQLite", "bare, one connection");
        many.print("SQLite", "bare, a connection each");
        rates.push((ours.rate(), one.rate().max(many.rate())));
    }
    let (rate, share) = medians(&rates);
    BENCH.budget("updates acknowledged a second, SQLite", rate.round(), RATE);
    BENCH.budget(
        "updates a second, SQLite, of bare transactions",
        share,
        SHARE,
    );
}

/// Writes to a PostgreSQL server; `name` is its name in the results.
async fn postgresql(server: &str, name: &str) {
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let ours = postgres::recreate(server, "writes");
        let open = Operators::fill(&ours).await;
        let bare = postgres::recreate_as(server, "writes_bare", "writes");
        let operators = Operators::connect(&ours, open).await;
        let taken = operators.write().await;
        let rows = bare::rows(&ours).await;
        let beside = bare::postgresql(&bare, rows).await;
        taken.print(name, "allclear");
        beside.print(name, "bare, a connection each");
        rates.push((taken.rate(), beside.rate()));
    }
    let (rate, share) = medians(&rates);
    BENCH.measurement(
        &format!("medians, {name}"),
        json!({"perSecond": rate.round(), "shareOfBare": share}),
    );
}

#[tokio::main]
async fn main() {
    sqlite().await;
    if let Some(server) = postgres::server() {
        postgresql(&server, "PostgreSQL").await;
    }
    if let Some(server) = postgres::durable_server() {
        postgresql(&server, "PostgreSQL, fsync on").await;
    }
}
