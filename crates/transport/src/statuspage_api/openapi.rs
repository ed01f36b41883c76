//! The OpenAPI document of the Statuspage API and the feeds. It is apart from that of the own API,
//! because other programs define it.

use actix_web::{HttpResponse, web};
use strum::VariantArray;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{
    Components, Content, HttpMethod, Info, OpenApi, Paths, Ref, RefOr, Required, Response,
    ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

use super::document_address::{API, DocumentAddress};
use super::feed::JsonFeed;
use super::json::{
    ComponentsDocument, IncidentsDocument, MaintenancesDocument, StatusDocument, SummaryDocument,
};
use crate::openapi::OpenApiDocuments;
use crate::response::problem::Problem;

type Schemas = Vec<(String, RefOr<Schema>)>;

/// `GET /api/v2/openapi.json`.
pub(crate) async fn serve(documents: web::Data<OpenApiDocuments>) -> Result<HttpResponse, Problem> {
    documents.statuspage.response(json).await
}

fn json() -> Result<String, serde_json::Error> {
    document().to_pretty_json()
}

fn document() -> OpenApi {
    let mut schemas = Schemas::new();
    let mut paths = Paths::new();
    for address in DocumentAddress::VARIANTS {
        let content = Content::new(Some(schema_of(*address, &mut schemas)));
        let (tag, name) = match address.below().strip_prefix(API) {
            Some(name) => ("v2", name.trim_end_matches(".json")),
            None => ("feeds", address.below()),
        };
        let media = address.content_type().split(';').next().unwrap_or_default();
        let operation = read(tag, name, media, content);
        paths.add_path_operation(address.path(), vec![HttpMethod::Get], operation);
    }
    let mut document = OpenApi::new(
        Info::new("Allclear for other programs", env!("CARGO_PKG_VERSION")),
        paths,
    );
    document.info.description = Some(
        "The Statuspage API, version 2, the feeds and the sitemap of a status page. On a page's own domain the paths have no prefix \
         `/status/{organisation}`."
            .to_owned(),
    );
    let mut components = Components::new();
    components.schemas.extend(schemas);
    document.components = Some(components);
    document
}

/// A reference to a schema, which is added to `schemas` with everything that it names.
fn refer<T: ToSchema + PartialSchema>(schemas: &mut Schemas) -> RefOr<Schema> {
    T::schemas(schemas);
    schemas.push((T::name().into_owned(), T::schema()));
    RefOr::Ref(Ref::from_schema_name(T::name()))
}

fn schema_of(address: DocumentAddress, schemas: &mut Schemas) -> RefOr<Schema> {
    match address {
        DocumentAddress::Summary => refer::<SummaryDocument<'_>>(schemas),
        DocumentAddress::Status => refer::<StatusDocument<'_>>(schemas),
        DocumentAddress::Components => refer::<ComponentsDocument<'_>>(schemas),
        DocumentAddress::Incidents | DocumentAddress::Unresolved => {
            refer::<IncidentsDocument<'_>>(schemas)
        }
        DocumentAddress::Maintenances | DocumentAddress::Upcoming | DocumentAddress::Active => {
            refer::<MaintenancesDocument<'_>>(schemas)
        }
        DocumentAddress::JsonFeed => refer::<JsonFeed>(schemas),
        DocumentAddress::HistoryAtom
        | DocumentAddress::HistoryRss
        | DocumentAddress::UpdatesAtom
        | DocumentAddress::UpdatesRss
        | DocumentAddress::Calendar
        | DocumentAddress::Sitemap => {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            RefOr::T(Schema::Object(text))
        }
    }
}

fn read(tag: &str, name: &str, media: &str, content: Content) -> utoipa::openapi::path::Operation {
    let organisation = parameter("organisation", ParameterIn::Path, Required::True);
    let known = parameter("If-None-Match", ParameterIn::Header, Required::False);
    let found = ResponseBuilder::new()
        .description("The document; `ETag` changes with its content")
        .content(media, content);
    let words = name.replace(['/', '-', '.'], "_");
    OperationBuilder::new()
        .tag(tag)
        .operation_id(Some(format!("get_{words}")))
        .parameter(organisation)
        .parameter(known)
        .response("200", found)
        .response("304", Response::new("`If-None-Match` has the tag"))
        .response("404", Response::new("There is no such organisation"))
        .response("429", Response::new("Too many requests wait"))
        .response("503", Response::new("The database is unavailable"))
        .build()
}

fn parameter(name: &str, place: ParameterIn, required: Required) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .schema(Some(Schema::Object(text)))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::HashSet;

    use serde_json::Value;

    /// Names of all schemas that a part of the document refers to.
    fn references<'a>(value: &'a Value, found: &mut HashSet<&'a str>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(name)) = fields.get("$ref") {
                    found.extend(name.strip_prefix("#/components/schemas/"));
                }
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_path_is_described_and_every_schema_is_there() {
        let document: Value = serde_json::from_str(&json().unwrap()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        assert_eq!(paths.len(), DocumentAddress::VARIANTS.len());
        for path in paths.keys() {
            let below = path.strip_prefix("/status/{organisation}/").unwrap();
            assert!(DocumentAddress::at(below).is_some(), "{path}");
            for status in ["429", "503"] {
                let response = &paths[path]["get"]["responses"][status];
                assert!(response.is_object(), "{path} {status}");
            }
        }
        let mut found = HashSet::new();
        references(&document, &mut found);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for name in ["Page", "Component", "Incident", "Maintenance", "Update"] {
            assert!(found.contains(name), "{name}");
        }
        for name in found {
            assert!(schemas.contains_key(name), "{name}");
        }
    }
}
