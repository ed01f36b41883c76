//! One list of the calls for two places: the app that serves them, and the document that describes them. An app without the
//! document is much the smaller: there is one for each worker, and what making a document leaves behind stays with it.

use actix_web::dev::HttpServiceFactory;
use actix_web::web;
use utoipa::openapi::path::Paths;
use utoipa::openapi::{RefOr, Schema};
use utoipa_actix_web::OpenApiFactory;

/// Where calls are put.
pub(crate) trait Routes {
    /// Adds a call.
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self;

    /// Adds the calls under a path.
    fn scope(&mut self, path: &str, calls: impl FnOnce(&mut Self)) -> &mut Self;
}

impl Routes for web::ServiceConfig {
    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        self.service(call)
    }

    fn scope(&mut self, path: &str, calls: impl FnOnce(&mut Self)) -> &mut Self {
        self.service(web::scope(path).configure(calls))
    }
}

/// What the calls say of themselves.
pub(crate) struct Described {
    prefix: String,
    /// Their paths, from the first segment on.
    pub(crate) paths: Paths,
    /// What they take and answer, by name.
    pub(crate) schemas: Vec<(String, RefOr<Schema>)>,
}

impl Described {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            prefix: String::new(),
            paths: Paths::new(),
            schemas: Vec::new(),
        }
    }
}

impl Routes for Described {
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

    fn scope(&mut self, path: &str, calls: impl FnOnce(&mut Self)) -> &mut Self {
        let outside = self.prefix.len();
        self.prefix += path;
        calls(self);
        self.prefix.truncate(outside);
        self
    }
}
