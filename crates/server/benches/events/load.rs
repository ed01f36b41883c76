//! An operator's save and the public page with many viewers: viewers hold streams, and `wrk` asks for the page.

use std::{
    io,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use allclear_bench_support::{Limit, crowd::progress, product::response_of};
use serde_json::json;

use crate::{Crowd, FOUND, SIZE, gather, site::Site};

/// Saves measured without viewers.
const IDLE: usize = 50;
/// How long `wrk` asks, and how long an operator takes from one save to the next.
const SECONDS: u32 = 16;
const SAVE_INTERVAL: Duration = Duration::from_millis(500);
/// How much longer a save may take with viewers than without.
const SLOWER: Limit = Limit::AtMost(10.0);

/// Measures both; nothing where `wrk` is not installed. `limit` is that of the slowest hundredth of pages, in milliseconds.
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
    for connections in [64, 512] {
        let (saves, page) = under_load(&site, &mut crowd, connections)?;
        let what = format!("{viewers} viewers, page asked by {connections} connections");
        FOUND.measurement(
            &what,
            json!({"save_ms": milliseconds(&saves), "idle_save_ms": milliseconds(&idle), "page_p99_ms": page}),
        );
        FOUND.budget(
            &format!("{what}: a save, of an idle one"),
            milliseconds(&saves) / milliseconds(&idle),
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

/// The saves while `wrk` asks, and the 99th percentile of how long it waits, in milliseconds.
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
    let said = String::from_utf8_lossy(&wrk.wait_with_output()?.stdout).into_owned();
    let slowest = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("99%"))
        .and_then(|time| parsed(time.trim()));
    Ok((saves, slowest.ok_or_else(|| io::Error::other(said))?))
}

/// Makes a change; returns the duration.
fn save(site: &Site, number: usize) -> io::Result<Duration> {
    let begin = Instant::now();
    response_of(site.publish(number, SIZE)?)?;
    Ok(begin.elapsed())
}

/// The median.
fn milliseconds(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
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
