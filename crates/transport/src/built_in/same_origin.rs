//! Protection against cross-site request forgery.
//!
//! The cookie is `SameSite=Strict`, and bodies must be JSON, which a form cannot send; this check
//! is a second defence (OWASP ASVS 5.0, 3.5.1). It uses the W3C's Fetch Metadata headers or, if the
//! browser sends none, `Origin`.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, ResponseError, web};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};

use crate::response::problem::Problem;
use crate::server::security_log::record_refused;

/// Own origin: the public URL without a path.
#[derive(Debug, Clone)]
pub(crate) struct OwnOrigin(pub(crate) String);

/// Refuses requests that change something and come from a page of another site.
pub(crate) async fn check(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody>>, Error> {
    let safe = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    let own = request
        .app_data::<web::Data<OwnOrigin>>()
        .map_or("", |own| own.0.as_str());
    if !safe && !is_ours(request.headers(), own) {
        let path = request.path();
        let foreign = SecurityRecord {
            object: Some(&path),
            ..SecurityRecord::new(SecurityEvent::ForeignRequestRefused)
        };
        record_refused(request.request(), foreign);
        let refused = Problem::new(
            StatusCode::FORBIDDEN,
            "This request is allowed from our own pages only",
        );
        // A response, not an error: the outer middleware adds headers to responses only.
        return Ok(request
            .into_response(refused.error_response())
            .map_into_right_body());
    }
    next.call(request)
        .await
        .map(ServiceResponse::map_into_left_body)
}

/// A request without both headers comes from a script outside a browser, which carries no cookie of
/// a victim.
fn is_ours(headers: &HeaderMap, own: &str) -> bool {
    let text = |name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    if let Some(site) = text("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else {
        return true;
    };
    let host = text(header::HOST.as_str()).unwrap_or_default();
    let same_host = origin
        .split_once("://")
        .is_some_and(|(_, authority)| !host.is_empty() && authority == host);
    same_host || origin == own
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn accepts(headers: &[(&'static str, &'static str)]) -> bool {
        let mut request = TestRequest::default();
        for (name, value) in headers {
            request = request.insert_header((*name, *value));
        }
        is_ours(
            request.to_http_request().headers(),
            "https://status.example.com",
        )
    }

    #[test]
    fn own_pages_and_scripts_are_accepted() {
        assert!(accepts(&[]));
        assert!(accepts(&[
            ("sec-fetch-site", "same-origin"),
            ("origin", "https://status.example.com")
        ]));
        assert!(accepts(&[("sec-fetch-site", "none")]));
        assert!(accepts(&[("origin", "https://status.example.com")]));
        assert!(accepts(&[
            ("origin", "http://127.0.0.1:8080"),
            ("host", "127.0.0.1:8080")
        ]));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        assert!(!accepts(&[("sec-fetch-site", "cross-site")]));
        assert!(!accepts(&[
            ("sec-fetch-site", "same-site"),
            ("origin", "https://status.example.com")
        ]));
        assert!(!accepts(&[
            ("origin", "https://evil.example"),
            ("host", "status.example.com")
        ]));
        assert!(!accepts(&[(
            "origin",
            "https://status.example.com.evil.example"
        )]));
        assert!(!accepts(&[
            ("origin", "null"),
            ("host", "status.example.com")
        ]));
    }
}
