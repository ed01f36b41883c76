//! The fast path: responses for the public page, its snapshot, the start of its history and its
//! documents for programs that skip the app's routing, extractors and middleware, which cost more
//! than the response itself. In an outage, nearly all requests are of this kind. Every other
//! request goes to the app, which returns the same responses. Figures:
//! `docs/decisions/public-pages-take-a-fast-path.md`.
//!
//! Before anything else, a request to an organisation's domain gets the path that it has
//! without one.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{self, Context, Poll};
use std::time::Instant;

use actix_http::{Request, RequestHead};
use actix_web::HttpResponse;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{AppConfig, Payload, Service, ServiceFactory, ServiceResponse, forward_ready};
use actix_web::http::Method;
use actix_web::http::header;
use actix_web::web::Bytes;
use futures_util::future::{Either, LocalBoxFuture};
use futures_util::{FutureExt, TryFutureExt};
use pin_project_lite::pin_project;

use crate::server::connection::{Connection, SharedBody};
use crate::server::host_routing::HostRouting;
use crate::server::request_log;
use crate::status_page::history::pages::HistoryPages;
use crate::status_page::page_cache::PageCache;
use crate::status_page::response::PublicResponses;
use crate::status_page::worker_cache::WorkerCache;
use crate::statuspage_api::document_cache::DocumentCache;

/// Factory of the fast path in front of the app.
pub(crate) struct FastPath<A> {
    pub(crate) app: A,
    pub(crate) pages: Arc<PageCache>,
    pub(crate) documents: Arc<DocumentCache>,
    pub(crate) history: Arc<HistoryPages>,
    pub(crate) responses: Arc<PublicResponses>,
    pub(crate) routing: Arc<HostRouting>,
}

/// The fast path of one worker.
pub(crate) struct FastPathService<A> {
    app: A,
    cache: WorkerCache,
    documents: Arc<DocumentCache>,
    history: Arc<HistoryPages>,
    responses: Arc<PublicResponses>,
    routing: Arc<HostRouting>,
}

pin_project! {
    /// The app's response.
    pub(crate) struct AppResponse<F> {
        #[pin]
        response: F,
        connection: Option<Rc<Connection>>,
    }
}

type FastPathResponse<B> = HttpResponse<EitherBody<SharedBody<Bytes>, SharedBody<B>>>;

impl<A, B> ServiceFactory<Request> for FastPath<A>
where
    A: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>> + 'static,
    A::Future: 'static,
    B: MessageBody,
{
    type Response = FastPathResponse<B>;
    type Error = A::Error;
    type Config = AppConfig;
    type Service = FastPathService<A::Service>;
    type InitError = A::InitError;
    type Future = LocalBoxFuture<'static, Result<Self::Service, A::InitError>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let cache = WorkerCache::of(Arc::clone(&self.pages));
        let documents = Arc::clone(&self.documents);
        let history = Arc::clone(&self.history);
        let responses = Arc::clone(&self.responses);
        let routing = Arc::clone(&self.routing);
        self.app
            .new_service(config)
            .map_ok(|app| FastPathService {
                app,
                cache,
                documents,
                history,
                responses,
                routing,
            })
            .boxed_local()
    }
}

impl<A, B> Service<Request> for FastPathService<A>
where
    A: Service<Request, Response = ServiceResponse<B>>,
    B: MessageBody,
{
    type Response = FastPathResponse<B>;
    type Error = A::Error;
    type Future = Either<Ready<Result<FastPathResponse<B>, A::Error>>, AppResponse<A::Future>>;

    forward_ready!(app);

    fn call(&self, mut request: Request) -> Self::Future {
        let is_accepted = self.routing.route(&mut request);
        let is_get = request.method() == Method::GET;
        // A response to HEAD has no body.
        let has_body = request.method() != Method::HEAD;
        let connection = request.conn_data::<Rc<Connection>>();
        let connection = connection.filter(|_| has_body).map(Rc::clone);
        if let Some(found) = (is_accepted && is_get)
            .then(|| self.respond(&mut request))
            .flatten()
        {
            let response = found.map_body(|head, bytes| {
                EitherBody::left(SharedBody::of_bytes(head, bytes, connection))
            });
            return Either::Left(ready(Ok(response)));
        }
        Either::Right(AppResponse {
            response: self.app.call(request),
            connection,
        })
    }
}

impl<F, B, E> Future for AppResponse<F>
where
    F: Future<Output = Result<ServiceResponse<B>, E>>,
    B: MessageBody,
{
    type Output = Result<FastPathResponse<B>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let response = task::ready!(this.response.poll(context))?;
        let connection = this.connection.take();
        let response = HttpResponse::from(response)
            .map_body(|head, body| EitherBody::right(SharedBody::new(head, body, connection)));
        Poll::Ready(Ok(response))
    }
}

impl<A> FastPathService<A> {
    fn respond(&self, request: &mut Request) -> Option<HttpResponse<Option<Bytes>>> {
        if request_log::is_detailed() || !matches!(request.payload(), Payload::None) {
            return None;
        }
        let began = Instant::now();
        let (mut response, route) = self.find(request.head())?;
        request_log::record(&mut response, route, began);
        Some(response)
    }

    /// The response to a request, with its route; `None` if nothing for it is in memory.
    fn find(&self, request: &RequestHead) -> Option<(HttpResponse<Option<Bytes>>, &'static str)> {
        let (path, headers) = (request.uri.path(), &request.headers);
        let Some(rest) = path.strip_prefix("/status/") else {
            let page = self.cache.page(path.strip_prefix("/api/v1/status/")?)?;
            if headers.contains_key(header::AUTHORIZATION) {
                // The app counts the request if this is an API key.
                return None;
            }
            let response = self.responses.snapshot(&page, headers);
            return Some((response, "/api/v1/status/{organisation}"));
        };
        let Some((organisation, below)) = rest.split_once('/') else {
            let page = self.cache.page(rest)?;
            let response = self.responses.page(&page, headers);
            return Some((response, "/status/{organisation}"));
        };
        if below == "history" {
            if request.uri.query().is_some() {
                // It selects another part of the history.
                return None;
            }
            let start = self.history.cached_start(organisation)?;
            let response = self.responses.history(&start, headers);
            return Some((response, "/status/{organisation}/history"));
        }
        let (document, address) = self.documents.cached(organisation, below)?;
        let response = self.responses.open_to_every_origin(&document, headers);
        Some((response, address.route()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use actix_web::Error;
    use actix_web::dev::fn_service;
    use actix_web::error::ErrorImATeapot;
    use actix_web::http::StatusCode;
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;
    use allclear_application::clock::{Clock, TestClock};
    use allclear_application::custom_domain::MockDomainStore;
    use allclear_application::custom_domain::hosts::{HostSettings, Hosts};
    use allclear_application::status_page::MockSnapshotStore;
    use allclear_application::status_page::history::MockPublicHistoryStore;
    use allclear_application::statuspage_api::MockStatuspageStateStore;

    use crate::server::headers::Hsts;
    use crate::status_page::page_cache::tests::{organisation, pages, relay, snapshot};
    use crate::web_app::WebApp;

    /// Documents of organisations that are never read.
    fn documents() -> DocumentCache {
        let store = Arc::new(MockStatuspageStateStore::new());
        let clock: Arc<dyn Clock> = TestClock::stopped();
        DocumentCache::new(store, &relay(), &clock)
    }

    /// Pages of the history that are never read.
    fn history() -> HistoryPages {
        let store = Arc::new(MockPublicHistoryStore::new());
        let clock: Arc<dyn Clock> = TestClock::stopped();
        HistoryPages::new(store, &relay(), &clock, WebApp::history_template(""))
    }

    /// The hosts of an installation whose first organisation has a domain.
    async fn hosts() -> Hosts {
        let mut store = MockDomainStore::new();
        store.expect_verified_domains().returning(|| {
            Ok(vec![(
                "status.org.example".parse().unwrap(),
                organisation(),
            )])
        });
        let settings = HostSettings {
            own: "localhost".to_owned(),
            default_organisation: None,
        };
        Hosts::load(Arc::new(store), settings).await.unwrap()
    }

    /// Status of the fast path's response; `None` if the request went to the app.
    async fn status_of(cache: WorkerCache, request: Request) -> Option<StatusCode> {
        let app =
            async |_: Request| Err::<ServiceResponse, Error>(ErrorImATeapot("the app was called"));
        let web_app = Arc::new(WebApp::load(None));
        let routing = HostRouting::new(Arc::new(hosts().await), Arc::clone(&web_app));
        let fast_path = FastPathService {
            app: fn_service(app),
            cache,
            documents: Arc::new(documents()),
            history: Arc::new(history()),
            responses: Arc::new(PublicResponses::new(Hsts::Off, web_app)),
            routing: Arc::new(routing),
        };
        fast_path
            .call(request)
            .await
            .ok()
            .map(|response| response.status())
    }

    #[actix_web::test]
    async fn only_plain_requests_for_cached_pages_take_the_fast_path() {
        let mut store = MockSnapshotStore::new();
        store
            .expect_snapshot()
            .returning(|_, _| Ok(Some(snapshot(1))));
        let pages = pages(store, &relay());
        let cache = || WorkerCache::of(Arc::clone(&pages));
        let without_body =
            |request: TestRequest| request.to_request().replace_payload(Payload::None).0;
        let to = |host: &str, path: &str| {
            let request = TestRequest::get().uri(path);
            without_body(request.insert_header(("host", host)))
        };
        let get = |path: &str| to("localhost", path);
        assert_eq!(
            status_of(cache(), get("/status/org")).await,
            None,
            "it was not read yet"
        );
        pages.page(&organisation()).await.unwrap();
        for path in [
            "/status/org",
            "/api/v1/status/org",
            "/status/org?theme=dark",
        ] {
            assert_eq!(
                status_of(cache(), get(path)).await,
                Some(StatusCode::OK),
                "{path}"
            );
        }
        let known = without_body(
            TestRequest::get()
                .uri("/status/org")
                .insert_header(("host", "localhost"))
                .insert_header(("if-none-match", "*")),
        );
        assert_eq!(
            status_of(cache(), known).await,
            Some(StatusCode::NOT_MODIFIED)
        );
        let on_domain = |path: &str| to("status.org.example", path);
        assert_eq!(
            status_of(cache(), on_domain("/")).await,
            Some(StatusCode::OK)
        );
        let body = TestRequest::get()
            .uri("/status/org")
            .insert_header(("host", "localhost"))
            .set_payload("x")
            .to_request();
        let head = without_body(
            TestRequest::default()
                .method(Method::HEAD)
                .uri("/status/org")
                .insert_header(("host", "localhost")),
        );
        let with_token = without_body(
            TestRequest::get()
                .uri("/api/v1/status/org")
                .insert_header(("host", "localhost"))
                .insert_header(("authorization", "Bearer ack_")),
        );
        let mut two_hosts = get("/status/org");
        two_hosts
            .headers_mut()
            .append(header::HOST, HeaderValue::from_static("localhost"));
        for request in [
            body,
            head,
            with_token,
            get("/status/org/"),
            get("/status/org/history"),
            get("/status/nobody"),
            get("/api/v1/status/org/events"),
            get("/"),
            on_domain("/status/org"),
            on_domain("/dashboard"),
            two_hosts,
        ] {
            assert_eq!(status_of(cache(), request).await, None);
        }
    }
}
