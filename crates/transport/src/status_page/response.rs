//! Responses with the public page and the snapshot. The app and the fast path both use them, so
//! their headers are equal.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use bytes::Bytes;

use crate::server::headers::{Framed, Headers, Hsts};
use crate::server::request_rules::{forbid_storing, is_private};
use crate::status_page::page::Page;
use crate::status_page::ready_response::ReadyResponse;
use crate::web_app::WebApp;

/// Headers of the public page and the snapshot.
pub(crate) struct PublicResponses {
    security: Headers,
    open: Headers,
    web_app: Arc<WebApp>,
}

impl PublicResponses {
    pub(crate) fn new(hsts: Hsts, web_app: Arc<WebApp>) -> Self {
        Self {
            security: Headers::security(hsts),
            open: Headers::open_to_every_origin(),
            web_app,
        }
    }

    /// The public page, or 304.
    pub(crate) fn page(&self, page: &Page, request: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        let mut response = self.secured(page.html(request), request);
        self.web_app
            .put_page_policy(request, response.headers_mut());
        response
    }

    /// The snapshot, or 304.
    pub(crate) fn snapshot(&self, page: &Page, request: &HeaderMap) -> HttpResponse<Option<Bytes>> {
        let mut response = self.secured(page.json(request), request);
        self.open.put_on(response.headers_mut());
        response
    }

    /// A page of the history, or 304.
    pub(crate) fn history(
        &self,
        ready: &ReadyResponse,
        request: &HeaderMap,
    ) -> HttpResponse<Option<Bytes>> {
        let mut response = self.secured(ready.respond(request), request);
        self.web_app.put_history_policy(response.headers_mut());
        response
    }

    /// The page in the frame of the embedded banner, or 304.
    pub(crate) fn embed(
        &self,
        ready: &ReadyResponse,
        request: &HeaderMap,
    ) -> HttpResponse<Option<Bytes>> {
        let mut response = self.secured(ready.respond(request), request);
        let headers = response.headers_mut();
        self.web_app.put_frame_policy(headers);
        // Pages with a Cross-Origin-Embedder-Policy frame only what has one, and what says that
        // they may load it.
        headers.insert(
            header::CROSS_ORIGIN_EMBEDDER_POLICY,
            HeaderValue::from_static("require-corp"),
        );
        put_corp(headers);
        response.extensions_mut().insert(Framed);
        response
    }

    /// A picture or script that pages of other sites load, or 304.
    pub(crate) fn embeddable(
        &self,
        ready: &ReadyResponse,
        request: &HeaderMap,
    ) -> HttpResponse<Option<Bytes>> {
        let mut response = self.open_to_every_origin(ready, request);
        put_corp(response.headers_mut());
        response
    }

    /// A response that programs of every origin may read, or 304.
    pub(crate) fn open_to_every_origin(
        &self,
        ready: &ReadyResponse,
        request: &HeaderMap,
    ) -> HttpResponse<Option<Bytes>> {
        let mut response = self.secured(ready.respond(request), request);
        self.open.put_on(response.headers_mut());
        response
    }

    /// The page for an unknown address of the history.
    pub(crate) fn unknown_entry(&self, page: HttpResponse, request: &HeaderMap) -> HttpResponse {
        let mut response = self.secured(page, request);
        self.web_app.put_history_policy(response.headers_mut());
        response
    }

    fn secured<B>(&self, mut response: HttpResponse<B>, request: &HeaderMap) -> HttpResponse<B> {
        self.security.put_on(response.headers_mut());
        if is_private(request) {
            forbid_storing(response.headers_mut());
        }
        response
    }
}

/// Lets pages of other sites load the response.
fn put_corp(headers: &mut HeaderMap) {
    headers.insert(
        header::CROSS_ORIGIN_RESOURCE_POLICY,
        HeaderValue::from_static("cross-origin"),
    );
}
