//! A Socket.IO client for tests: one WebSocket, every packet in order.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

/// An event: its name and its arguments.
pub(crate) type Event = (String, Value);

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By packet `41`: the official client does not come back.
    Disconnected,
    /// Without a word: it does.
    Closed,
}

/// A connected client.
pub(crate) struct Client {
    wire: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next: u64,
    waiting: VecDeque<Event>,
}

enum Packet {
    Event(Event),
    Ack(u64, Value),
    Connected,
    Refused(Value),
    End(End),
}

impl Client {
    /// Connects with what is put in `auth` and these headers; the error is what
    /// `connect_error` carries.
    pub(crate) async fn connect(
        url: &str,
        auth: Value,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Value> {
        let url = format!(
            "{}/socket.io/?EIO=4&transport=websocket",
            url.replacen("http", "ws", 1)
        );
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let (wire, _) = connect_async(request).await.unwrap();
        Self::open(wire, auth).await
    }

    /// A visitor from one of this machine's own addresses.
    pub(crate) async fn visitor_from(url: &str, address: Ipv4Addr) -> Self {
        let host = url.trim_start_matches("http://");
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((address, 0))).unwrap();
        let stream = socket.connect(host.parse().unwrap()).await.unwrap();
        let url = format!("ws://{host}/socket.io/?EIO=4&transport=websocket");
        let (wire, _) = client_async(url, MaybeTlsStream::Plain(stream))
            .await
            .unwrap();
        Self::open(wire, json!({})).await.unwrap()
    }

    async fn open(
        wire: WebSocketStream<MaybeTlsStream<TcpStream>>,
        auth: Value,
    ) -> Result<Self, Value> {
        let mut client = Self {
            wire,
            next: 0,
            waiting: VecDeque::new(),
        };
        client.send(&format!("40{auth}")).await;
        match client.packet().await {
            Packet::Connected => Ok(client),
            Packet::Refused(error) => Err(error),
            _ => panic!("the first packet responds to CONNECT"),
        }
    }

    /// A visitor without a token.
    pub(crate) async fn anonymous(url: &str) -> Self {
        Self::connect(url, json!({}), &[]).await.unwrap()
    }

    /// A client with a token.
    pub(crate) async fn signed_in(url: &str, token: &str) -> Self {
        Self::connect(url, json!({"token": token}), &[])
            .await
            .unwrap()
    }

    /// Sends an event and returns its acknowledgement; earlier events are kept.
    pub(crate) async fn ask(&mut self, name: &str, argument: &str) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&format!("42{id}{}", json!([name, argument])))
            .await;
        loop {
            match self.packet().await {
                Packet::Ack(of, mut args) if of == id => {
                    assert_eq!(args.as_array().unwrap().len(), 1, "one argument: {args}");
                    return args[0].take();
                }
                Packet::Event(event) => self.waiting.push_back(event),
                _ => panic!("{name} is acknowledged"),
            }
        }
    }

    /// Sends an event many times without a wait. Returns the acknowledgements in their order.
    pub(crate) async fn ask_many(&mut self, name: &str, argument: &str, times: u64) -> Vec<Value> {
        let ids = self.next..self.next + times;
        self.next = ids.end;
        for id in ids.clone() {
            self.send(&format!("42{id}{}", json!([name, argument])))
                .await;
        }
        let mut acknowledgements = Vec::new();
        for id in ids {
            match self.packet().await {
                Packet::Ack(of, mut args) if of == id => acknowledgements.push(args[0].take()),
                _ => panic!("{name} is acknowledged in order"),
            }
        }
        acknowledgements
    }

    /// Joins an organisation's room.
    pub(crate) async fn join(&mut self, organisation: &str) -> Value {
        self.ask("join", organisation).await
    }

    /// The next event.
    pub(crate) async fn event(&mut self) -> Event {
        self.event_or_end()
            .await
            .unwrap_or_else(|end| panic!("the next is an event, not the end: {end:?}"))
    }

    /// The next event, or how the connection ended.
    pub(crate) async fn event_or_end(&mut self) -> Result<Event, End> {
        if let Some(event) = self.waiting.pop_front() {
            return Ok(event);
        }
        match self.packet().await {
            Packet::Event(event) => Ok(event),
            Packet::End(end) => Err(end),
            _ => panic!("the next is an event"),
        }
    }

    /// The events that arrived before the last acknowledgement.
    pub(crate) fn received(&mut self) -> Vec<Event> {
        self.waiting.drain(..).collect()
    }

    /// Waits for the end.
    pub(crate) async fn end(mut self) -> End {
        loop {
            if let Packet::End(end) = self.packet().await {
                return end;
            }
        }
    }

    async fn send(&mut self, text: &str) {
        self.wire.send(Message::text(text)).await.unwrap();
    }

    /// The next packet that is not of the heartbeat or the handshake.
    async fn packet(&mut self) -> Packet {
        loop {
            let frame = tokio::time::timeout(Duration::from_secs(30), self.wire.next()).await;
            let text = match frame.expect("a packet within the time") {
                Some(Ok(Message::Text(text))) => text.to_string(),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Packet::End(End::Closed),
                Some(Ok(_)) => continue,
            };
            let rest = |start: usize| serde_json::from_str::<Value>(&text[start..]).unwrap();
            match text.get(..2) {
                _ if text == "2" => self.send("3").await,
                Some("40") => return Packet::Connected,
                Some("41") => return Packet::End(End::Disconnected),
                Some("42") => {
                    let Value::Array(mut args) = rest(2) else {
                        panic!("{text}")
                    };
                    let name = args.remove(0).as_str().unwrap().to_owned();
                    return Packet::Event((name, Value::Array(args)));
                }
                Some("43") => {
                    let start = text.find('[').unwrap();
                    return Packet::Ack(text[2..start].parse().unwrap(), rest(start));
                }
                Some("44") => return Packet::Refused(rest(2)),
                _ => assert!(text.starts_with('0'), "{text}"),
            }
        }
    }
}
