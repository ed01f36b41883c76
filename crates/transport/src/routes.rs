//! One list of routes for two uses: the app, and the OpenAPI descriptions. Each worker has an app;
//! without the descriptions, apps take much less memory.

use actix_web::dev::HttpServiceFactory;
use actix_web::web;
use utoipa::openapi::path::Paths;
use utoipa_actix_web::OpenApiFactory;

use crate::request::body::scope_for_unknown_senders;

/// A collector of routes.
pub(crate) trait Routes {
    /// Adds a route.
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self;

    /// Adds the routes under a path.
    fn scope(&mut self, path: &str, routes: impl FnOnce(&mut Self)) -> &mut Self;

    /// Adds the routes under a path whose bodies are read before their sender is known, and
    /// are smaller.
    fn scope_for_unknown_senders(
        &mut self,
        path: &str,
        routes: impl FnOnce(&mut Self),
    ) -> &mut Self;
}

impl Routes for web::ServiceConfig {
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        self.service(call)
    }

    fn scope(&mut self, path: &str, routes: impl FnOnce(&mut Self)) -> &mut Self {
        self.service(web::scope(path).configure(routes))
    }

    fn scope_for_unknown_senders(
        &mut self,
        path: &str,
        routes: impl FnOnce(&mut Self),
    ) -> &mut Self {
        self.service(scope_for_unknown_senders(path).configure(routes))
    }
}

/// Visits the OpenAPI description of each route.
pub(crate) struct RouteVisitor<F> {
    prefix: String,
    visit: F,
}

impl<F: FnMut(Paths, &dyn OpenApiFactory)> RouteVisitor<F> {
    /// `visit` receives the paths of a route, complete from the first segment, and its
    /// whole description.
    pub(crate) const fn new(visit: F) -> Self {
        Self {
            prefix: String::new(),
            visit,
        }
    }
}

impl<F: FnMut(Paths, &dyn OpenApiFactory)> Routes for RouteVisitor<F> {
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        let mut paths = call.paths();
        let own = std::mem::take(&mut paths.paths);
        paths.paths = own
            .into_iter()
            .map(|(path, item)| (format!("{}{path}", self.prefix), item))
            .collect();
        (self.visit)(paths, &call);
        self
    }

    fn scope(&mut self, path: &str, routes: impl FnOnce(&mut Self)) -> &mut Self {
        let outside = self.prefix.len();
        self.prefix += path;
        routes(self);
        self.prefix.truncate(outside);
        self
    }

    fn scope_for_unknown_senders(
        &mut self,
        path: &str,
        routes: impl FnOnce(&mut Self),
    ) -> &mut Self {
        self.scope(path, routes)
    }
}
