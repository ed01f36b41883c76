//! Databases of the throwaway PostgreSQL server.

use std::process::Command;

/// URL of the PostgreSQL server; `None` if the run has none.
#[must_use]
pub fn server() -> Option<String> {
    std::env::var("ALLCLEAR_TEST_POSTGRES_URL").ok()
}

/// URL of the PostgreSQL server that writes to its disk with fsync; `None` if the run has none.
#[must_use]
pub fn durable_server() -> Option<String> {
    std::env::var("ALLCLEAR_TEST_DURABLE_POSTGRES_URL").ok()
}

/// Creates an empty database, in place of one with the same name. Returns its URL.
///
/// # Panics
/// If it cannot be created.
#[must_use]
pub fn recreate(server: &str, name: &str) -> String {
    recreate_as(server, name, "template1")
}

/// Creates a copy of a database without connections, in place of one with the same name. Returns
/// its URL.
///
/// # Panics
/// If it cannot be created.
#[must_use]
pub fn recreate_as(server: &str, name: &str, original: &str) -> String {
    for statement in [
        format!("DROP DATABASE IF EXISTS {name}"),
        format!("CREATE DATABASE {name} TEMPLATE {original}"),
    ] {
        let done = Command::new("psql")
            .arg(format!("{server}/postgres"))
            .args(["-qc", &statement])
            .status();
        assert!(done.is_ok_and(|status| status.success()), "{statement}");
    }
    format!("{server}/{name}")
}
