//! The public page and its snapshot, answered ahead of the app. In an outage everybody reloads them, and nearly every
//! answer is in memory: it needs no routing, no extractor and no middleware, which together cost more than the answer.
//! Whatever is not the plain case is left to the app, which gives the same answers.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_http::Request;
use actix_web::HttpResponse;
use actix_web::body::{BodySize, EitherBody, MessageBody};
use actix_web::dev::{AppConfig, Payload, Service, ServiceFactory, ServiceResponse, forward_ready};
use actix_web::http::Method;
use actix_web::web::Bytes;
use futures_util::future::{Either, LocalBoxFuture, MapOk};
use futures_util::{FutureExt, TryFutureExt};

use crate::headers::Headers;
use crate::idle_timeout::{Busy, Connection};
use crate::request_log;
use crate::request_rules::{forbid_storing, is_private};
use crate::status::pages::Pages;
use crate::status::worker_cache::Copies;
use crate::web_app::WebApp;

/// How much of a body is written at once, in bytes. Every connection holds a copy of that much, and no cache would hold larger
/// ones for all of them.
const PIECE: usize = 32 * 1024;

/// The app, behind what is answered ahead of it.
pub(crate) struct Ahead<A> {
    /// The app.
    pub(crate) app: A,
    /// The pages.
    pub(crate) pages: Arc<Pages>,
    /// What says what the public page may load.
    pub(crate) web_app: Arc<WebApp>,
    /// What every answer carries.
    pub(crate) security: Headers,
    /// What public calls carry beside it.
    pub(crate) open: Headers,
}

/// The same in one worker.
pub(crate) struct AheadInWorker<A> {
    app: A,
    copies: Copies,
    web_app: Arc<WebApp>,
    security: Headers,
    open: Headers,
}

/// An answer from memory. Its connection is busy until it is sent.
pub(crate) struct FromMemory {
    bytes: Option<Bytes>,
    size: Option<u64>,
    _busy: Option<Busy>,
}

type Answered<B> = HttpResponse<EitherBody<FromMemory, B>>;

impl<A, B> ServiceFactory<Request> for Ahead<A>
where
    A: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>> + 'static,
    A::Future: 'static,
    B: MessageBody,
{
    type Response = Answered<B>;
    type Error = A::Error;
    type Config = AppConfig;
    type Service = AheadInWorker<A::Service>;
    type InitError = A::InitError;
    type Future = LocalBoxFuture<'static, Result<Self::Service, A::InitError>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let copies = Copies::of(Arc::clone(&self.pages));
        let web_app = Arc::clone(&self.web_app);
        let (security, open) = (self.security.clone(), self.open.clone());
        self.app
            .new_service(config)
            .map_ok(|app| AheadInWorker {
                app,
                copies,
                web_app,
                security,
                open,
            })
            .boxed_local()
    }
}

impl<A, B> Service<Request> for AheadInWorker<A>
where
    A: Service<Request, Response = ServiceResponse<B>>,
    B: MessageBody,
{
    type Response = Answered<B>;
    type Error = A::Error;
    type Future = Either<
        Ready<Result<Answered<B>, A::Error>>,
        MapOk<A::Future, fn(ServiceResponse<B>) -> Answered<B>>,
    >;

    forward_ready!(app);

    fn call(&self, mut request: Request) -> Self::Future {
        match self.answer(&mut request) {
            Some(answer) => {
                Either::Left(ready(Ok(answer.map_body(|_, body| EitherBody::left(body)))))
            }
            None => Either::Right(self.app.call(request).map_ok(by_the_app)),
        }
    }
}

fn by_the_app<B: MessageBody>(response: ServiceResponse<B>) -> Answered<B> {
    HttpResponse::from(response.map_into_right_body())
}

impl<A> AheadInWorker<A> {
    fn answer(&self, request: &mut Request) -> Option<HttpResponse<FromMemory>> {
        if request.method() != Method::GET || request_log::is_detailed() {
            return None;
        }
        let began = Instant::now();
        if !matches!(request.payload(), Payload::None) {
            return None;
        }
        let path = request.path();
        let (organisation, is_page) = match path.strip_prefix("/status/") {
            Some(organisation) => (organisation, true),
            None => (path.strip_prefix("/api/v1/status/")?, false),
        };
        let page = self.copies.page(organisation)?;
        let asked = &request.head().headers;
        let (mut answer, route) = if is_page {
            let mut answer = page.html(asked);
            self.security.put_on(answer.headers_mut());
            self.web_app.allow(asked, answer.headers_mut());
            (answer, "/status/{organisation}")
        } else {
            let mut answer = page.json(asked);
            self.security.put_on(answer.headers_mut());
            self.open.put_on(answer.headers_mut());
            (answer, "/api/v1/status/{organisation}")
        };
        if is_private(asked) {
            forbid_storing(answer.headers_mut());
        }
        request_log::note(&mut answer, route, began);
        let busy = request.conn_data::<Arc<Connection>>().map(Busy::on);
        Some(answer.map_body(|_, bytes| FromMemory {
            size: bytes.as_ref().map(|bytes| bytes.len() as u64),
            bytes,
            _busy: busy,
        }))
    }
}

impl MessageBody for FromMemory {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.size.map_or(BodySize::None, BodySize::Sized)
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let rest = &mut self.get_mut().bytes;
        let next = rest
            .as_mut()
            .filter(|rest| !rest.is_empty())
            .map(|rest| rest.split_to(rest.len().min(PIECE)));
        Poll::Ready(next.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use actix_web::Error;
    use actix_web::dev::fn_service;
    use actix_web::error::ErrorImATeapot;
    use actix_web::http::StatusCode;
    use actix_web::test::TestRequest;
    use allclear_application::public::MockSnapshotStore;

    use crate::headers::Hsts;
    use crate::status::pages::tests::{organisation, pages, relay, snapshot};

    /// What is answered to a request; none where that is left to the app.
    async fn answered(copies: Copies, request: Request) -> Option<StatusCode> {
        let asked =
            async |_: Request| Err::<ServiceResponse, Error>(ErrorImATeapot("the app was asked"));
        let ahead = AheadInWorker {
            app: fn_service(asked),
            copies,
            web_app: Arc::new(WebApp::load(None)),
            security: Headers::security(Hsts::Off),
            open: Headers::open_to_every_origin(),
        };
        ahead.call(request).await.ok().map(|answer| answer.status())
    }

    #[actix_web::test]
    async fn the_plain_case_is_answered_and_everything_else_left_to_the_app() {
        let mut store = MockSnapshotStore::new();
        store
            .expect_snapshot()
            .returning(|_, _| Ok(Some(snapshot(1))));
        let pages = pages(store, &relay());
        let copies = || Copies::of(Arc::clone(&pages));
        let without_body =
            |request: TestRequest| request.to_request().replace_payload(Payload::None).0;
        let get = |path: &str| without_body(TestRequest::get().uri(path));
        assert_eq!(
            answered(copies(), get("/status/org")).await,
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
                answered(copies(), get(path)).await,
                Some(StatusCode::OK),
                "{path}"
            );
        }
        let known = without_body(
            TestRequest::get()
                .uri("/status/org")
                .insert_header(("if-none-match", "*")),
        );
        assert_eq!(
            answered(copies(), known).await,
            Some(StatusCode::NOT_MODIFIED)
        );
        let body = TestRequest::get()
            .uri("/status/org")
            .set_payload("x")
            .to_request();
        let head = without_body(
            TestRequest::default()
                .method(Method::HEAD)
                .uri("/status/org"),
        );
        for request in [
            body,
            head,
            get("/status/org/"),
            get("/status/nobody"),
            get("/api/v1/status/org/events"),
            get("/"),
        ] {
            assert_eq!(answered(copies(), request).await, None);
        }
    }
}
