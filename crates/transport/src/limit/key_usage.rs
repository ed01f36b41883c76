//! The rate limit of API keys, and its headers (draft-ietf-httpapi-ratelimit-headers). Each node
//! counts for itself, in memory.

use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest, ResponseError};
use allclear_domain::id::ApiKeyId;
use allclear_domain::rate_limit::RateLimit;

use crate::limit::bucket::{Bucket, Level};
use crate::request::caller::count_key_or_refuse;
use crate::response::problem::Problem;

/// `RateLimit-Policy`.
pub(crate) const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// `RateLimit`.
pub(crate) const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// Counts the requests of each API key.
pub struct KeyUsage(Option<(RateLimit, Bucket<ApiKeyId>)>);

/// What the headers of a response say.
#[derive(Clone, Copy)]
struct Counted {
    quota: u32,
    level: Level,
}

impl KeyUsage {
    /// Creates full buckets with this limit; `None` means no limit.
    #[must_use]
    pub fn new(limit: Option<RateLimit>) -> Self {
        Self(limit.map(|limit| (limit, Bucket::new(limit))))
    }

    /// Counts a request of a key. The response gets the headers, also if the request is refused.
    ///
    /// # Errors
    /// 429 with a message that names the limit.
    pub(crate) fn take_or_refuse(
        &self,
        key: ApiKeyId,
        request: &HttpRequest,
    ) -> Result<(), Problem> {
        let Some((limit, bucket)) = &self.0 else {
            return Ok(());
        };
        let (taken, level) = bucket.take_and_level(&key);
        request.extensions_mut().insert(Counted {
            quota: limit.burst.max(1),
            level,
        });
        taken.map_err(|wait| {
            let message =
                "Too many requests with this API key, please try again later (ALLCLEAR_LIMIT_API_KEY)";
            Problem::too_many_of(message, Problem::seconds_after(wait))
        })
    }
}

/// Middleware: counts the request of an API key, and refuses it beyond the limit.
pub(crate) async fn limit_keys(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    Ok(match count_key_or_refuse(request.request()).await {
        Ok(()) => next.call(request).await?.map_into_left_body(),
        Err(refused) => request
            .into_response(refused.error_response())
            .map_into_right_body(),
    })
}

/// Middleware: adds the headers to the response to an API key. A request that was refused ahead of
/// [`limit_keys`] is counted here.
pub(crate) async fn describe_limit(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let is_call = request.path().starts_with("/api/v1/");
    let mut response = next.call(request).await?;
    if !is_call {
        return Ok(response);
    }
    // The request already has its response, so a used-up limit changes no more than the headers.
    let _ = count_key_or_refuse(response.request()).await;
    let counted = response.request().extensions().get::<Counted>().copied();
    if let Some(counted) = counted {
        counted.write(response.headers_mut());
    }
    Ok(response)
}

impl Counted {
    fn write(self, headers: &mut HeaderMap) {
        let Self { quota, level } = self;
        // The time in which the whole quota is refilled, rounded up.
        let full_in = (level.full_in + Duration::from_millis(999)).as_secs();
        let policy = format!("\"key\";q={quota};w=60");
        let state = format!("\"key\";r={};t={full_in}", level.remaining);
        for (name, value) in [(POLICY, policy), (STATE, state)] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use uuid::Uuid;

    fn headers(request: &HttpRequest) -> Option<(String, String)> {
        let counted = request.extensions().get::<Counted>().copied()?;
        let mut headers = HeaderMap::new();
        counted.write(&mut headers);
        let text = |name| headers.get(&name).unwrap().to_str().unwrap().to_owned();
        Some((text(POLICY), text(STATE)))
    }

    #[test]
    fn each_request_of_a_key_is_counted_and_described() {
        let usage = KeyUsage::new(Some(RateLimit {
            burst: 2,
            per_hour: 60,
        }));
        let key = ApiKeyId(Uuid::nil());
        let mut states = Vec::new();
        for _ in 0..2 {
            let request = TestRequest::default().to_http_request();
            assert!(usage.take_or_refuse(key, &request).is_ok());
            states.push(headers(&request).unwrap());
        }
        let policy = "\"key\";q=2;w=60".to_owned();
        assert_eq!(states[0], (policy.clone(), "\"key\";r=1;t=60".to_owned()));
        assert_eq!(states[1], (policy, "\"key\";r=0;t=120".to_owned()));
        let request = TestRequest::default().to_http_request();
        let refused = usage.take_or_refuse(key, &request).unwrap_err();
        assert!(refused.to_string().contains("ALLCLEAR_LIMIT_API_KEY"));
        assert!(
            refused
                .error_response()
                .headers()
                .contains_key("retry-after")
        );
        assert!(headers(&request).unwrap().1.starts_with("\"key\";r=0;"));
        let other = TestRequest::default().to_http_request();
        assert!(usage.take_or_refuse(ApiKeyId(Uuid::max()), &other).is_ok());
    }

    #[test]
    fn without_a_limit_there_are_no_headers() {
        let request = TestRequest::default().to_http_request();
        let usage = KeyUsage::new(None);
        assert!(
            usage
                .take_or_refuse(ApiKeyId(Uuid::nil()), &request)
                .is_ok()
        );
        assert!(headers(&request).is_none());
    }
}
