//! Query plans, for tests that queries read no unnecessary rows.

use allclear_application::clock::TestClock;
use sea_orm::{ConnectionTrait, DbBackend, Statement, StatementBuilder};
use tempfile::TempDir;

use crate::database::Database;

/// An empty database: SQLite plans a query without reading the rows.
pub(crate) async fn sqlite() -> (Database, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("allclear.db").display());
    (
        Database::connect(&url, TestClock::stopped()).await.unwrap(),
        folder,
    )
}

/// A database with these rows; `None` if the test run has no PostgreSQL.
pub(crate) async fn postgresql(rows: &[&str]) -> Option<Database> {
    let url = allclear_test_support::postgres()?;
    let database = Database::connect(&url, TestClock::stopped()).await.unwrap();
    for statement in rows {
        database.read().execute_unprepared(statement).await.unwrap();
    }
    Some(database)
}

/// Returns the plan of a statement as it is executed, with its values as parameters: on SQLite, a
/// plan does not depend on them.
pub(crate) async fn plan(
    connection: &impl ConnectionTrait,
    statement: &impl StatementBuilder,
) -> String {
    let backend = connection.get_database_backend();
    let statement = backend.build(statement);
    let (explained, column) = if backend == DbBackend::Sqlite {
        let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        (Statement { sql, ..statement }, "detail")
    } else {
        let sql = format!("EXPLAIN {statement}");
        (Statement::from_string(backend, sql), "QUERY PLAN")
    };
    let rows = connection.query_all_raw(explained).await.unwrap();
    rows.iter()
        .map(|row| row.try_get::<String>("", column).unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}
