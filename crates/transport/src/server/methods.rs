//! The methods of each API path, for `Allow` in 405 responses and in responses to OPTIONS (RFC
//! 9110, sections 9.3.7 and 15.5.6).

use std::collections::BTreeMap;

use utoipa::openapi::PathItem;

use crate::openapi;
use crate::routes::RouteVisitor;
use crate::web_app::matches_route;

/// Methods of pages and files.
pub(crate) const READ: &str = "GET, HEAD";

/// The documented API paths, each with its methods as the value of `Allow`.
pub(crate) struct Methods(Vec<(String, String)>);

impl Methods {
    /// The methods of all documented routes. Their descriptions take twenty megabytes, so each is
    /// dropped before the next one.
    pub(crate) fn of_routes() -> Self {
        let mut found = BTreeMap::<String, Taken>::new();
        openapi::routes(&mut RouteVisitor::new(|described, _| {
            for (path, item) in described.paths {
                let taken = found.entry(path).or_default();
                for (taken, also) in taken.iter_mut().zip(methods(&item)) {
                    *taken |= also;
                }
            }
        }));
        let described = found.into_iter();
        // The document does not describe itself.
        Self(
            described
                .map(|(path, taken)| (path, listed(taken)))
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

/// Which methods a path has, in the order of [`METHODS`].
type Taken = [bool; METHODS.len()];

const METHODS: [&str; 5] = [READ, "POST", "PATCH", "PUT", "DELETE"];

const fn methods(item: &PathItem) -> Taken {
    [
        item.get.is_some(),
        item.post.is_some(),
        item.patch.is_some(),
        item.put.is_some(),
        item.delete.is_some(),
    ]
}

fn listed(taken: Taken) -> String {
    let methods = METHODS.into_iter().zip(taken);
    let methods = methods.filter_map(|(method, taken)| taken.then_some(method));
    methods.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_has_the_methods_of_its_most_specific_route() {
        let methods = Methods::of_routes();
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

    #[test]
    fn every_described_path_has_the_methods_of_its_operations() {
        let found = Methods::of_routes();
        for (path, item) in &openapi::document().paths.paths {
            let expected = listed(methods(item));
            assert!(found.0.contains(&(path.clone(), expected)), "{path}");
        }
    }
}
