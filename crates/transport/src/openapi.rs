//! The OpenAPI document, generated from the handlers.

use actix_web::{App, HttpResponse, web};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, OpenApi};
use utoipa_actix_web::AppExt;

use crate::server::calls;

/// Describes every call under `/api/v1`.
#[must_use]
pub fn document() -> OpenApi {
    let app = App::new().into_utoipa_app().configure(|config| calls(config, &[]));
    let (_, mut document) = app.split_for_parts();
    "Allclear".clone_into(&mut document.info.title);
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    document.info.description = Some("Incidents, maintenance and the public status page.".to_owned());
    document.info.license = None;
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
    let components = document.components.get_or_insert_with(Components::new);
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    document
}

/// The document as it is served and kept in `docs/`.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn json() -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&document())
}

/// The document, written once.
pub(crate) struct OpenApiJson(pub(crate) String);

/// `GET /api/v1/openapi.json`.
pub(crate) async fn serve(document: web::Data<OpenApiJson>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(document.0.clone())
}
