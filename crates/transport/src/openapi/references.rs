//! References to the schemas of the document.

use std::collections::BTreeMap;

use utoipa::openapi::schema::ArrayItems;
use utoipa::openapi::{Components, Ref, RefOr, Schema};

/// Replaces copies of schemas in the responses by references: the generator copies the parameter of
/// a generic type. Generated clients would have a type of their own for each copy.
pub(super) fn replace_copies(components: &mut Components) {
    let named = components.schemas.clone();
    for (name, response) in &mut components.schemas {
        if let RefOr::T(Schema::Object(response)) = response
            && name.starts_with("ApiResponse_")
            && let Some(data) = response.properties.get_mut("data")
        {
            replace(data, &named);
        }
    }
}

fn replace(schema: &mut RefOr<Schema>, named: &BTreeMap<String, RefOr<Schema>>) {
    if let Some((name, _)) = named.iter().find(|(_, known)| *known == schema) {
        *schema = Ref::from_schema_name(name).into();
        return;
    }
    match schema {
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                replace(items, named);
            }
        }
        RefOr::T(Schema::OneOf(one_of)) => {
            for item in &mut one_of.items {
                replace(item, named);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document;

    #[test]
    fn no_two_schemas_are_equal() {
        let document = serde_json::to_value(document()).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (name, schema) in schemas {
            let equal = schemas
                .iter()
                .find(|(other, known)| *other != name && *known == schema);
            assert!(
                equal.is_none(),
                "a reference to {name} may become one to {equal:?}"
            );
        }
    }

    #[test]
    fn responses_refer_to_the_schemas_of_their_data() {
        let document = serde_json::to_value(document()).unwrap();
        let schemas = &document["components"]["schemas"];
        let data = |name: &str| &schemas[name]["properties"]["data"];
        let component = json!({"$ref": "#/components/schemas/Component"});
        assert_eq!(*data("ApiResponse_Component"), component);
        assert_eq!(data("ApiResponse_Vec_Component")["items"], component);
    }
}
