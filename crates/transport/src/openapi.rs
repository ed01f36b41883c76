//! The OpenAPI document, generated from the handlers.

use actix_web::{HttpResponse, web};
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, Info, OpenApi as Document, PathItem};

use crate::identity::{self, cookie};
use crate::problem::{FieldProblem, ProblemBody};
use crate::routes::{RouteDescriptions, Routes};
use crate::{clerk, server, status};

/// The OpenAPI document of all API calls under `/api/v1`.
#[must_use]
pub fn document() -> Document {
    let mut described = RouteDescriptions::new();
    described
        .scope("/api/v1/status", status::routes)
        .scope("/api/v1", |routes| {
            server::routes(routes);
            routes.scope("/identity", identity::routes);
            clerk::routes(routes);
        });
    let mut document = Document::new(
        Info::new("Allclear", env!("CARGO_PKG_VERSION")),
        described.paths,
    );
    document.info.description =
        Some("Incidents, maintenance and the public status page.".to_owned());
    for (path, item) in &mut document.paths.paths {
        name_operations(path, item);
    }
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .build();
    let components = document.components.get_or_insert_with(Components::new);
    components.schemas.extend(described.schemas);
    components
        .schemas
        .extend(Shared::openapi().components.unwrap_or_default().schemas);
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    let session = ApiKeyValue::with_description(
        cookie::NAME,
        "Session cookie of the identity provider, set by sign-up and sign-in. With https, its name is \
         `__Host-allclear_session`",
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
    document
}

/// Schemas that every API call uses.
#[derive(OpenApi)]
#[openapi(components(schemas(ProblemBody<'static>, FieldProblem<'static>)))]
struct Shared;

/// Names each operation by its method and path, such as `get_component_list`, because handlers of
/// several features have equal names.
fn name_operations(path: &str, item: &mut PathItem) {
    let words: Vec<_> = path
        .trim_start_matches("/api/v1/")
        .split(['/', '{', '}', '-'])
        .filter(|word| !word.is_empty())
        .collect();
    let words = words.join("_");
    let operations = [
        ("get", &mut item.get),
        ("post", &mut item.post),
        ("patch", &mut item.patch),
        ("put", &mut item.put),
        ("delete", &mut item.delete),
    ];
    for (method, operation) in operations {
        if let Some(operation) = operation {
            operation.operation_id = Some(format!("{method}_{words}"));
        }
    }
}

/// The document as JSON, as it is served and stored in `docs/`.
///
/// # Errors
/// If the document cannot be serialised.
pub fn json() -> Result<String, serde_json::Error> {
    document().to_pretty_json()
}

/// The serialised document.
pub(crate) struct OpenApiJson(pub(crate) String);

/// `GET /api/v1/openapi.json`.
pub(crate) async fn serve(document: web::Data<OpenApiJson>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(document.0.clone())
}
