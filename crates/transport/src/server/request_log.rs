//! Request identifiers, request metrics and the request log.

mod metrics;

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::{Error, HttpMessage, HttpResponse};
use allclear_application::line_limit::LineLimit;
use pin_project_lite::pin_project;
use tracing::{Level, Span};
use uuid::Uuid;

use crate::server::security_log::record_throttled;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Identifier of a request, for handlers.
#[derive(Clone)]
pub(crate) struct RequestId(pub(crate) HeaderValue);

/// Middleware: gives each request an identifier for its log lines and its response, and counts
/// the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestLog;

pub(crate) struct RequestLogService<S> {
    inner: S,
}

/// The facts about a request that its log line and its metrics need.
struct RequestInfo {
    began: Instant,
    id: HeaderValue,
    method: &'static str,
    uri: Uri,
}

pin_project! {
    /// The response future of a logged request.
    pub(crate) struct RequestLogFuture<F> {
        #[pin]
        inner: F,
        info: RequestInfo,
        span: Option<Span>,
    }
}

/// The name of the method. Clients may invent methods; one metric for each would fill the memory.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Whether the response most likely comes from memory without a log line. Such a request gets its
/// span only if it has to wait, because creating a span takes half as long as the response.
fn is_quiet(method: &Method, path: &str) -> bool {
    let public = ["/status/", "/api/v1/status/", "/assets/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    public && (method == Method::GET || method == Method::HEAD) && !is_detailed()
}

/// Whether every request is logged.
pub(crate) fn is_detailed() -> bool {
    tracing::enabled!(Level::DEBUG)
}

fn new_id() -> HeaderValue {
    let mut text = [0; uuid::fmt::Simple::LENGTH];
    let id = Uuid::new_v4().simple().encode_lower(&mut text);
    // Hexadecimal digits are valid in a header.
    HeaderValue::from_str(id).unwrap_or(HeaderValue::from_static(""))
}

/// Adds the identifier to a response of the fast path, and counts it.
pub(crate) fn record<B>(response: &mut HttpResponse<B>, route: &str, began: Instant) {
    response.headers_mut().insert(REQUEST_ID, new_id());
    metrics::count("GET", route, response.status(), began.elapsed());
}

impl<S, B> Transform<S, ServiceRequest> for RequestLog
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Transform = RequestLogService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(RequestLogService { inner }))
    }
}

impl<S, B> Service<ServiceRequest> for RequestLogService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Future = RequestLogFuture<S::Future>;

    forward_ready!(inner);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let info = RequestInfo::of(&request);
        let span = if is_quiet(request.method(), request.path()) {
            None
        } else {
            let id = RequestId(info.id.clone());
            request.extensions_mut().insert(id);
            Some(info.span())
        };
        let inner = match &span {
            Some(span) => span.in_scope(|| self.inner.call(request)),
            None => self.inner.call(request),
        };
        RequestLogFuture { inner, info, span }
    }
}

impl<F, B> Future for RequestLogFuture<F>
where
    F: Future<Output = Result<ServiceResponse<B>, Error>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let polled = match this.span {
            Some(span) => span.in_scope(|| this.inner.poll(context)),
            None => this.inner.poll(context),
        };
        match polled {
            Poll::Pending => {
                this.span.get_or_insert_with(|| this.info.span());
                Poll::Pending
            }
            Poll::Ready(outcome) => Poll::Ready(outcome.map(|mut response| {
                this.info.record(&mut response, this.span.as_ref());
                response
            })),
        }
    }
}

impl RequestInfo {
    fn of(request: &ServiceRequest) -> Self {
        Self {
            began: Instant::now(),
            id: new_id(),
            method: method_label(request.method()),
            uri: request.uri().clone(),
        }
    }

    fn span(&self) -> Span {
        let id = self.id.to_str().unwrap_or_default();
        tracing::info_span!("request", id, method = self.method, path = self.uri.path())
    }

    /// Adds the identifier to the response, counts the request and logs it.
    fn record<B>(&self, response: &mut ServiceResponse<B>, span: Option<&Span>) {
        response.headers_mut().insert(REQUEST_ID, self.id.clone());
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            // A quiet request does not have its identifier yet.
            let request = response.request();
            request.extensions_mut().insert(RequestId(self.id.clone()));
            record_throttled(request);
        }
        let took = self.began.elapsed();
        // The route pattern, not the path: identifiers would create a metric each.
        let route = response.request().match_pattern();
        metrics::count(
            self.method,
            route.as_deref().unwrap_or("other"),
            status,
            took,
        );
        let milliseconds = took.as_secs_f64() * 1000.0;
        if status.is_server_error() {
            static LINES: LineLimit = LineLimit::new(20);
            if !LINES.allows() {
                return;
            }
            let here = span.cloned().unwrap_or_else(|| self.span());
            here.in_scope(|| {
                tracing::warn!(status = status.as_u16(), milliseconds, "request completed");
            });
        } else if let Some(span) = span {
            span.in_scope(|| {
                tracing::debug!(status = status.as_u16(), milliseconds, "request completed");
            });
        }
    }
}
