//! `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a create that a client
//! may repeat.

use std::future::{Ready, ready};

use actix_web::body::MessageBody;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse};
use allclear_application::error::Error;
use allclear_application::idempotency::{CurrentRequest, Idempotency, KeyState, RepeatableRequest};
use serde::{Deserialize, Serialize};

use crate::request::caller::Operator;
use crate::request::service::service;
use crate::response::problem::Problem;

/// The request header.
pub(crate) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header of a repeated response.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Longest key in bytes.
const MAX_KEY_LENGTH: usize = 255;

/// A response in the stored form, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredResponse {
    status: u16,
    etag: Option<String>,
    body: String,
}

/// SHA-256 of the body of a request with a key.
#[derive(Clone, Copy)]
pub(crate) struct BodyDigest(pub(crate) [u8; 32]);

/// A create, which is repeatable if the request has a key.
pub(crate) struct Repeatable {
    request: HttpRequest,
    key: Option<String>,
}

impl FromRequest for Repeatable {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(key(request).map(|key| Self {
            request: request.clone(),
            key,
        }))
    }
}

impl Repeatable {
    /// Runs a use case that creates something, and responds. With a key, the response is stored
    /// with the change. A repeated request gets the stored response and does not run the use case.
    pub(crate) async fn create<T: 'static>(
        self,
        operator: &Operator,
        respond: impl Fn(&T) -> HttpResponse + Clone + Send + Sync + 'static,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<HttpResponse, Problem> {
        let Some(key) = &self.key else {
            return Ok(respond(&work.await?));
        };
        let idempotency = service::<Idempotency>(&self.request)?;
        let body = self.request.extensions().get::<BodyDigest>().copied();
        let body = body.ok_or_else(|| Error::internal("the body was not read"))?;
        let path = self.request.uri().path_and_query();
        let request = RepeatableRequest {
            organisation: &operator.organisation,
            caller: &operator.identity(),
            key,
            path: path.map_or("", |path| path.as_str()),
            body: &body.0,
        };
        match idempotency.begin(request).await? {
            KeyState::First(first) => {
                let kept = respond.clone();
                let created = first.run(move |state: &T| stored(kept(state))?.bytes(), work);
                Ok(respond(&created.await?))
            }
            KeyState::Repeated(response) => replayed(StoredResponse::read(&response)?),
            KeyState::Mismatch => Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "This Idempotency-Key was used for another request",
            )),
            KeyState::InProgress => Err(CurrentRequest::in_progress().into()),
        }
    }
}

/// The key of a request; `None` if there is none.
fn key(request: &HttpRequest) -> Result<Option<String>, Problem> {
    let mut keys = request.headers().get_all(KEY);
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    let is_valid = |key: &HeaderValue| {
        let is_visible = |byte: &u8| (b'!'..=b'~').contains(byte);
        (1..=MAX_KEY_LENGTH).contains(&key.len()) && key.as_bytes().iter().all(is_visible)
    };
    let text = key.to_str().ok().filter(|_| is_valid(key));
    match (text, keys.next()) {
        (Some(text), None) => Ok(Some(text.to_owned())),
        _ => Err(Problem::bad_request(
            "Idempotency-Key must be one text of 1 to 255 visible ASCII characters",
        )),
    }
}

impl StoredResponse {
    fn bytes(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }

    fn read(bytes: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(bytes).map_err(Error::internal)
    }
}

/// A response in the stored form; `None` if it cannot be stored.
fn stored(response: HttpResponse) -> Option<StoredResponse> {
    let etag = response.headers().get(header::ETAG);
    let etag = etag.and_then(|etag| etag.to_str().ok()).map(str::to_owned);
    let status = response.status().as_u16();
    let body = response.into_body().try_into_bytes().ok()?;
    Some(StoredResponse {
        status,
        etag,
        body: String::from_utf8(body.to_vec()).ok()?,
    })
}

fn replayed(response: StoredResponse) -> Result<HttpResponse, Problem> {
    let status = StatusCode::from_u16(response.status).map_err(Error::internal)?;
    let mut replayed = HttpResponse::build(status);
    replayed
        .content_type("application/json")
        .insert_header((REPLAYED, "true"));
    if let Some(etag) = response.etag {
        replayed.insert_header((header::ETAG, etag));
    }
    Ok(replayed.body(response.body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::test::TestRequest;

    fn key_of(values: &[&str]) -> Result<Option<String>, u16> {
        let mut request = TestRequest::default();
        for value in values {
            request = request.append_header((KEY, *value));
        }
        key(&request.to_http_request()).map_err(|refused| refused.status_code().as_u16())
    }

    #[test]
    fn key_is_one_text_of_visible_characters() {
        assert_eq!(key_of(&[]), Ok(None));
        let longest = "~".repeat(255);
        for valid in ["a", "!~", &longest] {
            assert_eq!(key_of(&[valid]), Ok(Some(valid.to_owned())));
        }
        let too_long = "a".repeat(256);
        for invalid in ["", "a b", "caf\u{e9}", &too_long] {
            assert_eq!(key_of(&[invalid]), Err(400), "{invalid}");
        }
        assert_eq!(key_of(&["a", "a"]), Err(400));
    }

    #[test]
    fn response_is_replayed_as_it_was_stored() {
        let response = || {
            HttpResponse::Created()
                .insert_header((header::ETAG, "\"7\""))
                .body("{}")
        };
        let first = stored(response()).unwrap();
        let kept = StoredResponse::read(&first.bytes().unwrap()).unwrap();
        let again = replayed(kept).unwrap();
        assert_eq!(again.headers().get(REPLAYED).unwrap(), "true");
        assert_eq!(stored(again), Some(first));
    }
}
