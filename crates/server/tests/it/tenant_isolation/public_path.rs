//! The table of what an organisation shows to everybody.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::tenant::Tenant;
use crate::app::{TestApp, client, send};

/// Public paths below the address of a status page, as the router and the OpenAPI document write
/// them. On a domain they are at the root.
const PATHS: [&str; 25] = [
    "",
    "/history",
    "/uptime",
    "/incidents/{code}",
    "/maintenances/{code}",
    "/subscribe",
    "/badge.svg",
    "/badge/{component}.svg",
    "/embed",
    "/embed.js",
    "/history.atom",
    "/history.rss",
    "/updates.atom",
    "/updates.rss",
    "/feed.json",
    "/maintenances.ics",
    "/sitemap.xml",
    "/api/v2/summary.json",
    "/api/v2/status.json",
    "/api/v2/components.json",
    "/api/v2/incidents.json",
    "/api/v2/incidents/unresolved.json",
    "/api/v2/scheduled-maintenances.json",
    "/api/v2/scheduled-maintenances/upcoming.json",
    "/api/v2/scheduled-maintenances/active.json",
];

/// Public API calls. They have the same path on every host.
pub(super) const CALLS: [&str; 2] = [
    "/api/v1/status/{organisation}",
    "/api/v1/status/{organisation}/events",
];

/// Queries of these paths that select something.
const QUERIES: [(&str, &str); 5] = [
    ("/history", "?page=2"),
    ("/history", "?component={component}"),
    ("/uptime", "?component={component}"),
    ("/badge/{component}.svg", "?metric=uptime&days=30"),
    ("", "?unknown=1"),
];

/// A request for something public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicPath {
    /// Below the address of the status page, with codes and query.
    pub(crate) below: String,
    /// Whether it contains a code, so that it exists for one organisation only.
    pub(crate) has_code: bool,
}

impl PublicPath {
    /// The path on the domain of the organisation.
    pub(crate) fn on_domain(&self) -> String {
        if self.below.starts_with('/') {
            self.below.clone()
        } else {
            format!("/{}", self.below)
        }
    }

    /// The path on other hosts.
    pub(crate) fn on_installation(&self, organisation: &str) -> String {
        format!("/status/{organisation}{}", self.below)
    }

    /// The path without a query.
    pub(super) fn plain(&self) -> &str {
        self.below.split('?').next().unwrap_or_default()
    }
}

/// Every public path of an organisation.
pub(crate) fn public_paths(tenant: &Tenant) -> Vec<PublicPath> {
    let filled = |path: &str| PublicPath {
        below: tenant.fill(path),
        has_code: path.contains('{'),
    };
    let paths = PATHS.iter().map(|path| filled(path));
    let queries = QUERIES
        .iter()
        .map(|(path, query)| filled(&format!("{path}{query}")));
    paths.chain(queries).collect()
}

/// The paths that every domain has.
pub(super) fn shared_paths() -> impl Iterator<Item = String> {
    let paths = PATHS.into_iter().filter(|path| !path.contains('{'));
    paths.map(|path| {
        if path.is_empty() {
            "/".to_owned()
        } else {
            path.to_owned()
        }
    })
}

/// The paths of a served OpenAPI document.
async fn documented(app: &TestApp, path: &str) -> Vec<String> {
    let document = send(client().get(format!("{}{path}", app.url))).await.body;
    let paths = document["paths"].as_object().cloned();
    paths
        .unwrap()
        .into_iter()
        .map(|(path, _): (_, Value)| path)
        .collect()
}

/// The routes below a status page in the source files of a folder.
fn routed(folder: &Path) -> BTreeSet<String> {
    let mut routes = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            routes.extend(routed(&path));
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for literal in source.split("\"/status/{organisation}").skip(1) {
            let below = literal.split('"').next().unwrap();
            // Others are the beginnings of several routes.
            if below.is_empty() || (below.starts_with('/') && below != "/") {
                routes.insert(below.to_owned());
            }
        }
    }
    routes
}

#[tokio::test(flavor = "multi_thread")]
async fn every_public_path_has_its_row() {
    let app = TestApp::start().await;
    let transport = Path::new(env!("CARGO_MANIFEST_DIR")).join("../transport/src");
    let mut paths = routed(&transport);
    // One route, whose documents the OpenAPI document names.
    assert!(paths.remove("/api/v2/{document:.*}"), "{paths:?}");
    for path in documented(&app, "/api/v2/openapi.json").await {
        paths.insert(path.replacen("/status/{organisation}", "", 1));
    }
    let rows: BTreeSet<_> = PATHS.map(str::to_owned).into();
    assert_eq!(rows, paths);

    let calls = documented(&app, "/api/v1/openapi.json").await;
    let calls = calls
        .into_iter()
        .filter(|path| path.starts_with("/api/v1/status/"));
    let rows: BTreeSet<_> = CALLS.map(str::to_owned).into();
    assert_eq!(rows, calls.collect());
    for (path, query) in QUERIES {
        assert!(PATHS.contains(&path), "{path}{query}");
    }
}
