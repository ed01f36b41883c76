//! Origin checks and CORS headers.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use crate::settings::{Cors, Origins, Settings};

/// Whether a handshake is accepted from the request's origin. CORS does not apply to a WebSocket,
/// so this check protects it too.
pub(super) fn is_allowed(settings: &Settings, request: &HttpRequest) -> bool {
    let Some(allowed) = &settings.allowed_origins else {
        return true;
    };
    let Some(origin) = request.headers().get(header::ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    allowed.contains(origin) || is_own(origin, request)
}

/// Whether the origin is the host of the request.
fn is_own(origin: &str, request: &HttpRequest) -> bool {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|value| value.to_str().ok());
    let origin_host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == origin_host
}

/// Adds the headers that let scripts of the origin read the response.
pub(super) fn allow(cors: &Cors, request: &HttpRequest, response: &mut HttpResponse) {
    let headers = response.headers_mut();
    let Some(origin) = request.headers().get(header::ORIGIN) else {
        return;
    };
    let named = !matches!(cors.origins, Origins::Any) || cors.credentials;
    if named {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    if !origin
        .to_str()
        .is_ok_and(|origin| cors.origins.contains(origin))
    {
        return;
    }
    let value = if named {
        origin.clone()
    } else {
        HeaderValue::from_static("*")
    };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value);
    if cors.credentials {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
    }
}

/// Responds to a preflight request.
pub(super) fn preflight(cors: &Cors, request: &HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::NoContent().finish();
    allow(cors, request, &mut response);
    let requested = request
        .headers()
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .cloned();
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET,POST"),
    );
    if let Some(requested) = requested {
        headers.append(
            header::VARY,
            HeaderValue::from_static("Access-Control-Request-Headers"),
        );
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, requested);
    }
    response
}
