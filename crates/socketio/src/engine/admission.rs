//! Limits for the sessions, upgrades and polls of clients.

use std::any::Any;
use std::fmt;
use std::net::IpAddr;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};

/// Represents a counted session or poll until it is dropped.
pub type Permit = Box<dyn Any + Send + Sync>;

/// The permits of a new session.
pub struct Permits {
    /// Kept until the session ends.
    pub session: Permit,
    /// Kept until the session has joined its first namespace, or ends.
    pub handshake: Permit,
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permits").finish_non_exhaustive()
    }
}

/// Refusal of a session, an upgrade or a poll over a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverLimit {
    status: StatusCode,
    /// Seconds.
    retry_after: u64,
}

impl OverLimit {
    /// The client has reached its limit: 429. It may retry after this many seconds.
    #[must_use]
    pub const fn client(retry_after: u64) -> Self {
        Self {
            status: StatusCode::TOO_MANY_REQUESTS,
            retry_after,
        }
    }

    /// The server has reached its limit: 503. The client may retry after this many seconds.
    #[must_use]
    pub const fn server(retry_after: u64) -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after,
        }
    }

    pub(crate) fn response(self) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(self.status);
        response.insert_header((header::RETRY_AFTER, self.retry_after));
        response
    }
}

/// Limits the sessions, upgrades and polls of clients.
pub trait Admission: Send + Sync + 'static {
    /// The address of the client; the peer's, unless the implementation knows the clients behind
    /// its proxies.
    fn address(&self, request: &HttpRequest) -> Option<IpAddr> {
        peer(request)
    }

    /// Decides about a new session.
    ///
    /// # Errors
    /// If the client or the server has reached a limit.
    fn session(&self, request: &HttpRequest) -> Result<Permits, OverLimit>;

    /// Decides about a WebSocket for a session that began with polling. Without it, the client goes
    /// on polling.
    ///
    /// # Errors
    /// If the client or the server has reached a limit.
    fn upgrade(&self, _request: &HttpRequest) -> Result<(), OverLimit> {
        Ok(())
    }

    /// Decides about a poll that may have to wait. The permit is kept until the response.
    ///
    /// # Errors
    /// If the client or the server has reached a limit.
    fn poll(&self, request: &HttpRequest) -> Result<Permit, OverLimit>;

    /// Decides about a body of at most `length` bytes with which a polling client sends packets.
    /// The permit is kept until they are handled.
    ///
    /// # Errors
    /// If the client or the server has reached a limit.
    fn body(&self, _request: &HttpRequest, _length: usize) -> Result<Permit, OverLimit> {
        Ok(Box::new(()))
    }
}

/// The address of the connection's other end, which may be a proxy.
pub(crate) fn peer(request: &HttpRequest) -> Option<IpAddr> {
    request.peer_addr().map(|peer| peer.ip())
}
