//! How many incident updates a second sixteen operators get acknowledged, beside bare transactions that store the same
//! rows with the same sync setting: on SQLite and, where `ALLCLEAR_TEST_POSTGRES_URL` names a server, on PostgreSQL.
//! Prints a JSON line a measurement; fails where the budget is missed.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench talks to who runs it")]

mod bare;
mod operators;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use operators::Operators;

/// How many operators write at once.
const OPERATORS: usize = 16;
/// How many updates each records.
const EACH: usize = 400;
const ROUNDS: usize = 3;
/// Acknowledged a second, on SQLite.
const RATE: f64 = 2000.0;
/// Of the rate of bare transactions, on SQLite.
const SHARE: f64 = 0.5;

/// What a run took.
struct Taken {
    whole: Duration,
    each: Vec<Duration>,
}

impl Taken {
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    fn rate(&self) -> f64 {
        self.each.len() as f64 / self.whole.as_secs_f64()
    }

    fn milliseconds(&self, percent: usize) -> f64 {
        let mut sorted = self.each.clone();
        sorted.sort_unstable();
        sorted[sorted.len() * percent / 100].as_secs_f64() * 1000.0
    }

    fn print(&self, database: &str, who: &str) {
        let line = json!({
            "bench": "writes", "database": database, "who": who, "operators": OPERATORS, "writes": self.each.len(),
            "perSecond": self.rate().round(), "p50Ms": self.milliseconds(50), "p99Ms": self.milliseconds(99),
        });
        println!("{line}");
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The median rate and the median share of the bare rate.
fn verdict(database: &str, rates: &[(f64, f64)]) -> (f64, f64) {
    let rate = median(rates.iter().map(|(ours, _)| *ours).collect());
    let share = median(rates.iter().map(|(ours, bare)| ours / bare).collect());
    println!("{}", json!({"bench": "writes", "database": database, "perSecond": rate.round(), "shareOfBare": share}));
    (rate, share)
}

async fn sqlite() -> (f64, f64) {
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
        let operators = Operators::new(&url("ours.db")).await;
        let ours = operators.write().await;
        let rows = bare::rows(&url("ours.db")).await;
        let one = bare::sqlite(&folder.path().join("one.db"), rows.clone(), 1).await;
        let many = bare::sqlite(&folder.path().join("many.db"), rows, OPERATORS).await;
        ours.print("sqlite", "allclear");
        one.print("sqlite", "bare, one connection");
        many.print("sqlite", "bare, a connection each");
        rates.push((ours.rate(), one.rate().max(many.rate())));
    }
    verdict("sqlite", &rates)
}

async fn postgresql(server: &str) {
    let mut rates = Vec::new();
    for round in 0..ROUNDS {
        let (ours, bare) = (format!("writes_{round}"), format!("bare_{round}"));
        bare::recreate(server, &[&ours, &bare]).await;
        let url = |name: &str| format!("{server}/{name}");
        let operators = Operators::new(&url(&ours)).await;
        let taken = operators.write().await;
        let rows = bare::rows(&url(&ours)).await;
        let beside = bare::postgresql(&url(&bare), rows).await;
        taken.print("postgresql", "allclear");
        beside.print("postgresql", "bare, a connection each");
        rates.push((taken.rate(), beside.rate()));
    }
    verdict("postgresql", &rates);
}

#[tokio::main]
async fn main() -> ExitCode {
    let (rate, share) = sqlite().await;
    if let Ok(server) = std::env::var("ALLCLEAR_TEST_POSTGRES_URL") {
        postgresql(&server).await;
    }
    let within = rate >= RATE && share >= SHARE;
    println!("{} the budget of {RATE} a second and {SHARE} of bare", if within { "within" } else { "misses" });
    if within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
