//! Which methods the calls take, for the `Allow` of a 405 and of OPTIONS (RFC 9110, sections 9.3.7 and 15.5.6).

use utoipa::openapi::PathItem;
use utoipa::openapi::path::Paths;

use crate::web_app::is_at;

/// What pages and files are read by.
pub(crate) const READ: &str = "GET, HEAD";

/// The calls that are described, each path with its methods as `Allow` lists them.
pub(crate) struct Methods(Vec<(String, String)>);

impl Methods {
    /// The methods of these calls.
    pub(crate) fn of(calls: &Paths) -> Self {
        let described = calls
            .paths
            .iter()
            .map(|(path, item)| (path.clone(), listed(item)));
        // The document describes all but itself.
        Self(
            described
                .chain([(
                    "/api/v1/openapi.json".to_owned(),
                    format!("{READ}, OPTIONS"),
                )])
                .collect(),
        )
    }

    /// The methods that a path takes; none where no call is. Where routes compete, it is at the one that leaves least open.
    pub(crate) fn at(&self, path: &str) -> Option<&str> {
        let found = self.0.iter().filter(|(route, _)| is_at(path, route));
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
    fn a_path_takes_the_methods_of_its_own_route() {
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
