//! The file of an SQLite database.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;

/// Returns the file of a `sqlite:` address; `None` for a database in memory and for other databases.
#[must_use]
pub fn path_of(url: &str) -> Option<PathBuf> {
    let in_memory = url.contains(":memory:") || url.contains("mode=memory");
    if !url.starts_with("sqlite:") || in_memory {
        return None;
    }
    let options = SqliteConnectOptions::from_str(url).ok()?;
    Some(options.get_filename().to_owned())
}

/// Identity of the file when the database was opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenedFile {
    path: PathBuf,
    identity: Option<Identity>,
}

/// Device and inode of the file, which identify it.
type Identity = (u64, u64);

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
    #[cfg(unix)]
    pub(crate) fn free_space(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(&self.path).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Free bytes on the file's disk; `None` if the system does not say.
    #[cfg(not(unix))]
    pub(crate) fn free_space(&self) -> Option<u64> {
        None
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
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
            "postgres://host/x",
        ] {
            assert_eq!(path(url), None, "{url}");
        }
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
