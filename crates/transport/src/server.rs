//! The HTTP server: all routes and middleware.

mod app_state;
pub mod client_address;
pub(crate) mod connection;
pub(crate) mod fast_path;
pub mod headers;
pub(crate) mod host;
pub(crate) mod host_routing;
pub(crate) mod listener;
pub(crate) mod methods;
pub(crate) mod request_log;
pub(crate) mod request_rules;
pub(crate) mod security_log;
pub mod timeouts;

use std::net::TcpListener;
use std::sync::Arc;

use actix_cors::Cors;
use actix_service::IntoServiceFactory as _;
use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServiceRequest, ServiceResponse};
use actix_web::http::{Method, header};
use actix_web::middleware::{Compat, Next, from_fn};
use actix_web::web::{self, Data};
use actix_web::{App, HttpMessage, Route, guard};
use allclear_application::custom_domain::TOKEN_PATH;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use tokio::runtime::Handle;
use tracing::Instrument as _;

pub use self::app_state::AppState;
use self::client_address::TrustedProxies;
use self::fast_path::FastPath;
use self::headers::{Headers, allow_framing};
use self::host_routing::HostRouting;
use self::listener::Accept;
use self::methods::Methods;
use self::request_log::{REQUEST_ID, RequestId, RequestLog};
use self::request_rules::RequestRules;
use self::timeouts::body::BodyTimeout;
use crate::built_in::key_set::key_set;
use crate::configuration::IdentityProvider;
use crate::health::{self, healthz, readyz};
use crate::limit::key_usage;
use crate::openapi::OpenApiDocuments;
use crate::request::{caller, idempotency, query};
use crate::response::problem::Problem;
use crate::routes::Routes;
use crate::status_page::response::PublicResponses;
use crate::status_page::{badge, embed, history};
use crate::web_app::{api_fallback, fallback, status_page};
use crate::{
    api_key, audit, component, component_group, configuration, custom_domain, dashboard, incident,
    maintenance, metrics, openapi, organisation, provider, redirects, status_page, statuspage_api,
    subscriber,
};

/// Adds the routes under `/api/v1`. Public reads are open to every origin, other routes to the own
/// and the allowed origins.
fn serve_routes(
    config: &mut web::ServiceConfig,
    allowed_origins: &[String],
    identity: IdentityProvider,
) {
    let mut allowed = Cors::default()
        .allow_any_method()
        .allowed_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            idempotency::KEY,
        ])
        .expose_headers([
            header::ETAG,
            header::RETRY_AFTER,
            REQUEST_ID,
            key_usage::POLICY,
            key_usage::STATE,
            idempotency::REPLAYED,
        ])
        .max_age(3600);
    for origin in allowed_origins {
        allowed = allowed.allowed_origin(origin);
    }
    config.service(
        web::scope("/api/v1/status")
            .configure(status_page::routes)
            .route(
                "/{any:.*}",
                web::method(Method::OPTIONS).to(status_page::preflight),
            )
            .wrap(from_fn(key_usage::limit_keys))
            .wrap(Headers::open_to_every_origin().middleware()),
    );
    config.service(
        web::scope("/api/v1")
            .configure(routes)
            .configure(|config| provider::serve(identity, config))
            .route("/openapi.json", read().to(openapi::serve))
            .default_service(web::to(api_fallback))
            .wrap(from_fn(with_origin))
            .wrap(from_fn(complete_changes))
            .wrap(from_fn(caller::authenticate))
            .wrap(from_fn(key_usage::limit_keys))
            .wrap(Compat::new(allowed)),
    );
}

/// Middleware: a change completes even if its client disconnects, with what follows its commit:
/// events, mails, log records.
async fn complete_changes(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    if request.method().is_safe() {
        return next.call(request).await;
    }
    // A task continues when its future is dropped.
    let handled = actix_web::rt::spawn(next.call(request).in_current_span());
    let handled = handled.await;
    handled.map_err(|error| Problem::from(Error::internal(error)))?
}

/// Middleware: changes that the request makes have its identifier, the client's address and
/// the caller.
async fn with_origin(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let id = request.extensions().get::<RequestId>().cloned();
    let id = id.and_then(|id| id.0.to_str().ok().map(str::to_owned));
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    let address = proxies.and_then(|proxies| proxies.client(request.request()));
    Origin::of_request(id, address, next.call(request)).await
}

/// The routes under `/api/v1` that do not depend on the identity provider.
pub(crate) fn routes(config: &mut impl Routes) {
    audit::routes(config);
    dashboard::routes(config);
    metrics::routes(config);
    organisation::routes(config);
    api_key::routes(config);
    custom_domain::routes(config);
    component_group::routes(config);
    component::routes(config);
    incident::routes(config);
    maintenance::routes(config);
    subscriber::routes(config);
    configuration::routes(config);
}

/// The routes outside the API.
fn pages(config: &mut web::ServiceConfig, identity: IdentityProvider) {
    if identity == IdentityProvider::BuiltIn {
        config.route("/.well-known/jwks.json", read().to(key_set));
    }
    config
        .route(TOKEN_PATH, read().to(custom_domain::tokens))
        .route(
            "/.well-known/allclear-tls-ask",
            read().to(custom_domain::tls_ask),
        )
        .route("/healthz", read().to(healthz))
        .route("/readyz", read().to(readyz))
        .route("/metrics", read().to(health::metrics))
        .route("/status/{organisation}", read().to(status_page))
        .route(
            "/status/{organisation}/history",
            read().to(history::history),
        )
        .route("/status/{organisation}/uptime", read().to(history::uptime))
        .configure(embeddable)
        .route(
            "/status/{organisation}/incidents/{code}",
            read().to(history::incident),
        )
        .route(
            "/status/{organisation}/maintenances/{code}",
            read().to(history::maintenance),
        )
        .configure(statuspage_api::routes)
        .service(
            subscriber::form::resource()
                .wrap(from_fn(with_origin))
                .wrap(from_fn(complete_changes)),
        )
        .configure(link_pages)
        .route("/status/{page:.+}/", read().to(redirects::without_slash))
        .route("/discord", read().to(redirects::discord))
        .route("/sponsor", read().to(redirects::sponsor))
        .default_service(web::to(fallback));
}

/// The pages of the links in messages to subscribers.
fn link_pages(config: &mut web::ServiceConfig) {
    for page in subscriber::link_form::resources() {
        config.service(
            page.wrap(from_fn(with_origin))
                .wrap(from_fn(complete_changes)),
        );
    }
}

/// What other sites show of a status page.
fn embeddable(config: &mut web::ServiceConfig) {
    config
        .route(
            "/status/{organisation}/badge.svg",
            read().to(badge::page_badge),
        )
        .route(
            "/status/{organisation}/badge/{component}.svg",
            read().to(badge::component_badge),
        )
        .route("/status/{organisation}/embed", read().to(embed::frame))
        .route("/status/{organisation}/embed.js", read().to(embed::script));
}

/// A route for the methods in [`crate::server::methods::READ`].
pub(crate) fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// The responses to a malformed query and to a path without a resource.
fn refuse_malformed(config: &mut web::ServiceConfig) {
    config
        .app_data(web::QueryConfig::default().error_handler(|_, _| query::malformed().into()))
        .app_data(web::PathConfig::default().error_handler(|_, _| Problem::not_found().into()));
}

/// Starts the server on a listener. It runs until it is stopped.
///
/// # Errors
/// If the listener cannot be used.
pub fn start(state: AppState, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
    // Runs work that must not queue behind the requests of a worker.
    let runtime = Data::new(Handle::current());
    let methods = Data::new(Methods::of_routes());
    let documents = Data::new(OpenApiDocuments::default());
    let responses = Arc::new(PublicResponses::new(state.hsts, Arc::clone(&state.web_app)));
    let routing = HostRouting::new(Arc::clone(&state.hosts), Arc::clone(&state.web_app));
    let routing = Arc::new(routing);
    let identity = state.identity.kind();
    let timeouts = state.timeouts;
    let server = Server::build();
    let accept = Arc::new(Accept {
        sockets: state.socket_settings.settings(),
        timeouts,
        clients: Arc::clone(&state.client_limits),
        shutdown: server.graceful_shutdown_signal(),
    });
    let worker = move || {
        let app = App::new()
            .configure(refuse_malformed)
            .app_data(documents.clone())
            .app_data(methods.clone())
            .app_data(runtime.clone())
            .app_data(Data::from(Arc::clone(&responses)))
            .configure(|config| state.provide(config))
            .wrap(from_fn(host_routing::refuse))
            .wrap(RequestRules)
            .wrap(BodyTimeout(timeouts.body))
            .wrap(Headers::security(state.hsts).middleware())
            .wrap(from_fn(allow_framing))
            .wrap(from_fn(key_usage::describe_limit))
            .wrap(RequestLog)
            .service(state.sockets.resource())
            .route(
                "/api/v2/openapi.json",
                read().to(statuspage_api::openapi::serve),
            )
            .configure(|config| serve_routes(config, &state.allowed_origins, identity))
            .configure(|config| pages(config, identity));
        accept.worker(FastPath {
            routing: Arc::clone(&routing),
            app: app.into_factory(),
            pages: Arc::clone(&state.pages),
            documents: Arc::clone(&state.statuspage_documents),
            history: Arc::clone(&state.history_pages),
            responses: Arc::clone(&responses),
        })
    };
    Ok(server
        .workers(workers)
        // The open files of the process are the limit, of which a tenth is kept for requests. At a
        // limit of actix, 25,600 of each worker, viewers would keep everybody else out.
        .max_concurrent_connections(usize::MAX)
        .disable_signals()
        .shutdown_timeout(10)
        .listen("http", listener, worker)?
        .run())
}

#[cfg(test)]
mod tests {
    use actix_web::dev::Service;
    use actix_web::test::{TestRequest, init_service};
    use futures_util::FutureExt as _;
    use tokio::sync::Notify;
    use tokio::task::yield_now;

    use super::*;

    /// Whether a handler completes although its client disconnects while it runs.
    async fn completes(method: Method) -> bool {
        let (proceed, completed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let handler = {
            let (proceed, completed) = (Arc::clone(&proceed), Arc::clone(&completed));
            move || {
                let (proceed, completed) = (Arc::clone(&proceed), Arc::clone(&completed));
                async move {
                    proceed.notified().await;
                    completed.notify_one();
                    "done"
                }
            }
        };
        let app = App::new()
            .wrap(from_fn(complete_changes))
            .default_service(web::to(handler));
        let app = init_service(app).await;
        let request = TestRequest::default().method(method).to_request();
        // Called and dropped.
        assert!(app.call(request).now_or_never().is_none());
        proceed.notify_one();
        for _ in 0..10 {
            yield_now().await;
        }
        completed.notified().now_or_never().is_some()
    }

    #[actix_web::test]
    async fn change_completes_without_its_client_and_a_read_is_cancelled() {
        assert!(completes(Method::PATCH).await);
        assert!(!completes(Method::GET).await);
    }
}
