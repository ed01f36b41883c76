//! The OpenAPI document, generated from the handlers.

mod creates;
mod headers;
mod references;

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use allclear_application::error::Error;
use allclear_domain::membership::Role;
use serde_json::{Value, json};
use strum::VariantArray;
use tokio::sync::OnceCell;
use utoipa::OpenApi;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Operation, Paths};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    Components, Info, Object, OpenApi as Document, PathItem, RefOr, Schema, Server, Type,
};

use crate::built_in::{self, cookie};
use crate::response::problem::{FieldProblem, Problem, ProblemBody};
use crate::routes::{RouteVisitor, Routes};
use crate::{clerk, server, status_page};

const DESCRIPTION: &str = "Incidents, maintenance and the public status page. A call with `x-recent-authentication` is 403 with a `type` \
    that ends in `/re-authentication-required` if the caller has not authenticated in the last ten minutes. Its \
    description names the exceptions. Every response has `X-Request-Id`, which the log and the audit log name. A method that a path \
    does not have is 405 with `Allow`.";

/// Adds the routes of all API calls under `/api/v1`.
pub(crate) fn routes(all: &mut impl Routes) {
    all.scope("/api/v1/status", status_page::routes)
        .scope("/api/v1", |routes| {
            server::routes(routes);
            routes.scope("/identity", built_in::routes);
            clerk::routes(routes);
        });
}

/// The OpenAPI document of all API calls under `/api/v1`.
#[must_use]
pub fn document() -> Document {
    let (mut paths, mut schemas) = (Paths::new(), Vec::new());
    routes(&mut RouteVisitor::new(|described, call| {
        paths.merge(described);
        call.schemas(&mut schemas);
    }));
    let mut document = Document::new(Info::new("Allclear", env!("CARGO_PKG_VERSION")), paths);
    document.info.description = Some(DESCRIPTION.to_owned());
    document.servers = Some(vec![Server::new("/")]);
    for (path, item) in &mut document.paths.paths {
        describe_operations(path, item);
    }
    let components = document.components.get_or_insert_with(Components::new);
    components.schemas.extend(schemas);
    add_permissions(components);
    headers::add(components);
    components
        .schemas
        .extend(Shared::openapi().components.unwrap_or_default().schemas);
    references::replace_copies(components);
    let bearer = |format: &str, description: &str| {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format(format)
            .description(Some(description));
        SecurityScheme::Http(scheme.build())
    };
    let token = bearer(
        "JWT",
        "Short-lived token of a signed-in person for one organisation. A call lists the role that it needs: `viewer`, `editor` or \
         `admin`, each of which includes those before it",
    );
    components.add_security_scheme("bearer", token);
    let key = bearer(
        "ack_",
        "API key of an organisation, with the role `viewer` or `editor`. Every response to it has `RateLimit` and `RateLimit-Policy`, \
         unless the limit is switched off",
    );
    components.add_security_scheme("apiKey", key);
    let session = ApiKeyValue::with_description(
        cookie::NAME,
        "Session cookie of the identity provider, set by sign-up and sign-in. With https, its name is \
         `__Host-allclear_session`. A call lists the role that it needs in the organisation of its path, or `administrator` for the \
         administrator of the installation",
    );
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
    document
}

/// Schemas that every API call uses.
#[derive(OpenApi)]
#[openapi(components(schemas(ProblemBody<'static>, FieldProblem<'static>)))]
struct Shared;

/// Adds the permissions of each role to the description of roles, for clients that hide what a role
/// may not do.
fn add_permissions(components: &mut Components) {
    if let Some(RefOr::T(Schema::Object(role))) = components.schemas.get_mut("Role") {
        let permissions: BTreeMap<_, Vec<_>> = Role::VARIANTS
            .iter()
            .map(|role| (role.as_ref(), role.permissions().collect()))
            .collect();
        let extensions = Extensions::builder().add("x-permissions", json!(permissions));
        role.extensions = Some(extensions.build());
    }
}

/// The role that a call requires of a bearer token; `None` if it takes no token.
fn required_role(operation: &Operation) -> Option<String> {
    let requirements = serde_json::to_value(&operation.security).ok()?;
    let of_token = requirements
        .as_array()?
        .iter()
        .find_map(|requirement| requirement.get("bearer"))?;
    Some(of_token.get(0)?.as_str()?.to_owned())
}

/// Names each operation by its method and path, such as `get_component_list`, because handlers of
/// several features have equal names. Names API keys as another way to authenticate, except for
/// admins' calls.
fn describe_operations(path: &str, item: &mut PathItem) {
    let words: Vec<_> = path
        .trim_start_matches("/api/v1/")
        .split(['/', '{', '}', '-'])
        .filter(|word| !word.is_empty())
        .collect();
    let words = words.join("_");
    let has_versions = headers::has_versions(path, item);
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
            shorten_summary(operation);
            let role = required_role(operation).filter(|role| role != Role::Admin.as_ref());
            remove_impossible_responses(operation);
            headers::describe(method, path, operation, role.is_some());
            if has_versions && headers::returns_version(method, path) {
                headers::describe_version(operation);
            }
            creates::require_fields(path, operation);
            describe_responses(operation);
            // Without it, a call would need what the document requires of all.
            operation.security.get_or_insert_default();
            if let Some(role) = role {
                let key = SecurityRequirement::new("apiKey", [role]);
                operation.security.get_or_insert_default().push(key);
            }
        }
    }
}

/// Leaves the first sentence in the summary, which lists of calls show. The others come first in
/// the description.
fn shorten_summary(operation: &mut Operation) {
    let Some(text) = operation.summary.take() else {
        return;
    };
    let text = text.replace('\n', " ");
    let (summary, rest) = match text.split_once(". ") {
        Some((first, rest)) => (format!("{first}."), rest.to_owned()),
        None => (text, String::new()),
    };
    operation.summary = Some(summary);
    let texts = [Some(rest), operation.description.take()];
    let texts: Vec<_> = texts
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    operation.description = Some(texts.join("\n\n")).filter(|text| !text.is_empty());
}

/// Removes responses that the call cannot have from those of all calls.
fn remove_impossible_responses(operation: &mut Operation) {
    let mut impossible = Vec::new();
    if operation.request_body.is_none() {
        impossible.extend(["408", "413", "415"]);
    }
    if !headers::takes_version(operation) {
        impossible.push("412");
    }
    let responses = &mut operation.responses.responses;
    responses.retain(|status, _| !impossible.contains(&status.as_str()));
}

/// Schema of a parameter with one of these values.
pub(crate) fn one_of(kind: Type, values: impl IntoIterator<Item = impl Into<Value>>) -> Object {
    Object::builder()
        .schema_type(kind)
        .enum_values(Some(values))
        .build()
}

/// Describes responses without a description by their status: OpenAPI 3.1.0 requires one
/// (section 4.8.17).
fn describe_responses(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            let status = StatusCode::from_bytes(status.as_bytes()).ok();
            let reason = status.and_then(|status| status.canonical_reason());
            response.description = String::from(reason.unwrap_or("Response"));
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

/// A serialised document. It is generated for its first request: that takes up to twenty megabytes,
/// and few clients request it.
#[derive(Default)]
pub(crate) struct OpenApiJson(OnceCell<Bytes>);

impl OpenApiJson {
    /// The response with the document, which `generate` makes for the first request.
    pub(crate) async fn response(
        &self,
        generate: fn() -> Result<String, serde_json::Error>,
    ) -> Result<HttpResponse, Problem> {
        let json = self.0.get_or_try_init(|| generated(generate)).await?;
        Ok(HttpResponse::Ok()
            .content_type("application/json")
            .body(json.clone()))
    }
}

/// Generates a document beside the threads that serve requests.
async fn generated(generate: fn() -> Result<String, serde_json::Error>) -> Result<Bytes, Problem> {
    let text = web::block(generate).await.map_err(Error::internal)?;
    Ok(text.map_err(Error::internal)?.into())
}

/// The documents of the server.
#[derive(Default)]
pub(crate) struct OpenApiDocuments {
    api: OpenApiJson,
    pub(crate) statuspage: OpenApiJson,
}

/// `GET /api/v1/openapi.json`.
pub(crate) async fn serve(documents: web::Data<OpenApiDocuments>) -> Result<HttpResponse, Problem> {
    documents.api.response(json).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_has_the_first_sentence_and_the_description_the_others() {
        let mut operation = Operation::new();
        operation.summary = Some("Creates a key. It is\nnot shown again. Once.".to_owned());
        operation.description = Some("The names are unique.".to_owned());
        shorten_summary(&mut operation);
        assert_eq!(operation.summary.as_deref(), Some("Creates a key."));
        let description = "It is not shown again. Once.\n\nThe names are unique.";
        assert_eq!(operation.description.as_deref(), Some(description));
    }
}
