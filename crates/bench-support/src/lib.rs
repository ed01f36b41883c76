//! What the benches share: viewers, measured servers, and the format of the results. A bench prints
//! a line of JSON for each measurement, and one for each budget. `docs/benchmarks.md` is made from
//! these lines.

pub mod crowd;
pub mod fan_out;
pub mod growth;
pub mod peer;
pub mod postgres;
pub mod product;
pub mod site;
pub mod socket_io;
pub mod websocket;

use std::{env, time::Duration};

use serde_json::{Map, Value, json};

/// The arguments of a bench, without the flags that Cargo adds.
pub fn arguments() -> impl Iterator<Item = String> {
    env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
}

/// A percentile of durations, in milliseconds; 0 if there are none.
#[must_use]
pub fn percentile(times: &[Duration], percent: usize) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let time = times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
    time.map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// A bench. Its name is in each of its lines.
#[derive(Debug, Clone, Copy)]
pub struct Bench(pub &'static str);

/// Limit of a budget.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// Minimum.
    AtLeast(f64),
    /// Maximum.
    AtMost(f64),
}

impl Bench {
    /// Prints a measurement.
    pub fn measurement(self, what: &str, measurement: Value) {
        let mut line = Map::from_iter([
            ("bench".into(), self.0.into()),
            ("what".into(), what.into()),
        ]);
        if let Value::Object(measurement) = measurement {
            line.extend(measurement);
        }
        println!("{}", Value::Object(line));
    }

    /// Prints a budget with its measured value.
    pub fn budget(self, budget: &str, value: f64, limit: Limit) {
        let (rule, bound, met) = match limit {
            Limit::AtLeast(bound) => ("at least", bound, value >= bound),
            Limit::AtMost(bound) => ("at most", bound, value <= bound),
        };
        let value = (value * 1000.0).round() / 1000.0;
        println!(
            "{}",
            json!({"bench": self.0, "budget": budget, "value": value, "rule": rule, "limit": bound, "met": met})
        );
    }
}
