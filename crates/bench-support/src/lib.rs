//! What the benches share: viewers, measured servers, and the format of the results. A bench prints a line of JSON for
//! each measurement, and one for each budget. `docs/benchmarks.md` is made from these lines.
#![expect(clippy::print_stdout, reason = "a bench prints its results")]

pub mod crowd;
pub mod fan_out;
pub mod growth;
pub mod peer;
pub mod postgres;
pub mod product;

use serde_json::{Map, Value, json};

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
