//! The headers of many calls in the OpenAPI document: `Idempotency-Key` of creates, `ETag` of what
//! `If-Match` compares, the rate limit of API keys, and those that belong to a status.

use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::Response;
use utoipa::openapi::schema::{Object, ObjectBuilder};
use utoipa::openapi::{Components, Header, PathItem, Ref, RefOr, Required, Type};

const KEY: &str = "Idempotency-Key";
const REPLAYED: &str = "Idempotency-Replayed";
const LIMIT: &str = "RateLimit";
const POLICY: &str = "RateLimit-Policy";
const VERSION: &str = "ETag";
const RETRY: &str = "Retry-After";
const CHALLENGE: &str = "WWW-Authenticate";

/// Adds the descriptions to which calls refer.
pub(super) fn add(components: &mut Components) {
    components
        .parameters
        .insert(KEY.to_owned(), idempotency_key().into());
    for (name, description, example) in [
        (
            REPLAYED,
            "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`; absent otherwise",
            "true",
        ),
        (
            LIMIT,
            "For an API key: the requests that it may still send at once (`r`), and the seconds until all are available again (`t`)",
            "\"key\";r=597;t=1",
        ),
        (
            POLICY,
            "For an API key: the requests that it may send at once (`q`), and the window in seconds (`w`)",
            "\"key\";q=600;w=60",
        ),
        (VERSION, "The version of the item, for `If-Match`", "\"42\""),
        (RETRY, "Seconds until the request may be sent again", "30"),
        (CHALLENGE, "How to authenticate", "Bearer"),
    ] {
        let header = header(description, example);
        components.headers.insert(name.to_owned(), header.into());
    }
}

/// Describes the headers of a call. `takes_key` is whether it may be called with an API key.
pub(super) fn describe(method: &str, path: &str, operation: &mut Operation, takes_key: bool) {
    let repeats = method == "post" && is_repeatable(path);
    if repeats {
        let key = Ref::new(format!("#/components/parameters/{KEY}"));
        let parameters = operation.parameters.get_or_insert_default();
        parameters.push(RefOr::Ref(key));
    }
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else {
            continue;
        };
        let is_success = status.starts_with('2');
        let limited = takes_key && (is_success || status == "429");
        let names = [
            (repeats && is_success, REPLAYED),
            (limited, LIMIT),
            (limited, POLICY),
            (matches!(status.as_str(), "429" | "503"), RETRY),
            (status == "401", CHALLENGE),
        ];
        for (_, name) in names.into_iter().filter(|(has, _)| *has) {
            refer(response, name);
        }
    }
}

/// Describes the version in the successful responses of a call.
pub(super) fn describe_version(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && status.starts_with('2')
        {
            refer(response, VERSION);
        }
    }
}

/// Whether responses about the item of a path have its version: a change of it takes
/// `If-Match`, it is created, or a monitor reports its status. API keys have no versions; the
/// history of a component has one for all its periods.
pub(super) fn has_versions(path: &str, item: &PathItem) -> bool {
    let changes = [&item.post, &item.patch, &item.put, &item.delete];
    let is_created = path.ends_with("/create") && !path.ends_with("/api-key/create");
    let is_history = path.ends_with("/history");
    let is_report = path.ends_with("/status");
    is_created || is_history || is_report || changes.into_iter().flatten().any(takes_version)
}

/// Whether successful responses to a method have the version of the item. After a deletion there is
/// none, but the history of a component stays when one of its periods is deleted.
pub(super) fn returns_version(method: &str, path: &str) -> bool {
    method != "delete" || path.contains("/history/")
}

/// Whether a call takes `If-Match`.
pub(super) fn takes_version(operation: &Operation) -> bool {
    let mut parameters = operation.parameters.iter().flatten();
    parameters.any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.name == "If-Match",
        RefOr::Ref(_) => false,
    })
}

fn refer(response: &mut Response, name: &str) {
    let header = Ref::new(format!("#/components/headers/{name}"));
    response.headers.insert(name.to_owned(), RefOr::Ref(header));
}

/// Whether a POST to this path takes an `Idempotency-Key`.
fn is_repeatable(path: &str) -> bool {
    path.ends_with("/create") || path == "/api/v1/subscriber"
}

fn idempotency_key() -> Parameter {
    let text = text().min_length(Some(1)).max_length(Some(255));
    ParameterBuilder::new()
        .name(KEY)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "Makes the create repeatable: the same key with the same path and body returns the first response for 24 hours. Another \
             path or body is 422; while the first request is handled, 409",
        ))
        .schema(Some(text.pattern(Some("^[!-~]+$")).build()))
        .build()
}

fn header(description: &str, example: &str) -> Header {
    HeaderBuilder::new()
        .schema(Some(text().build()))
        .description(Some(description))
        .example(Some(example.into()))
        .build()
}

fn text() -> ObjectBuilder {
    Object::builder().schema_type(Type::String)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::super::document;
    use super::*;

    /// Method and path of each call for which this is true.
    fn calls(document: &Value, is: impl Fn(&Value) -> bool) -> BTreeSet<String> {
        let paths = document["paths"].as_object().unwrap().iter();
        paths
            .flat_map(|(path, item)| {
                let calls = item
                    .as_object()
                    .unwrap()
                    .iter()
                    .filter(|(_, call)| is(call));
                calls.map(move |(method, _)| format!("{method} {path}"))
            })
            .collect()
    }

    /// Whether a response of a call with this status, or with one that begins so, refers to
    /// a header.
    fn has_header(call: &Value, status: &str, name: &str) -> bool {
        let reference = json!({"$ref": format!("#/components/headers/{name}")});
        let mut responses = call["responses"].as_object().unwrap().iter();
        responses.any(|(has, response)| {
            has.starts_with(status) && response["headers"][name] == reference
        })
    }

    #[test]
    fn creates_take_an_idempotency_key() {
        let document = serde_json::to_value(document()).unwrap();
        let key = json!({"$ref": "#/components/parameters/Idempotency-Key"});
        let taking = calls(&document, |call| {
            let parameters = call["parameters"].as_array();
            parameters.is_some_and(|parameters| parameters.contains(&key))
        });
        let all = calls(&document, |_| true);
        let is_create = |call: &&String| {
            call.starts_with("post ")
                && (call.ends_with("/create") || call.ends_with(" /api/v1/subscriber"))
        };
        assert_eq!(taking, all.iter().filter(is_create).cloned().collect());
        assert!(taking.len() >= 9, "{taking:?}");
        let replayed = calls(&document, |call| has_header(call, "2", REPLAYED));
        assert_eq!(replayed, taking);
        assert_eq!(
            document["components"]["parameters"][KEY]["schema"]["maxLength"],
            255
        );
    }

    #[test]
    fn versions_are_described_where_they_are_compared() {
        let document = serde_json::to_value(document()).unwrap();
        let versioned = calls(&document, |call| has_header(call, "2", VERSION));
        for call in [
            "get /api/v1/component/{id}",
            "patch /api/v1/component/{id}",
            "post /api/v1/component/create",
            "post /api/v1/component/{id}/status",
            "get /api/v1/component/{id}/history",
            "delete /api/v1/component/{id}/history/{period_id}",
            "get /api/v1/component/order",
            "get /api/v1/organisation",
        ] {
            assert!(versioned.contains(call), "{call}");
        }
        assert!(!versioned.contains("post /api/v1/api-key/create"));
        assert!(!versioned.contains("delete /api/v1/component/{id}"));
        let takes_version = |call: &Value| {
            let mut parameters = call["parameters"].as_array().into_iter().flatten();
            parameters.any(|parameter| parameter["name"] == "If-Match")
        };
        let comparing = calls(&document, takes_version);
        let stale = calls(&document, |call| call["responses"].get("412").is_some());
        assert_eq!(stale, comparing);
    }

    #[test]
    fn responses_to_a_body_are_those_of_calls_with_one() {
        let document = serde_json::to_value(document()).unwrap();
        let described = calls(&document, |call| call["responses"].get("413").is_some());
        let with_body = calls(&document, |call| call.get("requestBody").is_some());
        assert!(described.is_subset(&with_body), "{described:?}");
    }

    #[test]
    fn calls_of_visitors_describe_no_refusal_of_a_caller() {
        let document = serde_json::to_value(document()).unwrap();
        let of_visitors = calls(&document, |call| {
            call["security"] == json!([]) && call["tags"] == json!(["subscribers"])
        });
        assert!(of_visitors.len() > 5, "{of_visitors:?}");
        for status in ["401", "403"] {
            let refused = calls(&document, |call| call["responses"].get(status).is_some());
            assert!(of_visitors.is_disjoint(&refused), "{status}");
        }
    }

    #[test]
    fn every_call_except_redirects_describes_an_unavailable_database() {
        let document = serde_json::to_value(document()).unwrap();
        let described = calls(&document, |call| call["responses"].get("503").is_some());
        let others = calls(&document, |call| call["responses"].get("303").is_none());
        assert_eq!(described, others);
    }

    #[test]
    fn calls_that_take_keys_describe_their_rate_limit() {
        let document = serde_json::to_value(document()).unwrap();
        let of_keys = calls(&document, |call| {
            let security = call["security"].as_array();
            security.is_some_and(|all| all.iter().any(|one| one.get("apiKey").is_some()))
        });
        assert!(of_keys.len() > 40, "{of_keys:?}");
        for name in [LIMIT, POLICY] {
            for status in ["2", "429"] {
                let described = calls(&document, |call| has_header(call, status, name));
                assert_eq!(described, of_keys, "{name} of {status}");
            }
            assert!(document["components"]["headers"][name]["description"].is_string());
        }
    }
}
