//! Compares the cost of the same work among few and among many rows.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Bench, Limit, percentile};

/// Measures how long work takes.
pub async fn timed(work: impl Future<Output = ()>) -> Duration {
    let start = Instant::now();
    work.await;
    start.elapsed()
}

impl Bench {
    /// Runs work on both sides in turns, and prints its cost like [`Bench::growth`].
    pub async fn compare<S>(
        self,
        what: &str,
        of: &str,
        (few, many): (&S, &S),
        rounds: usize,
        at_most: f64,
        work: impl AsyncFn(&S),
    ) {
        let (mut beside_few, mut beside_many) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            beside_few.push(timed(work(few)).await);
            beside_many.push(timed(work(many)).await);
        }
        self.growth(what, of, &beside_few, &beside_many, at_most);
    }

    /// Prints the times of `what` among few and among many rows, and a budget for their ratio. `of`
    /// names the rows.
    pub fn growth(self, what: &str, of: &str, few: &[Duration], many: &[Duration], at_most: f64) {
        // The first tenth is the time of work that nothing else disturbs.
        let (few, many) = (percentile(few, 10), percentile(many, 10));
        self.measurement(
            what,
            json!({"microsecondsBesideFew": few * 1e3, "microsecondsBesideMany": many * 1e3}),
        );
        self.budget(&format!("{what}: {of}"), many / few, Limit::AtMost(at_most));
    }
}
