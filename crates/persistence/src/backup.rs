//! Backup of an SQLite database, also while a server uses it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr, Statement,
};
use thiserror::Error;

use crate::options;
use crate::restore;

/// Why a backup failed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file cannot be created, or exists: a backup never overwrites a file.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The database cannot be opened.
    #[error("{0}")]
    Open(DbErr),
    /// The database cannot be read, or the copy cannot be written.
    #[error("{0}")]
    Database(#[from] DbErr),
    /// The database is not SQLite.
    #[error("PostgreSQL is backed up by its own pg_dump")]
    NotSqlite,
}

/// Writes a consistent copy of the database to a new file. Only the file's owner may read it, because it contains secrets. The
/// copy is marked, so that revisions jump at its first start. Readers and writers are not blocked. See
/// <https://www.sqlite.org/lang_vacuum.html#vacuuminto>.
///
/// # Errors
/// [`BackupError`], which leaves no file behind.
pub async fn backup(url: &str, into: &Path) -> Result<(), BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::NotSqlite);
    }
    let mut options = options::usual(url);
    options.max_connections(1);
    let opened = Connector::connect(options).await;
    let database = opened.map_err(BackupError::Open)?;
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
    // SQLite writes into an existing file if it is empty, and does not flush it.
    let statement =
        Statement::from_sql_and_values(DbBackend::Sqlite, "VACUUM INTO ?", [path.into()]);
    database.execute_raw(statement).await?;
    mark(file)?;
    Ok(file.sync_all()?)
}

/// Writes the [mark](restore::MARK) into the header, as `PRAGMA user_version` would. The copy is not open yet.
fn mark(mut file: &File) -> io::Result<()> {
    file.seek(SeekFrom::Start(restore::MARK_OFFSET))?;
    file.write_all(&restore::MARK.to_be_bytes())
}

/// Creates a file that only its owner may read.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
