//! What breaks around the product, and what of it its people notice.

mod concurrent_writes;
mod database_outage;
mod kill;
mod proxy;
mod redis;
mod released;

use std::sync::atomic::{AtomicU32, Ordering};

use tokio::process::Command;

/// The database server of this test run; its databases are removed with it.
const POSTGRES: &str = "ALLCLEAR_TEST_POSTGRES_URL";

/// The address of a fresh database of PostgreSQL. None, and a word about it, where the test run has none; on CI that is a
/// failure.
async fn postgres() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var(POSTGRES) else {
        assert!(std::env::var_os("CI").is_none(), "{POSTGRES} is not set");
        eprintln!("left out: {POSTGRES} is not set");
        return None;
    };
    let name = format!(
        "faults_{}_{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let create = format!("CREATE DATABASE {name}");
    let created = Command::new("psql")
        .arg(format!("{server}/postgres"))
        .args(["-qc", &create])
        .status()
        .await;
    assert!(created.unwrap().success());
    Some(format!("{server}/{name}"))
}
