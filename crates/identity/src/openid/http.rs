//! HTTP client of providers. The operator configures a provider, so it may be at an internal address; addresses that people
//! enter are requested by another client.

use std::error::Error;
use std::pin::Pin;
use std::time::Duration;

use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use url::Url;

use crate::clerk::key::is_loopback;

/// Timeouts of a connection and of a response. A person waits for both.
const CONNECTING: Duration = Duration::from_secs(3);
const RESPONDING: Duration = Duration::from_secs(5);
/// Maximum size of a response, in bytes.
const LONGEST: usize = 512 * 1024;

/// Why a provider gave no response. The text holds no secrets.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error("{0}")]
    Failed(String),
    #[error("the provider responds with {0}")]
    Responds(StatusCode),
    #[error("the response is longer than {LONGEST} bytes")]
    TooLong,
    #[error("{0} is not an https address")]
    NotHttps(String),
}

/// A client for one provider. It follows no redirects, because requests contain secrets.
#[derive(Debug, Clone)]
pub(super) struct HttpClient(Client);

impl<'c> AsyncHttpClient<'c> for HttpClient {
    type Error = RequestError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, RequestError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

/// Creates a client for the provider at an address.
///
/// # Errors
/// One line that says what stands in the way.
pub(super) fn client(address: &Url) -> Result<HttpClient, String> {
    // An error means that a provider of cryptography is installed already, which is used then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECTING)
        .timeout(RESPONDING)
        .user_agent(concat!("allclear/", env!("CARGO_PKG_VERSION")));
    let builder = if is_loopback(address) {
        builder.no_proxy()
    } else {
        builder
    };
    let client = builder.build();
    client
        .map(HttpClient)
        .map_err(|error| format!("no client for {address} can be made: {}", causes(&error)))
}

/// Whether requests to an address cannot be read on the way.
pub(super) fn is_secure(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url))
}

impl HttpClient {
    /// Sends a request and reads its response.
    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, RequestError> {
        let url = Url::parse(&request.uri().to_string());
        if !url.as_ref().is_ok_and(is_secure) {
            return Err(RequestError::NotHttps(request.uri().to_string()));
        }
        let request = reqwest::Request::try_from(request).map_err(failed)?;
        let response = self.0.execute(request).await.map_err(failed)?;
        if response.status().is_server_error() {
            return Err(RequestError::Responds(response.status()));
        }
        let mut read = HttpResponse::new(Vec::new());
        *read.status_mut() = response.status();
        *read.headers_mut() = response.headers().clone();
        *read.body_mut() = body(response).await?;
        Ok(read)
    }
}

/// Reads a body of bounded size.
async fn body(mut response: Response) -> Result<Vec<u8>, RequestError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST {
            return Err(RequestError::TooLong);
        }
    }
    Ok(body)
}

fn failed(error: reqwest::Error) -> RequestError {
    // The address may hold a code.
    RequestError::Failed(causes(&error.without_url()))
}

/// An error with its causes, because the messages of libraries have few details.
pub(super) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
