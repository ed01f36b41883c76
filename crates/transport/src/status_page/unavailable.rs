//! The response to a browser when a public page cannot be read.

use actix_web::http::header::{self, Accept, Header};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use allclear_application::error::Error;

use crate::response::problem::Problem;

/// The browser requests the page again.
const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
    <meta http-equiv=\"refresh\" content=\"5\"><title>Status page unavailable</title>\
    <h1>This page cannot be shown at the moment</h1><p>It is loaded again every five seconds.</p></html>";

/// The failure of a read: a page if a retry may succeed and the client is a browser, otherwise the problem.
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

    fn response(accept: &str, error: Error) -> Result<HttpResponse, Problem> {
        let request = TestRequest::default().insert_header((header::ACCEPT, accept));
        page_unavailable(&request.to_http_request(), error)
    }

    #[test]
    fn browser_gets_a_page_that_loads_again_and_programs_get_the_problem() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let unavailable = || Error::Unavailable("the database is unavailable".into());
        let page = response(browser, unavailable()).unwrap();
        assert_eq!(page.status(), 503);
        assert!(page.headers().contains_key("retry-after"));
        for accept in ["*/*", "application/json"] {
            let problem = response(accept, unavailable()).unwrap_err();
            assert_eq!(problem.status_code(), 503, "{accept}");
        }
        let fault = response(browser, Error::internal("a fault")).unwrap_err();
        assert_eq!(fault.status_code(), 500);
    }
}
