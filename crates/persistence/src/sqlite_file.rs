//! The file of an SQLite database.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbBackend, DbErr, RuntimeErr,
    Statement,
};

use crate::connect_options;

/// First bytes of every SQLite file that is not empty.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Offset of the format's write and read version: 1 for a rollback journal, 2 for a
/// write-ahead log.
const FORMAT_VERSIONS: usize = 18;

/// Returns the file of a `sqlite:` address; `None` for a database in memory, for an address without
/// a file, and for other databases.
#[must_use]
pub fn path_of(url: &str) -> Option<PathBuf> {
    let in_memory = url.contains(":memory:") || url.contains("mode=memory");
    if !url.starts_with("sqlite:") || in_memory {
        return None;
    }
    let options = SqliteConnectOptions::from_str(url).ok()?;
    let path = options.get_filename();
    (!path.as_os_str().is_empty()).then(|| path.to_owned())
}

/// Returns the file of a `sqlite:` address.
///
/// # Errors
/// If the address names no file: each connection would have a database of its own.
pub(crate) fn required_path(url: &str) -> Result<PathBuf, DbErr> {
    SqliteConnectOptions::from_str(url).map_err(|error| refused(&error.to_string()))?;
    path_of(url)
        .ok_or_else(|| refused("the address must name a file, such as sqlite:data/allclear.db"))
}

/// The error for a file that cannot be the installation's database.
fn refused(reason: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(reason.to_owned()))
}

/// The path of a file that SQLite keeps beside the database.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}

/// Whether a file exists and is not empty.
pub(crate) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

/// Fails if a write-ahead log lies beside a database that has none, such as a backup. The log
/// belongs to the database that was there before, and SQLite would replace the contents by it. See
/// <https://www.sqlite.org/fileformat2.html#file_format_version_numbers>.
pub(crate) fn refuse_foreign_log(path: &Path) -> Result<(), DbErr> {
    let log = beside(path, "-wal");
    if !has_content(&log) {
        return Ok(());
    }
    let mut header = [0; FORMAT_VERSIONS + 2];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    if is_read.is_ok() && header.starts_with(MAGIC) && header[FORMAT_VERSIONS..] == [1, 1] {
        return Err(refused(&format!(
            "{} belongs to another database; move it and the -shm file away",
            log.display()
        )));
    }
    Ok(())
}

/// What a database contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Nothing,
    Installation,
    OtherTables,
}

async fn content(connection: &DatabaseConnection) -> Result<Content, DbErr> {
    let sql = "SELECT type = 'table' AND name = 'seaql_migrations' FROM sqlite_master \
        ORDER BY 1 DESC LIMIT 1";
    let row = connection.query_one_raw(Statement::from_string(DbBackend::Sqlite, sql));
    let Some(row) = row.await? else {
        return Ok(Content::Nothing);
    };
    let is_ours: i64 = row.try_get_by_index(0)?;
    Ok(if is_ours == 1 {
        Content::Installation
    } else {
        Content::OtherTables
    })
}

/// Fails if a database has no tables of Allclear.
pub(crate) async fn require_installation(connection: &DatabaseConnection) -> Result<(), DbErr> {
    match content(connection).await? {
        Content::Installation => Ok(()),
        Content::Nothing | Content::OtherTables => Err(refused("it has no tables of Allclear")),
    }
}

/// Opens a file that is not empty, without a change to it; `None` if there is none. While the
/// connection is open, others do not copy the write-ahead log when they close.
///
/// # Errors
/// If the file cannot be read, or contains only tables of other programs.
pub(crate) async fn open_existing(
    url: &str,
    path: &Path,
) -> Result<Option<DatabaseConnection>, DbErr> {
    if !has_content(path) {
        return Ok(None);
    }
    let mut options = connect_options::usual(url);
    options.max_connections(1);
    let connection = Connector::connect(options).await?;
    if content(&connection).await? == Content::OtherTables {
        connection.close().await?;
        return Err(refused("it is not a database of Allclear"));
    }
    Ok(Some(connection))
}

/// Identity of the file when the database was opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenedFile {
    path: PathBuf,
    identity: Option<Identity>,
}

/// Device and inode of the file, which identify it.
pub(crate) type Identity = (u64, u64);

impl OpenedFile {
    /// Reads the identity of an open database's file.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let path = path_of(url)?;
        let identity = identity(&path);
        Some(Self { path, identity })
    }

    /// Whether the path still leads to the opened file.
    pub(crate) fn is_in_place(&self) -> bool {
        identity(&self.path) == self.identity
    }

    /// Free bytes on the file's disk; `None` if the system does not say.
    pub(crate) fn free_space(&self) -> Option<u64> {
        free_space(&self.path)
    }
}

/// Free bytes on a file's disk; `None` if the system does not say.
#[cfg(unix)]
pub(crate) fn free_space(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    // Some file systems of programs (FUSE) report no size.
    (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub(crate) fn free_space(_: &Path) -> Option<u64> {
    None
}

#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|_| (0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_has_a_path() {
        let path = |url| path_of(url).map(|path| path.display().to_string());
        assert_eq!(path("sqlite:data/a.db").as_deref(), Some("data/a.db"));
        assert_eq!(
            path("sqlite:///srv/a.db?mode=rwc").as_deref(),
            Some("/srv/a.db")
        );
        for url in [
            "sqlite::memory:",
            "sqlite:x?mode=memory",
            "sqlite:",
            "sqlite://",
            "postgres://host/x",
        ] {
            assert_eq!(path(url), None, "{url}");
        }
    }

    #[test]
    fn address_without_a_file_is_refused() {
        for url in ["sqlite:", "sqlite::memory:", "sqlite:x?mode=memory"] {
            let error = required_path(url).unwrap_err().to_string();
            assert!(error.contains("must name a file"), "{url}: {error}");
        }
    }

    #[tokio::test]
    async fn log_beside_a_database_without_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let url = format!("sqlite:{}?mode=rwc", path.display());
        let database = Connector::connect(&url).await.unwrap();
        let made = "CREATE TABLE t (a)";
        database.execute_unprepared(made).await.unwrap();
        let log = beside(&path, "-wal");
        fs::write(&log, "").unwrap();
        refuse_foreign_log(&path).unwrap();
        fs::write(&log, "log").unwrap();
        let error = refuse_foreign_log(&path).unwrap_err().to_string();
        assert!(error.contains("a.db-wal belongs to another"), "{error}");

        fs::remove_file(&log).unwrap();
        let change = "PRAGMA journal_mode = WAL";
        database.execute_unprepared(change).await.unwrap();
        let written = "INSERT INTO t VALUES (1)";
        database.execute_unprepared(written).await.unwrap();
        assert!(has_content(&log));
        refuse_foreign_log(&path).unwrap();
    }

    #[tokio::test]
    async fn file_with_other_tables_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let url = format!("sqlite:{}?mode=rwc", path.display());
        let other = Connector::connect(&url).await.unwrap();
        other
            .execute_unprepared("CREATE TABLE t (a)")
            .await
            .unwrap();
        other.close().await.unwrap();
        let before = fs::read(&path).unwrap();
        let clock = allclear_application::clock::TestClock::system();
        let error = crate::database::Database::connect(&url, clock).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("not a database of Allclear"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn free_space_is_unknown_if_the_disk_reports_no_size() {
        assert_eq!(free_space(Path::new("/proc")), None);
        assert!(free_space(Path::new("/")).is_some());
    }

    #[test]
    fn removed_or_replaced_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        std::fs::write(&path, "").unwrap();
        let opened = OpenedFile::of(&format!("sqlite:{}", path.display())).unwrap();
        assert!(opened.is_in_place());
        // Renamed and not removed, so that its inode is not reused.
        std::fs::rename(&path, folder.path().join("b.db")).unwrap();
        assert!(!opened.is_in_place());
        std::fs::write(&path, "").unwrap();
        assert!(!opened.is_in_place());
    }
}
