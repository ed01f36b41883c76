//! The required fields of creates whose body has the schema of the change.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{AllOfBuilder, Object};

/// Fields that a create requires and a change does not.
const REQUIRED: [(&str, &[&str]); 4] = [
    ("/api/v1/component/create", &["name"]),
    ("/api/v1/component-group/create", &["name"]),
    ("/api/v1/incident/{id}/updates/create", &["message"]),
    ("/api/v1/maintenance/{id}/updates/create", &["message"]),
];

/// Adds the required fields to the body of a create.
pub(super) fn require_fields(path: &str, operation: &mut Operation) {
    let Some((_, fields)) = REQUIRED.into_iter().find(|(create, _)| *create == path) else {
        return;
    };
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content
            && let Some(input) = content.schema.take()
        {
            let required = fields
                .iter()
                .fold(Object::builder(), |object, field| object.required(*field));
            let all = AllOfBuilder::new().item(input).item(required);
            content.schema = Some(all.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document;
    use super::*;

    #[test]
    fn creates_require_what_changes_do_not() {
        let document = serde_json::to_value(document()).unwrap();
        for (path, fields) in REQUIRED {
            let content = &document["paths"][path]["post"]["requestBody"]["content"];
            let all = &content["application/json"]["schema"]["allOf"];
            assert!(all[0]["$ref"].is_string(), "{path}");
            assert_eq!(all[1]["required"], json!(fields), "{path}");
        }
    }
}
