//! A copy of an SQLite database beside the server that uses it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr,
    Statement,
};
use thiserror::Error;

use crate::restore;

/// Why there is no copy.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file cannot be made, or it is there already: a backup never overwrites one.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The database cannot be read, or its copy not be written.
    #[error("{0}")]
    Database(#[from] DbErr),
    /// Only SQLite databases are copied here.
    #[error("PostgreSQL is backed up by its own pg_dump")]
    NotSqlite,
}

/// Writes the database as it is at one moment to a new file, which only its owner may read: it holds secrets. The copy is
/// marked, so that revisions jump at the first start on it. Neither
/// readers nor writers wait for it. See <https://www.sqlite.org/lang_vacuum.html#vacuuminto>.
///
/// # Errors
/// [`BackupError`], which leaves no file behind.
pub async fn backup(url: &str, into: &Path) -> Result<(), BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::NotSqlite);
    }
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    let database = Connector::connect(options).await?;
    let file = private_file(into)?;
    let copied = copy(&database, into, &file).await;
    if copied.is_err() {
        std::fs::remove_file(into)?;
    }
    database.close().await?;
    copied
}

async fn copy(database: &DatabaseConnection, into: &Path, file: &File) -> Result<(), BackupError> {
    let path = into
        .to_str()
        .ok_or_else(|| io::Error::other("the file's name is not text"))?;
    // SQLite writes into a file that exists as long as it is empty, and does not flush it.
    let statement =
        Statement::from_sql_and_values(DbBackend::Sqlite, "VACUUM INTO ?", [path.into()]);
    database.execute_raw(statement).await?;
    mark(file)?;
    Ok(file.sync_all()?)
}

/// Writes the [mark](restore::MARK) into the header, as `PRAGMA user_version` would. Nobody has opened the copy yet.
fn mark(mut file: &File) -> io::Result<()> {
    file.seek(SeekFrom::Start(restore::MARK_OFFSET))?;
    file.write_all(&restore::MARK.to_be_bytes())
}

/// A new file for its owner alone.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
