//! Query plans, for tests that queries read no unnecessary rows. SQLite plans a query without
//! reading the rows, so an empty database will do.

use sea_orm::{ConnectionTrait, DbBackend, Statement, StatementBuilder};

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
