use std::fs::File;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command as Blocking, Stdio};

use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::json;

use crate::app::{PASSWORD, cookie_client, eventually, operator_of, send, until};
use crate::process::{Process, command, lasting_port, run};

#[tokio::test(flavor = "multi_thread")]
async fn obstacle_to_a_start_is_reported_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let file = file.display().to_string();
    let rows: [(&[&str], i32, &str); 7] = [
        (&["--sign-up", "perhaps"], 2, "--sign-up"),
        (
            &["--database-url", "mysql://ann:hunter2@db"],
            2,
            "--database-url",
        ),
        (
            &["--database-url", "postgres://ann:hunter2@127.0.0.1:1/none"],
            1,
            "the database cannot be opened: 127.0.0.1:1: Connection refused",
        ),
        (
            &["--database-url", "sqlite:/nowhere/allclear.db"],
            1,
            "/nowhere/allclear.db",
        ),
        (&["--log", "verbose"], 2, "ALLCLEAR_LOG"),
        (&["--listen", &taken], 1, &taken),
        (&["--data-dir", &file, "--listen", "127.0.0.1:0"], 1, &file),
    ];
    for (flags, code, word) in rows {
        let mut start = command(&data, &[]);
        let (ended, _, stderr) = run({
            // A flag given twice is refused: these replace the test's own.
            let own = ["--listen", "--data-dir"];
            if own.contains(&flags[0]) {
                start = tokio::process::Command::new(env!("CARGO_BIN_EXE_allclear"));
                start
                    .env_clear()
                    .current_dir(folder.path())
                    .kill_on_drop(true);
            }
            start.args(flags);
            start
        })
        .await;
        let lines: Vec<_> = stderr
            .lines()
            .filter(|line| line.starts_with("allclear: "))
            .collect();
        assert_eq!((ended, lines.len()), (Some(code), 1), "{flags:?}: {stderr}");
        assert!(lines[0].contains(word), "{flags:?}: {}", lines[0]);
        assert!(
            !stderr.contains("panicked") && !stderr.contains("hunter2"),
            "{stderr}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_that_print_print() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (code, help, _) = run(command(&data, &["--help"])).await;
    assert_eq!(code, Some(0));
    for name in [
        "ALLCLEAR_LISTEN",
        "ALLCLEAR_DATABASE_URL",
        "ALLCLEAR_SIGN_UP",
        "ALLCLEAR_TRUSTED_PROXIES",
    ] {
        assert!(help.contains(&format!("<{name}>")), "{name}");
    }
    let (code, document, _) = run(command(&data, &["openapi"])).await;
    assert_eq!(code, Some(0));
    assert!(
        document == include_str!("../../../../docs/openapi.json"),
        "docs/openapi.json is old: run `./just generate`"
    );
    let (code, _, stderr) = run(command(&data, &["healthcheck"])).await;
    assert_eq!(code, Some(1), "no server listens there: {stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn command_in_a_folder_without_a_database_fails_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let commands: [&[&str]; 5] = [
        &["invite", "ada@example.com"],
        &["rotate-keys"],
        &["after-restore"],
        &["user", "list"],
        &["user", "reset-factors", "ada@example.com"],
    ];
    for arguments in commands {
        let (code, _, stderr) = run(command(&data, arguments)).await;
        assert_eq!(code, Some(1), "{arguments:?}: {stderr}");
        assert!(
            stderr.starts_with("allclear: there is no database ")
                && stderr.contains("with the settings of the server"),
            "{arguments:?}: {stderr}"
        );
        assert!(!data.join("allclear.db").exists(), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn command_whose_output_cannot_be_written_fails_with_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    Process::serve(command(&data, &[])).await.kill().await;
    let full = || std::fs::File::options().write(true).open("/dev/full");
    let commands: [&[&str]; 5] = [
        &["invite", "bob@example.com"],
        &["rotate-keys"],
        &["after-restore"],
        &["check"],
        &["openapi"],
    ];
    for arguments in commands {
        let mut allclear = command(&data, arguments);
        allclear.stdout(full().unwrap());
        // `output` would replace the standard output.
        let child = allclear.spawn().unwrap();
        let output = child.wait_with_output().await.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        let last = stderr.lines().last().unwrap();
        assert!(
            last.starts_with("allclear: standard output cannot be written to: "),
            "{arguments:?}: {stderr}"
        );
    }
    let mut wrong = command(&data, &["--sign-up", "maybe"]);
    wrong.stderr(full().unwrap());
    assert_eq!(wrong.status().await.unwrap().code(), Some(2));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn server_runs_although_its_output_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let full = || std::fs::File::options().write(true).open("/dev/full");
    let port = lasting_port();
    let mut server = tokio::process::Command::new(env!("CARGO_BIN_EXE_allclear"));
    server
        .env_clear()
        .args(["--listen", &format!("127.0.0.1:{port}"), "--data-dir"])
        .arg(&data)
        .current_dir(folder.path())
        .kill_on_drop(true)
        .stdout(full().unwrap())
        .stderr(full().unwrap());
    let mut child = server.spawn().unwrap();
    let url = format!("http://127.0.0.1:{port}/healthz");
    until(true, async || {
        assert_eq!(child.try_wait().unwrap(), None, "the server runs");
        cookie_client().get(&url).send().await.is_ok()
    })
    .await;
    let pid = child.id().unwrap().to_string();
    let killed = Blocking::new("kill").args(["-TERM", &pid]).status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn signal_ends_a_start_that_waits_for_the_migration_of_another_node() {
    let Some(database) = allclear_test_support::postgres() else {
        return;
    };
    let other = sea_orm::Database::connect(&database).await.unwrap();
    let migrating = other.begin().await.unwrap();
    let lock = i64::from_be_bytes(*b"allclear");
    let locked = format!("SELECT pg_advisory_xact_lock({lock})");
    migrating.execute_unprepared(&locked).await.unwrap();

    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut server = command(&folder.path().join("data"), &["--database-url", &database]);
    server.stderr(File::create(&log).unwrap());
    let mut child = server.spawn().unwrap();
    let logged = async |text: &str| {
        let found = async || std::fs::read_to_string(&log).unwrap().find(text);
        eventually(text, found).await
    };
    logged("waiting for another node").await;
    let pid = child.id().unwrap().to_string();
    let killed = Blocking::new("kill").args(["-TERM", &pid]).status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
    logged("stopped before the start was complete").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_sigterm_and_sigkill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // Tokens name the address of the server that gave them; it stays while ports change.
    let address = ["--public-url", "http://allclear.example"];
    let process = Process::serve(command(&data, &address)).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let first = operator.component("first").await;
    assert_eq!(process.terminate().await, Some(0));

    let process = Process::serve(command(&data, &address)).await;
    let operator = operator.at(&process.url);
    let second = operator.component("second").await;
    process.kill().await;

    let process = Process::serve(command(&data, &address)).await;
    let components = operator.at(&process.url).snapshot().await["components"].clone();
    let ids: Vec<_> = components
        .as_array()
        .unwrap()
        .iter()
        .map(|component| component["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [second, first]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hangup_ends_the_server_like_a_termination() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::serve(command(&folder.path().join("data"), &[])).await;
    let pid = process.id().to_string();
    assert!(
        Blocking::new("kill")
            .args(["-HUP", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(process.end().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let _process = Process::serve(command(&data, &[])).await;
    assert_eq!(
        std::fs::metadata(&data).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_takes_as_many_connections_as_the_system_lets_it() {
    let folder = tempfile::tempdir().unwrap();
    let allclear = command(&folder.path().join("data"), &[]);
    let allclear = allclear.as_std();
    let mut limited = tokio::process::Command::new("/bin/sh");
    limited
        .env_clear()
        .args(["-c", "ulimit -S -n 256 && exec \"$@\"", "sh"])
        .arg(allclear.get_program());
    limited
        .args(allclear.get_args())
        .current_dir(folder.path())
        .kill_on_drop(true)
        .stdout(Stdio::piped());
    let process = Process::serve(limited).await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.id())).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .unwrap();
    let mut numbers = line
        .split_whitespace()
        .filter_map(|word| word.parse::<u64>().ok());
    let (soft, hard) = (numbers.next().unwrap(), numbers.next().unwrap());
    assert!(soft == hard && hard > 256, "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_lets_one_person_in_beside_a_closed_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let closed = ["--sign-up", "closed"];
    let process = Process::serve(command(&data, &closed)).await;
    operator_of(&process.url, "first@example.com", "Acme").await;

    let sign_up = |token: Option<&str>| {
        let body = json!({"name": "Bob", "email": "bob@example.com", "password": PASSWORD, "invitationToken": token});
        send(
            cookie_client()
                .post(format!("{}/api/v1/identity/sign-up", process.url))
                .json(&body),
        )
    };
    assert_eq!(sign_up(None).await.status, 403);
    let (code, _, stderr) = run(command(&data, &["invite", "foo"])).await;
    assert_eq!(code, Some(1), "{stderr}");
    let last = stderr.lines().last();
    assert_eq!(last, Some("allclear: email: Invalid email address"));
    let without_server = [
        "invite",
        "bob@example.com",
        "--smtp-url",
        "smtp://127.0.0.1:1",
    ];
    let (code, link, stderr) = run(command(&data, &without_server)).await;
    assert_eq!(code, Some(1), "{stderr}");
    assert!(
        stderr.contains("event=\"invited\"") && stderr.contains("the mail could not be sent: "),
        "{stderr}"
    );
    let token = link
        .trim()
        .split_once("/login?invitation=")
        .expect("a link")
        .1
        .to_owned();
    assert_eq!(sign_up(Some(&token)).await.status, 201);
    assert_ne!(
        sign_up(Some(&token)).await.status,
        201,
        "an invitation is used once"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_shows_a_filled_organisation_and_a_sign_in_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut demo = command(&data, &["demo"]);
    // The demo must not use these systems of the installation, which cannot be reached.
    demo.envs([
        ("ALLCLEAR_DATABASE_URL", "postgres://127.0.0.1:1/none"),
        ("ALLCLEAR_REDIS_URL", "redis://127.0.0.1:1"),
        ("ALLCLEAR_SMTP_URL", "smtp://127.0.0.1:1"),
        ("ALLCLEAR_PASSWORDS", "off"),
        ("ALLCLEAR_SIGN_UP", "closed"),
        ("ALLCLEAR_OIDC_PROVIDERS", "okta"),
        ("ALLCLEAR_OIDC_OKTA_ISSUER", "https://127.0.0.1:1"),
        ("ALLCLEAR_OIDC_OKTA_CLIENT_ID", "allclear"),
        ("ALLCLEAR_OIDC_OKTA_CLIENT_SECRET", "secret"),
        ("ALLCLEAR_OIDC_OKTA_DOMAINS", "example.com"),
    ]);
    let mut process = Process::serve(demo).await;
    let configuration = send(cookie_client().get(format!("{}/api/v1/configuration", process.url)));
    let configuration = configuration.await.body["data"].clone();
    assert_eq!(configuration["mailServer"], false, "{configuration}");
    assert_eq!(configuration["passwords"], true, "{configuration}");
    assert_eq!(configuration["signInProviders"], json!([]));
    assert_eq!(configuration["signUp"], "open");
    let output = process.wait_for_output("Stop").await;
    let sign_in = output
        .iter()
        .position(|line| line.starts_with("Sign in"))
        .expect("a sign-in");
    let credentials = json!({"email": output[sign_in + 1], "password": output[sign_in + 2]});
    let client = cookie_client();
    let signed_in = send(
        client
            .post(format!("{}/api/v1/identity/sign-in", process.url))
            .json(&credentials),
    )
    .await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    let session = send(client.get(format!("{}/api/v1/identity/session", process.url))).await;
    let organisation = session.body["data"]["organisations"][0]["id"]
        .as_str()
        .unwrap();
    let status = send(client.get(format!("{}/api/v1/status/{organisation}", process.url))).await;
    let shown = &status.body["data"];
    for (list, at_least) in [
        ("components", 6),
        ("groups", 2),
        ("incidents", 2),
        ("maintenances", 3),
    ] {
        let count = shown[list].as_array().unwrap().len();
        assert!(count >= at_least, "{count} {list}: {status:?}");
    }
    let history = format!("{}/status/{organisation}/history", process.url);
    for page in 1..=4 {
        let months = client
            .get(format!("{history}?page={page}"))
            .send()
            .await
            .unwrap();
        let months = months.text().await.unwrap();
        assert!(months.contains("/incidents/"), "page {page}: {months}");
    }
    assert!(!data.exists(), "a demo leaves nothing in the data folder");
}

/// A small file system of its own, or none where this process may not mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Blocking::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder.path());
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("left out: this process may not mount a small disk");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Blocking::new("umount")
            .arg("--lazy")
            .arg(self.0.path())
            .status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_writes_with_503_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let process = Process::serve(command(&disk.path().join("data"), &[])).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![0; 1024 * 1024]).unwrap();
    let description = "x".repeat(9000);
    let mut stored = 0;
    let error_response = loop {
        let body = json!({"name": format!("Component {stored}"), "description": description});
        let response = operator.post("/component/create", body).await;
        if response.status != 201 {
            break response;
        }
        stored += 1;
        assert!(stored < 500, "the disk fills up");
    };
    assert_eq!(error_response.status, 503, "{error_response:?}");
    assert!(error_response.headers.contains_key("retry-after"));
    let ready = send(cookie_client().get(format!("{}/readyz", process.url))).await;
    let reason = ready.body.as_str().unwrap().trim().to_owned();
    assert!(
        ready.status == 503
            && [
                "the disk of the database is full",
                "the database cannot be written to"
            ]
            .contains(&reason.as_str()),
        "{ready:?}"
    );
    assert_eq!(
        operator.get("/component/list").await.body["data"]
            .as_array()
            .unwrap()
            .len(),
        stored
    );

    std::fs::remove_file(&filler).unwrap();
    operator.component("after").await;
    let snapshot = operator.snapshot().await;
    assert_eq!(snapshot["components"].as_array().unwrap().len(), stored + 1);
    assert_eq!(
        snapshot["revision"],
        stored + 1,
        "a refused write leaves no revision"
    );
}
