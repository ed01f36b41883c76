//! JSON bodies, parsed so that an error response names every invalid field.

use std::io::ErrorKind;
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::{StatusCode, header};
use actix_web::{FromRequest, HttpMessage, HttpRequest, Scope, web};
use allclear_domain::text::trimmed;
use allclear_domain::validation::{FieldError, Invalid};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::limit::client_limits::{BodyParts, BodySender, ClientLimits, RETRY_AFTER};
use crate::limit::client_network::client;
use crate::request::idempotency::{self, BodyDigest};
use crate::response::problem::Problem;

/// Message for a value that is not one of the choices.
pub(crate) const CHOICE_MESSAGE: &str = "Select Any One";
/// Message for what is neither true nor false.
pub(crate) const BOOLEAN_MESSAGE: &str = "Must be true or false";

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
fn unreadable_body(error: &PayloadError) -> Problem {
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

/// A field of a JSON body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum FieldInput<T> {
    /// The field is absent.
    #[default]
    Absent,
    /// The field is null.
    Null,
    /// The value has the wrong type.
    Wrong,
    /// The value.
    Given(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for FieldInput<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Null);
        }
        Ok(serde_json::from_value(value).map_or(Self::Wrong, Self::Given))
    }
}

impl<T> FieldInput<T> {
    /// The value of a required field; adds an error if it is missing or wrong.
    pub(crate) fn required(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        if let Self::Given(value) = self {
            return Some(value);
        }
        invalid.add(FieldError::new(field, message));
        None
    }

    /// The value of an optional field; adds an error if it is null or wrong.
    pub(crate) fn optional(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        if self.is_absent() {
            None
        } else {
            self.required(field, message, invalid)
        }
    }

    /// The value of a field that may be absent or null; adds an error if it is wrong.
    pub(crate) fn nullable(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        match self {
            Self::Null => None,
            given => given.optional(field, message, invalid),
        }
    }

    /// Whether the field is absent.
    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// Text that is trimmed at both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(trimmed(&text)))
    }
}

/// A text that the domain type parses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parsed<T>(pub T);

impl<'de, T: FromStr> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        word.parse()
            .map(Self)
            .map_err(|_| serde::de::Error::custom("not a valid value"))
    }
}

/// A time: RFC 3339, or the 16 characters of `<input type="datetime-local">` in UTC. Truncated to
/// whole milliseconds, the stored precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp(pub DateTime<Utc>);

impl Timestamp {
    /// Smallest accepted year. An earlier one is mistyped, such as 0026.
    const FIRST_YEAR: i32 = 1970;
    /// Largest accepted year: the databases sort years of four digits, and a time that follows this
    /// one needs four digits too.
    const LAST_YEAR: i32 = 9998;

    /// Parses RFC 3339, also without seconds, without an offset or without a time: what is missing
    /// is zero.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let moment = DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_rfc3339(&completed(text)))
            .ok()?;
        // This also turns a leap second into the following second.
        let moment = DateTime::from_timestamp_millis(moment.timestamp_millis())?;
        (Self::FIRST_YEAR..=Self::LAST_YEAR)
            .contains(&moment.year())
            .then_some(Self(moment))
    }
}

/// A day in the form `2026-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Date(pub NaiveDate);

impl Date {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        const FORM: &str = "%Y-%m-%d";
        let date = NaiveDate::parse_from_str(text, FORM).ok()?;
        let is_exact = text.len() == 10 && date.format(FORM).to_string() == text;
        (is_exact && (1..=Timestamp::LAST_YEAR).contains(&date.year())).then_some(Self(date))
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a valid day"))
    }
}

/// A time of ISO 8601 with the parts that RFC 3339 requires: `2026-01-31T09:30` becomes
/// `2026-01-31T09:30:00Z`.
fn completed(text: &str) -> String {
    let (day, time) = text.split_once('T').unwrap_or((text, "00:00"));
    let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = time.split_at(end);
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    let offset = if offset.is_empty() { "Z" } else { offset };
    format!("{day}T{clock}{seconds}{offset}")
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a valid time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;

    #[derive(Debug, Deserialize)]
    struct Form {
        #[serde(default)]
        name: FieldInput<Text>,
    }

    fn name(json: &str) -> FieldInput<Text> {
        object::<Form>(json.as_bytes()).unwrap().name
    }

    #[test]
    fn field_is_absent_null_wrong_or_given() {
        assert_eq!(name("{}"), FieldInput::Absent);
        assert_eq!(name(r#"{"name": null}"#), FieldInput::Null);
        assert_eq!(name(r#"{"name": [1]}"#), FieldInput::Wrong);
        assert_eq!(
            name(r#"{"name": "  API "}"#),
            FieldInput::Given(Text("API".into()))
        );
    }

    #[test]
    fn only_required_fields_may_not_be_absent() {
        let mut invalid = Invalid::default();
        assert_eq!(
            name("{}").optional("name", "Name is required", &mut invalid),
            None
        );
        assert_eq!(invalid, Invalid::default());
        assert_eq!(
            name("{}").required("name", "Name is required", &mut invalid),
            None
        );
        assert_eq!(
            name(r#"{"name": null}"#).optional("name", "Name is required", &mut invalid),
            None
        );
        assert_eq!(invalid, Invalid::field("name", "Name is required"));
    }

    #[test]
    fn body_must_be_a_json_object() {
        let status = |json: &[u8]| object::<Form>(json).unwrap_err().status_code().as_u16();
        assert_eq!(status(b"{"), 400);
        assert_eq!(status(b"\xff"), 400);
        assert_eq!(status(br#"{"name": "\ud800"}"#), 400);
        assert_eq!(status(b"[]"), 422);
        assert_eq!(status(b"7"), 422);
    }

    #[test]
    fn time_is_parsed_also_without_its_last_parts_and_truncated_to_milliseconds() {
        let rows = [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00+00:00"),
            (
                "2026-01-31T09:30:00.123456Z",
                "2026-01-31T09:30:00.123+00:00",
            ),
            ("2026-01-31T09:30:00+02:00", "2026-01-31T07:30:00+00:00"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00+00:00"),
            ("2026-01-31T09:30", "2026-01-31T09:30:00+00:00"),
            ("2026-01-31T09:30:05", "2026-01-31T09:30:05+00:00"),
            ("2026-01-31T09:30:05.5", "2026-01-31T09:30:05.500+00:00"),
            ("2026-01-31T09:30Z", "2026-01-31T09:30:00+00:00"),
            ("2026-01-31T09:30-05:00", "2026-01-31T14:30:00+00:00"),
            ("2026-01-31", "2026-01-31T00:00:00+00:00"),
        ];
        for (text, moment) in rows {
            assert_eq!(
                Timestamp::parse(text)
                    .map(|read| read.0.to_rfc3339())
                    .as_deref(),
                Some(moment),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_times_are_refused() {
        let bad = [
            "",
            "yesterday",
            "2026-01",
            "2026-1-31",
            "2026-01-31T",
            "2026-01-31T09",
            "2026-02-30T09:30",
            "2026-01-31T24:00",
            "2026-1-31T009:30",
            "+026-01-31T09:30",
            "2026-01-31T09:30:",
            "2026-01-31T09:30:0",
            "2026-01-31T9:30:00",
            "2026-01-31 09:30",
            "9999-12-31T23:59:59Z",
            "0026-01-01T00:00:00Z",
        ];
        for text in bad {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn day_is_parsed_in_one_form() {
        let date = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
        assert_eq!(Date::parse("2026-01-31"), Some(Date(date)));
        for bad in [
            "",
            "2026-1-31",
            "2026-02-30",
            "2026-01-31T00:00",
            "+026-01-31",
            "0000-01-01",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn json_is_recognised_by_its_content_type() {
        assert!(is_json("application/json") && is_json("application/problem+json"));
        assert!(!is_json("text/plain") && !is_json(""));
    }
}
