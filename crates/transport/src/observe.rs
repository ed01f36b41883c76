//! What every request leaves behind: an id, a figure and, where it is worth one, a line in the log.

use std::time::Instant;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use tracing::Instrument;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

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

/// Gives the request an id, which its log lines and its answer carry, and counts it.
pub(crate) async fn observe(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let began = Instant::now();
    let id = Uuid::new_v4().simple().to_string();
    let method = known(request.method());
    let span = tracing::info_span!("request", id, method, path = request.path());
    let mut response = next.call(request).instrument(span.clone()).await?;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let status = response.status();
    // The pattern, not the path: identifiers would make a figure each.
    let route = response.request().match_pattern().unwrap_or_else(|| "other".to_owned());
    let labels = [("method", method.to_owned()), ("route", route), ("status", status.as_str().to_owned())];
    metrics::counter!("allclear_http_requests_total", &labels).increment(1);
    metrics::histogram!("allclear_http_request_seconds", &labels[..2]).record(began.elapsed().as_secs_f64());
    let _entered = span.enter();
    let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
    if status.is_server_error() {
        tracing::warn!(status = status.as_u16(), milliseconds, "answered");
    } else {
        tracing::debug!(status = status.as_u16(), milliseconds, "answered");
    }
    Ok(response)
}
