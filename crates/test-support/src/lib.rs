//! Databases for tests.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::OnceCell;

const SERVER: &str = "ALLCLEAR_TEST_POSTGRES_URL";

/// Writes a file with a migrated SQLite database. The first `migrate` of the process fills an empty
/// database at its URL and closes it; each test has a copy, because the migrations take longer than
/// most tests.
///
/// # Panics
/// If a file cannot be read or written, or `migrate` leaves the database open.
pub async fn migrated_sqlite(file: &Path, migrate: impl AsyncFnOnce(&str)) {
    static MIGRATED: OnceCell<Vec<u8>> = OnceCell::const_new();
    let migrated = MIGRATED.get_or_init(|| async {
        let folder = tempfile::tempdir().unwrap();
        let original = folder.path().join("migrated.db");
        migrate(&format!("sqlite:{}", original.display())).await;
        let log = original.with_extension("db-wal");
        assert!(!log.exists(), "the database is open");
        std::fs::read(original).unwrap()
    });
    std::fs::write(file, migrated.await).unwrap();
}

/// Creates an empty database on the PostgreSQL server of the test run, and returns its URL. `None`,
/// with a line on standard error, if the test run has no PostgreSQL. The database is removed with
/// its server.
///
/// # Panics
/// If the test run is one of CI and has no PostgreSQL, or the database cannot be created.
#[must_use]
pub fn postgres() -> Option<String> {
    let server = server()?;
    Some(format!("{server}/{}", create(&server, "")))
}

/// Creates a copy of a migrated database on that server, and returns its URL. The first `migrate`
/// of the process fills the original, as for [`migrated_sqlite`].
///
/// # Panics
/// As [`postgres`].
pub async fn migrated_postgres(migrate: impl AsyncFnOnce(&str)) -> Option<String> {
    static MIGRATED: OnceCell<String> = OnceCell::const_new();
    let server = server()?;
    let migrated = MIGRATED.get_or_init(|| async {
        let name = create(&server, "");
        migrate(&format!("{server}/{name}")).await;
        name
    });
    let copy = create(&server, &format!("TEMPLATE {}", migrated.await));
    Some(format!("{server}/{copy}"))
}

fn server() -> Option<String> {
    let Ok(server) = std::env::var(SERVER) else {
        assert!(std::env::var_os("CI").is_none(), "{SERVER} is not set");
        eprintln!("left out: {SERVER} is not set");
        return None;
    };
    Some(server)
}

/// Creates a database and returns its name.
fn create(server: &str, options: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{count}", std::process::id());
    let created = Command::new("psql")
        .arg(format!("{server}/postgres"))
        .args(["-qc", &format!("CREATE DATABASE {name} {options}")])
        .status();
    assert!(created.unwrap().success(), "{name} was not created");
    name
}
