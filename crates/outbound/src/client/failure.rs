//! Why a request failed.

use std::error::Error;
use std::io;

use crate::target::TargetError;

/// Why a request failed: a clause without details of the network and without the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The rules do not allow the target.
    #[error(transparent)]
    Refused(#[from] TargetError),
    /// The body of the request exceeds the limit.
    #[error("the message is too large")]
    TooLarge,
    /// No connection was made in time.
    #[error("there is no connection in time")]
    ConnectTimeout,
    /// No response arrived in time.
    #[error("there is no response in time")]
    ResponseTimeout,
    /// The receiver accepts no connections.
    #[error("the connection is refused")]
    ConnectionRefused,
    /// The receiver's certificate is not valid.
    #[error("the certificate is not valid")]
    Certificate,
    /// The encryption of the connection failed.
    #[error("no encrypted connection can be made")]
    Tls,
    /// Another failure of the connection.
    #[error("no connection can be made")]
    Connect,
    /// The connection was closed before the end of the response.
    #[error("the connection was closed before the end of the response")]
    Closed,
    /// The response is not HTTP.
    #[error("the response is not valid")]
    InvalidResponse,
    /// The body of the response exceeds the limit.
    #[error("the response is too long")]
    ResponseTooLong,
    /// The body of the response is not a text.
    #[error("the response is not a text")]
    NotAText,
    /// The client cannot be created.
    #[error("no client can be made: are there certificates of authorities?")]
    NoClient,
}

impl From<&reqwest::Error> for RequestError {
    fn from(error: &reqwest::Error) -> Self {
        if let Some(refused) = cause::<TargetError>(error) {
            return refused.clone().into();
        }
        if error.is_timeout() {
            return if error.is_connect() {
                Self::ConnectTimeout
            } else {
                Self::ResponseTimeout
            };
        }
        if error.is_connect() {
            return match tls_error(error) {
                Some(rustls::Error::InvalidCertificate(_)) => Self::Certificate,
                Some(_) => Self::Tls,
                None if has_kind(error, io::ErrorKind::ConnectionRefused) => {
                    Self::ConnectionRefused
                }
                None => Self::Connect,
            };
        }
        let is_closed = cause::<hyper::Error>(error).is_some_and(|error| {
            error.is_incomplete_message() || error.is_closed() || error.is_canceled()
        });
        let kinds = [
            io::ErrorKind::ConnectionReset,
            io::ErrorKind::BrokenPipe,
            io::ErrorKind::UnexpectedEof,
        ];
        if is_closed || kinds.into_iter().any(|kind| has_kind(error, kind)) {
            Self::Closed
        } else {
            Self::InvalidResponse
        }
    }
}

/// The errors that an error comes from, with those inside of I/O errors.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let error = next?;
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
        Some(error)
    })
}

fn cause<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    cause(error)
}

fn has_kind(error: &reqwest::Error, kind: io::ErrorKind) -> bool {
    let is_kind = |cause: &io::Error| cause.kind() == kind;
    causes(error).any(|cause| cause.downcast_ref().is_some_and(is_kind))
}
