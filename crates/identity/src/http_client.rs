//! The HTTP client of identity providers. The operator configures them, so they may be at internal
//! addresses; addresses that people enter are requested by another client.

use std::error::Error;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use url::{Host, Url};

/// Timeouts of a connection and of a response. A person waits for both.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of a response, in bytes; those of known providers are a few kilobytes.
const MAX_BYTES: usize = 512 * 1024;

/// Why the body of a response cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error(transparent)]
    Failed(reqwest::Error),
    #[error("the response is longer than {MAX_BYTES} bytes")]
    TooLong,
}

/// Whether an address is on this machine, so that requests do not leave it.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Creates a client for an address. It follows no redirects, because requests contain secrets.
///
/// # Errors
/// One line that says what is wrong.
pub(crate) fn client(address: &Url) -> Result<Client, String> {
    // An error means that a cryptography provider is installed already. Then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .user_agent(concat!("allclear/", env!("CARGO_PKG_VERSION")));
    let builder = if is_loopback(address) {
        builder.no_proxy()
    } else {
        builder
    };
    builder
        .build()
        .map_err(|error| format!("no client for {address} can be made: {}", causes(&error)))
}

/// Reads a body of bounded size.
pub(crate) async fn body(mut response: Response) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(BodyError::Failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BYTES {
            return Err(BodyError::TooLong);
        }
    }
    Ok(body)
}

/// An error with its causes, because the messages of libraries have few details.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
