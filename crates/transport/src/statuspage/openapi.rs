//! The OpenAPI document of the Statuspage API and the feeds. It is apart from that of the own API, because other programs define it.

use actix_web::{HttpResponse, web};
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{
    Components, Content, HttpMethod, Info, OpenApi, Paths, Ref, RefOr, Required, Response,
    ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

use super::document::{
    ComponentsDocument, IncidentsDocument, MaintenancesDocument, StatusDocument, SummaryDocument,
};
use super::documents::DocumentAddress;
use super::feed::JsonFeed;

type Schemas = Vec<(String, RefOr<Schema>)>;

/// The serialised document.
pub(crate) struct StatuspageOpenApi(String);

impl StatuspageOpenApi {
    /// # Errors
    /// If the document cannot be serialised.
    pub(crate) fn new() -> Result<Self, serde_json::Error> {
        document().to_pretty_json().map(Self)
    }
}

/// `GET /api/v2/openapi.json`.
pub(crate) async fn serve(document: web::Data<StatuspageOpenApi>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(document.0.clone())
}

fn document() -> OpenApi {
    let mut schemas = Schemas::new();
    let mut paths = Paths::new();
    let of_api = [
        ("summary", refer::<SummaryDocument<'_>>(&mut schemas)),
        ("status", refer::<StatusDocument<'_>>(&mut schemas)),
        ("components", refer::<ComponentsDocument<'_>>(&mut schemas)),
        ("incidents", refer::<IncidentsDocument<'_>>(&mut schemas)),
        (
            "incidents/unresolved",
            refer::<IncidentsDocument<'_>>(&mut schemas),
        ),
        (
            "scheduled-maintenances",
            refer::<MaintenancesDocument<'_>>(&mut schemas),
        ),
        (
            "scheduled-maintenances/upcoming",
            refer::<MaintenancesDocument<'_>>(&mut schemas),
        ),
        (
            "scheduled-maintenances/active",
            refer::<MaintenancesDocument<'_>>(&mut schemas),
        ),
    ];
    for (name, schema) in of_api {
        let path = format!("/status/{{organisation}}/api/v2/{name}.json");
        let content = Content::new(Some(schema));
        paths.add_path_operation(
            path,
            vec![HttpMethod::Get],
            read("v2", name, "application/json", content),
        );
    }
    for name in DocumentAddress::FEEDS {
        let content = if name == "feed.json" {
            Content::new(Some(refer::<JsonFeed>(&mut schemas)))
        } else {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            Content::new(Some(RefOr::T(Schema::Object(text))))
        };
        let media = match name.rsplit('.').next() {
            Some("atom") => "application/atom+xml",
            Some("rss") => "application/rss+xml",
            Some("ics") => "text/calendar",
            _ => "application/feed+json",
        };
        let path = format!("/status/{{organisation}}/{name}");
        paths.add_path_operation(
            path,
            vec![HttpMethod::Get],
            read("feeds", name, media, content),
        );
    }
    let mut document = OpenApi::new(
        Info::new("Allclear for other programs", env!("CARGO_PKG_VERSION")),
        paths,
    );
    document.info.description = Some(
        "The Statuspage API, version 2, and the feeds of a status page. On a page's own domain the paths have no prefix \
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
        let StatuspageOpenApi(text) = StatuspageOpenApi::new().unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let paths = document["paths"].as_object().unwrap();
        assert_eq!(paths.len(), 8 + DocumentAddress::FEEDS.len());
        for path in paths.keys() {
            let below = path.strip_prefix("/status/{organisation}/").unwrap();
            let found = match below.strip_prefix("api/v2/") {
                Some(name) => DocumentAddress::of_api(name),
                None => DocumentAddress::of_feed(below),
            };
            assert!(found.is_some(), "{path}");
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
