//! Refuses what other sites' pages send in the name of somebody who is signed in here (cross-site request forgery).
//!
//! The cookie is `SameSite=Strict` and bodies must be JSON, which a form cannot send; this is the check besides (OWASP
//! ASVS 5.0, 3.5.1). It decides as the W3C's Fetch Metadata has it, and where a browser sends none, by `Origin`.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, ResponseError, web};

use crate::problem::Problem;

/// Our own origin: the public URL without a path.
#[derive(Debug, Clone)]
pub(crate) struct OwnOrigin(pub(crate) String);

/// Lets a request through unless it changes something and comes from another site's page.
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
        let refused = Problem::new(
            StatusCode::FORBIDDEN,
            "This may be asked from our own pages only",
        );
        // An answer, not an error: what goes round all requests adds its headers to answers only.
        return Ok(request
            .into_response(refused.error_response())
            .map_into_right_body());
    }
    next.call(request)
        .await
        .map(ServiceResponse::map_into_left_body)
}

/// A request without either header comes from no page: from a script, which no site can make anybody run.
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
    fn our_pages_and_scripts_pass() {
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
    fn other_sites_pages_do_not() {
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
