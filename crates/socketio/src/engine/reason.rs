//! Why sessions end, and why requests are refused.

use std::fmt;

use actix_web::HttpResponse;
use serde_json::json;

use super::admission::OverLimit;

/// Why a session ended, in the terms of the reference server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The client left: by a `close` packet, or its connection ended.
    TransportClose,
    /// The client broke the transport's rules: overlapping polls, or a broken or oversized frame.
    TransportError,
    /// The client did not respond to a ping.
    PingTimeout,
    /// The client sent a malformed packet.
    ParseError,
    /// The server closed the session.
    ForcedClose,
    /// The client joined no namespace in time, or sent a packet to a namespace that it had
    /// not joined.
    ForcedServerClose,
    /// The server is shutting down.
    ShuttingDown,
    /// The client read too slowly and its queue was full. The reference has no such reason, because
    /// its queues are unbounded.
    TooSlow,
}

impl CloseReason {
    /// Whether the server closed the session. Then earlier messages of the client are discarded;
    /// otherwise they are still handled.
    pub(crate) fn is_by_server(self) -> bool {
        matches!(
            self,
            Self::ForcedClose | Self::ForcedServerClose | Self::ShuttingDown | Self::TooSlow
        )
    }

    /// Name of the reason in the reference server.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TransportClose => "transport close",
            Self::TransportError => "transport error",
            Self::PingTimeout => "ping timeout",
            Self::ParseError => "parse error",
            Self::ForcedClose => "forced close",
            Self::ForcedServerClose => "forced server close",
            Self::ShuttingDown => "server shutting down",
            Self::TooSlow => "client too slow",
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a request is refused: codes and messages of the reference server's `Server.errors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    UnknownTransport,
    UnknownSid,
    BadHandshakeMethod,
    BadRequest,
    Forbidden(Option<String>),
    UnsupportedProtocol,
    /// Limits do not exist in the reference. The code is that of `Forbidden`.
    OverLimit(OverLimit),
}

impl Refusal {
    fn code(&self) -> u8 {
        match self {
            Self::UnknownTransport => 0,
            Self::UnknownSid => 1,
            Self::BadHandshakeMethod => 2,
            Self::BadRequest => 3,
            Self::Forbidden(_) | Self::OverLimit(_) => 4,
            Self::UnsupportedProtocol => 5,
        }
    }

    fn message(&self) -> &str {
        match self {
            Self::UnknownTransport => "Transport unknown",
            Self::UnknownSid => "Session ID unknown",
            Self::BadHandshakeMethod => "Bad handshake method",
            Self::BadRequest => "Bad request",
            Self::Forbidden(message) => message.as_deref().unwrap_or("Forbidden"),
            Self::UnsupportedProtocol => "Unsupported protocol version",
            Self::OverLimit(_) => "Too many connections",
        }
    }

    /// The response to a plain request.
    pub(crate) fn to_response(&self) -> HttpResponse {
        let mut response = match self {
            Self::Forbidden(_) => HttpResponse::Forbidden(),
            Self::OverLimit(limit) => limit.response(),
            _ => HttpResponse::BadRequest(),
        };
        response.json(json!({ "code": self.code(), "message": self.message() }))
    }

    /// The response to a WebSocket handshake: text, and like the reference's always 400 unless a
    /// limit was reached.
    pub(crate) fn to_upgrade_response(&self) -> HttpResponse {
        let mut response = match self {
            Self::OverLimit(limit) => limit.response(),
            _ => HttpResponse::BadRequest(),
        };
        response
            .force_close()
            .content_type("text/html")
            .body(self.message().to_owned())
    }
}
