//! The log of a server that receives malformed requests.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::client;
use crate::process::{Process, command, run};

/// Malformed requests: TLS, control characters, endless heads, wrong lengths, unexpected frames.
fn malformed() -> Vec<Vec<u8>> {
    let tls_hello = [
        0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03,
    ];
    let head = |lines: &str| format!("POST / HTTP/1.1\r\nHost: x\r\n{lines}\r\n").into_bytes();
    vec![
        tls_hello.to_vec(),
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /\x80\xff HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        head("Content-Length: -1\r\n"),
        head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
        [head("Transfer-Encoding: chunked\r\n"), b"zz\r\n".to_vec()].concat(),
        [b"GET / HTTP/1.1\r\nX: ".to_vec(), vec![b'a'; 1024 * 1024]].concat(),
        [b"GET / HTTP/1.1\r\n".to_vec(), b"X: a\r\n".repeat(10_000)].concat(),
    ]
}

/// Sends the bytes and reads until the server hangs up.
async fn send(address: &str, bytes: &[u8]) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may hang up before it has read everything.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let _ = stream.read_to_end(&mut Vec::new()).await;
}

/// The log of a server with these flags after it has received each malformed request `times` times.
async fn logged(flags: &[&str], times: usize) -> String {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut server = command(&folder.path().join("data"), flags);
    server.stderr(Stdio::from(std::fs::File::create(&log).unwrap()));
    let process = Process::serve_quietly(server).await;
    let address = process.url.trim_start_matches("http://").to_owned();
    for _ in 0..times {
        for bytes in malformed() {
            send(&address, &bytes).await;
        }
    }
    assert_eq!(process.terminate().await, Some(0));
    std::fs::read_to_string(log).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_do_not_fill_the_log() {
    let log = logged(&["--log", "info,sea_orm_migration=warn"], 20).await;
    let loud: Vec<_> = log
        .lines()
        .filter(|line| line.contains("ERROR") || line.contains("WARN"))
        .collect();
    assert!(loud.is_empty(), "{loud:?}");
    assert!(log.lines().count() < 20, "200 were sent: {log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_are_logged_at_debug_level() {
    let log = logged(&["--log", "debug,sqlx=off,sea_orm_migration=off"], 1).await;
    assert!(log.contains("malformed request"), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn local_public_address_with_a_mail_server_is_warned_of_at_the_start() {
    for (public_url, expected) in [
        ("http://localhost:8080", true),
        ("https://status.example.com", false),
    ] {
        let mail = ["--log", "info", "--smtp-url", "smtp://127.0.0.1:1"];
        let flags = [&mail[..], &["--public-url", public_url]].concat();
        let log = logged(&flags, 0).await;
        let is_warned = log.contains("set ALLCLEAR_PUBLIC_URL");
        assert_eq!(is_warned, expected, "{public_url}: {log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_log_in_a_file_has_no_colours() {
    let log = logged(&["--log", "debug,sqlx=off,sea_orm_migration=off"], 1).await;
    assert!(log.contains(" DEBUG ") && !log.contains('\u{1b}'), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn start_error_is_an_event_of_the_json_log() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let flags = [
        "--log-format",
        "json",
        "--database-url",
        "sqlite:/nowhere/a.db",
    ];
    let (code, _, stderr) = run(command(&data, &flags)).await;
    assert_eq!(code, Some(1), "{stderr}");
    let last: Value = serde_json::from_str(stderr.lines().last().unwrap()).unwrap();
    assert_eq!(last["level"], "ERROR");
    let message = last["message"].as_str().unwrap();
    assert!(message.contains("/nowhere/a.db"), "{message}");
    let flags = [&flags[..], &["--log", "off"]].concat();
    let (_, _, stderr) = run(command(&data, &flags)).await;
    assert!(stderr.starts_with("allclear: "), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_log_has_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server = command(&folder.path().join("data"), &["--log-format", "json"]);
    let process = Process::serve_with_json_log(server, &log).await;
    assert_eq!(process.terminate().await, Some(0));
    let log = std::fs::read_to_string(&log).unwrap();
    let mut events = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let started = events.find(|event| event["message"] == "started").unwrap();
    assert_eq!(started["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(started["database"], "SQLite");
}

#[tokio::test(flavor = "multi_thread")]
async fn forgotten_trusted_proxy_is_logged_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut server = command(&folder.path().join("data"), &[]);
    server.stderr(std::fs::File::create(&log).unwrap());
    let process = Process::serve_quietly(server).await;
    for address in ["203.0.113.7", "203.0.113.8"] {
        let url = format!("{}/api/v1/identity/sign-in", process.url);
        let request = client().post(url).header("x-forwarded-for", address);
        let body = json!({"email": "ada@example.com", "password": "a wrong password"});
        assert_eq!(request.json(&body).send().await.unwrap().status(), 401);
    }
    assert_eq!(process.terminate().await, Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    let warnings = log.matches("ALLCLEAR_TRUSTED_PROXIES").count();
    assert_eq!(warnings, 1, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn range_of_all_addresses_as_trusted_proxies_is_logged() {
    let log = logged(
        &["--trusted-proxies", "0.0.0.0/0", "--shutdown-delay", "0"],
        0,
    )
    .await;
    assert!(
        log.contains("ALLCLEAR_TRUSTED_PROXIES contains every address"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mistyped_settings_are_logged_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let flags = ["--default-organisation", "nowhere"];
    let mut server = command(&folder.path().join("data"), &flags);
    server
        .env("ALLCLEAR_SING_UP", "closed-canary")
        .env("ALLCLEAR_OIDC_PROVIDERS", "okta")
        .env("ALLCLEAR_OIDC_OKTA_ISSUER", "https://okta.example")
        .env("ALLCLEAR_OIDC_OKTA_CLIENT_ID", "allclear")
        .env("ALLCLEAR_OIDC_OKTA_CLIENT_SECRET", "secret-canary")
        .env("ALLCLEAR_OIDC_OKTA_DOMAINS", "*")
        .env("ALLCLEAR_OIDC_OKTA_ORGANISATION", "org_nowhere")
        .stderr(std::fs::File::create(&log).unwrap());
    let process = Process::serve_quietly(server).await;
    assert_eq!(process.terminate().await, Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    for name in [
        "ALLCLEAR_SING_UP",
        "ALLCLEAR_DEFAULT_ORGANISATION",
        "the provider's _ORGANISATION",
    ] {
        let found = log
            .lines()
            .filter(|line| line.contains("WARN") && line.contains(name));
        assert_eq!(found.count(), 1, "{name}: {log}");
    }
    assert!(!log.contains("-canary"), "{log}");
}
