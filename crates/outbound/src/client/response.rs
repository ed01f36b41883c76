//! Responses.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderName;
use tokio::time::timeout;

use super::RequestError;

/// Maximum number of bytes and of time for the rest of an ignored response.
const DRAIN_LIMIT: usize = 64 * 1024;
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// The head of a response; its body is not read yet.
#[derive(Debug)]
pub struct Response(reqwest::Response);

impl Response {
    pub(super) const fn new(response: reqwest::Response) -> Self {
        Self(response)
    }

    /// Its status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status()
    }

    /// The text of a header; `None` if it is absent or not ASCII.
    #[must_use]
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }

    /// Reads the body as text, at most `limit` bytes.
    ///
    /// # Errors
    /// If it is longer, not text, or does not arrive.
    pub async fn text(mut self, limit: usize) -> Result<String, RequestError> {
        let mut body = Vec::new();
        while let Some(chunk) = self
            .0
            .chunk()
            .await
            .map_err(|error| RequestError::from(&error))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > limit {
                return Err(RequestError::ResponseTooLong);
            }
        }
        String::from_utf8(body).map_err(|_| RequestError::NotAText)
    }

    /// Reads a short body to its end, so that the connection can carry the next request. Otherwise
    /// the connection is closed.
    pub async fn drain(mut self) {
        let reading = async {
            let mut read = 0;
            while let Ok(Some(chunk)) = self.0.chunk().await {
                read += chunk.len();
                if read > DRAIN_LIMIT {
                    return;
                }
            }
        };
        let _ = timeout(DRAIN_TIME, reading).await;
    }
}
