//! Responses of Clerk's APIs.

use allclear_application::error::Error;
use reqwest::Response;

use crate::http_client::{self, BodyError};

/// Reads a response of bounded size.
pub(crate) async fn body(response: Response) -> Result<Vec<u8>, Error> {
    http_client::body(response)
        .await
        .map_err(|error| match error {
            BodyError::Failed(error) => unavailable(error),
            error @ BodyError::TooLong => Error::Unavailable(error.into()),
        })
}

/// Clerk did not respond, or not as expected.
pub(crate) fn unavailable(error: reqwest::Error) -> Error {
    Error::Unavailable(error.into())
}
