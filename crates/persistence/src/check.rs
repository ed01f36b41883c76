//! Integrity check of an SQLite database, also while a server uses it.

use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr, Statement,
};
use thiserror::Error;

use crate::options;

/// Maximum number of reported faults.
const MAX_FAULTS: usize = 100;

/// Why a check failed.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The database cannot be read.
    #[error("{0}")]
    Database(#[from] DbErr),
    /// The database is not SQLite.
    #[error("PostgreSQL is checked by its own pg_amcheck")]
    NotSqlite,
}

/// Returns the faults, one line each; empty if the database is sound. Reads the whole file, and compares indexes with their tables. Readers and writers are not blocked.
/// See <https://www.sqlite.org/pragma.html#pragma_integrity_check>.
///
/// # Errors
/// [`CheckError`] if the database cannot be read.
pub async fn check(url: &str) -> Result<Vec<String>, CheckError> {
    if !url.starts_with("sqlite:") {
        return Err(CheckError::NotSqlite);
    }
    let mut options = options::usual(url);
    options.max_connections(1);
    let database = Connector::connect(options).await?;
    let mut faults = lines(&database, &format!("PRAGMA integrity_check({MAX_FAULTS})")).await?;
    faults.retain(|line| line != "ok");
    if faults.is_empty() {
        let orphans = "SELECT \"table\" || ': a row names one of ' || parent || ' that is not there' \
            FROM pragma_foreign_key_check";
        faults = lines(&database, &format!("{orphans} LIMIT {MAX_FAULTS}")).await?;
    }
    database.close().await?;
    Ok(faults)
}

async fn lines(database: &DatabaseConnection, sql: &str) -> Result<Vec<String>, DbErr> {
    let rows = database
        .query_all_raw(Statement::from_string(DbBackend::Sqlite, sql))
        .await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}
