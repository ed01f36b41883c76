//! What a namespace does with its sockets.

use std::{fmt, future::Future};

use bytestring::ByteString;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{ack::Incoming, socket::Socket};
use crate::{
    engine::{CloseReason, Handshake},
    sid::Sid,
};

/// What happens in a namespace.
///
/// The calls for one client come one after the other, in the order of its packets, also when the transport changes in
/// between. They are made on actix's worker threads, so the futures need not be `Send`. A handler may await a client's
/// acknowledgement: those do not wait in line.
pub trait Handler: Send + Sync + 'static {
    /// What is kept for each socket.
    type Data: Send + Sync + 'static;

    /// A client asks to join (`CONNECT`). The answer is what is kept for its socket, or the error it is told
    /// (`CONNECT_ERROR`). An answer that takes longer than `connect_timeout` is not waited for, and the client is closed.
    fn connect(
        &self,
        request: Connect<'_>,
    ) -> impl Future<Output = Result<Self::Data, ConnectError>>;

    /// The client has joined, and knows.
    fn connected(&self, socket: &Socket<Self::Data>) -> impl Future<Output = ()> {
        let _ = socket;
        std::future::ready(())
    }

    /// The client sent an event.
    fn event(&self, socket: &Socket<Self::Data>, event: Incoming) -> impl Future<Output = ()>;

    /// The socket has left the namespace and its rooms; called once for each that joined.
    fn disconnected(
        &self,
        socket: &Socket<Self::Data>,
        reason: DisconnectReason,
    ) -> impl Future<Output = ()> {
        let _ = (socket, reason);
        std::future::ready(())
    }
}

/// A client's wish to join a namespace.
#[derive(Debug)]
pub struct Connect<'a> {
    pub(super) handshake: &'a Handshake,
    pub(super) namespace: &'a str,
    pub(super) sid: Sid,
    pub(super) auth: &'a ByteString,
}

impl Connect<'_> {
    /// The request that opened the session: headers, query, address. For a client that began with polling it is its first
    /// poll.
    #[must_use]
    pub fn handshake(&self) -> &Handshake {
        self.handshake
    }

    /// The namespace's name.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.namespace
    }

    /// The identifier the socket will have.
    #[must_use]
    pub fn sid(&self) -> Sid {
        self.sid
    }

    /// The payload of the `CONNECT` packet (`auth` in the client's options) as JSON: an object, empty if none was sent.
    #[must_use]
    pub fn auth_json(&self) -> &str {
        if self.auth.is_empty() {
            "{}"
        } else {
            self.auth
        }
    }

    /// The payload of the `CONNECT` packet.
    ///
    /// # Errors
    /// When it is not of that shape.
    pub fn auth<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.auth_json())
    }
}

/// Why a client may not join. It arrives as the error of the client's `connect_error` event.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectError {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
}

impl ConnectError {
    /// An error with a message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            data: None,
        }
    }

    /// Adds what the client finds in the error's `data`.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn with_data<T: Serialize + ?Sized>(mut self, data: &T) -> serde_json::Result<Self> {
        self.data = Some(serde_json::value::to_raw_value(data)?);
        Ok(self)
    }
}

/// Why a socket left its namespace, in the reference server's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The client left the namespace.
    ClientNamespace,
    /// The server put the socket out of the namespace.
    ServerNamespace,
    /// The session ended.
    Session(CloseReason),
}

impl DisconnectReason {
    /// The reference's name of it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClientNamespace => "client namespace disconnect",
            Self::ServerNamespace => "server namespace disconnect",
            Self::Session(reason) => reason.as_str(),
        }
    }
}

impl fmt::Display for DisconnectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
