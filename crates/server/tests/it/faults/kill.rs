//! The server ends during concurrent writes.
//!
//! `ALLCLEAR_TEST_KILLS=100` kills as often on each database; the test run itself does so twice.

use allclear_test_support::postgres;

use super::concurrent_writes::ConcurrentWrites;
use crate::process::{Process, command};

/// Tokens name the address of the server that gave them; it stays while ports change.
const ADDRESS: [&str; 4] = ["--public-url", "http://allclear.example", "--log", "error"];

async fn survives_kills(database: &[&str]) {
    let kills: usize =
        std::env::var("ALLCLEAR_TEST_KILLS").map_or(2, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let flags = [&ADDRESS, database].concat();
    let serve = || Process::serve(command(&folder.path().join("data"), &flags));
    let mut process = serve().await;
    let mut writes = ConcurrentWrites::new(&process).await;
    for kill in 1..=kills {
        let mut writing = writes.write();
        // After a different number of writes each time.
        writes.note(&mut writing, 20 + kill * 7 % 30).await;
        process.kill().await;
        writes.note_the_rest(writing).await;
        process = serve().await;
        writes.at(&process).await;
        writes.is_whole(kill).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_kills_during_concurrent_writes() {
    survives_kills(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_kills_during_concurrent_writes_to_postgresql() {
    let Some(url) = postgres() else { return };
    survives_kills(&["--database-url", &url]).await;
}

async fn survives_sigterm(database: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let flags = [&ADDRESS, database].concat();
    let serve = || Process::serve(command(&folder.path().join("data"), &flags));
    let process = serve().await;
    let mut writes = ConcurrentWrites::new(&process).await;
    let mut writing = writes.write();
    writes.note(&mut writing, 30).await;
    assert_eq!(process.terminate().await, Some(0));
    writes.note_the_rest(writing).await;
    let process = serve().await;
    writes.at(&process).await;
    writes.is_whole(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_during_concurrent_writes_loses_no_acknowledged_write() {
    survives_sigterm(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_during_concurrent_writes_to_postgresql_loses_no_acknowledged_write() {
    let Some(url) = postgres() else { return };
    survives_sigterm(&["--database-url", &url]).await;
}
