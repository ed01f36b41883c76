//! HTTP client of Clerk's APIs.

use std::time::Duration;

use allclear_application::error::Error;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use url::Url;

use super::key::is_loopback;

/// Timeouts of a connection and of a response.
const CONNECTING: Duration = Duration::from_secs(3);
const ANSWERING: Duration = Duration::from_secs(5);
/// Maximum size of a response, in bytes; Clerk's are a few kilobytes.
const LONGEST: usize = 512 * 1024;

/// Creates a client for an address. It follows no redirects, because requests contain secrets.
///
/// # Errors
/// One line that says what stands in the way.
pub(crate) fn client(address: &Url) -> Result<Client, String> {
    // An error means that a provider of cryptography is installed already, which is used then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECTING)
        .timeout(ANSWERING)
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

/// Reads a response of bounded size.
pub(crate) async fn body(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(away)? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST {
            return Err(Error::Unavailable("the answer is too long".into()));
        }
    }
    Ok(body)
}

/// Clerk did not respond, or not as expected.
pub(crate) fn away(error: reqwest::Error) -> Error {
    Error::Unavailable(error.into())
}

/// An error with its causes, because reqwest's own message has few details.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
