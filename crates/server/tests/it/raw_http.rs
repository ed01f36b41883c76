//! Bytes that no well-behaved client sends: requests smuggled past a proxy (CWE-444), and clients
//! that take their time.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::{interval, timeout};

use crate::app::TestApp;
use crate::events::Stream;

/// A body that must not be parsed as a request, which would get a 404 response.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
const CREATE: &str =
    "POST /api/v1/identity/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

async fn connected(app: &TestApp) -> TcpStream {
    TcpStream::connect(app.url.strip_prefix("http://").unwrap())
        .await
        .unwrap()
}

/// Everything the server sends until it closes the connection.
async fn read_response(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut bytes = Vec::new();
    let closed = timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes)).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // A reset is a way of closing as well.
    let _ = closed.unwrap_or_else(|_| panic!("the connection stays open after: {text}"));
    text
}

/// The server's response to these bytes, up to the end of the connection.
async fn response(app: &TestApp, bytes: &[u8]) -> String {
    let mut stream = connected(app).await;
    // The server may have closed it before it has read everything.
    let _ = stream.write_all(bytes).await;
    read_response(&mut stream).await
}

/// The statuses of the responses.
fn statuses(received: &str) -> Vec<u16> {
    received
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|response| response[..3].parse().unwrap())
        .collect()
}

/// A head with these lines, and what follows it.
fn with(lines: &str, body: &str) -> String {
    format!("{CREATE}{lines}\r\n{body}")
}

/// Requests that two readers could understand differently (RFC 9112, 11.2), each with its name.
fn ambiguous_requests() -> Vec<(&'static str, String)> {
    let length = SMUGGLED.len();
    let chunked = format!("0\r\n\r\n{SMUGGLED}");
    let long = format!("X-Note: {}\r\n", "a".repeat(1024 * 1024));
    let many = "X-Note: a\r\n".repeat(10_000);
    vec![
        (
            "both lengths",
            with(
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                &chunked,
            ),
        ),
        (
            "both, the other way round",
            with(
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                &chunked,
            ),
        ),
        (
            "two lengths",
            with(
                &format!("Content-Length: 0\r\nContent-Length: {length}\r\n"),
                SMUGGLED,
            ),
        ),
        (
            "a list of lengths",
            with(&format!("Content-Length: 0, {length}\r\n"), SMUGGLED),
        ),
        (
            "a length with a sign",
            with("Content-Length: +0\r\n", SMUGGLED),
        ),
        (
            "a negative length",
            with("Content-Length: -1\r\n", SMUGGLED),
        ),
        (
            "a length in hexadecimal",
            with("Content-Length: 0x0\r\n", SMUGGLED),
        ),
        (
            "a length too large for a number",
            with("Content-Length: 99999999999999999999999\r\n", SMUGGLED),
        ),
        (
            "two encodings",
            with(
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                &chunked,
            ),
        ),
        (
            "a list of encodings",
            with("Transfer-Encoding: identity, chunked\r\n", &chunked),
        ),
        (
            "an encoding nobody knows",
            with("Transfer-Encoding: xchunked\r\n", &chunked),
        ),
        (
            "an encoding with a tab before its colon",
            with("Transfer-Encoding\t: chunked\r\n", &chunked),
        ),
        (
            "a folded header",
            with("X-Note: a\r\n Content-Length: 5\r\n", SMUGGLED),
        ),
        (
            "a folded encoding",
            with("Transfer-Encoding:\r\n chunked\r\n", &chunked),
        ),
        (
            "a carriage return in a header",
            with("X-Note: a\rContent-Length: 5\r\n", SMUGGLED),
        ),
        ("a NUL in a header", with("X-Note: a\0b\r\n", SMUGGLED)),
        (
            "a space in a header's name",
            with("X Note: a\r\n", SMUGGLED),
        ),
        ("two hosts", with("Host: y\r\n", SMUGGLED)),
        ("a very long header", with(&long, SMUGGLED)),
        ("very many headers", with(&many, SMUGGLED)),
        (
            "HTTP/1.0 in chunks",
            with("Transfer-Encoding: chunked\r\n", &chunked).replacen("HTTP/1.1", "HTTP/1.0", 1),
        ),
        ("no host", with("", SMUGGLED).replacen("Host: x\r\n", "", 1)),
        (
            "a space before the colon",
            with("Content-Length : 5\r\n", SMUGGLED),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_two_meanings_is_refused_and_nothing_in_it_is_a_second_one() {
    let app = TestApp::start().await;
    for (what, request) in ambiguous_requests() {
        let received = response(&app, request.as_bytes()).await;
        assert!(
            matches!(*statuses(&received), [] | [400 | 431]),
            "{what}: {received}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_wait_for_no_response_get_their_own_ones() {
    let app = TestApp::start().await;
    let request = |method: &str, version: &str| {
        format!("{method} /api/v1/configuration HTTP/{version}\r\nHost: x\r\n\r\n")
    };
    let post = with("Content-Length: 2\r\n", "{}");
    let [get, head] = ["GET", "HEAD"].map(|method| request(method, "1.1"));
    let requests = [
        &get,
        &head,
        &post,
        &get,
        &head,
        &head,
        &request("GET", "1.0"),
    ];
    let received = response(&app, requests.map(String::as_str).concat().as_bytes()).await;
    let has_body: Vec<_> = received
        .split("HTTP/1.")
        .skip(1)
        .map(|response| !response.ends_with("\r\n\r\n"))
        .collect();
    assert_eq!(
        has_body,
        [true, false, true, true, false, false, true],
        "{received}"
    );
    assert!(
        received.contains("HTTP/1.0 200") && received.ends_with('}'),
        "{received}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_chunk_ends_the_connection() {
    let app = TestApp::start().await;
    let rows = [
        ("no size", format!("zz\r\n{SMUGGLED}")),
        ("an empty size", format!("\r\n{SMUGGLED}")),
        ("a size with a sign", format!("-1\r\n{SMUGGLED}")),
        ("a size in another notation", format!("0x5\r\n{SMUGGLED}")),
        (
            "a size too large for a number",
            format!("fffffffffffffffff\r\n{SMUGGLED}"),
        ),
        (
            "a bare line feed after the size",
            format!("2\n{{}}\n0\n\n{SMUGGLED}"),
        ),
        (
            "a line feed in an extension",
            format!("2;a\nb\r\n{{}}\r\n0\r\n\r\n{SMUGGLED}"),
        ),
        (
            "more than the size says",
            format!("1\r\n{{}}\r\n0\r\n\r\n{SMUGGLED}"),
        ),
    ];
    for (what, body) in rows {
        let received = response(
            &app,
            with("Transfer-Encoding: chunked\r\n", &body).as_bytes(),
        )
        .await;
        assert!(
            matches!(*statuses(&received), [] | [400]),
            "{what}: {received}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_body_is_not_parsed_as_a_request() {
    let app = TestApp::start().await;
    for (path, lines) in [
        (
            "/healthz",
            format!("Content-Length: {}\r\n", SMUGGLED.len()),
        ),
        // A line feed alone ends a line too (RFC 9112, section 2.2); what follows is this header
        // and no other request.
        (
            "/healthz",
            format!("X-Note: a\nContent-Length: {}\r\n", SMUGGLED.len()),
        ),
        (
            "/nowhere",
            format!("Content-Length: {}\r\n", SMUGGLED.len() + 1),
        ),
    ] {
        let received = response(
            &app,
            format!("GET {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n{SMUGGLED}").as_bytes(),
        )
        .await;
        assert!(statuses(&received).len() <= 1, "{path} {lines}: {received}");
    }
}

/// The pieces in which a body of this size is sent, framed by its length or by chunks. Heads and
/// ends of chunks are pieces as well.
fn pieces(body: &str, size: usize, are_chunks: bool) -> Vec<Vec<u8>> {
    let framed = |part: &[u8]| {
        let head = format!("{:x}\r\n", part.len()).into_bytes();
        vec![head, part.to_vec(), b"\r\n".to_vec()]
    };
    let parts = body.as_bytes().chunks(size);
    if are_chunks {
        parts.chain([&[][..]]).flat_map(framed).collect()
    } else {
        parts.map(<[u8]>::to_vec).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn body_in_odd_pieces_arrives_whole() {
    let app = TestApp::start().await;
    // Only the last byte makes it JSON.
    let space = " ".repeat(60_000);
    let body = format!(r#"{{"email": "eve@example.com", "password": "wrong password"{space}}}"#);
    // The connection reads 8 KiB at a time.
    for size in [5_000, 8 * 1024 - 1, 8 * 1024, 8 * 1024 + 1, 50_000] {
        for are_chunks in [true, false] {
            let framing = if are_chunks {
                "Transfer-Encoding: chunked".to_owned()
            } else {
                format!("Content-Length: {}", body.len())
            };
            let mut stream = connected(&app).await;
            stream.set_nodelay(true).unwrap();
            let head = with(&format!("Connection: close\r\n{framing}\r\n"), "");
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut tick = interval(Duration::from_millis(1));
            for piece in pieces(&body, size, are_chunks) {
                tick.tick().await;
                stream.write_all(&piece).await.unwrap();
            }
            let received = read_response(&mut stream).await;
            assert_eq!(
                statuses(&received),
                [401],
                "{size} {are_chunks}: {received}"
            );
        }
    }
}

/// Sends these bytes over and over, slowly, for as long as they are taken.
async fn dribble(mut sending: OwnedWriteHalf, bytes: &'static [u8]) {
    let mut tick = interval(Duration::from_millis(20));
    while sending.write_all(bytes).await.is_ok() {
        tick.tick().await;
    }
}

/// The server's response to a client that sends `begin` at once and then these bytes slowly.
async fn slowly(app: &TestApp, begin: &str, bytes: &'static [u8]) -> String {
    let (mut receiving, mut sending) = connected(app).await.into_split();
    sending.write_all(begin.as_bytes()).await.unwrap();
    let sending = tokio::spawn(dribble(sending, bytes));
    let received = read_response(&mut receiving).await;
    sending.abort();
    received
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_with_a_slow_head_is_closed() {
    // The HTTP server reads its clock every half second, so a shorter time would not be noticed.
    let app = TestApp::start_with(&["--head-timeout", "1000"]).await;
    let head = slowly(&app, "GET / HTTP/1.1\r\nHost: x\r\nX-Note: ", b"a").await;
    assert!(matches!(*statuses(&head), [] | [408]), "{head}");
    let silent = read_response(&mut connected(&app).await).await;
    assert!(matches!(*statuses(&silent), [] | [408]), "{silent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_with_a_slow_body_is_closed() {
    let app = TestApp::start_with(&["--body-timeout", "300"]).await;
    let length = format!("{CREATE}Content-Length: 60000\r\n\r\n{{");
    let chunks = format!("{CREATE}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n");
    let body = slowly(&app, &length, b" ").await;
    assert!(
        statuses(&body) == [408] && body.contains("application/problem+json"),
        "{body}"
    );
    let body = slowly(&app, &chunks, b"1\r\n \r\n").await;
    assert_eq!(statuses(&body), [408], "{body}");
    let never = response(&app, length.as_bytes()).await;
    assert_eq!(statuses(&never), [408], "{never}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_file_of_an_import_is_refused_as_slow() {
    let app = TestApp::start_with(&["--body-timeout", "300"]).await;
    let operator = app.operator("Acme").await;
    let begin = format!(
        "POST /api/v1/subscriber/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
        Content-Type: text/csv\r\nContent-Length: 60000\r\n\r\nemail\n",
        operator.token
    );
    let received = response(&app, begin.as_bytes()).await;
    assert_eq!(statuses(&received), [408], "{received}");
    let message = "The body took too long to come";
    assert!(received.contains(message), "{received}");
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_unread_body_closes_the_connection() {
    let app = TestApp::start().await;
    for request in [
        "GET /healthz",
        "POST /nowhere",
        "POST /api/v1/component/create",
        "GET /api/v1/status/org_x",
    ] {
        let begin = format!("{request} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n");
        for upgrade in ["", "Connection: upgrade\r\nUpgrade: websocket\r\n"] {
            let received = slowly(&app, &format!("{begin}{upgrade}\r\n"), b"1\r\n \r\n").await;
            assert_eq!(
                statuses(&received).len(),
                1,
                "{request} {upgrade}: {received}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_second_request_is_closed_and_a_silent_viewer_is_not() {
    let app = TestApp::start_with(&["--keep-alive", "300", "--head-timeout", "1000"]).await;
    let operator = app.operator("Acme").await;
    let mut stream = Stream::open(&operator, "", None).await;
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    for next in ["", "G", "GET / HTTP/1.1\r\nX-Note: a"] {
        let received = response(&app, format!("{request}{next}").as_bytes()).await;
        assert_eq!(statuses(&received), [200], "{next}: {received}");
    }
    operator.component("API").await;
    assert_eq!(stream.next().await.2, Some(1));
}
