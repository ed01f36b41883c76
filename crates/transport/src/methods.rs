//! The methods of each API path, for `Allow` in 405 responses and in responses to OPTIONS (RFC
//! 9110, sections 9.3.7 and 15.5.6).

use utoipa::openapi::PathItem;
use utoipa::openapi::path::Paths;

use crate::web_app::matches_route;

/// Methods of pages and files.
pub(crate) const READ: &str = "GET, HEAD";

/// The documented API paths, each with its methods as the value of `Allow`.
pub(crate) struct Methods(Vec<(String, String)>);

impl Methods {
    pub(crate) fn of(calls: &Paths) -> Self {
        let described = calls
            .paths
            .iter()
            .map(|(path, item)| (path.clone(), listed(item)));
        // The document does not describe itself.
        Self(
            described
                .chain([(
                    "/api/v1/openapi.json".to_owned(),
                    format!("{READ}, OPTIONS"),
                )])
                .collect(),
        )
    }

    /// The methods of a path; `None` if no API call has this path. If several routes match, the one
    /// with the fewest parameters counts.
    pub(crate) fn at(&self, path: &str) -> Option<&str> {
        let found = self
            .0
            .iter()
            .filter(|(route, _)| matches_route(path, route));
        found
            .min_by_key(|(route, _)| route.matches('{').count())
            .map(|(_, methods)| methods.as_str())
    }
}

fn listed(item: &PathItem) -> String {
    let operations = [
        ("GET, HEAD", &item.get),
        ("POST", &item.post),
        ("PATCH", &item.patch),
        ("PUT", &item.put),
        ("DELETE", &item.delete),
    ];
    let taken: Vec<_> = operations
        .into_iter()
        .filter(|(_, call)| call.is_some())
        .map(|(method, _)| method)
        .chain(["OPTIONS"])
        .collect();
    taken.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_has_the_methods_of_its_most_specific_route() {
        let methods = Methods::of(&crate::openapi::document().paths);
        assert_eq!(
            methods.at("/api/v1/component/7"),
            Some("GET, HEAD, PATCH, DELETE, OPTIONS")
        );
        assert_eq!(
            methods.at("/api/v1/component/list"),
            Some("GET, HEAD, OPTIONS"),
            "not those of the component `list`"
        );
        assert_eq!(methods.at("/api/v1/nowhere"), None);
    }
}
