//! Files that only the operating system's user of this process may read: the data folder, the
//! database, `allclear.toml`.

#[cfg(unix)]
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

/// Entries that show that a folder is Allclear's own.
#[cfg(unix)]
const OWN_ENTRIES: [&str; 2] = ["allclear.db", "allclear.toml"];

/// Entries that a data folder or the root of a fresh volume may have. Other folders may have them,
/// too.
#[cfg(unix)]
const USUAL_ENTRIES: [&str; 2] = ["mail", "lost+found"];

/// Sets the umask, so that only this user can read the files that the process creates.
pub(crate) fn restrict_umask() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Creates the data folder if it is missing, and removes the access of other users.
///
/// # Errors
/// One line, if the folder cannot be created or the access of other users cannot be removed.
pub(crate) fn data_folder(path: &Path) -> Result<(), String> {
    let named = |error: io::Error| format!("{}: {error}", path.display());
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path).map_err(named)?;
    #[cfg(unix)]
    {
        let metadata = fs::metadata(path).map_err(named)?;
        let is_shared = metadata.mode() & 0o1000 != 0;
        if open_to_others(&metadata) != 0 && (is_shared || !is_own(path).map_err(named)?) {
            return Err(format!(
                "{}: others can read this folder, and it contains other files than Allclear's data; use a separate folder",
                path.display()
            ));
        }
        close(path, &metadata, |mode| {
            fs::set_permissions(path, Permissions::from_mode(mode))
        })?;
    }
    Ok(())
}

/// Creates the SQLite file if it is missing, and removes the access of other users to it and to its
/// WAL and journal. Gives the owner access to these files beside it: SQLite creates them with the
/// mode that the database has at that time.
///
/// # Errors
/// One line, if this process cannot write to the file, or the access of other users cannot
/// be removed.
pub(crate) fn database_files(database: &Path) -> Result<(), String> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    options.mode(0o600);
    // SQLite reports a file that cannot be created, with the reason.
    if let Err(error) = options.open(database)
        && database.exists()
    {
        return Err(format!(
            "{}: this process cannot write to the database: {error}",
            database.display()
        ));
    }
    #[cfg(unix)]
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut path = database.as_os_str().to_owned();
        path.push(suffix);
        let path = PathBuf::from(path);
        if let Ok(metadata) = fs::metadata(&path) {
            close(&path, &metadata, |mode| {
                fs::set_permissions(&path, Permissions::from_mode(mode))
            })?;
            if !suffix.is_empty() {
                open_to_owner(&path)?;
            }
        }
    }
    Ok(())
}

/// Gives the owner access to a file, if this process runs as the owner.
#[cfg(unix)]
fn open_to_owner(path: &Path) -> Result<(), String> {
    let named = |error: io::Error| format!("{}: {error}", path.display());
    let metadata = fs::metadata(path).map_err(named)?;
    let mode = metadata.mode() & 0o7777;
    let is_owner = metadata.uid() == rustix::process::geteuid().as_raw();
    if !is_owner || mode & 0o600 == 0o600 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode | 0o600)).map_err(named)
}

/// Removes the access of other users to an open file that contains secrets.
///
/// # Errors
/// One line, if the access of other users cannot be removed.
pub(crate) fn secret_file(path: &Path, file: &File) -> Result<(), String> {
    #[cfg(unix)]
    {
        let metadata = file
            .metadata()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        close(path, &metadata, |mode| {
            file.set_permissions(Permissions::from_mode(mode))
        })?;
    }
    Ok(())
}

#[cfg(unix)]
fn close(
    path: &Path,
    metadata: &Metadata,
    set_mode: impl FnOnce(u32) -> io::Result<()>,
) -> Result<(), String> {
    let open = open_to_others(metadata);
    if open == 0 {
        return Ok(());
    }
    set_mode(metadata.mode() & 0o7777 & !open).map_err(|error| {
        format!(
            "{}: others can read it, it contains secrets, and its mode could not be changed: {error}",
            path.display()
        )
    })
}

/// Permission bits that give other users access. The group bits of another owner's file do not
/// count: a file of root and the service's group, mode 0640, is private.
#[cfg(unix)]
fn open_to_others(metadata: &Metadata) -> u32 {
    let is_owner = metadata.uid() == rustix::process::geteuid().as_raw();
    let others = if is_owner { 0o077 } else { 0o007 };
    metadata.mode() & others
}

/// Whether a folder has an entry of Allclear's own, or no other entries than usual ones. The mode
/// of another folder, such as a home folder with `mail`, is not changed.
#[cfg(unix)]
fn is_own(folder: &Path) -> io::Result<bool> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    let names: Vec<OsString> = entries.collect::<io::Result<_>>()?;
    let is_in = |list: &[&str], name: &OsString| list.iter().any(|entry| *name == **entry);
    Ok(names.iter().any(|name| is_in(&OWN_ENTRIES, name))
        || names.iter().all(|name| is_in(&USUAL_ENTRIES, name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn data_folder_open_to_others_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        for open in [0o755, 0o750, 0o777, 0o701] {
            set_mode(&data, open);
            data_folder(&data).unwrap();
            assert_eq!(mode(&data), 0o700, "{open:o}");
        }
        for entry in ["lost+found", "mail", "allclear.db", "notes.txt"] {
            fs::write(data.join(entry), "").unwrap();
            set_mode(&data, 0o755);
            data_folder(&data).unwrap();
            assert_eq!(mode(&data), 0o700, "{entry}");
        }
    }

    #[test]
    fn shared_folder_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for (name, open, files) in [
            ("home", 0o755, &["notes.txt"][..]),
            ("home-with-mail", 0o755, &["mail", "notes.txt"]),
            ("volume", 0o755, &["lost+found", "notes.txt"]),
            ("temporary", 0o1777, &["allclear.db"]),
        ] {
            let shared = folder.path().join(name);
            fs::create_dir(&shared).unwrap();
            for file in files {
                fs::write(shared.join(file), "").unwrap();
            }
            set_mode(&shared, open);
            let refused = data_folder(&shared).unwrap_err();
            assert!(
                refused.contains(name) && !refused.contains('\n'),
                "{refused}"
            );
            assert_eq!(mode(&shared), open);
        }
    }

    #[test]
    fn database_files_are_created_and_kept_private() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("allclear.db");
        database_files(&database).unwrap();
        assert_eq!(mode(&database), 0o600);
        let log = folder.path().join("allclear.db-wal");
        fs::write(&log, "").unwrap();
        for path in [&database, &log] {
            set_mode(path, 0o644);
        }
        database_files(&database).unwrap();
        assert_eq!([mode(&database), mode(&log)], [0o600; 2]);
    }

    #[test]
    fn owner_gets_access_to_files_beside_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("allclear.db");
        database_files(&database).unwrap();
        let files = ["allclear.db-wal", "allclear.db-shm"].map(|file| folder.path().join(file));
        for file in &files {
            fs::write(file, "").unwrap();
            set_mode(file, 0o400);
        }
        database_files(&database).unwrap();
        assert_eq!(files.map(|file| mode(&file)), [0o600; 2]);
    }

    #[test]
    fn database_that_cannot_be_written_is_refused_and_named() {
        // A folder, because root may write to every file.
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("allclear.db");
        fs::create_dir(&database).unwrap();
        let refused = database_files(&database).unwrap_err();
        assert!(
            refused.contains("allclear.db: this process cannot write"),
            "{refused}"
        );
    }

    #[test]
    fn group_of_another_owner_keeps_its_access() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("left out: only root can give a file to another user");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("allclear.toml");
        fs::write(&path, "").unwrap();
        std::os::unix::fs::chown(&path, Some(12345), Some(12345)).unwrap();
        for (before, after) in [(0o640, 0o640), (0o644, 0o640)] {
            set_mode(&path, before);
            secret_file(&path, &File::open(&path).unwrap()).unwrap();
            assert_eq!(mode(&path), after);
        }
    }
}
