//! The cost of the same work beside few and beside many rows.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Bench, Limit};

/// How long a piece of work takes.
pub async fn timed(work: impl Future<Output = ()>) -> Duration {
    let start = Instant::now();
    work.await;
    start.elapsed()
}

impl Bench {
    /// Prints the times of `what` beside few and beside many rows, and a budget of their ratio. `of` names the rows.
    pub fn growth(
        self,
        what: &str,
        of: &str,
        few: Vec<Duration>,
        many: Vec<Duration>,
        at_most: f64,
    ) {
        let few = undisturbed(few);
        let many = undisturbed(many);
        self.measurement(
            what,
            json!({"microsecondsBesideFew": few * 1e6, "microsecondsBesideMany": many * 1e6}),
        );
        self.budget(&format!("{what}: {of}"), many / few, Limit::AtMost(at_most));
    }
}

/// Seconds that the work takes when nothing else disturbs it: the first tenth.
fn undisturbed(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times
        .get(times.len() / 10)
        .copied()
        .unwrap_or_default()
        .as_secs_f64()
}
