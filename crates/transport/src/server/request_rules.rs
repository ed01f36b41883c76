//! Rules for every request that reaches the app: bounded head, no repeated `Authorization`, no
//! compressed body, HEAD wherever GET works, and no caching of responses to a token or a session
//! cookie.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{Error, HttpResponse, ResponseError, web};
use pin_project_lite::pin_project;

use crate::built_in::cookie;
use crate::response::problem::Problem;

/// Folder of files with a hash in their names. They are the same for every client, so caches may
/// store them.
const ASSETS: &str = "/assets/";

/// Longest head of a request, in bytes. A waiting poll keeps its head in memory.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// Middleware that applies the rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestRules;

pub(crate) struct RequestRulesService<S> {
    inner: S,
}

pin_project! {
    /// The response future.
    #[project = RulesFutureProjection]
    pub(crate) enum RulesFuture<F> {
        /// The request was refused before it reached the app.
        Refused { response: Option<ServiceResponse> },
        /// The app handles the request.
        Inner {
            #[pin]
            inner: F,
            head: bool,
            private: bool,
        },
    }
}

pin_project! {
    /// A response body.
    #[project = RulesBodyProjection]
    pub(crate) enum RulesBody<B> {
        /// The body of the app's response.
        Whole {
            #[pin]
            body: B,
        },
        /// Only the size: the response to HEAD.
        Size { size: BodySize },
        /// The body of an error response.
        Refusal {
            #[pin]
            body: BoxBody,
        },
    }
}

impl<S, B> Transform<S, ServiceRequest> for RequestRules
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    type Response = ServiceResponse<RulesBody<B>>;
    type Error = Error;
    type Transform = RequestRulesService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(RequestRulesService { inner }))
    }
}

impl<S, B> Service<ServiceRequest> for RequestRulesService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    type Response = ServiceResponse<RulesBody<B>>;
    type Error = Error;
    type Future = RulesFuture<S::Future>;

    forward_ready!(inner);

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let private = is_private(request.headers()) && !request.path().starts_with(ASSETS);
        if let Some(mut refusal) = refusal(&request) {
            if private {
                forbid_storing(refusal.headers_mut());
            }
            return RulesFuture::Refused {
                response: Some(request.into_response(refusal)),
            };
        }
        let head = request.method() == Method::HEAD && request.path().starts_with("/api/");
        if head {
            // The routes of the API accept GET. The HTTP encoder remembers the method of the
            // request and writes no body.
            request.head_mut().method = Method::GET;
        }
        RulesFuture::Inner {
            inner: self.inner.call(request),
            head,
            private,
        }
    }
}

impl<F, B> Future for RulesFuture<F>
where
    F: Future<Output = Result<ServiceResponse<B>, Error>>,
    B: MessageBody,
{
    type Output = Result<ServiceResponse<RulesBody<B>>, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            RulesFutureProjection::Refused { response } => {
                // A future is not polled after it has completed.
                let Some(response) = response.take() else {
                    return Poll::Pending;
                };
                Poll::Ready(Ok(response.map_body(|_, body| RulesBody::Refusal { body })))
            }
            RulesFutureProjection::Inner {
                inner,
                head,
                private,
            } => inner.poll(context).map_ok(|mut response| {
                if *private {
                    forbid_storing(response.headers_mut());
                }
                response.map_body(|_, body| {
                    if *head {
                        RulesBody::Size { size: body.size() }
                    } else {
                        RulesBody::Whole { body }
                    }
                })
            }),
        }
    }
}

impl<B: MessageBody> MessageBody for RulesBody<B> {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        match self {
            Self::Whole { body } => body.size(),
            Self::Size { size } => *size,
            Self::Refusal { body } => body.size(),
        }
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<web::Bytes, Self::Error>>> {
        match self.project() {
            RulesBodyProjection::Whole { body } => body
                .poll_next(context)
                .map(|next| next.map(|read| read.map_err(Into::into))),
            RulesBodyProjection::Size { .. } => Poll::Ready(None),
            RulesBodyProjection::Refusal { body } => body.poll_next(context),
        }
    }

    fn try_into_bytes(self) -> Result<web::Bytes, Self> {
        match self {
            Self::Whole { body } => body.try_into_bytes().map_err(|body| Self::Whole { body }),
            Self::Refusal { body } => body.try_into_bytes().map_err(|body| Self::Refusal { body }),
            // Conversion would replace the size by the length of the bytes.
            size @ Self::Size { .. } => Err(size),
        }
    }
}

/// Whether the request carries a token or a session cookie.
pub(crate) fn is_private(headers: &HeaderMap) -> bool {
    headers.contains_key(header::AUTHORIZATION)
        || headers
            .get_all(header::COOKIE)
            .any(|value| contains_bytes(value.as_bytes(), cookie::NAME.as_bytes()))
}

/// Forbids caches to store a response (RFC 9111, section 5.2.2.5).
pub(crate) fn forbid_storing(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

fn contains_bytes(text: &[u8], name: &[u8]) -> bool {
    text.windows(name.len()).any(|window| window == name)
}

/// The error response to a request that breaks a rule; `None` if it breaks none.
fn refusal(request: &ServiceRequest) -> Option<HttpResponse> {
    let line = request
        .uri()
        .path_and_query()
        .map_or(0, |target| target.as_str().len());
    let head = request
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum::<usize>();
    if line + head > MAX_HEAD_BYTES {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Some(Problem::new(status, "The request's headers are too large").error_response());
    }
    if has_two_authorizations(request.headers()) {
        let problem = Problem::new(
            StatusCode::BAD_REQUEST,
            "Authorization must not be repeated",
        );
        return Some(problem.error_response());
    }
    is_encoded(request.headers()).then(unsupported_encoding)
}

/// Whether the request has several `Authorization` headers. They are no list (RFC 9110, sections
/// 5.3 and 11.6.2), and a proxy may have checked another one than the app reads.
fn has_two_authorizations(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).nth(1).is_some()
}

/// Whether the body has a content coding other than `identity` (RFC 9110, section 8.4).
fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_ENCODING).any(|value| {
        value.as_bytes().split(|byte| *byte == b',').any(|coding| {
            let coding = coding.trim_ascii();
            !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")
        })
    })
}

/// RFC 9110, section 15.5.16: the response names the supported content codings.
fn unsupported_encoding() -> HttpResponse {
    let problem = Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "The body must not be compressed",
    );
    let mut response = problem.error_response();
    response.headers_mut().insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &header::HeaderName, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_identity_is_an_accepted_content_coding() {
        for accepted in [&[][..], &["identity"], &["Identity, "], &[""]] {
            assert!(
                !is_encoded(&headers(&header::CONTENT_ENCODING, accepted)),
                "{accepted:?}"
            );
        }
        for refused in [
            &["gzip"][..],
            &["identity, br"],
            &["identity", "x-gzip"],
            &["unknown"],
        ] {
            assert!(
                is_encoded(&headers(&header::CONTENT_ENCODING, refused)),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn authorization_must_not_be_repeated() {
        let repeated = |values: &[&'static str]| {
            has_two_authorizations(&headers(&header::AUTHORIZATION, values))
        };
        assert!(!repeated(&[]));
        assert!(!repeated(&["Bearer x, y"]));
        for values in [
            &["Bearer x", "Bearer y"][..],
            &["Bearer x", "Bearer x"],
            &["", "Basic x"],
        ] {
            assert!(repeated(values), "{values:?}");
        }
    }

    #[test]
    fn token_and_session_cookie_make_a_request_private() {
        assert!(!is_private(&headers(&header::COOKIE, &["theme=dark"])));
        assert!(is_private(&headers(
            &header::COOKIE,
            &["theme=dark; allclear_session=x"]
        )));
        assert!(is_private(&headers(&header::AUTHORIZATION, &["Bearer x"])));
    }
}
