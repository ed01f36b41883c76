//! The status of an organisation for programs: the Statuspage API, version 2, the feeds and
//! the sitemap.

pub(crate) mod document_address;
pub mod document_cache;
mod feed;
mod json;
pub(crate) mod openapi;
mod sitemap;

use actix_web::http::Method;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use allclear_application::error::{Error, Resource};

use crate::response::problem::Problem;
use crate::server::headers::Headers;
use crate::server::read;
use crate::status_page::ready_response::boxed;
use crate::status_page::response::PublicResponses;
use crate::status_page::{parse_organisation_id, put_cors};
use crate::statuspage_api::document_address::{API, API_ROUTE, DocumentAddress};
use crate::statuspage_api::document_cache::DocumentCache;
use crate::web_app::fallback;

/// The routes below `/status/{organisation}`. They are open to every origin.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config.service(
        web::resource(API_ROUTE)
            .route(read().to(api))
            .route(web::method(Method::OPTIONS).to(preflight))
            .default_service(web::to(fallback))
            .wrap(Headers::open_to_every_origin().middleware()),
    );
    for address in DocumentAddress::outside_api() {
        config.service(
            web::resource(address.route())
                .route(read().to(document))
                .route(web::method(Method::OPTIONS).to(preflight))
                .default_service(web::to(fallback))
                .wrap(Headers::open_to_every_origin().middleware()),
        );
    }
}

/// `GET /status/{organisation}/history.atom`, the other feeds and the sitemap.
async fn document(
    request: HttpRequest,
    organisation: web::Path<String>,
    documents: web::Data<DocumentCache>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let name = request.path().rsplit('/').next().unwrap_or_default();
    respond(&request, &organisation, name, &documents, &responses).await
}

/// Responds to OPTIONS.
async fn preflight() -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    response.insert_header((header::ALLOW, "GET, HEAD, OPTIONS"));
    let mut response = response.finish();
    put_cors(response.headers_mut());
    response
}

/// `GET /status/{organisation}/api/v2/{document}`: a document of the Statuspage API.
async fn api(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    documents: web::Data<DocumentCache>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let (organisation, name) = path.into_inner();
    let below = format!("{API}{name}");
    respond(&request, &organisation, &below, &documents, &responses).await
}

/// The document at a path below the status page.
async fn respond(
    request: &HttpRequest,
    organisation: &str,
    below: &str,
    documents: &DocumentCache,
    responses: &PublicResponses,
) -> Result<HttpResponse, Problem> {
    let address = DocumentAddress::at(below).ok_or_else(Problem::not_found)?;
    let document = documents
        .document(&parse_organisation_id(organisation)?, address)
        .await?
        .ok_or(Error::NotFound(Resource::Organisation))?;
    let response = responses.open_to_every_origin(&document, request.headers());
    Ok(boxed(response))
}
