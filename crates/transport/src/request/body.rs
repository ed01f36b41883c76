//! Bodies of requests: JSON objects and raw bytes, of a bounded length.

use std::io::ErrorKind;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::{StatusCode, header};
use actix_web::{FromRequest, HttpMessage, HttpRequest, Scope, web};
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::limit::client_limits::{BodyParts, BodySender, ClientLimits, RETRY_AFTER};
use crate::limit::client_network::client;
use crate::request::idempotency::{self, BodyDigest};
use crate::response::problem::Problem;

/// Largest request body of most routes, in bytes.
pub(crate) const BODY_LIMIT: usize = 256 * 1024;

/// Largest body that is read before anything is known about its sender, in bytes.
const UNKNOWN_SENDERS_BODY_LIMIT: usize = 64 * 1024;

/// Largest body of the requests of a scope or resource for unknown senders, in bytes, instead of
/// the limit of the route.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit(pub usize);

/// A scope for unknown senders, whose bodies are smaller.
pub(crate) fn scope_for_unknown_senders(path: &str) -> Scope {
    web::scope(path).app_data(BodyLimit(UNKNOWN_SENDERS_BODY_LIMIT))
}

/// Largest imported file, in bytes.
pub(crate) const FILE_LIMIT: usize = 16 * 1024 * 1024;

/// A JSON object from the request's body, which has at most `LIMIT` bytes; fewer from an
/// unknown sender.
#[derive(Debug)]
pub(crate) struct Body<T, const LIMIT: usize = BODY_LIMIT>(pub T);

impl<T: DeserializeOwned + 'static, const LIMIT: usize> FromRequest for Body<T, LIMIT> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let json = is_json(request.content_type());
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            if !json {
                return Err(not_json());
            }
            let raw = read(&request, payload, LIMIT).await?;
            if request.headers().contains_key(idempotency::KEY) {
                let digest = BodyDigest(Sha256::digest(&raw).into());
                request.extensions_mut().insert(digest);
            }
            object(&raw).map(Self)
        })
    }
}

/// A JSON object from the request's body, all of whose fields are optional; the default if the
/// request has no body.
#[derive(Debug)]
pub(crate) struct OptionalBody<T>(pub T);

impl<T: DeserializeOwned + Default + 'static> FromRequest for OptionalBody<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let json = is_json(request.content_type());
        let raw = Raw::from_request(request, payload);
        Box::pin(async move {
            let Raw(raw) = raw.await?;
            if raw.is_empty() {
                return Ok(Self(T::default()));
            }
            if json {
                object(&raw).map(Self)
            } else {
                Err(not_json())
            }
        })
    }
}

/// The response to a body of another type.
fn not_json() -> Problem {
    Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "The body must be application/json",
    )
}

/// The raw body of a request.
#[derive(Debug)]
pub(crate) struct Raw(pub web::Bytes);

impl FromRequest for Raw {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move { read(&request, payload, BODY_LIMIT).await.map(Self) })
    }
}

/// Reads a body of at most `limit` bytes from an operator, or of at most [`BodyLimit`] from an
/// unknown sender. Its bytes are counted as they arrive, until the request is handled.
async fn read(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
) -> Result<web::Bytes, Problem> {
    let (sender, limit) = match request.app_data::<BodyLimit>() {
        Some(BodyLimit(limit)) => (BodySender::Unknown, *limit),
        None => (BodySender::Operator, limit),
    };
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("The body is larger than {} KiB", limit / 1024),
        )
    };
    if content_length(request).is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let (mut body, mut parts) = (web::BytesMut::new(), BodyParts::default());
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| unreadable_body(&error))?;
        let length = body.len() + chunk.len();
        if length > limit {
            return Err(too_large());
        }
        if let Some(limits) = request.app_data::<web::Data<ClientLimits>>()
            && !limits.try_count_body(&mut parts, (sender, client(request)), length)
        {
            return Err(Problem::too_many(RETRY_AFTER));
        }
        body.extend_from_slice(&chunk);
    }
    request.extensions_mut().insert(parts);
    Ok(body.freeze())
}

/// `Content-Length` of a request; `None` if it is absent or no number.
fn content_length(request: &HttpRequest) -> Option<usize> {
    let length = request.headers().get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

/// The response to a body that could not be read.
pub(crate) fn unreadable_body(error: &PayloadError) -> Problem {
    match error {
        PayloadError::Io(error) if error.kind() == ErrorKind::TimedOut => Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "The body took too long to come",
        ),
        _ => Problem::new(StatusCode::BAD_REQUEST, "The body could not be read"),
    }
}

/// `application/json` or a `+json` type (RFC 6839, section 3.1).
fn is_json(content_type: &str) -> bool {
    content_type.eq_ignore_ascii_case("application/json")
        || content_type.to_ascii_lowercase().ends_with("+json")
}

fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "The body is not well-formed JSON"))?;
    if !value.is_object() {
        return Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "The body must be a JSON object",
        ));
    }
    serde_json::from_value(value).map_err(|_| {
        Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "The body does not have the expected fields",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;

    #[test]
    fn body_must_be_a_json_object() {
        let status = |json: &[u8]| object::<Value>(json).unwrap_err().status_code().as_u16();
        assert_eq!(status(b"{"), 400);
        assert_eq!(status(b"\xff"), 400);
        assert_eq!(status(br#"{"name": "\ud800"}"#), 400);
        assert_eq!(status(b"[]"), 422);
        assert_eq!(status(b"7"), 422);
    }

    #[test]
    fn json_is_recognised_by_its_content_type() {
        assert!(is_json("application/json") && is_json("application/problem+json"));
        assert!(!is_json("text/plain") && !is_json(""));
    }
}
