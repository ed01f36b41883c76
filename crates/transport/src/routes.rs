//! One list of routes for two uses: the app, and the OpenAPI document. Each worker has an app;
//! without the document, apps take much less memory.

use actix_web::dev::HttpServiceFactory;
use actix_web::web;
use utoipa::openapi::path::Paths;
use utoipa::openapi::{RefOr, Schema};
use utoipa_actix_web::OpenApiFactory;

/// A collector of routes.
pub(crate) trait Routes {
    /// Adds a route.
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self;

    /// Adds the routes under a path.
    fn scope(&mut self, path: &str, routes: impl FnOnce(&mut Self)) -> &mut Self;
}

impl Routes for web::ServiceConfig {
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        self.service(call)
    }

    fn scope(&mut self, path: &str, routes: impl FnOnce(&mut Self)) -> &mut Self {
        self.service(web::scope(path).configure(routes))
    }
}

/// Collects the OpenAPI descriptions of routes.
pub(crate) struct RouteDescriptions {
    prefix: String,
    /// The described paths, complete from the first segment.
    pub(crate) paths: Paths,
    /// The schemas of requests and responses, by name.
    pub(crate) schemas: Vec<(String, RefOr<Schema>)>,
}

impl RouteDescriptions {
    pub(crate) fn new() -> Self {
        Self {
            prefix: String::new(),
            paths: Paths::new(),
            schemas: Vec::new(),
        }
    }
}

impl Routes for RouteDescriptions {
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        let mut paths = call.paths();
        let own = std::mem::take(&mut paths.paths);
        paths.paths = own
            .into_iter()
            .map(|(path, item)| (format!("{}{path}", self.prefix), item))
            .collect();
        self.paths.merge(paths);
        call.schemas(&mut self.schemas);
        self
    }

    fn scope(&mut self, path: &str, routes: impl FnOnce(&mut Self)) -> &mut Self {
        let outside = self.prefix.len();
        self.prefix += path;
        routes(self);
        self.prefix.truncate(outside);
        self
    }
}
