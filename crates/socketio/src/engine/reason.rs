//! Why sessions end, and why requests are refused.

use std::fmt;

use actix_web::HttpResponse;
use serde_json::json;

use super::admission::Busy;

/// Why a session ended, in the reference server's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The client left: a `close` packet, or its connection ended.
    TransportClose,
    /// The client broke the transport's rules: overlapping polls, a broken or oversized frame.
    TransportError,
    /// A ping stayed unanswered.
    PingTimeout,
    /// A packet that is none.
    ParseError,
    /// The server closed the session.
    ForcedClose,
    /// No namespace was joined in time, or a packet came for a namespace not joined.
    ForcedServerClose,
    /// The server is shutting down.
    ShuttingDown,
    /// The client read too slowly and its queue was full. Not a reason of the reference, whose queues have no end.
    TooSlow,
}

impl CloseReason {
    /// Whether the server decided it. What the client had sent before is then not looked at any more; when the client leaves, it
    /// is.
    pub(crate) fn is_ours(self) -> bool {
        matches!(
            self,
            Self::ForcedClose | Self::ForcedServerClose | Self::ShuttingDown | Self::TooSlow
        )
    }

    /// The reference's name of it.
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

/// Why a request is refused: the codes and messages of the reference server's `Server.errors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    UnknownTransport,
    UnknownSid,
    BadHandshakeMethod,
    BadRequest,
    Forbidden(Option<String>),
    UnsupportedProtocol,
    /// Not a refusal of the reference, which has no limits. Its code is that of `Forbidden`.
    Busy(Busy),
}

impl Refusal {
    fn code(&self) -> u8 {
        match self {
            Self::UnknownTransport => 0,
            Self::UnknownSid => 1,
            Self::BadHandshakeMethod => 2,
            Self::BadRequest => 3,
            Self::Forbidden(_) | Self::Busy(_) => 4,
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
            Self::Busy(_) => "Too many connections",
        }
    }

    /// The answer to a plain request.
    pub(crate) fn to_response(&self) -> HttpResponse {
        let mut response = match self {
            Self::Forbidden(_) => HttpResponse::Forbidden(),
            Self::Busy(busy) => busy.response(),
            _ => HttpResponse::BadRequest(),
        };
        response.json(json!({ "code": self.code(), "message": self.message() }))
    }

    /// The answer to a WebSocket handshake, which the reference answers in text and always with 400.
    pub(crate) fn to_upgrade_response(&self) -> HttpResponse {
        let mut response = match self {
            Self::Busy(busy) => busy.response(),
            _ => HttpResponse::BadRequest(),
        };
        response
            .force_close()
            .content_type("text/html")
            .body(self.message().to_owned())
    }
}
