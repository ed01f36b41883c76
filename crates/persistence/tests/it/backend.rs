//! A fresh database for a test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use allclear_application::clock::Clock;
use allclear_domain::id::OrganisationId;
use allclear_persistence::database::Database;
use chrono::{DateTime, Timelike, Utc};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

/// The server the test run has started; its databases are thrown away with it.
const POSTGRES: &str = "ALLCLEAR_TEST_POSTGRES_URL";

pub(crate) struct Backend {
    pub(crate) database: Database,
    _folder: Option<tempfile::TempDir>,
}

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the clock of these tests")]
    fn now(&self) -> DateTime<Utc> {
        let now = Utc::now();
        now.with_nanosecond(now.timestamp_subsec_millis() * 1_000_000)
            .unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "the clock of these tests")]
    fn id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

pub(crate) async fn sqlite() -> Backend {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::connect(&sqlite_url(&folder), clock())
        .await
        .unwrap();
    Backend {
        database,
        _folder: Some(folder),
    }
}

pub(crate) fn sqlite_url(folder: &tempfile::TempDir) -> String {
    format!("sqlite:{}", folder.path().join("allclear.db").display())
}

/// None where the test run has no PostgreSQL.
pub(crate) async fn postgres() -> Option<Backend> {
    let database = Database::connect(&postgres_url().await?, clock())
        .await
        .unwrap();
    Some(Backend {
        database,
        _folder: None,
    })
}

/// The address of an empty database. None, and a word about it, where the test run has no PostgreSQL; on CI that is a
/// failure.
pub(crate) async fn postgres_url() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var(POSTGRES) else {
        assert!(std::env::var_os("CI").is_none(), "{POSTGRES} is not set");
        eprintln!("left out: {POSTGRES} is not set");
        return None;
    };
    let name = format!(
        "contract_{}_{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let admin = sea_orm::Database::connect(format!("{server}/postgres"))
        .await
        .unwrap();
    admin
        .execute_unprepared(&format!("CREATE DATABASE {name}"))
        .await
        .unwrap();
    Some(format!("{server}/{name}"))
}

pub(crate) async fn organisation(database: &Database, id: &str) -> OrganisationId {
    use allclear_application::organisation::OrganisationStore;
    let id = OrganisationId::parse(id).unwrap();
    database.ensure(&id, Some("Acme".into())).await.unwrap();
    id
}
