//! The response to a browser when a public page cannot be read.

use actix_web::http::header::{self, Accept, Header};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use allclear_application::error::Error;

use crate::response::problem::Problem;
use crate::server::headers::CONTENT_SECURITY_POLICY;
use crate::web_app::csp_hashes::InlineHashes;

/// The script requests the page every five seconds, and loads it once it is available: a page that
/// is loaded again and again is read from its start each time.
const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
    <meta name=\"color-scheme\" content=\"light dark\"><title>Status page unavailable</title>\
    <main><h1>This page cannot be shown at the moment</h1>\
    <p hidden>It appears as soon as it is available again.</p><p><a href=\"\">Try again</a></p></main>\
    <script>document.querySelector('p').hidden = false;\
    (function wait() { setTimeout(() => fetch('', { cache: 'no-store' }).then(({ ok, status }) => \
    ok || status === 404 ? location.reload() : wait(), wait), 5000); })();</script></html>";

/// The failure of a read: a page if a retry may succeed and the client is a browser, otherwise
/// the problem.
///
/// # Errors
/// The problem.
pub(crate) fn page_unavailable(
    request: &HttpRequest,
    error: Error,
) -> Result<HttpResponse, Problem> {
    let problem = Problem::from(error);
    match problem.retry_after() {
        Some(seconds) if accepts_html(request) => Ok(HttpResponse::build(problem.status_code())
            .insert_header((header::RETRY_AFTER, seconds))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .insert_header((
                header::CONTENT_SECURITY_POLICY,
                InlineHashes::of(PAGE).allowed_by(CONTENT_SECURITY_POLICY),
            ))
            .content_type("text/html; charset=utf-8")
            .body(PAGE)),
        _ => Err(problem),
    }
}

/// Whether a client names HTML, as browsers do. Others, such as curl, accept everything.
fn accepts_html(request: &HttpRequest) -> bool {
    Accept::parse(request).is_ok_and(|accept| {
        accept
            .iter()
            .any(|range| range.item.essence_str() == "text/html")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    fn response(accept: &str, error: Error) -> Result<HttpResponse, Problem> {
        let request = TestRequest::default().insert_header((header::ACCEPT, accept));
        page_unavailable(&request.to_http_request(), error)
    }

    #[test]
    fn browser_gets_a_page_that_waits_and_programs_get_the_problem() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let unavailable = || Error::Unavailable("the database is unavailable".into());
        let page = response(browser, unavailable()).unwrap();
        assert_eq!(page.status(), 503);
        assert!(page.headers().contains_key("retry-after"));
        let policy = page.headers().get("content-security-policy").unwrap();
        let policy = policy.to_str().unwrap();
        let (_, script) = PAGE.split_once("<script>").unwrap();
        let (script, _) = script.split_once("</script>").unwrap();
        assert!(script.contains("location.reload()"));
        let hash = STANDARD.encode(Sha256::digest(script));
        let allowed = format!("script-src 'self' 'sha256-{hash}'");
        assert!(policy.contains(&allowed), "{policy}");
        assert!(!PAGE.contains("http-equiv") && PAGE.contains("<a href=\"\">"));
        for accept in ["*/*", "application/json"] {
            let problem = response(accept, unavailable()).unwrap_err();
            assert_eq!(problem.status_code(), 503, "{accept}");
        }
        let fault = response(browser, Error::internal("a fault")).unwrap_err();
        assert_eq!(fault.status_code(), 500);
    }
}
