//! What every request leaves behind: an id, a figure and, where it is worth one, a line in the log.

mod metrics;

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::{Error, HttpMessage, HttpResponse};
use pin_project_lite::pin_project;
use tracing::{Level, Span};
use uuid::Uuid;

use crate::security_log::{RequestId, record_throttled};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives each request an id, which its log lines and its answer carry, and counts it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observe;

/// The service inside, observed.
pub(crate) struct Observed<S> {
    inner: S,
}

/// Who a request is, for the log and for the figures.
struct Identity {
    began: Instant,
    id: HeaderValue,
    method: &'static str,
    uri: Uri,
}

pin_project! {
    /// A request on its way.
    pub(crate) struct Observing<F> {
        #[pin]
        inner: F,
        identity: Identity,
        span: Option<Span>,
    }
}

/// The method's name. A client may make up methods; a figure for each would let it fill the memory.
fn known(method: &Method) -> &'static str {
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

/// Whether a request is most likely answered from memory at once, with nothing to log. Such a request gets its span
/// when it turns out to have to wait: making one costs as much as half the answer.
fn is_quiet(method: &Method, path: &str) -> bool {
    let public = ["/status/", "/api/v1/status/", "/assets/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    public && (method == Method::GET || method == Method::HEAD) && !is_detailed()
}

/// Whether every answer has a line in the log.
pub(crate) fn is_detailed() -> bool {
    tracing::enabled!(Level::DEBUG)
}

fn new_id() -> HeaderValue {
    let mut text = [0; uuid::fmt::Simple::LENGTH];
    let id = Uuid::new_v4().simple().encode_lower(&mut text);
    // Hexadecimal digits can stand in a header.
    HeaderValue::from_str(id).unwrap_or(HeaderValue::from_static(""))
}

/// Observes an answer that was given ahead of the app.
pub(crate) fn note<B>(answer: &mut HttpResponse<B>, route: &str, began: Instant) {
    answer.headers_mut().insert(REQUEST_ID, new_id());
    metrics::count("GET", route, answer.status(), began.elapsed());
}

impl<S, B> Transform<S, ServiceRequest> for Observe
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Transform = Observed<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(Observed { inner }))
    }
}

impl<S, B> Service<ServiceRequest> for Observed<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Future = Observing<S::Future>;

    forward_ready!(inner);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let identity = Identity::of(&request);
        if !is_quiet(request.method(), request.path()) {
            let id = RequestId(identity.id.clone());
            request.extensions_mut().insert(id);
        }
        let span = (!is_quiet(request.method(), request.path())).then(|| identity.span());
        let inner = match &span {
            Some(span) => span.in_scope(|| self.inner.call(request)),
            None => self.inner.call(request),
        };
        Observing {
            inner,
            identity,
            span,
        }
    }
}

impl<F, B> Future for Observing<F>
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
                this.span.get_or_insert_with(|| this.identity.span());
                Poll::Pending
            }
            Poll::Ready(answered) => Poll::Ready(answered.map(|mut response| {
                this.identity.note(&mut response, this.span.as_ref());
                response
            })),
        }
    }
}

impl Identity {
    fn of(request: &ServiceRequest) -> Self {
        Self {
            began: Instant::now(),
            id: new_id(),
            method: known(request.method()),
            uri: request.uri().clone(),
        }
    }

    fn span(&self) -> Span {
        let id = self.id.to_str().unwrap_or_default();
        tracing::info_span!("request", id, method = self.method, path = self.uri.path())
    }

    /// Puts the id on the answer, counts it and logs it.
    fn note<B>(&self, response: &mut ServiceResponse<B>, span: Option<&Span>) {
        response.headers_mut().insert(REQUEST_ID, self.id.clone());
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            record_throttled(response.request());
        }
        let took = self.began.elapsed();
        // The pattern, not the path: identifiers would make a figure each.
        let route = response.request().match_pattern();
        metrics::count(
            self.method,
            route.as_deref().unwrap_or("other"),
            status,
            took,
        );
        let milliseconds = took.as_secs_f64() * 1000.0;
        if status.is_server_error() {
            let here = span.cloned().unwrap_or_else(|| self.span());
            here.in_scope(|| tracing::warn!(status = status.as_u16(), milliseconds, "answered"));
        } else if let Some(span) = span {
            span.in_scope(|| tracing::debug!(status = status.as_u16(), milliseconds, "answered"));
        }
    }
}
