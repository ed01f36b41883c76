//! Query plans, for tests that queries read no unnecessary rows.

use std::sync::Arc;

use allclear_application::clock::Clock;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tempfile::TempDir;
use uuid::Uuid;

use crate::database::Database;

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        DateTime::default()
    }

    fn id(&self) -> Uuid {
        Uuid::nil()
    }
}

/// An empty database: SQLite plans without reading rows.
pub(crate) async fn sqlite() -> (Database, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("allclear.db").display());
    (
        Database::connect(&url, Arc::new(Stopped)).await.unwrap(),
        folder,
    )
}

/// A database with these rows; `None` if the test run has no PostgreSQL.
pub(crate) async fn postgresql(name: &str, rows: &[&str]) -> Option<Database> {
    let Ok(server) = std::env::var("ALLCLEAR_TEST_POSTGRES_URL") else {
        assert!(
            std::env::var_os("CI").is_none(),
            "ALLCLEAR_TEST_POSTGRES_URL is not set"
        );
        eprintln!("left out: ALLCLEAR_TEST_POSTGRES_URL is not set");
        return None;
    };
    let name = format!("plan_{name}_{}", std::process::id());
    let admin = sea_orm::Database::connect(format!("{server}/postgres"))
        .await
        .unwrap();
    admin
        .execute_unprepared(&format!("CREATE DATABASE {name}"))
        .await
        .unwrap();
    let database = Database::connect(&format!("{server}/{name}"), Arc::new(Stopped))
        .await
        .unwrap();
    for statement in rows {
        database.read().execute_unprepared(statement).await.unwrap();
    }
    Some(database)
}

/// Returns the plan of a query.
pub(crate) async fn plan(connection: &impl ConnectionTrait, query: &SelectStatement) -> String {
    let backend = connection.get_database_backend();
    let (explain, column) = match backend {
        DbBackend::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
        _ => ("EXPLAIN", "QUERY PLAN"),
    };
    let sql = format!("{explain} {}", backend.build(query));
    let rows = connection
        .query_all_raw(Statement::from_string(backend, sql))
        .await
        .unwrap();
    rows.iter()
        .map(|row| row.try_get::<String>("", column).unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}
