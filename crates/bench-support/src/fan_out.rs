//! Measurements of a server that sends events to many viewers.

use std::time::Duration;

/// A server at a number of viewers.
#[derive(Debug, Default)]
pub struct FanOut {
    /// Time to the last viewer, of every event.
    pub times: Vec<Duration>,
    /// Processor time it took, in microseconds.
    pub processor: u64,
    /// Events delivered in that time: events times viewers.
    pub deliveries: usize,
    /// Resident memory a viewer, in bytes.
    pub memory: u64,
}

impl FanOut {
    /// The time to the last viewer that so many events of a hundred did not exceed, in milliseconds.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut times = self.times.clone();
        times.sort();
        let time = times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
        time.map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }

    /// Microseconds of processor for a delivery.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "measurements to read")]
    pub fn cost(&self) -> f64 {
        self.processor as f64 / self.deliveries as f64
    }

    /// Resident memory a viewer, in KiB.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "measurements to read")]
    pub fn kibibytes(&self) -> f64 {
        self.memory as f64 / 1024.0
    }
}
