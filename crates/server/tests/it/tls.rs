//! PostgreSQL by TLS, with a server and certificates of the test's own.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::app::{PASSWORD, cookie_client, operator_of, send, until};
use crate::process::{Process, command, run};

/// A PostgreSQL that takes connections by TLS alone, with a certificate of the host `localhost`. It
/// ends with this.
struct TlsPostgres {
    port: u16,
    folder: TempDir,
    _server: Child,
}

/// Writes the certificate of an authority, and a certificate that it signed for `localhost`.
fn certify(folder: &Path) {
    let authority = || {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    };
    let (authority, other) = (authority(), authority());
    fs::write(folder.join("ca.pem"), authority.pem()).unwrap();
    fs::write(folder.join("other-ca.pem"), other.pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    fs::write(folder.join("server.crt"), certificate.pem()).unwrap();
    fs::write(folder.join("server.key"), key.serialize_pem()).unwrap();
}

/// The folder of PostgreSQL's programs.
fn programs() -> Option<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<_> = installed
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    folders.sort();
    folders.pop()
}

/// A program of PostgreSQL, which refuses to run as root.
fn as_postgres(program: &Path) -> Command {
    let is_root = rustix::process::geteuid().is_root();
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
            .arg(program);
        command
    } else {
        Command::new(program)
    };
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.kill_on_drop(true);
    command
}

async fn succeeds(command: &mut Command) -> bool {
    command.status().await.is_ok_and(|status| status.success())
}

impl TlsPostgres {
    /// `None`, with a line about it, if PostgreSQL is not installed; with `CI` set that is
    /// a failure.
    async fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(std::env::var_os("CI").is_none(), "PostgreSQL is missing");
            eprintln!("left out: PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        certify(folder.path());
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        if rustix::process::geteuid().is_root() {
            // PostgreSQL refuses a key that does not belong to its user.
            let owned = Command::new("chown")
                .args(["-R", "postgres"])
                .arg(folder.path())
                .status();
            assert!(owned.await.unwrap().success());
        }
        let mut initdb = as_postgres(&programs.join("initdb"));
        initdb.arg("-D").arg(&data);
        initdb.args(["-U", "allclear", "-A", "trust", "-E", "UTF8", "--no-sync"]);
        assert!(succeeds(&mut initdb).await, "initdb");
        // Accepts every client with TLS, and no other.
        fs::write(
            data.join("pg_hba.conf"),
            "hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n",
        )
        .unwrap();
        for (file, mode) in [("server.key", "600"), ("data", "700"), ("", "755")] {
            let path = folder.path().join(file);
            assert!(succeeds(Command::new("chmod").arg(mode).arg(path)).await);
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let at = |file: &str| folder.path().join(file).display().to_string();
        let mut server = as_postgres(&programs.join("postgres"));
        server.arg("-D").arg(&data);
        server.args(["-p", &port.to_string(), "-h", "127.0.0.1"]);
        server.args(["-k", &at(""), "-c", "fsync=off", "-c", "ssl=on"]);
        server.args(["-c", &format!("ssl_cert_file={}", at("server.crt"))]);
        server.args(["-c", &format!("ssl_key_file={}", at("server.key"))]);
        let server = server.spawn().unwrap();
        let postgres = Self {
            port,
            folder,
            _server: server,
        };
        postgres.listens(&programs).await;
        Some(postgres)
    }

    async fn listens(&self, programs: &Path) {
        let port = self.port.to_string();
        until(true, async || {
            let mut ready = Command::new(programs.join("pg_isready"));
            ready.args(["-h", "127.0.0.1", "-p", &port]);
            succeeds(ready.stdout(Stdio::null())).await
        })
        .await;
    }

    /// A URL of the server, with the `sslmode` and the file of the certificate authority.
    fn url(&self, host: &str, mode: &str, authority: &str) -> String {
        format!(
            "postgres://allclear@{host}:{}/postgres?sslmode={mode}&sslrootcert={}",
            self.port,
            self.folder.path().join(authority).display()
        )
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_is_reached_by_tls_only_with_the_right_authority_and_host() {
    let Some(postgres) = TlsPostgres::start().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (host, mode, authority) in [
        ("localhost", "verify-full", "other-ca.pem"),
        ("127.0.0.1", "verify-full", "ca.pem"),
        ("localhost", "verify-ca", "other-ca.pem"),
        ("localhost", "disable", "ca.pem"),
    ] {
        let url = postgres.url(host, mode, authority);
        let (code, _, stderr) = run(command(&data, &["--database-url", &url])).await;
        let last_line = stderr.lines().last().unwrap_or_default();
        assert_eq!(code, Some(1), "{url}: {stderr}");
        assert!(
            last_line.starts_with("allclear: the database cannot be opened"),
            "{url}: {stderr}"
        );
    }
    let serve = async |host, mode| {
        let url = postgres.url(host, mode, "ca.pem");
        Process::serve(command(&data, &["--database-url", &url])).await
    };
    let process = serve("localhost", "verify-full").await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    operator.component("API").await;
    assert_eq!(process.terminate().await, Some(0));
    let process = serve("127.0.0.1", "verify-ca").await;
    let credentials = json!({"email": "ada@example.com", "password": PASSWORD});
    let call = format!("{}/api/v1/identity/sign-in", process.url);
    let signed_in = send(cookie_client().post(call).json(&credentials)).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    assert_eq!(process.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn clear_text_beyond_this_machine_is_warned_of_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // The name does not exist (RFC 6761): the warning is logged before the lookup.
    let remote = [
        "--database-url",
        "postgres://ann:hunter2@db.invalid/x",
        "--redis-url",
        "redis://:hunter2@redis.invalid",
        "--smtp-url",
        "smtp://mail.invalid",
    ];
    let (_, _, stderr) = run(command(&data, &remote)).await;
    for host in ["db.invalid", "redis.invalid", "mail.invalid"] {
        let warned = stderr.lines().any(|line| {
            line.contains("WARN") && line.contains(host) && line.contains("unencrypted")
        });
        assert!(warned, "{host}: {stderr}");
    }
    assert!(!stderr.contains("hunter2"), "{stderr}");
    let protected = [
        "--database-url",
        "postgres://db.invalid/x?sslmode=verify-full",
        "--redis-url",
        "rediss://redis.invalid",
        "--smtp-url",
        "smtps://mail.invalid",
    ];
    let here = [
        "--database-url",
        "postgres://localhost:1/x",
        "--redis-url",
        "redis://127.0.0.1:1",
        "--smtp-url",
        "smtp://localhost:1",
    ];
    for flags in [protected, here] {
        let (_, _, stderr) = run(command(&data, &flags)).await;
        assert!(!stderr.contains("unencrypted"), "{flags:?}: {stderr}");
    }
}
