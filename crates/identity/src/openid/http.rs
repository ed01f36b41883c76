//! Requests to providers.

use std::pin::Pin;

use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::{Client, StatusCode};
use url::Url;

use crate::http_client::{self, BodyError, causes, is_loopback};

/// Why a provider gave no response. The text holds no secrets.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error("{0}")]
    Failed(String),
    #[error("the provider responds with {0}")]
    Responds(StatusCode),
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
/// One line that says what is wrong.
pub(super) fn client(address: &Url) -> Result<HttpClient, String> {
    http_client::client(address).map(HttpClient)
}

/// Whether requests to an address use TLS or stay on this machine.
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
        *read.body_mut() = http_client::body(response).await.map_err(of_body)?;
        Ok(read)
    }
}

fn of_body(error: BodyError) -> RequestError {
    match error {
        BodyError::Failed(error) => failed(error),
        BodyError::TooLong => RequestError::Failed(error.to_string()),
    }
}

fn failed(error: reqwest::Error) -> RequestError {
    // Without the address, which may contain a code.
    RequestError::Failed(causes(&error.without_url()))
}
