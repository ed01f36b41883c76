//! Integrity check of an SQLite database, also while a server uses it.

use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr, Statement,
};
use thiserror::Error;

use crate::{connect_options, sqlite_file};

/// Maximum number of reported faults.
const MAX_FAULTS: usize = 100;

/// Why a check failed.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The database cannot be read.
    #[error("{0}")]
    Database(#[from] DbErr),
    /// A write to the file was interrupted. SQLite would undo it, which changes the file.
    #[error("a write to the file was interrupted, because the file {0} is beside it")]
    Interrupted(String),
    /// The database is not SQLite.
    #[error("PostgreSQL is checked by its own pg_amcheck")]
    NotSqlite,
}

/// Returns the faults, one line each; empty if the database is sound. Reads the whole file, and
/// compares indexes with their tables. Changes nothing, and blocks neither readers nor writers. See
/// <https://www.sqlite.org/pragma.html#pragma_integrity_check>.
///
/// # Errors
/// [`CheckError`] if the database cannot be read, or has no tables of Allclear.
pub async fn check(url: &str) -> Result<Vec<String>, CheckError> {
    if !url.starts_with("sqlite:") {
        return Err(CheckError::NotSqlite);
    }
    let file = sqlite_file::required_path(url)?;
    sqlite_file::refuse_foreign_log(&file)?;
    let journal = sqlite_file::beside(&file, "-journal");
    if sqlite_file::has_content(&journal) {
        return Err(CheckError::Interrupted(journal.display().to_string()));
    }
    let mut options = connect_options::usual(url);
    options
        .max_connections(1)
        .map_sqlx_sqlite_opts(|connection| connection.create_if_missing(false).read_only(true));
    let database = Connector::connect(options).await?;
    sqlite_file::require_installation(&database).await?;
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
