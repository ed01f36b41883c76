//! Whether a client may open one more session.

use std::any::Any;
use std::fmt;

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{StatusCode, header},
};

/// What counts a session or a poll for as long as it is kept.
pub type Permit = Box<dyn Any + Send + Sync>;

/// What a new session holds.
pub struct Permits {
    /// Kept until the session is gone.
    pub session: Permit,
    /// Kept until the session has joined its first namespace, or is gone.
    pub handshake: Permit,
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permits").finish_non_exhaustive()
    }
}

/// Why a session or a poll is refused for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    status: StatusCode,
    /// Seconds.
    retry_after: u64,
}

impl Busy {
    /// The client has as many as it may: 429. It may try again after this many seconds.
    #[must_use]
    pub const fn client(retry_after: u64) -> Self {
        Self {
            status: StatusCode::TOO_MANY_REQUESTS,
            retry_after,
        }
    }

    /// The server has as many as it can hold: 503. The client may try again after this many seconds.
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

/// Limits the sessions and polls of clients.
pub trait Admission: Send + Sync + 'static {
    /// A client asks for a session.
    ///
    /// # Errors
    /// If the client or the server has too many.
    fn session(&self, request: &HttpRequest) -> Result<Permits, Busy>;

    /// A client asks for packets and may have to wait for them; the permit is kept until the response.
    ///
    /// # Errors
    /// If too many polls wait.
    fn poll(&self, request: &HttpRequest) -> Result<Permit, Busy>;
}
