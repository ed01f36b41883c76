//! The server: every route, and what goes round all of them.

use std::any::Any;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_cors::Cors;
use actix_service::IntoServiceFactory as _;
use actix_web::dev::{Extensions, Server};
use actix_web::http::{KeepAlive, Method, header};
use actix_web::middleware::Compat;
use actix_web::web::{self, Data};
use actix_web::{App, HttpServer, Route, guard};
use allclear_application::component::Components;
use allclear_application::delivery::Deliveries;
use allclear_application::health::Readiness;
use allclear_application::incident::Incidents;
use allclear_application::maintenance::Maintenances;
use allclear_application::subscriber::Subscribers;
use allclear_socketio::cut_dead_connections;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::runtime::Handle;

use crate::body_timeout::BodyTime;
use crate::client_address::TrustedProxies;
use crate::client_slots::ClientLimits;
use crate::configuration::Configuration;
use crate::fast_path::Ahead;
use crate::headers::{Headers, Hsts};
use crate::health::{Draining, healthz, metrics, readyz};
use crate::identity::key_set::key_set;
use crate::idle_timeout::Connections;
use crate::input::BODY_LIMIT;
use crate::methods::Methods;
use crate::metrics_access::MetricsAccess;
use crate::openapi::OpenApiJson;
use crate::problem::Problem;
use crate::provider::{EnabledRoutes, Provider};
use crate::request_log::Observe;
use crate::request_rules::RequestRules;
use crate::routes::Routes;
use crate::socket::{SocketSettings, Sockets};
use crate::status::events::EventStreams;
use crate::status::pages::Pages;
use crate::status::viewers::Viewers;
use crate::usage::WriteUsage;
use crate::web_app::{WebApp, anything_else, nothing_there, status_page};
use crate::{
    component, configuration, incident, maintenance, openapi, redirects, status, subscriber,
};

/// Everything the routes work with.
#[derive(Clone)]
pub struct Parts {
    /// The identity provider.
    pub identity: Provider,
    /// What operators do with components.
    pub components: Arc<Components>,
    /// What operators do with incidents.
    pub incidents: Arc<Incidents>,
    /// What operators do with maintenances.
    pub maintenances: Arc<Maintenances>,
    /// What visitors and operators do with subscribers.
    pub subscribers: Arc<Subscribers>,
    /// What operators see of the mail to subscribers.
    pub deliveries: Arc<Deliveries>,
    /// How often a visitor may try to subscribe, verify and unsubscribe.
    pub subscriber_throttle: Arc<subscriber::Throttle>,
    /// The public pages.
    pub pages: Arc<Pages>,
    /// The event streams of the public pages.
    pub streams: Arc<EventStreams>,
    /// Who is connected by a socket.
    pub sockets: Arc<Sockets>,
    /// What is set on the socket.
    pub socket_settings: SocketSettings,
    /// Who watches.
    pub viewers: Arc<Viewers>,
    /// The web app's files.
    pub web_app: Arc<WebApp>,
    /// What the web app has to know.
    pub configuration: Arc<Configuration>,
    /// Whether the database answers.
    pub readiness: Arc<dyn Readiness>,
    /// Whether the process is ending.
    pub draining: Draining,
    /// What `/metrics` shows.
    pub figures: PrometheusHandle,
    /// How much an organisation may write.
    pub write_usage: Arc<WriteUsage>,
    /// Who may read `/metrics`.
    pub metrics_access: Arc<MetricsAccess>,
    /// What Strict-Transport-Security covers.
    pub hsts: Hsts,
    /// Whose word about clients counts.
    pub proxies: Arc<TrustedProxies>,
    /// How many connections, streams and sockets a client may have.
    pub client_limits: Arc<ClientLimits>,
    /// Our own origin: the public URL without a path.
    pub origin: String,
    /// Other origins whose pages may call the API.
    pub allowed_origins: Vec<String>,
    /// How long a client may take to send the head of a request.
    pub head_time: Duration,
    /// How long it may then take to send the body.
    pub body_time: Duration,
    /// How long a connection is kept for the client's next request.
    pub keep_alive: Duration,
}

/// Serves the calls under `/api/v1`. Public reads are open to every origin, all else to our own and the allowed ones.
fn serve_calls(
    config: &mut web::ServiceConfig,
    allowed_origins: &[String],
    offered: EnabledRoutes,
) {
    let mut allowed = Cors::default()
        .allow_any_method()
        .allowed_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
        ])
        .expose_headers([header::ETAG, header::RETRY_AFTER])
        .max_age(3600);
    for origin in allowed_origins {
        allowed = allowed.allowed_origin(origin);
    }
    config.service(
        web::scope("/api/v1/status")
            .configure(status::calls)
            .route(
                "/{any:.*}",
                web::method(Method::OPTIONS).to(status::preflight),
            )
            .wrap(Headers::open_to_every_origin().middleware()),
    );
    config.service(
        web::scope("/api/v1")
            .configure(calls)
            .configure(|config| offered.serve(config))
            .default_service(web::to(nothing_there))
            .wrap(Compat::new(allowed)),
    );
}

/// The calls under `/api/v1` that are there whoever provides identities.
pub(crate) fn calls(config: &mut impl Routes) {
    component::calls(config);
    incident::calls(config);
    maintenance::calls(config);
    subscriber::calls(config);
    configuration::calls(config);
}

/// The routes that are not calls.
fn pages(config: &mut web::ServiceConfig, offered: EnabledRoutes) {
    if offered.built_in {
        config.route("/.well-known/jwks.json", read().to(key_set));
    }
    config
        .route("/healthz", read().to(healthz))
        .route("/readyz", read().to(readyz))
        .route("/metrics", read().to(metrics))
        .route("/status/{organisation}", read().to(status_page))
        .service(subscriber::form::resource())
        .route("/discord", read().to(redirects::discord))
        .route("/sponsor", read().to(redirects::sponsor))
        .default_service(web::to(anything_else));
}

/// A route to what is read: by [`crate::methods::READ`].
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// Starts serving on a listener. The server runs until it is stopped.
///
/// # Errors
/// When the listener cannot be used.
pub fn start(parts: Parts, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
    // Runs what must not wait behind the requests of a worker.
    let runtime = Data::new(Handle::current());
    let document = openapi::document();
    let methods = Data::new(Methods::of(&document.paths));
    let document = Data::new(OpenApiJson(document.to_pretty_json()?));
    let dead = cut_dead_connections(&parts.socket_settings.settings());
    let offered = parts.identity.offered();
    let (head_time, keep_alive) = (parts.head_time, parts.keep_alive);
    let connections = Connections::new(keep_alive + head_time, Arc::clone(&parts.client_limits));
    tokio::spawn(Connections::guard(Arc::downgrade(&connections)));
    let connected = move |connection: &dyn Any, data: &mut Extensions| {
        dead(connection, data);
        connections.watch(connection, data);
    };
    let server = HttpServer::new(move || {
        let app = App::new()
            .app_data(web::PayloadConfig::new(BODY_LIMIT))
            .app_data(
                web::QueryConfig::default().error_handler(|_, _| {
                    Problem::bad_request("The query is not well-formed").into()
                }),
            )
            .app_data(web::PathConfig::default().error_handler(|_, _| Problem::not_found().into()))
            .app_data(document.clone())
            .app_data(methods.clone())
            .app_data(runtime.clone())
            .configure(|config| parts.provide(config))
            .wrap(RequestRules)
            .wrap(BodyTime(parts.body_time))
            .wrap(Headers::security(parts.hsts).middleware())
            .wrap(Observe)
            .service(parts.sockets.resource())
            .route("/api/v1/openapi.json", read().to(openapi::serve))
            .configure(|config| serve_calls(config, &parts.allowed_origins, offered))
            .configure(|config| pages(config, offered));
        Ahead {
            app: app.into_factory(),
            pages: Arc::clone(&parts.pages),
            web_app: Arc::clone(&parts.web_app),
            security: Headers::security(parts.hsts),
            open: Headers::open_to_every_origin(),
        }
    });
    // Who watches its connections need not set a clock for each at every request.
    let idle = if Connections::WATCHED {
        KeepAlive::Os
    } else {
        KeepAlive::Timeout(keep_alive)
    };
    // A client that sends its request a byte at a time must not hold a connection for long.
    let server = server.client_request_timeout(head_time).keep_alive(idle);
    // A viewer that is gone is noticed at once; one that has hung up silently, when it has read nothing for long.
    let server = server.h1_allow_half_closed(false).on_connect(connected);
    // What waits to be written to a viewer who has stopped reading.
    let server = server.h1_write_buffer_size(16 * 1024);
    // The end of a WebSocket's connection follows its close frame after this time, and clients wait for it. It is counted
    // from a clock that actix sets every half second: of an end that is past already it would never hear.
    let server = server.client_disconnect_timeout(Duration::from_millis(600));
    Ok(server
        .workers(workers)
        .disable_signals()
        .shutdown_timeout(10)
        .listen(listener)?
        .run())
}

impl Parts {
    /// Hands every part to the handlers.
    fn provide(&self, config: &mut web::ServiceConfig) {
        config
            .configure(|config| self.identity.provide(config, &self.origin))
            .app_data(Data::from(Arc::clone(&self.components)))
            .app_data(Data::from(Arc::clone(&self.incidents)))
            .app_data(Data::from(Arc::clone(&self.maintenances)))
            .app_data(Data::from(Arc::clone(&self.subscribers)))
            .app_data(Data::from(Arc::clone(&self.deliveries)))
            .app_data(Data::from(Arc::clone(&self.subscriber_throttle)))
            .app_data(Data::from(Arc::clone(&self.pages)))
            .app_data(Data::from(Arc::clone(&self.streams)))
            .app_data(Data::from(Arc::clone(&self.viewers)))
            .app_data(Data::from(Arc::clone(&self.sockets)))
            .app_data(Data::from(Arc::clone(&self.web_app)))
            .app_data(Data::from(Arc::clone(&self.configuration)))
            .app_data(Data::from(Arc::clone(&self.readiness)))
            .app_data(Data::from(Arc::clone(&self.write_usage)))
            .app_data(Data::from(Arc::clone(&self.metrics_access)))
            .app_data(Data::from(Arc::clone(&self.proxies)))
            .app_data(Data::from(Arc::clone(&self.client_limits)))
            .app_data(Data::new(self.draining.clone()))
            .app_data(Data::new(self.figures.clone()));
    }
}
