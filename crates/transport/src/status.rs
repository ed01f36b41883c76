//! What everybody may see of an organisation: the snapshot, the page around it, and the stream of what changes.

pub mod encoded;
pub mod events;
mod frame_log;
pub mod markup;
pub(crate) mod page;
pub mod pages;
mod viewer_notifier;
pub mod viewers;
pub(crate) mod worker_cache;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::error::Error;
use allclear_application::public::Snapshot;
use allclear_domain::id::OrganisationId;

use crate::api_response::Answer;
use crate::client_slots::ClientLimits;
use crate::problem::{Problem, PublicRefusals};
use crate::routes::Routes;
use crate::status::events::{EventStreams, Since};
use crate::status::pages::Pages;
use crate::web_app::nothing_there;

/// Reads everything a status page shows. The `ETag` is the revision; `If-None-Match` answers 304.
#[utoipa::path(
    tag = "status",
    params(("organisation" = String, Path), ("If-None-Match" = Option<String>, Header)),
    responses((status = 200, body = Answer<Snapshot>), (status = 304), PublicRefusals)
)]
#[get("/{organisation}")]
async fn snapshot(
    request: HttpRequest,
    organisation: web::Path<String>,
    pages: web::Data<Pages>,
) -> Result<HttpResponse, Problem> {
    let page = pages
        .page(&known(&organisation)?)
        .await?
        .ok_or(Error::NotFound("Organisation"))?;
    Ok(page::whole(page.json(request.headers())))
}

/// Streams what changes, as server-sent events: the names and arguments of the socket's events.
#[utoipa::path(
    tag = "status",
    params(("organisation" = String, Path), Since, ("Last-Event-ID" = Option<i64>, Header)),
    responses((status = 200, content_type = "text/event-stream", body = String), PublicRefusals)
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
        .open(&request, &limits, &known(&organisation)?, since.0)
        .await
}

/// OPTIONS of a public read: lists the methods, and lets pages of every origin call it (Fetch Standard, section 4.8).
pub(crate) async fn preflight(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut allowed = nothing_there(request).await?;
    let headers = allowed.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("if-none-match, last-event-id"),
    );
    Ok(allowed)
}

/// What cannot be an organisation's identifier names no organisation.
fn known(organisation: &str) -> Result<OrganisationId, Error> {
    OrganisationId::parse(organisation).map_err(|_| Error::NotFound("Organisation"))
}

/// The calls under `/api/v1/status`.
pub(crate) fn calls(config: &mut impl Routes) {
    config.service(snapshot).service(follow);
}
