//! Numbers of the process, which Linux has in `/proc`. Elsewhere there are none.

use std::fs;

pub(super) const MEMORY: &str = "process_resident_memory_bytes";
pub(super) const DESCRIPTORS: &str = "process_open_fds";
pub(super) const START: &str = "process_start_time_seconds";

/// Clock ticks a second in `/proc/self/stat`: Linux has this constant on all processors that Rust supports.
const TICKS_PER_SECOND: f64 = 100.0;

/// Records the memory and the open file descriptors.
pub(super) fn record() {
    if let Some(bytes) = memory() {
        metrics::gauge!(MEMORY).set(bytes);
    }
    if let Some(count) = descriptors() {
        metrics::gauge!(DESCRIPTORS).set(count);
    }
}

/// Records the start, which does not change.
pub(super) fn record_start() {
    if let Some(seconds) = start() {
        metrics::gauge!(START).set(seconds);
    }
}

/// Resident memory in bytes.
fn memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(number_after(&status, "VmRSS:")? * 1024.0)
}

fn descriptors() -> Option<f64> {
    // The folder itself is open while it is read.
    let count = fs::read_dir("/proc/self/fd").ok()?.count().checked_sub(1)?;
    Some(f64::from(u32::try_from(count).ok()?))
}

/// Seconds since 1970: the start of the machine, and the ticks from it to the start of the process.
fn start() -> Option<f64> {
    let machine = number_after(&fs::read_to_string("/proc/stat").ok()?, "btime")?;
    let process = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field, the name, may contain spaces; the 22nd is the start.
    let (_, fields) = process.rsplit_once(')')?;
    let ticks: f64 = fields.split_whitespace().nth(19)?.parse().ok()?;
    Some(machine + ticks / TICKS_PER_SECOND)
}

/// The number after a line's name.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn numbers_of_this_process_are_plausible() {
        let megabyte = 1_000_000.0;
        assert!(memory().unwrap() > megabyte);
        let before = descriptors().unwrap();
        let _files: Vec<_> = (0..9).map(|_| fs::File::open("/dev/null")).collect();
        assert!(before >= 3.0 && descriptors().unwrap() > before);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let age = now.as_secs_f64() - start().unwrap();
        assert!((-2.0..3600.0).contains(&age), "{age}");
    }
}
