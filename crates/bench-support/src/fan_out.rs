//! Measurements of a server that sends events to many viewers.

use std::time::Duration;

/// Measurements with a number of viewers.
#[derive(Debug, Default)]
pub struct FanOut {
    /// Times from each event until the last viewer has received it.
    pub times: Vec<Duration>,
    /// Processor time in microseconds.
    pub processor: u64,
    /// Number of deliveries in that time: events times viewers.
    pub deliveries: usize,
    /// Resident memory per viewer, in bytes.
    pub memory: u64,
}

impl FanOut {
    /// Percentile of the time to the last viewer, in milliseconds.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> f64 {
        crate::percentile(&self.times, percent)
    }

    /// Processor time per delivery, in microseconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "measurements to read")]
    pub fn cost(&self) -> f64 {
        self.processor as f64 / self.deliveries as f64
    }

    /// Resident memory per viewer, in KiB.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "measurements to read")]
    pub fn kibibytes(&self) -> f64 {
        self.memory as f64 / 1024.0
    }
}
