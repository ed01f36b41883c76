//! How many connections, streams and sockets one client may have, and what stays free for others.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, client, send, until};
use crate::process::{Process, command};

const POLLING: &str = "/socket.io/?EIO=4&transport=polling";

async fn stream(url: &str, organisation: &str) -> reqwest::Response {
    let url = format!("{url}/api/v1/status/{organisation}/events");
    client().get(url).send().await.unwrap()
}

/// Opens a session by polling; its identifier, or the refusal's status and `Retry-After`.
async fn poll(url: &str) -> Result<String, (u16, String)> {
    let response = client()
        .get(format!("{url}{POLLING}"))
        .send()
        .await
        .unwrap();
    let status = response.status().as_u16();
    if status != 200 {
        let wait = response.headers()["retry-after"]
            .to_str()
            .unwrap()
            .to_owned();
        return Err((status, wait));
    }
    let text = response.text().await.unwrap();
    let open: Value = serde_json::from_str(&text[1..]).unwrap();
    Ok(open["sid"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn event_stream_beyond_the_limit_is_refused_and_other_requests_are_allowed() {
    let app = TestApp::start_with(&["--limit-streams", "2"]).await;
    let operator = app.operator("Acme").await;
    let open = || stream(&app.url, &operator.organisation);
    let (first, _second) = (open().await, open().await);
    assert_eq!(first.status(), 200);
    let response = open().await;
    assert_eq!(response.status(), 429);
    assert_eq!(response.headers()["retry-after"], "10");
    assert_eq!(operator.get("/component/list").await.status, 200);
    drop(first);
    until(200, async || open().await.status().as_u16()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_of_zero_switches_the_limit_off() {
    let app = TestApp::start_with(&["--limit-streams", "0", "--limit-handshakes", "0"]).await;
    let operator = app.operator("Acme").await;
    let _streams = [
        stream(&app.url, &operator.organisation).await,
        stream(&app.url, &operator.organisation).await,
    ];
    assert!(poll(&app.url).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn unjoined_socket_beyond_the_limit_is_refused() {
    for (flag, status) in [("--limit-handshakes", 429), ("--limit-all-handshakes", 503)] {
        let app = TestApp::start_with(&[flag, "2"]).await;
        let first = poll(&app.url).await.unwrap();
        poll(&app.url).await.unwrap();
        assert_eq!(
            poll(&app.url).await,
            Err((status, "10".to_owned())),
            "{flag}"
        );
        let join = client()
            .post(format!("{}{POLLING}&sid={first}", app.url))
            .body("40");
        assert_eq!(join.send().await.unwrap().status(), 200);
        until(true, async || poll(&app.url).await.is_ok()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_beyond_the_limit_is_refused() {
    let app = TestApp::start_with(&["--limit-sockets", "2"]).await;
    assert!(poll(&app.url).await.is_ok() && poll(&app.url).await.is_ok());
    assert_eq!(poll(&app.url).await, Err((429, "10".to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_poll_beyond_the_limit_is_refused() {
    let app = TestApp::start_with(&["--limit-polls", "1"]).await;
    let waiting = async |time| {
        let sid = poll(&app.url).await.unwrap();
        client()
            .get(format!("{}{POLLING}&sid={sid}", app.url))
            .timeout(time)
    };
    // The first poll waits for packets. While it waits, the second one exceeds the limit.
    let second = async || {
        let _first = tokio::spawn(waiting(Duration::from_secs(20)).await.send());
        let second = waiting(Duration::from_millis(300)).await.send().await;
        second.map_or(0, |response| response.status().as_u16())
    };
    until(429, second).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_beyond_the_limit_is_closed() {
    let app = TestApp::start_with(&["--limit-connections", "3"]).await;
    let address = app.url.strip_prefix("http://").unwrap();
    let ask = async |stream: &mut TcpStream| {
        let request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        let mut response = [0; 12];
        let sent = stream.write_all(request).await;
        sent.is_ok()
            && stream.read_exact(&mut response).await.is_ok()
            && &response == b"HTTP/1.1 200"
    };
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert!(ask(&mut stream).await);
        open.push(stream);
    }
    let one_more = async || {
        let mut stream = TcpStream::connect(address).await.unwrap();
        ask(&mut stream).await
    };
    assert!(!one_more().await);
    open.pop();
    until(true, one_more).await;
}

/// Handshakes of the test of their memory, and the bytes of headers that each sends.
const HANDSHAKES: usize = 1500;
const HEADERS: usize = 30_000;
/// Growth of the peak of resident memory by all of them, in KiB: a third of what they sent.
const GROWTH: u64 = 15_000;

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn handshake_keeps_what_is_used_of_its_headers() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["serve", "--limit-handshakes", "0"];
    let process = Process::serve(command(&folder.path().join("data"), &flags)).await;
    let (client, note) = (client(), "x".repeat(HEADERS));
    let open = async || {
        let request = client
            .get(format!("{}{POLLING}", process.url))
            .header("x-note", &note);
        assert_eq!(request.send().await.unwrap().status(), 200);
    };
    for _ in 0..20 {
        open().await;
    }
    let before = process.peak_memory();
    for _ in 0..HANDSHAKES {
        open().await;
    }
    let grown = process.peak_memory() - before;
    assert!(grown < GROWTH, "the peak grew by {grown} KiB");
    let long = client.get(format!("{}{POLLING}", process.url));
    let long = long
        .header("authorization", "x".repeat(9000))
        .send()
        .await
        .unwrap();
    assert_eq!(long.status(), 400);
    let longer = client
        .get(format!("{}/healthz", process.url))
        .header("x-note", note.repeat(2));
    assert_eq!(longer.send().await.unwrap().status(), 431);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn some_descriptors_stay_free_for_ordinary_requests() {
    let folder = tempfile::tempdir().unwrap();
    let serve = command(&folder.path().join("data"), &["serve"]);
    let mut limited = tokio::process::Command::new("sh");
    limited
        .args(["-c", "ulimit -n 200; exec \"$0\" \"$@\""])
        .arg(serve.as_std().get_program())
        .args(serve.as_std().get_args())
        .env_clear()
        .current_dir(folder.path())
        .kill_on_drop(true)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped());
    let process = Process::serve(limited).await;
    let operator = crate::app::operator_of(&process.url, "ada@example.com", "Acme").await;
    let mut open = Vec::new();
    let error_response = loop {
        let response = stream(&process.url, &operator.organisation).await;
        if response.status() != 200 {
            break response;
        }
        open.push(response);
        assert!(open.len() < 200, "nothing is refused");
    };
    assert_eq!(error_response.status(), 503);
    assert_eq!(error_response.headers()["retry-after"], "10");
    assert_eq!(poll(&process.url).await, Err((503, "10".to_owned())));
    assert!(open.len() > 40, "{} streams", open.len());
    operator.component("API").await;
    let listed = client().get(format!("{}/api/v1/component/list", process.url));
    assert_eq!(send(listed.bearer_auth(&operator.token)).await.status, 200);
    // Idle connections are closed to make room, and those whose requests send no body.
    let address = process.url.strip_prefix("http://").unwrap();
    let head = "POST /api/v1/identity/sign-in HTTP/1.1\r\nHost: x\r\n\
        Content-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    let (mut idle, mut silent) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        idle.push(TcpStream::connect(address).await.unwrap());
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        silent.push(connection);
    }
    for connection in [&mut idle[0], &mut silent[0]] {
        let mut byte = [0; 1];
        let ended = tokio::time::timeout(Duration::from_secs(20), connection.read(&mut byte));
        assert!(matches!(ended.await, Ok(Ok(0) | Err(_))));
    }
}
