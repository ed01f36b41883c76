//! The status page of an organisation: snapshot, page and event stream.

pub(crate) mod badge;
pub(crate) mod embed;
pub(crate) mod encoded;
pub mod events;
pub mod history;
pub(crate) mod markup;
pub(crate) mod page;
pub mod page_cache;
pub(crate) mod ready_response;
pub(crate) mod response;
pub(crate) mod revision_cache;
mod stale_if_error;
pub(crate) mod unavailable;
mod viewer_notifier;
pub mod viewers;
pub(crate) mod worker_cache;

use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::error::{Error, Resource};
use allclear_application::status_page::Snapshot;
use allclear_domain::id::OrganisationId;

use crate::limit::client_limits::ClientLimits;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{Problem, PublicErrorResponses};
use crate::routes::Routes;
use crate::status_page::events::{EventStreams, Since};
use crate::status_page::page_cache::PageCache;
use crate::status_page::ready_response::boxed;
use crate::status_page::response::PublicResponses;
use crate::web_app::api_fallback;

/// Returns everything a status page shows. The `ETag` header changes with every change of that; a
/// matching `If-None-Match` gives 304.
#[utoipa::path(
    tag = "status",
    params(("organisation" = String, Path), ("If-None-Match" = Option<String>, Header)),
    responses((status = 200, body = ApiResponse<Snapshot>), (status = 304), PublicErrorResponses)
)]
#[get("/{organisation}")]
async fn snapshot(
    request: HttpRequest,
    organisation: web::Path<String>,
    pages: web::Data<PageCache>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let page = pages
        .page(&parse_organisation_id(&organisation)?)
        .await?
        .ok_or(Error::NotFound(Resource::Organisation))?;
    Ok(boxed(responses.snapshot(&page, request.headers())))
}

/// Streams changes as server-sent events, with the names and arguments of the socket's events.
#[utoipa::path(
    tag = "status",
    params(("organisation" = String, Path), Since, ("Last-Event-ID" = Option<i64>, Header)),
    responses(
        (status = 200, content_type = "text/event-stream", body = String),
        PublicErrorResponses
    )
)]
#[get("/{organisation}/events")]
async fn follow(
    request: HttpRequest,
    organisation: web::Path<String>,
    since: web::Query<Since>,
    streams: web::Data<EventStreams>,
    limits: web::Data<ClientLimits>,
) -> Result<HttpResponse, Problem> {
    streams
        .open(
            &request,
            &limits,
            &parse_organisation_id(&organisation)?,
            since.0,
        )
        .await
}

/// Responds to OPTIONS of a public read: the methods, and the CORS headers for every origin (Fetch
/// Standard, section 4.8).
pub(crate) async fn preflight(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut allowed = api_fallback(request).await?;
    put_cors(allowed.headers_mut());
    Ok(allowed)
}

/// Inserts the CORS headers of a response to OPTIONS of a public read.
pub(crate) fn put_cors(headers: &mut HeaderMap) {
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("if-none-match, last-event-id"),
    );
}

/// 404 for a text that is not a valid organisation identifier.
pub(crate) fn parse_organisation_id(organisation: &str) -> Result<OrganisationId, Error> {
    OrganisationId::parse(organisation).map_err(|_| Error::NotFound(Resource::Organisation))
}

/// The routes under `/api/v1/status`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(snapshot).service(follow);
}
