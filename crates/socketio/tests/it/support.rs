//! A test server, and clients that send raw frames.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, rt};
use allclear_socketio::{
    Admission, Connect, ConnectError, EncodeError, Event, Handler, Incoming, Server, Settings,
    Socket, SocketRef, close_dead_connections,
};
use futures_util::{SinkExt, StreamExt};
use serde_json::value::RawValue;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Generous, because the machine may be busy.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Waits for something that must happen.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    timeout(TIMEOUT, future)
        .await
        .expect("it should have happened by now")
}

/// Settings with timeouts short enough for tests and long enough for a busy machine.
pub(crate) fn quick() -> Settings {
    Settings {
        ping_interval: Duration::from_secs(1),
        ping_timeout: Duration::from_secs(2),
        upgrade_timeout: Duration::from_secs(1),
        connect_timeout: Duration::from_secs(2),
        ..Settings::default()
    }
}

/// Calls to the handler, in order.
#[derive(Debug)]
pub(crate) enum Report {
    Connected(SocketRef),
    Event(String, String),
    Disconnected(&'static str),
}

/// Reports calls to the test, and does what events request.
#[derive(Clone)]
struct Reporter {
    reports: UnboundedSender<Report>,
    released: Arc<Notify>,
}

impl Handler for Reporter {
    type Data = String;

    async fn connect(&self, request: Connect<'_>) -> Result<String, ConnectError> {
        let bearer = request
            .handshake()
            .header("authorization")
            .unwrap_or_default()
            .to_owned();
        match request.auth_json() {
            r#"{"token":"bad"}"# => Err(ConnectError::new("bad token")
                .with_data(&["expired"])
                .expect("an array can be written")),
            r#"{"token":"unknown"}"# => Err(ConnectError::temporary()),
            auth => Ok(format!("{bearer}{auth}")),
        }
    }

    async fn connected(&self, socket: &Socket<String>) {
        let _ = self.reports.send(Report::Connected((**socket).clone()));
    }

    async fn event(&self, socket: &Socket<String>, mut event: Incoming) {
        let _ = self.reports.send(Report::Event(
            event.name().into(),
            event.args().items().into(),
        ));
        match event.name() {
            "join" => {
                let (room,): (String,) = event.args().parse().expect("a room");
                socket.join(&room);
            }
            "who" => event.ack(&(socket.data(),)).expect("text can be written"),
            "question" => {
                let question = Event::new("question", &(1,)).expect("a number can be written");
                let response = socket
                    .emit_with_ack(&question, Duration::from_secs(1))
                    .await;
                let text =
                    response.map_or_else(|error| error.to_string(), |args| args.items().to_owned());
                event.ack(&(text,)).expect("text can be written");
            }
            "wait" => self.released.notified().await,
            "slow" => rt::time::sleep(Duration::from_millis(20)).await,
            "panic" => panic!("a handler may"),
            _ => acknowledge_with_own_arguments(&mut event).expect("they are JSON"),
        }
    }

    async fn disconnected(&self, _: &Socket<String>, reason: allclear_socketio::DisconnectReason) {
        let _ = self.reports.send(Report::Disconnected(reason.as_str()));
    }
}

fn acknowledge_with_own_arguments(event: &mut Incoming) -> Result<(), EncodeError> {
    let args: Vec<Box<RawValue>> = event.args().parse()?;
    let attachments = event.args().attachments().to_vec();
    event.ack_with_attachments(&args, attachments)
}

pub(crate) struct TestServer {
    pub(crate) server: Server,
    pub(crate) http: ServerHandle,
    address: SocketAddr,
    reports: UnboundedReceiver<Report>,
    released: Arc<Notify>,
}

impl TestServer {
    pub(crate) fn start(settings: Settings) -> Self {
        Self::start_with(settings, None)
    }

    pub(crate) fn start_with(settings: Settings, admission: Option<Arc<dyn Admission>>) -> Self {
        let (sender, reports) = unbounded_channel();
        let released = Arc::new(Notify::new());
        let reporter = Reporter {
            reports: sender,
            released: Arc::clone(&released),
        };
        let cut = close_dead_connections(&settings);
        let mut builder = Server::builder()
            .settings(settings)
            .namespace("/", reporter.clone())
            .namespace("/other", reporter);
        if let Some(admission) = admission {
            builder = builder.admission(admission);
        }
        let server = builder.build();
        let app = server.clone();
        let http = HttpServer::new(move || App::new().service(app.resource("/socket.io")))
            .h1_allow_half_closed(false)
            .client_disconnect_timeout(Duration::from_millis(20))
            .client_request_timeout(TIMEOUT)
            .keep_alive(TIMEOUT)
            .on_connect(cut)
            .workers(2)
            .disable_signals()
            .bind(("127.0.0.1", 0))
            .expect("a port is free");
        let address = http.addrs()[0];
        let running = http.run();
        let http = running.handle();
        rt::spawn(running);
        Self {
            server,
            http,
            address,
            reports,
            released,
        }
    }

    /// Lets the handler of a `wait` event go on.
    pub(crate) fn release(&self) {
        self.released.notify_one();
    }

    /// The next report, if there is one already.
    pub(crate) fn reported(&mut self) -> Option<Report> {
        self.reports.try_recv().ok()
    }

    pub(crate) async fn next_report(&mut self) -> Report {
        soon(self.reports.recv())
            .await
            .expect("the handler is there")
    }

    pub(crate) async fn connected(&mut self) -> SocketRef {
        match self.next_report().await {
            Report::Connected(socket) => socket,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn disconnected(&mut self) -> &'static str {
        loop {
            if let Report::Disconnected(reason) = self.next_report().await {
                return reason;
            }
        }
    }

    /// Waits until the server has that many sessions.
    pub(crate) async fn until_sessions(&self, count: usize) {
        soon(async {
            while self.server.sessions() != count {
                rt::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }

    pub(crate) fn url(&self, query: &str) -> String {
        format!("http://{}/socket.io/?{query}", self.address)
    }

    pub(crate) async fn wire(&self, query: &str) -> Wire {
        let url = self.url(query).replace("http", "ws");
        let (stream, _) = soon(connect_async(url))
            .await
            .expect("the handshake succeeds");
        Wire(stream)
    }

    /// A WebSocket session that has joined the namespace `/`.
    pub(crate) async fn joined(&mut self) -> (Wire, SocketRef) {
        let mut wire = self.wire("EIO=4&transport=websocket").await;
        assert!(wire.text().await.starts_with('0'));
        wire.send("40").await;
        assert!(wire.data().await.starts_with("40{"));
        let socket = self.connected().await;
        (wire, socket)
    }

    pub(crate) async fn raw(&self) -> TcpStream {
        TcpStream::connect(self.address)
            .await
            .expect("the server listens")
    }

    pub(crate) async fn polling(&self) -> Polling {
        let client = client();
        let (_, open) = get(&client, &self.url("EIO=4&transport=polling")).await;
        let open: serde_json::Value = serde_json::from_str(&open[1..]).expect("an open packet");
        let sid = open["sid"].as_str().expect("a sid").to_owned();
        let url = self.url(&format!("EIO=4&transport=polling&sid={sid}"));
        Polling { client, url, sid }
    }
}

/// The client library needs a cryptography provider even without TLS.
pub(crate) fn client_builder() -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

pub(crate) fn client() -> reqwest::Client {
    client_builder().build().unwrap()
}

pub(crate) async fn get(client: &reqwest::Client, url: &str) -> (u16, String) {
    let response = soon(client.get(url).send()).await.expect("a response");
    (
        response.status().as_u16(),
        response.text().await.expect("text"),
    )
}

/// A polling session.
pub(crate) struct Polling {
    pub(crate) client: reqwest::Client,
    pub(crate) url: String,
    pub(crate) sid: String,
}

impl Polling {
    pub(crate) async fn poll(&self) -> (u16, String) {
        get(&self.client, &self.url).await
    }

    pub(crate) async fn post(&self, body: impl Into<reqwest::Body>) -> (u16, String) {
        let response = soon(self.client.post(&self.url).body(body).send())
            .await
            .expect("a response");
        (
            response.status().as_u16(),
            response.text().await.expect("text"),
        )
    }
}

/// A WebSocket.
pub(crate) struct Wire(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Wire {
    pub(crate) async fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.expect("it is open");
    }

    pub(crate) async fn send_message(&mut self, message: Message) -> bool {
        self.0.send(message).await.is_ok()
    }

    pub(crate) async fn message(&mut self) -> Option<Message> {
        soon(self.0.next()).await.and_then(Result::ok)
    }

    pub(crate) async fn text(&mut self) -> String {
        match self.message().await {
            Some(Message::Text(text)) => text.to_string(),
            other => panic!("text was due, not {other:?}"),
        }
    }

    /// The next message except pings, which get their pongs.
    pub(crate) async fn data(&mut self) -> String {
        loop {
            match self.text().await.as_str() {
                "2" => self.send("3").await,
                text => return text.to_owned(),
            }
        }
    }

    /// Reads to the end; returns the close code.
    pub(crate) async fn close_code(&mut self) -> Option<u16> {
        let mut code = None;
        while let Some(message) = self.message().await {
            if let Message::Close(frame) = message {
                code = frame.map(|frame| frame.code.into());
            }
        }
        code
    }
}

impl From<WebSocketStream<MaybeTlsStream<TcpStream>>> for Wire {
    fn from(stream: WebSocketStream<MaybeTlsStream<TcpStream>>) -> Self {
        Self(stream)
    }
}
