//! Files that only the server's own user may read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::app::operator_of;
use crate::process::{Process, command, run};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The same command, with the mask of a usual shell.
fn with_usual_umask(command: &Command) -> Command {
    let command = command.as_std();
    let mut shell = Command::new("/bin/sh");
    shell
        .env_clear()
        .args(["-c", "umask 022 && exec \"$@\"", "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .kill_on_drop(true)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    shell
}

#[tokio::test(flavor = "multi_thread")]
async fn database_and_mails_are_private_whatever_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(with_usual_umask(&command(&data, &[]))).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    operator.component("API").await;
    let copy = folder.path().join("copy.db");
    let mut backup = with_usual_umask(&command(&data, &["backup"]));
    backup.arg(&copy);
    assert_eq!(run(backup).await.0, Some(0));
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("mail")), 0o700);
    for file in ["allclear.db", "allclear.db-wal", "allclear.db-shm"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
    assert_eq!(mode(&copy), 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_others_could_read_are_closed_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &[])).await;
    // What a killed server leaves behind is there at the next start.
    process.kill().await;
    set_mode(&data, 0o755);
    let files = ["allclear.db", "allclear.db-wal", "allclear.db-shm"].map(|file| data.join(file));
    for file in &files {
        set_mode(file, 0o644);
    }
    let settings = folder.path().join("allclear.toml");
    fs::write(&settings, "redis_url = 'redis://:hunter2@127.0.0.1:1'").unwrap();
    set_mode(&settings, 0o644);
    let _process = Process::serve(command(&data, &["--log", "off"])).await;
    assert_eq!(mode(&data), 0o700);
    for file in files.iter().chain([&settings]) {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_without_secrets_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("allclear.toml");
    fs::write(&settings, "sign_up = 'closed'").unwrap();
    set_mode(&settings, 0o644);
    let (code, _, _) = run(command(&folder.path().join("data"), &["openapi"])).await;
    assert_eq!((code, mode(&settings)), (Some(0), 0o644));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_closed_are_refused_in_one_line() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root can start the server as another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    let (data, home) = (folder.path().join("data"), folder.path().join("home"));
    for made in [&data, &home] {
        fs::create_dir(made).unwrap();
        set_mode(made, 0o755);
    }
    let settings = home.join("allclear.toml");
    fs::write(&settings, "redis_url = 'redis://:hunter2@127.0.0.1:1'").unwrap();
    // The program's own folder may be closed to that user.
    let program = folder.path().join("allclear");
    fs::copy(env!("CARGO_BIN_EXE_allclear"), &program).unwrap();
    for (word, from, secrets) in [
        ("data", folder.path(), 0o600),
        ("allclear.toml", &home, 0o644),
    ] {
        set_mode(&settings, secrets);
        let mut other = Command::new("setpriv");
        other
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&program)
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(&data)
            .current_dir(from)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null());
        let (code, _, stderr) = run(other).await;
        assert_ne!(code, Some(0), "{stderr}");
        let lines: Vec<_> = stderr.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].contains(word) && lines[0].contains("others can read"),
            "{stderr}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn database_that_cannot_be_written_is_refused_before_it_is_opened() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root can start the server as another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    let data = folder.path().join("data");
    Process::serve(command(&data, &[])).await.terminate().await;
    let database = data.join("allclear.db");
    set_mode(&database, 0o400);
    for path in [&data, &database] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    let program = folder.path().join("allclear");
    fs::copy(env!("CARGO_BIN_EXE_allclear"), &program).unwrap();
    let mut other = Command::new("setpriv");
    other
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["--log", "off", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(&data)
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null());
    let (code, _, stderr) = run(other).await;
    assert_eq!(code, Some(1), "{stderr}");
    assert!(
        stderr.contains("allclear.db: this process cannot write to the database")
            && stderr.lines().count() == 1,
        "{stderr}"
    );
    assert!(!data.join("allclear.db-shm").exists());
}
