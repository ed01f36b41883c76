//! Readiness: the disk, the database's file, and a server that is terminating.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tokio::process::Command;

use crate::app::{client, eventually, operator_of, send};
use crate::process::{Process, command, run};

/// The status and the words of `/readyz`.
async fn ready(process: &Process) -> (u16, String) {
    let response = send(client().get(format!("{}/readyz", process.url))).await;
    (
        response.status,
        response.body.as_str().unwrap().trim().to_owned(),
    )
}

/// Requests the readiness until it has the expected value; returns the last response.
async fn ready_becomes(process: &Process, expected: u16) -> String {
    eventually(&format!("it becomes {expected}"), async || {
        let (status, words) = ready(process).await;
        (status == expected).then_some(words)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn server_whose_database_file_was_replaced_or_removed_is_not_ready_and_refuses_writes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &[])).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    assert_eq!(ready(&process).await, (200, "ok".to_owned()));
    let (path, lost) = ("/component/create", json!({"name": "Lost"}));
    let written = async || operator.post(path, lost.clone()).await.status;
    let (file, moved) = (data.join("allclear.db"), data.join("moved.db"));
    let replaced = (503, "the database file was replaced or removed".to_owned());
    std::fs::rename(&file, &moved).unwrap();
    assert_eq!(ready(&process).await, replaced);
    assert_eq!(written().await, 503);
    std::fs::copy(&moved, &file).unwrap();
    assert_eq!(ready(&process).await, replaced, "a copy is another file");
    assert_eq!(written().await, 503);
    std::fs::rename(&moved, &file).unwrap();
    assert_eq!(ready(&process).await.0, 200);
    operator.component("Kept").await;
    assert_eq!(operator.snapshot().await["revision"], 1);
}

/// Writes components until one is refused; how many were stored.
async fn write_until_refused(operator: &crate::app::Operator) -> usize {
    let description = "x".repeat(9000);
    for stored in 0..2000 {
        let body = json!({"name": format!("Component {stored}"), "description": description});
        let response = operator.post("/component/create", body).await;
        if response.status != 201 {
            assert_eq!(response.status, 503, "{response:?}");
            assert!(response.headers.contains_key("retry-after"));
            return stored;
        }
    }
    panic!("everything was stored");
}

async fn limit_file_size(process: &Process, bytes: &str) {
    let pid = process.id().to_string();
    let limited = Command::new("prlimit")
        .args(["--pid", &pid, &format!("--fsize={bytes}:")])
        .status();
    assert!(limited.await.unwrap().success());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn limit_of_file_size_refuses_writes_and_does_not_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let flags = ["--log", "off", "--limit-components", "0"];
    let process = Process::serve(command(&data, &flags)).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    operator.component("before").await;
    limit_file_size(&process, "3000000").await;
    let stored = write_until_refused(&operator).await;
    assert!(stored > 10, "{stored}");
    // The space that the refused write left free would be enough for some readiness probes.
    limit_file_size(&process, "1000000").await;
    assert_eq!(
        ready_becomes(&process, 503).await,
        "the database cannot be written to"
    );
    let list = operator.get("/component/list?limit=1").await;
    assert_eq!(list.status, 200, "reads still work");
    limit_file_size(&process, "unlimited").await;
    ready_becomes(&process, 200).await;
    operator.component("after").await;
    assert_eq!(operator.snapshot().await["revision"], stored + 2);
    assert_eq!(process.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn terminating_server_is_not_ready_before_it_stops_listening() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &["--shutdown-delay", "3600000"])).await;
    assert_eq!(ready(&process).await.0, 200);
    process.signal_end().await;
    assert_eq!(ready_becomes(&process, 503).await, "draining");
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    operator.component("during the delay").await;
    assert_eq!(
        process.terminate().await,
        Some(0),
        "a second signal ends it"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn server_ends_by_itself_after_the_delay() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &["--shutdown-delay", "300"])).await;
    let began = std::time::Instant::now();
    assert_eq!(process.terminate().await, Some(0));
    assert!(began.elapsed() >= Duration::from_millis(300));
}

/// The result of `allclear check` for the database in a folder: exit code, standard output and
/// standard error.
async fn check(data: &Path) -> (Option<i32>, String, String) {
    run(command(data, &["check"])).await
}

#[tokio::test(flavor = "multi_thread")]
async fn check_finds_damage_and_says_ok_of_a_sound_database() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &[])).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    for number in 0..20 {
        operator.component(&format!("Component {number}")).await;
    }
    let (code, said, stderr) = check(&data).await;
    assert_eq!((code, said.trim()), (Some(0), "ok"), "{stderr}");
    assert_eq!(process.terminate().await, Some(0));

    let file = data.join("allclear.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    let (code, said, stderr) = check(&data).await;
    assert_eq!(code, Some(1), "{said}{stderr}");
    assert!(
        stderr.starts_with("allclear: ") && stderr.lines().count() == 1,
        "{stderr}"
    );

    std::fs::write(&file, "this is no database, however long the text is").unwrap();
    let (code, _, stderr) = check(&data).await;
    assert!(
        code == Some(1) && stderr.contains("not a database"),
        "{stderr}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn check_leaves_postgresql_to_its_own_tool() {
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "--database-url",
        "postgres://nobody@127.0.0.1:1/none",
        "check",
    ];
    let (code, _, stderr) = run(command(&folder.path().join("data"), &flags)).await;
    assert!(code == Some(1) && stderr.contains("pg_amcheck"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn check_and_backup_refuse_files_without_an_installation() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &[])).await;
    let file = |name: &str| folder.path().join(name);
    // The tables are in the write-ahead log.
    std::fs::copy(data.join("allclear.db"), file("without-log.db")).unwrap();
    process.kill().await;
    std::fs::write(file("empty.db"), "").unwrap();
    let foreign =
        sea_orm::Database::connect(format!("sqlite:{}?mode=rwc", file("foreign.db").display()))
            .await
            .unwrap();
    let statement = "CREATE TABLE t (a)";
    sea_orm::ConnectionTrait::execute_unprepared(&foreign, statement)
        .await
        .unwrap();
    foreign.close().await.unwrap();
    let copy = file("copy.db");
    for name in ["empty.db", "foreign.db", "without-log.db"] {
        let before = std::fs::read(file(name)).unwrap();
        let url = format!("sqlite:{}", file(name).display());
        for action in [&["check"][..], &["backup", copy.to_str().unwrap()]] {
            let arguments = [&["--database-url", &url], action].concat();
            let (code, said, stderr) = run(command(&data, &arguments)).await;
            assert_eq!((code, said.as_str()), (Some(1), ""), "{name}");
            assert!(
                stderr.contains(name)
                    && stderr.contains("no tables of Allclear")
                    && stderr.lines().count() == 1,
                "{stderr}"
            );
        }
        assert_eq!(std::fs::read(file(name)).unwrap(), before, "{name}");
    }
    assert!(!copy.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn check_refuses_an_incomplete_copy_and_leaves_it_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    Process::serve(command(&data, &[])).await.kill().await;
    let file = data.join("allclear.db");
    std::fs::write(data.join("allclear.db-journal"), "journal").unwrap();
    let before = std::fs::read(&file).unwrap();
    let (code, said, stderr) = check(&data).await;
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(stderr.contains("allclear.db-journal"), "{stderr}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn address_without_a_file_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for url in ["sqlite:", "sqlite::memory:"] {
        for action in [&["--log", "off"][..], &["check"], &["backup", "copy.db"]] {
            let arguments = [&["--database-url", url], action].concat();
            let (code, _, stderr) = run(command(&data, &arguments)).await;
            assert_eq!(code, Some(1), "{arguments:?}");
            assert!(
                stderr.contains("must name a file") && stderr.lines().count() == 1,
                "{arguments:?}: {stderr}"
            );
        }
    }
}
