//! A receiver of requests. It records each request and responds as the test decides.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use standardwebhooks::Webhook;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use url::Url;

/// Timeout of every wait. A test that reaches it has failed.
const TIMEOUT: Duration = Duration::from_secs(90);

/// What a receiver does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Responds with this status and these header lines.
    Status(u16, &'static str),
    /// Never responds.
    Silence,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) at: Instant,
}

/// Responds with 200 unless the test decides otherwise. It ends with the test's runtime.
pub(crate) struct Receiver {
    pub(crate) port: u16,
    requests: UnboundedReceiver<Received>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<HashMap<String, VecDeque<Reply>>>,
    silent: Mutex<Option<String>>,
    hanging: AtomicUsize,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
            .to_str()
            .unwrap()
    }

    /// The parameters of the link to this page in the body, as the page sends them.
    pub(crate) fn link(&self, page: &str) -> Value {
        let start = format!("http://status.example.com/{page}?");
        let place = self.text.find(&start);
        let link = &self.text[place.unwrap_or_else(|| panic!("no {start} in {}", self.text))..];
        let end = link.find(['"', '|', '>', ')', '\\', ' ']).unwrap();
        let url = Url::parse(&link[..end].replace("&amp;", "&")).unwrap();
        let pair = |(key, value): (_, _)| (String::from(key), Value::from(String::from(value)));
        let carried: Map<_, _> = url.query_pairs().map(pair).collect();
        Value::Object(carried)
    }

    /// The signatures by these secrets, as the header writes them.
    pub(crate) fn signatures(&self, secrets: &[&str]) -> String {
        let id = self.header("webhook-id");
        let timestamp = self.header("webhook-timestamp").parse().unwrap();
        let sign = |secret: &&str| {
            let webhook = Webhook::new(secret).unwrap();
            webhook.sign(id, timestamp, self.text.as_bytes()).unwrap()
        };
        let signatures: Vec<_> = secrets.iter().map(sign).collect();
        signatures.join(" ")
    }

    /// Asserts that a receiver with this secret accepts the request.
    pub(crate) fn assert_signed(&self, secret: &str) {
        let webhook = Webhook::new(secret).unwrap();
        webhook
            .verify(self.text.as_bytes(), &self.headers)
            .unwrap_or_else(|error| panic!("{error}: {self:?}"));
    }
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = unbounded_channel();
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, sender.clone(), Arc::clone(&accepting)));
            }
        });
        Self {
            port,
            requests,
            shared,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Sets the replies to the next requests to a path. Later requests get 200.
    pub(crate) fn reply(&self, path: &str, replies: &[Reply]) {
        let mut known = self.shared.replies.lock();
        known.insert(path.to_owned(), replies.iter().cloned().collect());
    }

    /// Requests to paths with this prefix get no response from now on.
    pub(crate) fn fall_silent(&self, prefix: &str) {
        *self.shared.silent.lock() = Some(prefix.to_owned());
    }

    /// Number of requests without a response whose client still waits.
    pub(crate) fn hanging(&self) -> usize {
        self.shared.hanging.load(Ordering::SeqCst)
    }

    pub(crate) async fn next(&mut self) -> Received {
        let next = tokio::time::timeout(TIMEOUT, self.requests.recv());
        next.await.expect("a request in time").unwrap()
    }

    /// The next request.
    pub(crate) async fn received(&mut self) -> Received {
        self.requests.recv().await.unwrap()
    }

    /// The next request, which must be to this path.
    pub(crate) async fn next_at(&mut self, path: &str) -> Received {
        let next = self.next().await;
        assert_eq!(next.path, path, "{next:?}");
        next
    }

    /// The requests that have arrived and were not returned yet.
    pub(crate) fn rest(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.requests.try_recv().ok()).collect()
    }
}

async fn serve(stream: TcpStream, sender: UnboundedSender<Received>, shared: Arc<Shared>) {
    stream.set_nodelay(true).unwrap();
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    while let Some(received) = read(&mut reader).await {
        let path = received.path.clone();
        let reply = shared.reply(&path);
        if matches!(reply, Reply::Silence) {
            shared.hanging.fetch_add(1, Ordering::SeqCst);
        }
        if sender.send(received).is_err() {
            return;
        }
        match reply {
            Reply::Status(status, headers) => {
                let response =
                    format!("HTTP/1.1 {status} So\r\n{headers}content-length: 2\r\n\r\nok");
                if writer.write_all(response.as_bytes()).await.is_err() {
                    return;
                }
            }
            Reply::Silence => {
                // The client ends the connection.
                let _ = reader.read(&mut [0]).await;
                shared.hanging.fetch_sub(1, Ordering::SeqCst);
                return;
            }
        }
    }
}

impl Shared {
    fn reply(&self, path: &str) -> Reply {
        let silent = self.silent.lock();
        if silent
            .as_ref()
            .is_some_and(|prefix| path.starts_with(prefix.as_str()))
        {
            return Reply::Silence;
        }
        let mut replies = self.replies.lock();
        let reply = replies.get_mut(path).and_then(VecDeque::pop_front);
        reply.unwrap_or(Reply::Status(200, ""))
    }
}

/// Reads a request (RFC 9112) of a client that makes no mistakes. `None` at the end of
/// the connection.
async fn read(reader: &mut BufReader<OwnedReadHalf>) -> Option<Received> {
    let mut line = String::new();
    if reader.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    let path = line.split(' ').nth(1)?.to_owned();
    assert!(line.starts_with("POST "), "{line}");
    let mut headers = HeaderMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.append(
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    let length = headers.get("content-length")?.to_str().ok()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    Some(Received {
        path,
        headers,
        text: String::from_utf8(body).unwrap(),
        at: Instant::now(),
    })
}
