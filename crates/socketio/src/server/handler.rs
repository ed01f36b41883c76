//! The interface of an application.

use std::fmt;
use std::future::Future;

use bytestring::ByteString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::incoming::Incoming;
use super::socket::Socket;
use crate::engine::{CloseReason, Handshake};
use crate::sid::Sid;

/// Handles the sockets of a namespace.
///
/// Calls for one client run one after the other, in the order of its packets, also across an
/// upgrade. They run on actix's worker threads, so the futures need not be `Send`. A handler may
/// await a client's acknowledgement, because acknowledgements do not queue. A client that has sent
/// many packets meanwhile is not read, and neither are its acknowledgements.
pub trait Handler: Send + Sync + 'static {
    /// Data of each socket.
    type Data: Send + Sync + 'static;

    /// A client requests to join (`CONNECT`). Returns the data of its socket, or the error to send
    /// (`CONNECT_ERROR`). If this takes longer than `connect_timeout`, the client is closed.
    fn connect(
        &self,
        request: Connect<'_>,
    ) -> impl Future<Output = Result<Self::Data, ConnectError>>;

    /// Called when the client has joined, after the response to its CONNECT packet.
    fn connected(&self, socket: &Socket<Self::Data>) -> impl Future<Output = ()> {
        let _ = socket;
        std::future::ready(())
    }

    /// The client sent an event.
    fn event(&self, socket: &Socket<Self::Data>, event: Incoming) -> impl Future<Output = ()>;

    /// The socket has left the namespace and its rooms; called once per joined socket.
    fn disconnected(
        &self,
        socket: &Socket<Self::Data>,
        reason: DisconnectReason,
    ) -> impl Future<Output = ()> {
        let _ = (socket, reason);
        std::future::ready(())
    }
}

/// A client's request to join a namespace.
#[derive(Debug)]
pub struct Connect<'a> {
    pub(super) handshake: &'a Handshake,
    pub(super) namespace: &'a str,
    pub(super) sid: Sid,
    pub(super) auth: &'a ByteString,
}

impl Connect<'_> {
    /// The request that opened the session: headers, query and address. If the client began with
    /// polling, it is the first poll.
    #[must_use]
    pub fn handshake(&self) -> &Handshake {
        self.handshake
    }

    /// Name of the namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.namespace
    }

    /// Identifier of the future socket.
    #[must_use]
    pub fn sid(&self) -> Sid {
        self.sid
    }

    /// The payload of the `CONNECT` packet (`auth` in the client's options) as JSON; an empty
    /// object if the client sent none.
    #[must_use]
    pub fn auth_json(&self) -> &str {
        if self.auth.is_empty() {
            "{}"
        } else {
            self.auth
        }
    }

    /// Deserialises the payload of the `CONNECT` packet.
    ///
    /// # Errors
    /// If the payload does not match `T`.
    pub fn auth<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.auth_json())
    }
}

/// Why a client may not join. The client receives it in its `connect_error` event.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectError {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
    #[serde(skip)]
    pub(super) is_temporary: bool,
}

impl ConnectError {
    /// Creates an error with a message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            data: None,
            is_temporary: false,
        }
    }

    /// Creates an error that passes. The session ends instead of an event: a client connects again
    /// after the end of its session, but not after `connect_error`.
    #[must_use]
    pub fn temporary() -> Self {
        Self {
            is_temporary: true,
            ..Self::new("Temporarily unavailable")
        }
    }

    /// Adds the `data` field of the client's error.
    ///
    /// # Errors
    /// If the data cannot be serialised.
    pub fn with_data<T: Serialize + ?Sized>(mut self, data: &T) -> serde_json::Result<Self> {
        self.data = Some(serde_json::value::to_raw_value(data)?);
        Ok(self)
    }
}

/// Why a socket left its namespace, in the terms of the reference server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The client left the namespace.
    ClientNamespace,
    /// The server removed the socket from the namespace.
    ServerNamespace,
    /// The session ended.
    Session(CloseReason),
}

impl DisconnectReason {
    /// Name of the reason in the reference server.
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
