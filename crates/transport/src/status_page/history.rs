//! The pages of the public history, which the server alone draws.

pub mod pages;
pub mod template;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use allclear_application::status_page::history::HistorySelection;
use allclear_application::status_page::uptime::UptimeSelection;
use allclear_domain::code::Code;
use allclear_domain::history::LAST_PAGE;
use allclear_domain::id::OrganisationId;
use serde::Deserialize;

use crate::limit::client_network::client;
use crate::response::problem::Problem;
use crate::status_page::history::pages::{HistoryAddress, HistoryPages};
use crate::status_page::ready_response::boxed;
use crate::status_page::response::PublicResponses;
use crate::status_page::unavailable::page_unavailable;

/// Which part of the history or the uptime is requested.
#[derive(Debug, Deserialize)]
pub(crate) struct HistoryQuery {
    page: Option<String>,
    component: Option<String>,
}

impl HistoryQuery {
    /// Page and component; `None` if the query has no valid form. An empty component stands
    /// for all.
    fn read(&self) -> Option<(u32, Option<Code>)> {
        let component = match self.component.as_deref() {
            None | Some("") => None,
            Some(code) => Some(code.parse().ok()?),
        };
        let page = match self.page.as_deref() {
            None => 1,
            Some(digits) => page_number(digits)?,
        };
        Some((page, component))
    }
}

/// The number of a page, at most one beyond the last; `None` for other texts than a number from 1.
fn page_number(digits: &str) -> Option<u32> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beyond = LAST_PAGE + 1;
    let page = digits.parse().unwrap_or(beyond).min(beyond);
    (page > 0).then_some(page)
}

/// `GET /status/{organisation}/history`: three months of the history.
pub(crate) async fn history(
    request: HttpRequest,
    organisation: web::Path<String>,
    query: Option<web::Query<HistoryQuery>>,
    pages: web::Data<HistoryPages>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let selection = query
        .and_then(|query| query.read())
        .map(|(page, component)| HistorySelection { page, component });
    let address = selection.map(HistoryAddress::History);
    respond(&request, &organisation, address, &pages, &responses).await
}

/// `GET /status/{organisation}/uptime`: the uptime of components by month.
pub(crate) async fn uptime(
    request: HttpRequest,
    organisation: web::Path<String>,
    query: Option<web::Query<HistoryQuery>>,
    pages: web::Data<HistoryPages>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let selection = query
        .and_then(|query| query.read())
        .map(|(page, component)| UptimeSelection { page, component });
    let address = selection.map(HistoryAddress::Uptime);
    respond(&request, &organisation, address, &pages, &responses).await
}

/// `GET /status/{organisation}/incidents/{code}`: an incident with its timeline.
pub(crate) async fn incident(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    pages: web::Data<HistoryPages>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let (organisation, code) = path.into_inner();
    let address = code.parse::<Code>().ok().map(HistoryAddress::Incident);
    respond(&request, &organisation, address, &pages, &responses).await
}

/// `GET /status/{organisation}/maintenances/{code}`: a maintenance with its timeline.
pub(crate) async fn maintenance(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    pages: web::Data<HistoryPages>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let (organisation, code) = path.into_inner();
    let address = code.parse::<Code>().ok().map(HistoryAddress::Maintenance);
    respond(&request, &organisation, address, &pages, &responses).await
}

async fn respond(
    request: &HttpRequest,
    organisation: &str,
    address: Option<HistoryAddress>,
    pages: &web::Data<HistoryPages>,
    responses: &PublicResponses,
) -> Result<HttpResponse, Problem> {
    let organisation = OrganisationId::parse(organisation).ok();
    let page = match (&organisation, address) {
        (Some(organisation), Some(address)) => {
            match pages.page(organisation, address, client(request)).await {
                Ok(page) => page,
                Err(error) => return page_unavailable(request, error),
            }
        }
        _ => None,
    };
    if let Some(page) = page {
        return Ok(boxed(responses.history(&page, request.headers())));
    }
    let mut unknown = HttpResponse::NotFound().body(pages.unknown(organisation.as_ref()));
    unknown.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    Ok(responses.unknown_entry(unknown, request.headers()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_number_begins_at_one_and_is_bounded() {
        assert_eq!((page_number("1"), page_number("17")), (Some(1), Some(17)));
        for beyond in ["801", "802", "99999999999999999999"] {
            assert_eq!(page_number(beyond), Some(801), "{beyond}");
        }
        for wrong in ["", "0", "-1", "+1", "1.5", "two", "１"] {
            assert_eq!(page_number(wrong), None, "{wrong}");
        }
    }
}
