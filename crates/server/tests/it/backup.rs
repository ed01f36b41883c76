//! `allclear backup`, beside a server that is being written to.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::{ETAG, IF_NONE_MATCH};
use tokio::process::Command;

use crate::app::{client, operator_of};
use crate::events::Stream;
use crate::process::{Process, command, run};

/// Tokens name the address of the server that gave them; it stays while ports change.
const ADDRESS: [&str; 2] = ["--public-url", "http://allclear.example"];

#[tokio::test(flavor = "multi_thread")]
async fn backup_during_writes_restores_everything_acknowledged_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let operator = Arc::new(operator_of(&process.url, "ada@example.com", "Acme").await);
    let before = operator.component("before").await;

    let ended = Arc::new(AtomicBool::new(false));
    let writing = tokio::spawn({
        let (operator, ended) = (Arc::clone(&operator), Arc::clone(&ended));
        async move {
            let mut written = 0;
            while !ended.load(Ordering::Relaxed) {
                operator.component("meanwhile").await;
                written += 1;
            }
            written
        }
    });
    let copy = folder.path().join("backup.db");
    let mut backup = command(&data, &["backup"]);
    backup.arg(&copy);
    let (code, _, stderr) = run(backup).await;
    assert_eq!(code, Some(0), "{stderr}");
    ended.store(true, Ordering::Relaxed);
    let written: usize = writing.await.unwrap();
    assert_eq!(
        std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777,
        0o600,
        "it holds secrets"
    );
    process.kill().await;

    let restored = folder.path().join("restored");
    std::fs::create_dir(&restored).unwrap();
    std::fs::rename(&copy, restored.join("allclear.db")).unwrap();
    let process = Process::serve(command(&restored, &ADDRESS)).await;
    let operator = operator.at(&process.url);
    let components = operator.snapshot().await["components"].clone();
    let components = components.as_array().unwrap();
    assert!(
        components
            .iter()
            .any(|component| component["id"] == before.as_str())
    );
    assert!(
        components.len() <= written + 1,
        "nothing that was never written"
    );
    operator.component("after").await;
    assert_eq!(
        operator.snapshot().await["components"]
            .as_array()
            .unwrap()
            .len(),
        components.len() + 1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_no_revision_names_two_states() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    operator.component("before").await;
    let kept = operator.snapshot().await["revision"].as_i64().unwrap();
    let copy = folder.path().join("backup.db");
    let mut backup = command(&data, &["backup"]);
    backup.arg(&copy);
    let (code, _, stderr) = run(backup).await;
    assert_eq!(code, Some(0), "{stderr}");
    operator.component("lost").await;
    let lost = operator.snapshot().await["revision"].as_i64().unwrap();
    let snapshot =
        |url: &str| client().get(format!("{url}/api/v1/status/{}", operator.organisation));
    let etag = snapshot(&process.url).send().await.unwrap().headers()[ETAG].clone();
    process.kill().await;

    // The database that was copied is not marked.
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let revision = operator.at(&process.url).snapshot().await["revision"].clone();
    assert_eq!(revision, lost);
    process.kill().await;

    let restored = folder.path().join("restored");
    std::fs::create_dir(&restored).unwrap();
    std::fs::rename(&copy, restored.join("allclear.db")).unwrap();
    for again in [false, true] {
        let process = Process::serve(command(&restored, &ADDRESS)).await;
        let operator = operator.at(&process.url);
        let revision = operator.snapshot().await["revision"].as_i64().unwrap();
        assert_eq!(
            revision,
            kept + (1 << 32) + i64::from(again),
            "it jumps once"
        );
        let request = snapshot(&process.url).header(IF_NONE_MATCH, &etag);
        assert_eq!(request.send().await.unwrap().status(), 200);
        for known in [kept, lost] {
            let mut stream = Stream::open(&operator, "", Some(known)).await;
            assert_eq!(stream.next().await.0, "resync", "{known}");
        }
        if !again {
            operator.component("after").await;
        }
        process.kill().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_restore_makes_revisions_jump_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let before = operator.snapshot().await["revision"].as_i64().unwrap();
    process.kill().await;
    let (code, said, stderr) = run(command(&data, &["after-restore"])).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(said.contains("1 organisation"), "{said}");
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let after = operator.at(&process.url).snapshot().await["revision"].clone();
    assert_eq!(after, before + (1_i64 << 32));
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_overwrites_nothing_and_names_the_existing_file() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let _process = Process::serve(command(&data, &[])).await;
    let taken = folder.path().join("taken.db");
    std::fs::write(&taken, "dear").unwrap();
    let mut backup = command(&data, &["backup"]);
    backup.arg(&taken);
    let (code, _, stderr) = run(backup).await;
    assert_eq!(code, Some(1));
    assert!(
        stderr.starts_with("allclear: ") && stderr.contains("taken.db"),
        "{stderr}"
    );
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "dear");

    let mut backup = command(
        &data,
        &[
            "--database-url",
            "postgres://nobody@127.0.0.1:1/none",
            "backup",
        ],
    );
    let none = folder.path().join("none.db");
    backup.arg(&none);
    let (code, _, stderr) = run(backup).await;
    assert_eq!(code, Some(1));
    assert!(stderr.contains("pg_dump"), "{stderr}");
    assert!(!none.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_replaces_what_an_interrupted_one_left() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let _process = Process::serve(command(&data, &[])).await;
    let copy = folder.path().join("copy.db");
    let left = ["copy.db.partial", "copy.db.partial-journal"].map(|file| folder.path().join(file));
    for file in &left {
        std::fs::write(file, "half").unwrap();
    }
    let mut backup = command(&data, &["backup"]);
    backup.arg(&copy);
    let (code, _, stderr) = run(backup).await;
    assert_eq!(code, Some(0), "{stderr}");
    for file in &left {
        assert!(!file.exists(), "{}", file.display());
    }
    assert_eq!(
        std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let url = format!("sqlite:{}", copy.display());
    let (code, said, stderr) = run(command(&data, &["--database-url", &url, "check"])).await;
    assert_eq!((code, said.trim()), (Some(0), "ok"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_beside_the_log_of_the_former_database_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let copy = folder.path().join("copy.db");
    let mut backup = command(&data, &["backup"]);
    backup.arg(&copy);
    assert_eq!(run(backup).await.0, Some(0));
    operator.component("lost").await;
    process.kill().await;
    std::fs::copy(&copy, data.join("allclear.db")).unwrap();
    for arguments in [&["--log", "off"][..], &["check"]] {
        let (code, _, stderr) = run(command(&data, arguments)).await;
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(
            stderr.contains("allclear.db-wal belongs to another database")
                && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
    for file in ["allclear.db-wal", "allclear.db-shm"] {
        std::fs::remove_file(data.join(file)).unwrap();
    }
    let process = Process::serve(command(&data, &ADDRESS)).await;
    let snapshot = operator.at(&process.url).snapshot().await;
    assert_eq!(snapshot["components"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_without_a_database_name_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let copy = folder.path().join("backup.db");
    let database = data.join("allclear.db").display().to_string();
    for arguments in [&["backup", copy.to_str().unwrap()][..], &["check"]] {
        let (code, _, stderr) = run(command(&data, arguments)).await;
        assert_eq!(code, Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains(&database), "{arguments:?}: {stderr}");
    }
    assert!(!copy.exists());
}

/// The script of the guide with its paths in a folder, and a program whose check ends with `code`.
fn backup_script(folder: &Path, code: i32) -> String {
    let guide = include_str!("../../../../docs/operating.md");
    let (_, script) = guide.split_once("```sh\n#!/bin/sh\n").unwrap();
    let (script, _) = script.split_once("\n```").unwrap();
    assert!(script.contains("/usr/local/bin/allclear check"), "{script}");
    let mut script = script.replace("/usr/local/bin/allclear", "program");
    for path in [
        "/var/backups/allclear",
        "/var/lib/allclear",
        "/etc/allclear",
    ] {
        assert!(script.contains(path), "{path}: {script}");
        script = script.replace(path, &format!("{}{path}", folder.display()));
    }
    format!("program() {{ [ \"$1\" != check ] || return {code}; : >\"$2\"; }}\n{script}")
}

#[tokio::test(flavor = "multi_thread")]
async fn script_of_the_guide_renames_only_a_copy_with_faults_and_copies_the_settings() {
    for (code, end) in [(0, ".db"), (1, ".db.damaged"), (2, ".db")] {
        let folder = tempfile::tempdir().unwrap();
        let settings = ["etc/allclear/environment", "var/lib/allclear/allclear.toml"];
        for file in settings.map(|file| folder.path().join(file)) {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &backup_script(folder.path(), code)]);
        let (ended, _, stderr) = run(shell).await;
        assert_eq!(ended, Some(code), "{stderr}");
        let backups = folder.path().join("var/backups/allclear");
        let entries = std::fs::read_dir(&backups).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let copies: Vec<_> = names.filter(|name| name.contains(".db")).collect();
        assert!(copies.len() == 1 && copies[0].ends_with(end), "{copies:?}");
        for file in ["settings/environment", "allclear.toml"] {
            assert!(backups.join(file).exists(), "{file}");
        }
    }
}
