use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{Operator, TestApp};

/// A viewer's event stream.
pub(crate) struct Stream {
    response: reqwest::Response,
    text: String,
}

/// An event of the stream: name, arguments, revision.
pub(crate) type Event = (String, Value, Option<i64>);

impl Stream {
    pub(crate) async fn open(operator: &Operator, query: &str, last_event_id: Option<i64>) -> Self {
        let url = format!(
            "{}/api/v1/status/{}/events{query}",
            operator.url, operator.organisation
        );
        let mut request = crate::app::client().get(url);
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id.to_string());
        }
        Self::of(request.send().await.unwrap())
    }

    /// The stream of a response.
    pub(crate) fn of(response: reqwest::Response) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
        }
    }

    /// The next event; comments and pings are passed over.
    pub(crate) async fn next(&mut self) -> Event {
        self.next_or_end().await.expect("the stream is open")
    }

    /// The next event, or none when the stream has ended.
    pub(crate) async fn next_or_end(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| {
                    block
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(str::to_owned)
                };
                if let Some(event) = field("event: ").filter(|name| name != "ping") {
                    let data = serde_json::from_str(&field("data: ").unwrap()).unwrap();
                    return Some((event, data, field("id: ").map(|id| id.parse().unwrap())));
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.chunk()).await;
            let chunk = chunk.expect("an event within the time").ok().flatten()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Waits until the server ends the stream.
    pub(crate) async fn ends(mut self) {
        while let Ok(Some(_)) = self.response.chunk().await {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn viewer_receives_every_change_in_order() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut stream = Stream::open(&operator, "", None).await;
    let id = operator.component("API").await;
    operator
        .patch(&format!("/component/{id}"), json!({"status": "DEGRADED"}))
        .await;
    operator.delete(&format!("/component/{id}")).await;

    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["name"], revision),
        ("new-component", &json!("API"), Some(1))
    );
    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["status"], revision),
        ("component-update", &json!("DEGRADED"), Some(2))
    );
    assert_eq!(
        stream.next().await,
        ("component-deleted".to_owned(), json!([id]), Some(3))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnected_viewer_resumes_where_it_stopped() {
    let (_app, operator) = TestApp::with_operator().await;
    for name in ["one", "two", "three"] {
        operator.component(name).await;
    }
    let mut resumed = Stream::open(&operator, "?since=0", Some(1)).await;
    assert_eq!(
        resumed.next().await.2,
        Some(2),
        "Last-Event-ID wins over since"
    );
    assert_eq!(resumed.next().await.2, Some(3));
    let url = format!(
        "{}/api/v1/status/{}/events",
        operator.url, operator.organisation
    );
    let unreadable = crate::app::client().get(url).header("last-event-id", "abc");
    let mut unreadable = Stream::of(unreadable.send().await.unwrap());
    assert_eq!(unreadable.next().await.0, "resync");
    let mut since = Stream::open(&operator, "?since=2", None).await;
    assert_eq!(since.next().await.2, Some(3));
    operator.component("four").await;
    assert_eq!(
        (since.next().await.2, resumed.next().await.2),
        (Some(4), Some(4))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_resumes_after_the_server_was_restarted() {
    let (app, operator) = TestApp::with_operator().await;
    let stream = Stream::open(&operator, "", None).await;
    operator.component("one").await;
    operator.component("two").await;
    let (folder, ()) = tokio::join!(app.stop(), stream.ends());
    let app = TestApp::start_in(folder, &[]).await;
    let operator = operator.at(&app.url);
    let mut stream = Stream::open(&operator, "?since=1", None).await;
    assert_eq!(stream.next().await.2, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_viewer_receives_a_reconnection_time_of_its_own() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut times = Vec::new();
    for _ in 0..8 {
        let mut stream = Stream::open(&operator, "", None).await;
        let opening = stream.response.chunk().await.unwrap().unwrap();
        let opening = String::from_utf8(opening.to_vec()).unwrap();
        let time = opening
            .lines()
            .find_map(|line| line.strip_prefix("retry: "));
        times.push(time.unwrap().parse::<u32>().unwrap());
    }
    assert!(times.iter().all(|time| (2_000..=10_000).contains(time)));
    assert!(
        times.iter().any(|time| *time != times[0]),
        "viewers that lose their connections together do not return together: {times:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn viewer_ahead_of_the_outbox_receives_resync() {
    let (_app, operator) = TestApp::with_operator().await;
    operator.component("one").await;
    let mut stream = Stream::open(&operator, "?since=99", None).await;
    assert_eq!(
        stream.next().await,
        ("resync".to_owned(), json!([]), Some(1))
    );
    operator.component("two").await;
    let (name, _, revision) = stream.next().await;
    assert_eq!((name.as_str(), revision), ("new-component", Some(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_event_source_is_resynced_once_and_then_follows() {
    let (_app, operator) = TestApp::with_operator().await;
    operator.component("one").await;
    let (mut last, mut resyncs, mut seen) = (Some(99), 0, Vec::new());
    for name in ["two", "three", "four"] {
        // As a browser does that lost its connection: it sends the last id that it got.
        let mut stream = Stream::open(&operator, "?since=99", last).await;
        operator.component(name).await;
        loop {
            let (event, args, id) = stream.next().await;
            last = id;
            if event == "resync" {
                resyncs += 1;
            } else {
                seen.push(args[0]["name"].as_str().unwrap().to_owned());
                break;
            }
        }
    }
    assert_eq!(
        (resyncs, seen),
        (1, vec!["two".into(), "three".into(), "four".into()])
    );
}

/// Bytes of text in a change that floods a viewer.
const FLOOD: usize = 40_000;

#[tokio::test(flavor = "multi_thread")]
async fn viewer_that_does_not_read_is_disconnected_and_resumes() {
    let (app, operator) = TestApp::with_operator().await;
    let id = operator.component("API").await;
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    // The kernels' buffers for the viewer do not count as the server's memory.
    socket.set_recv_buffer_size(64 * 1024).unwrap();
    let address = app.url.strip_prefix("http://").unwrap().parse().unwrap();
    let mut slow = socket.connect(address).await.unwrap();
    let request = format!(
        "GET /api/v1/status/{}/events HTTP/1.1\r\nHost: x\r\n\r\n",
        operator.organisation
    );
    slow.write_all(request.as_bytes()).await.unwrap();
    let mut said = vec![0; 12];
    slow.read_exact(&mut said).await.unwrap();
    assert_eq!(said, b"HTTP/1.1 200");
    let changes: i64 = 150;
    for number in 0..changes {
        let description = format!("{number:04}{}", "\u{1F525}".repeat((FLOOD - 4) / 4 - 4));
        let saved = operator
            .patch(
                &format!("/component/{id}"),
                json!({"description": description}),
            )
            .await;
        assert_eq!(saved.status, 200, "{saved:?}");
    }
    let reading = async { while slow.read_buf(&mut said).await.unwrap() > 0 {} };
    tokio::time::timeout(Duration::from_secs(30), reading)
        .await
        .expect("the stream ends");
    let said = String::from_utf8_lossy(&said);
    let last = said.rmatch_indices("\nid: ").find_map(|(at, _)| {
        let id = said[at + 5..].split_once('\n')?.0;
        id.parse::<i64>().ok()
    });
    let last = last.unwrap_or(1);
    assert!(last < 1 + changes, "it was disconnected before the end");
    let mut resumed = Stream::open(&operator, "", Some(last)).await;
    let (mut event, _, mut revision) = resumed.next().await;
    if event != "resync" {
        assert_eq!(revision, Some(last + 1));
    }
    while revision < Some(1 + changes) {
        (event, _, revision) = resumed.next().await;
        assert_eq!(event, "component-update");
    }
}

/// Requests a stream with these bytes behind the request. Returns the connection and what has
/// arrived when the stream is open.
async fn opened(app: &TestApp, organisation: &str, behind: &str) -> (TcpStream, Vec<u8>) {
    let address = app.url.strip_prefix("http://").unwrap();
    let mut viewer = TcpStream::connect(address).await.unwrap();
    let request =
        format!("GET /api/v1/status/{organisation}/events HTTP/1.1\r\nHost: x\r\n\r\n{behind}");
    viewer.write_all(request.as_bytes()).await.unwrap();
    let mut received = Vec::new();
    receive(&mut viewer, &mut received, b"retry:").await;
    (viewer, received)
}

/// Receives until this has arrived.
async fn receive(viewer: &mut TcpStream, received: &mut Vec<u8>, until: &[u8]) {
    while !received.windows(until.len()).any(|bytes| bytes == until) {
        assert!(viewer.read_buf(received).await.unwrap() > 0);
    }
}

/// A request on the connection of a stream, which gets no response.
const BEHIND: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

fn assert_one_response(received: Vec<u8>) {
    let received = String::from_utf8(received).unwrap();
    assert_eq!(received.matches("HTTP/1.1").count(), 1, "{received}");
}

#[tokio::test(flavor = "multi_thread")]
async fn viewer_that_sends_something_after_its_request_is_disconnected() {
    let (app, operator) = TestApp::with_operator().await;
    let (mut viewer, mut received) = opened(&app, &operator.organisation, "").await;
    viewer.write_all(BEHIND.as_bytes()).await.unwrap();
    let end = tokio::time::timeout(Duration::from_secs(20), viewer.read_to_end(&mut received));
    // The kernel may report the unread request as a reset.
    let _ = end.await.expect("the connection ends");
    assert_one_response(received);
}

#[tokio::test(flavor = "multi_thread")]
async fn request_behind_that_for_a_stream_is_not_answered_in_the_stream() {
    let (app, operator) = TestApp::with_operator().await;
    let (mut viewer, mut received) = opened(&app, &operator.organisation, BEHIND).await;
    operator.component("API").await;
    receive(&mut viewer, &mut received, b"\nevent:").await;
    assert_one_response(received);
}

#[tokio::test(flavor = "multi_thread")]
async fn viewer_that_sends_more_than_the_http_server_keeps_is_disconnected() {
    let (app, operator) = TestApp::with_operator().await;
    let behind = BEHIND.repeat(8000);
    let (mut viewer, mut received) = opened(&app, &operator.organisation, &behind).await;
    let end = tokio::time::timeout(Duration::from_secs(20), viewer.read_to_end(&mut received));
    // The kernel may report the unread requests as a reset.
    let _ = end.await.expect("the connection ends");
    assert_one_response(received);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_organisations_receive_nothing() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let mut stream = Stream::open(&other, "", None).await;
    acme.component("API").await;
    other.component("Mine").await;
    assert_eq!(stream.next().await.1[0]["name"], "Mine");
}
