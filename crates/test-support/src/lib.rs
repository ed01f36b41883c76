//! Databases for tests.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const SERVER: &str = "ALLCLEAR_TEST_POSTGRES_URL";

/// Creates an empty database on the PostgreSQL server of the test run, and returns its URL. `None`, with a line on
/// standard error, if the test run has no PostgreSQL. The database is removed with its server.
///
/// # Panics
/// If the test run is one of CI and has no PostgreSQL, or the database cannot be created.
#[must_use]
pub fn postgres() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var(SERVER) else {
        assert!(std::env::var_os("CI").is_none(), "{SERVER} is not set");
        eprintln!("left out: {SERVER} is not set");
        return None;
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{count}", std::process::id());
    let created = Command::new("psql")
        .arg(format!("{server}/postgres"))
        .args(["-qc", &format!("CREATE DATABASE {name}")])
        .status();
    assert!(created.unwrap().success(), "{name} was not created");
    Some(format!("{server}/{name}"))
}
