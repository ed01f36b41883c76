//! Numbers of the process. Memory and descriptors are in `/proc` of Linux; elsewhere there
//! are none.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) const MEMORY: &str = "process_resident_memory_bytes";
pub(super) const DESCRIPTORS: &str = "process_open_fds";
pub(super) const START: &str = "process_start_time_seconds";

/// The folder of the open file descriptors.
const OPEN: &str = "/proc/self/fd";

/// Records the memory and the open file descriptors. It reads files, so it may block.
pub(super) fn record() {
    if let Some(bytes) = memory() {
        metrics::gauge!(MEMORY).set(bytes);
    }
    if let Some(count) = descriptors() {
        metrics::gauge!(DESCRIPTORS).set(count);
    }
}

/// Records now as the start.
pub(super) fn record_start() {
    if let Ok(since) = SystemTime::now().duration_since(UNIX_EPOCH) {
        metrics::gauge!(START).set(since.as_secs_f64());
    }
}

/// Resident memory in bytes.
fn memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(number_after(&status, "VmRSS:")? * 1024.0)
}

fn descriptors() -> Option<f64> {
    // The size of the folder is their number since Linux 6.2; it was 0 before.
    let count = match fs::metadata(OPEN).ok()?.len() {
        0 => listed_descriptors()?,
        size => u32::try_from(size).ok()?,
    };
    Some(f64::from(count))
}

/// Takes as long as there are descriptors: a node with many viewers has tens of thousands.
fn listed_descriptors() -> Option<u32> {
    // The folder itself is open while it is read.
    let count = fs::read_dir(OPEN).ok()?.count().checked_sub(1)?;
    u32::try_from(count).ok()
}

/// The number after a line's name.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_this_process_are_plausible() {
        let megabyte = 1_000_000.0;
        assert!(memory().unwrap() > megabyte);
        let _files: Vec<_> = (0..9).map(|_| fs::File::open("/dev/null")).collect();
        // Other tests open and close files meanwhile. Three are the standard streams.
        assert!(descriptors().unwrap() >= 12.0);
        assert!(listed_descriptors().unwrap() >= 12);
    }
}
