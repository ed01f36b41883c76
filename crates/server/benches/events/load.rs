//! Measures an operator's saves and the public page while viewers hold streams and `wrk` requests
//! the page.

use std::{
    io,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use allclear_bench_support::{
    Limit, crowd::progress, percentile, product::response_of, site::Site,
};
use serde_json::json;

use crate::{Crowd, FOUND, SIZE, gather};

/// Number of saves that are measured without viewers.
const IDLE: usize = 50;
/// Length of a run of `wrk`, in seconds.
const SECONDS: u32 = 16;
/// Time from the end of one save to the next.
const SAVE_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum duration of a save with viewers, as a multiple of that without.
const SLOWER: Limit = Limit::AtMost(10.0);

/// Measures both; nothing if `wrk` is not installed. `limit` is that of the 99th percentile of the
/// page, in milliseconds.
pub(crate) fn run(binary: &str, viewers: usize, limit: Limit) -> io::Result<()> {
    if Command::new("wrk")
        .arg("-v")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_err()
    {
        progress("  wrk is not installed: left out");
        return Ok(());
    }
    let site = Arc::new(Site::allclear(binary)?);
    let idle = (0..IDLE)
        .map(|number| save(&site, number))
        .collect::<io::Result<Vec<_>>>()?;
    let mut crowd = gather(&site, viewers)?;
    let idle = percentile(&idle, 50);
    for connections in [64, 512] {
        let (saves, page) = under_load(&site, &mut crowd, connections)?;
        let save = percentile(&saves, 50);
        let what = format!("{viewers} viewers, page requested by {connections} connections");
        FOUND.measurement(
            &what,
            json!({"save_ms": save, "idle_save_ms": idle, "page_p99_ms": page}),
        );
        FOUND.budget(
            &format!("{what}: a save, of an idle one"),
            save / idle,
            SLOWER,
        );
        if connections == 64 {
            FOUND.budget(
                &format!("{what}: p99 of the page, milliseconds"),
                page,
                limit,
            );
        }
    }
    Ok(())
}

/// Runs `wrk`, and saves meanwhile. Returns the durations of the saves, and the 99th percentile of
/// the page, in milliseconds.
fn under_load(
    site: &Arc<Site>,
    crowd: &mut Crowd,
    connections: u32,
) -> io::Result<(Vec<Duration>, f64)> {
    let page = format!("http://127.0.0.1:{}{}", site.peer.port, site.page());
    let wrk = Command::new("wrk")
        .args([
            "-t1",
            &format!("-c{connections}"),
            &format!("-d{SECONDS}s"),
            "--timeout",
            "10s",
            "--latency",
            "-H",
            "accept-encoding: gzip",
        ])
        .arg(page)
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut saves, end) = (
        Vec::new(),
        Instant::now() + Duration::from_secs(u64::from(SECONDS) - 1),
    );
    while Instant::now() < end {
        crowd.expect(1);
        let (site, number) = (Arc::clone(site), IDLE + saves.len() + connections as usize);
        let saving = thread::spawn(move || save(&site, number));
        crowd.wait()?;
        saves.push(
            saving
                .join()
                .map_err(|_| io::Error::other("a save panicked"))??,
        );
        crowd.rest(SAVE_INTERVAL)?;
    }
    let output = String::from_utf8_lossy(&wrk.wait_with_output()?.stdout).into_owned();
    if output.contains("Socket errors") || output.contains("Non-2xx") {
        return Err(io::Error::other(output));
    }
    let page = output
        .lines()
        .find_map(|line| line.trim().strip_prefix("99%"))
        .and_then(|time| parsed(time.trim()));
    Ok((saves, page.ok_or_else(|| io::Error::other(output))?))
}

/// Saves a change. Returns the duration.
fn save(site: &Site, number: usize) -> io::Result<Duration> {
    let begin = Instant::now();
    response_of(site.publish(number, SIZE)?)?;
    Ok(begin.elapsed())
}

/// A time as `wrk` writes it, in milliseconds.
fn parsed(time: &str) -> Option<f64> {
    let (number, unit) = time.split_at(time.find(|letter: char| letter.is_alphabetic())?);
    let factor = match unit {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1000.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}
