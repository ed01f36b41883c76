//! Backup of an SQLite database, also while a server uses it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr, Statement,
};
use thiserror::Error;

use crate::{connect_options, restore, sqlite_file};

/// Why a backup failed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file cannot be created, or exists: a backup never overwrites a file.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The database cannot be opened, or has no tables of Allclear.
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
/// The file has its name once it is complete. Until then the name ends in `.partial`; a run that is interrupted leaves that file, and
/// the next run replaces it.
///
/// # Errors
/// [`BackupError`], which leaves no file behind.
pub async fn backup(url: &str, into: &Path) -> Result<(), BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::NotSqlite);
    }
    let database = open(url).await.map_err(BackupError::Open)?;
    let written = write(&database, into).await;
    database.close().await?;
    written
}

/// Opens the database that is copied.
async fn open(url: &str) -> Result<DatabaseConnection, DbErr> {
    let source = sqlite_file::required_path(url)?;
    sqlite_file::refuse_foreign_log(&source)?;
    let mut options = connect_options::usual(url);
    options.max_connections(1);
    options.map_sqlx_sqlite_opts(|connection| connection.create_if_missing(false));
    let database = Connector::connect(options).await?;
    sqlite_file::require_installation(&database).await?;
    Ok(database)
}

async fn write(database: &DatabaseConnection, into: &Path) -> Result<(), BackupError> {
    refuse_existing(into)?;
    let partial = sqlite_file::beside(into, ".partial");
    for leftover in [&partial, &sqlite_file::beside(&partial, "-journal")] {
        remove(leftover)?;
    }
    let file = private_file(&partial)?;
    let identity = sqlite_file::identity(&partial);
    let copied = match copy(database, &partial, &file).await {
        // A second backup to the same name removes the file of this one.
        Ok(()) if sqlite_file::identity(&partial) != identity => {
            Err(io::Error::other("another backup to this file runs at the same time").into())
        }
        Ok(()) => rename(&partial, into).map_err(BackupError::File),
        Err(error) => Err(error),
    };
    if copied.is_err() && sqlite_file::identity(&partial) == identity {
        remove(&partial)?;
    }
    copied
}

fn refuse_existing(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(io::Error::other("the file exists already")),
        Err(_) => Ok(()),
    }
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives the complete file its name, also after a power failure.
fn rename(partial: &Path, into: &Path) -> io::Result<()> {
    refuse_existing(into)?;
    fs::rename(partial, into)?;
    #[cfg(unix)]
    {
        let folder = into.parent().filter(|path| !path.as_os_str().is_empty());
        File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
    }
    Ok(())
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
