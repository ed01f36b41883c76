//! Backup of an SQLite database, also while a server uses it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr, Statement,
};
use thiserror::Error;

use crate::{connect_options, restore, sqlite_file};

/// Free bytes that a copy leaves on its disk: a running server may write to the same disk.
const RESERVE: u64 = 16 * MIB;
const MIB: u64 = 1024 * 1024;

/// Why a backup failed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file cannot be created, its disk has too little space, or it exists: a backup never
    /// overwrites a file.
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

/// Writes a consistent copy of the database to a new file. Only the file's owner may read it,
/// because it contains secrets. The copy is marked, so that revisions jump at its first start.
/// Readers and writers are not blocked. See <https://www.sqlite.org/lang_vacuum.html#vacuuminto>.
///
/// The file has its name once it is complete. Until then the name ends in `.partial`; a run that is
/// interrupted leaves that file, and the next run replaces it.
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
    require_space(size(database).await?, sqlite_file::free_space(into))?;
    // SQLite writes into an existing file if it is empty, and does not flush it.
    let statement =
        Statement::from_sql_and_values(DbBackend::Sqlite, "VACUUM INTO ?", [path.into()]);
    database.execute_raw(statement).await?;
    mark(file)?;
    Ok(file.sync_all()?)
}

/// Returns the bytes that the copy has at most.
async fn size(database: &DatabaseConnection) -> Result<u64, DbErr> {
    let sql = "SELECT (page_count - freelist_count) * page_size \
        FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    let row = database.query_one_raw(Statement::from_string(DbBackend::Sqlite, sql));
    let size: i64 = match row.await? {
        Some(row) => row.try_get_by_index(0)?,
        None => 0,
    };
    Ok(u64::try_from(size).unwrap_or_default())
}

fn require_space(size: u64, free: Option<u64>) -> io::Result<()> {
    let needed = size.saturating_add(RESERVE);
    match free {
        Some(free) if free < needed => Err(io::Error::other(format!(
            "the copy needs {} MiB, and its disk has {} MiB free",
            needed.div_ceil(MIB),
            free / MIB
        ))),
        _ => Ok(()),
    }
}

/// Writes the [mark](restore::MARK) into the header, as `PRAGMA user_version` would. The copy is
/// not open yet.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_that_would_fill_the_disk_is_refused() {
        require_space(100 * MIB, None).unwrap();
        require_space(100 * MIB, Some(116 * MIB)).unwrap();
        let error = require_space(100 * MIB, Some(116 * MIB - 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the copy needs 116 MiB, and its disk has 115 MiB free"
        );
    }

    #[tokio::test]
    async fn size_of_a_copy_leaves_out_free_pages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let url = format!("sqlite:{}?mode=rwc", path.display());
        let database = Connector::connect(url).await.unwrap();
        for statement in [
            "CREATE TABLE t (a)",
            "INSERT INTO t VALUES (zeroblob(1000000))",
        ] {
            database.execute_unprepared(statement).await.unwrap();
        }
        let full = size(&database).await.unwrap();
        assert_eq!(full, fs::metadata(&path).unwrap().len());
        database.execute_unprepared("DELETE FROM t").await.unwrap();
        assert!(size(&database).await.unwrap() < full / 10);
    }
}
