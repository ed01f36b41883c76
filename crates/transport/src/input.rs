//! JSON bodies, read so that every wrong field is named rather than the first one.

use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use allclear_domain::text::trimmed;
use allclear_domain::validation::{FieldError, Invalid};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::problem::Problem;

/// The largest body taken, in bytes.
pub(crate) const BODY_LIMIT: usize = 256 * 1024;

/// A JSON object of the request's body.
#[derive(Debug)]
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let json = is_json(request.content_type());
        let bytes = web::Bytes::from_request(request, payload);
        Box::pin(async move {
            if !json {
                return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json"));
            }
            let bytes = bytes.await.map_err(|error| match error.as_error::<PayloadError>() {
                Some(PayloadError::Overflow) | None => {
                    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "The body is larger than 256 KiB")
                }
                Some(_) => Problem::new(StatusCode::BAD_REQUEST, "The body could not be read"),
            })?;
            object(&bytes).map(Self)
        })
    }
}

/// `application/json` or a `+json` type (RFC 6839, section 3.1).
fn is_json(content_type: &str) -> bool {
    content_type.eq_ignore_ascii_case("application/json") || content_type.to_ascii_lowercase().ends_with("+json")
}

fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "The body is not well-formed JSON"))?;
    if !value.is_object() {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "The body must be a JSON object"));
    }
    serde_json::from_value(value)
        .map_err(|_| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "The body does not have the expected fields"))
}

/// A field as a client sent it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Input<T> {
    /// Not there.
    #[default]
    Absent,
    /// There, and null.
    Null,
    /// There, and of another type.
    Wrong,
    /// There, as it should be.
    Given(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Input<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Null);
        }
        Ok(serde_json::from_value(value).map_or(Self::Wrong, Self::Given))
    }
}

impl<T> Input<T> {
    /// The value of a field that must be there; else its error is noted.
    pub(crate) fn required(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        if let Self::Given(value) = self {
            return Some(value);
        }
        invalid.add(FieldError { field: field.to_owned(), message: message.to_owned() });
        None
    }

    /// The value of a field that may be absent, but not null or wrong; else its error is noted.
    pub(crate) fn optional(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        if self.is_absent() { None } else { self.required(field, message, invalid) }
    }

    /// Whether the field is not there.
    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// A text of a person, trimmed as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(trimmed(&text)))
    }
}

/// One word of a list of words, read by the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<T>(pub T);

impl<'de, T: FromStr> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        word.parse().map(Self).map_err(|_| serde::de::Error::custom("not one of the words"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;

    #[derive(Debug, Deserialize)]
    struct Form {
        #[serde(default)]
        name: Input<Text>,
    }

    fn name(json: &str) -> Input<Text> {
        object::<Form>(json.as_bytes()).unwrap().name
    }

    #[test]
    fn a_field_is_absent_null_wrong_or_given() {
        assert_eq!(name("{}"), Input::Absent);
        assert_eq!(name(r#"{"name": null}"#), Input::Null);
        assert_eq!(name(r#"{"name": [1]}"#), Input::Wrong);
        assert_eq!(name(r#"{"name": "  API "}"#), Input::Given(Text("API".into())));
    }

    #[test]
    fn what_must_be_there_is_missed_and_what_may_be_absent_is_not() {
        let mut invalid = Invalid::default();
        assert_eq!(name("{}").optional("name", "Name is required", &mut invalid), None);
        assert_eq!(invalid, Invalid::default());
        assert_eq!(name("{}").required("name", "Name is required", &mut invalid), None);
        assert_eq!(name(r#"{"name": null}"#).optional("name", "Name is required", &mut invalid), None);
        assert_eq!(invalid, Invalid::field("name", "Name is required"));
    }

    #[test]
    fn a_body_that_is_no_json_object_is_refused() {
        let status = |json: &[u8]| object::<Form>(json).unwrap_err().status_code().as_u16();
        assert_eq!(status(b"{"), 400);
        assert_eq!(status(b"\xff"), 400);
        assert_eq!(status(br#"{"name": "\ud800"}"#), 400);
        assert_eq!(status(b"[]"), 422);
        assert_eq!(status(b"7"), 422);
    }

    #[test]
    fn json_is_told_by_its_type() {
        assert!(is_json("application/json") && is_json("application/problem+json"));
        assert!(!is_json("text/plain") && !is_json(""));
    }
}
