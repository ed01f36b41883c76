//! The composition root: the one place that names adapters, read from top to bottom.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use allclear_application::background::Background;
use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_application::link::Links;
use allclear_application::organisation::NameSource;
use allclear_application::outbox::Retention;
use allclear_application::relay::Relay;
use allclear_application::scheduler;
use allclear_identity::key_ring::KeyRing;
use allclear_persistence::database::Database;
use allclear_transport::health::Draining;
use allclear_transport::limit::usage::Usage;
use allclear_transport::provider::Provider;
use allclear_transport::server::{self, AppState};
use allclear_transport::subscriber::SubscriberThrottle;
use allclear_transport::web_app::WebApp;
use chrono::TimeDelta;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::automation::Automation;
use crate::clear_text;
use crate::clerk;
use crate::clock::SystemClock;
use crate::connect;
use crate::delivery::{DeliveryServices, RunningDeliveries};
use crate::domain::DomainServices;
use crate::identity::{self, Identity};
use crate::mail;
use crate::metrics;
use crate::private;
use crate::public_status::PublicStatus;
use crate::services::Services;
use crate::settings::Settings;
use crate::signals::{EndSignal, EndSignals};
use crate::tasks::Tasks;

/// Interval of the removal of expired sessions, password resets and invitations, and of old commits and items of the audit log.
const PRUNE_INTERVAL: Duration = Duration::from_hours(1);

/// A running server.
pub struct App {
    address: SocketAddr,
    public_url: String,
    with_clerk: bool,
    pub(crate) identity: Identity,
    pub(crate) services: Services,
    pub(crate) database: Database,
    public: PublicStatus,
    draining: Draining,
    background: Background,
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
    running_deliveries: RunningDeliveries,
    tasks: Tasks,
}

impl App {
    /// Starts a server with the system's clock.
    ///
    /// # Errors
    /// One line with the reason why the server cannot start.
    pub async fn start(settings: &Settings) -> Result<Self, String> {
        Self::start_at(settings, Arc::new(SystemClock)).await
    }

    /// Starts a server with the given clock: opens the database, wires the services and listens.
    ///
    /// # Errors
    /// One line with the reason why the server cannot start.
    #[expect(
        clippy::too_many_lines,
        reason = "the wiring is read from top to bottom"
    )]
    pub async fn start_at(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let clerk = settings.clerk.application()?;
        let (listener, address) = listen(settings)?;
        let public_url = settings.public_url(address.port());
        private::data_folder(&settings.data_dir)?;
        clear_text::warn(settings)?;

        let database = connect::database(settings, &clock)
            .await?
            .limited(settings.usage.stored())
            .linked(Links::new(&public_url));
        let store = Arc::new(database.clone());
        let broadcast = connect::broadcast(settings, &database, &*clock).await?;
        let relay = Arc::new(Relay::new(Arc::clone(&store) as _, Arc::clone(&broadcast)));
        let background = Background::on(Handle::current());

        let mailer = mail::start(settings, &public_url, &clock)?;
        let identity = identity::built_in(
            settings,
            &public_url,
            &database,
            &relay,
            &clock,
            &background,
            &mailer,
        )
        .await?;
        let provider = match &clerk {
            Some(app) => {
                let mails = &identity.security_mails;
                clerk::services(app, settings, &public_url, &database, &relay, &clock, mails)
                    .map(Provider::Clerk)?
            }
            None => Provider::BuiltIn(Box::new(identity.transport_services(settings))),
        };
        let automation = Automation::new(settings, &database, &clock, &background).await?;
        let provider = provider.with_api_keys(&automation.api_keys);
        let delivery_services =
            DeliveryServices::new(settings, &public_url, &database, &clock, mailer, &identity)
                .await?;
        let services = Services::new(&database, &relay, &clock, names(clerk.is_some()));
        let domain_services =
            DomainServices::new(settings, &public_url, &database, &relay, &clock).await?;

        let public =
            PublicStatus::new(settings, &public_url, &database, &relay, &clock, &provider)?;
        let retention = retention(settings, &store, &clock);
        let draining = Draining::default();
        let usage = Arc::new(Usage::new(
            settings.usage.write_limits(),
            database.concurrency_of_one(),
        ));
        let state = AppState {
            identity: provider,
            api_keys: Arc::clone(&automation.api_keys),
            key_usage: Arc::clone(&automation.key_usage),
            idempotency: Arc::clone(&automation.idempotency),
            components: Arc::clone(&services.components),
            component_groups: Arc::clone(&services.component_groups),
            reviews: Arc::clone(&services.reviews),
            organisations: Arc::clone(&services.organisations),
            domains: Arc::clone(&domain_services.domains),
            hosts: Arc::clone(&domain_services.hosts),
            domain_throttle: Arc::default(),
            audit: Arc::clone(&services.audit),
            dashboard: Arc::clone(&services.dashboard),
            organisation_metrics: Arc::clone(&services.metrics),
            incidents: Arc::clone(&services.incidents),
            maintenances: Arc::clone(&services.maintenances),
            subscribers: Arc::clone(&delivery_services.subscribers),
            deliveries: Arc::clone(&delivery_services.deliveries),
            subscriber_throttle: Arc::new(SubscriberThrottle::new(&settings.limits.subscriber())),
            pages: Arc::clone(&public.pages),
            history_pages: Arc::clone(&public.history_pages),
            statuspage_documents: Arc::clone(&public.statuspage_documents),
            streams: Arc::clone(&public.streams),
            sockets: Arc::clone(&public.sockets),
            socket_settings: settings.socket(&public_url),
            viewers: Arc::clone(&public.viewers),
            web_app: Arc::new(WebApp::load(clerk.as_ref().map(clerk::policy).transpose()?)),
            configuration: Arc::new(
                settings.configuration(clerk.as_ref(), identity.passkeys.are_offered()),
            ),
            readiness: store,
            draining: draining.clone(),
            metrics: metrics::handle(),
            usage: Arc::clone(&usage),
            metrics_access: Arc::new(settings.metrics.access()?),
            hsts: settings.hsts(&public_url),
            proxies: Arc::clone(&public.proxies),
            client_limits: Arc::clone(&public.client_limits),
            origin: public_url.clone(),
            clock: Arc::clone(&clock),
            allowed_origins: settings.allowed_origins.clone(),
            timeouts: settings.timeouts(),
        };
        let (handle, serving) = start_server(state, listener)?;

        let mut tasks = Tasks::default();
        let running_deliveries = delivery_services.start(&mut tasks, Arc::clone(&broadcast));
        public.start(&mut tasks, &relay);
        domain_services.start(&mut tasks, Arc::clone(&broadcast));
        count_commits(&mut tasks, usage, Arc::clone(&broadcast));
        schedule(&mut tasks, &services, broadcast, clock);
        maintain(&mut tasks, &identity, retention);
        automation.start(&mut tasks);
        Ok(Self {
            address,
            public_url,
            with_clerk: clerk.is_some(),
            identity,
            services,
            database,
            public,
            draining,
            background,
            handle,
            serving,
            running_deliveries,
            tasks,
        })
    }

    /// Address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether people sign in with Clerk.
    pub(crate) const fn is_with_clerk(&self) -> bool {
        self.with_clerk
    }

    /// Public address of the installation.
    #[must_use]
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Serves until a signal asks the process to end, then stops. After a SIGTERM the server is not ready, but still serves
    /// for `delay` or until the next signal.
    ///
    /// # Errors
    /// One line, if the server fails.
    pub async fn serve_until(
        mut self,
        mut signals: EndSignals,
        delay: Duration,
    ) -> Result<(), String> {
        tokio::select! {
            ended = &mut self.serving => {
                return Err(match ended {
                    Ok(Err(error)) => error.to_string(),
                    Ok(Ok(())) => "the server ended by itself".to_owned(),
                    Err(error) => error.to_string(),
                });
            }
            signal = signals.next() => {
                self.draining.begin();
                if signal == EndSignal::Terminate && !delay.is_zero() {
                    tracing::info!(seconds = delay.as_secs_f64(), "shutting down: not ready");
                    let _ = tokio::time::timeout(delay, signals.next()).await;
                }
            }
        }
        tracing::info!("shutting down: finishing open requests");
        self.stop().await;
        Ok(())
    }

    /// Stops in order: not ready, no new connections, streams and sockets closed, requests finished, mail sent, database closed.
    pub async fn stop(self) {
        self.draining.begin();
        // Before the workers stop: a polling session lives on one of them.
        self.public.sockets.close().await;
        // A worker that has only viewers ends immediately.
        self.public.viewers.close();
        self.handle.stop(true).await;
        self.background.wait_idle().await;
        self.running_deliveries.stop().await;
        drop(self.tasks);
        if let Err(error) = self.database.close().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the database was not closed cleanly"
            );
        }
    }
}

fn retention(settings: &Settings, store: &Arc<Database>, clock: &Arc<dyn Clock>) -> Retention {
    let store = || Arc::clone(store);
    let kept = TimeDelta::days(settings.audit_days.into());
    Retention::new(store(), store(), kept, Arc::clone(clock))
}

/// Where the names of organisations are changed.
const fn names(with_clerk: bool) -> NameSource {
    if with_clerk {
        NameSource::Provider
    } else {
        NameSource::Settings
    }
}

/// Starts the scheduler and the task that wakes it.
fn schedule(
    tasks: &mut Tasks,
    services: &Services,
    broadcast: Arc<dyn Broadcast>,
    clock: Arc<dyn Clock>,
) {
    let scheduler = Arc::clone(&services.scheduler);
    tasks.start("scheduler", move || {
        let scheduler = Arc::clone(&scheduler);
        async move { scheduler.run().await }
    });
    let wake_timer = Arc::clone(&services.wake_timer);
    tasks.start("wake_scheduler", move || {
        let (broadcast, wake_timer) = (Arc::clone(&broadcast), Arc::clone(&wake_timer));
        let clock = Arc::clone(&clock);
        async move { scheduler::listen(&*broadcast, &wake_timer, &*clock).await }
    });
}

fn count_commits(tasks: &mut Tasks, usage: Arc<Usage>, broadcast: Arc<dyn Broadcast>) {
    tasks.start("count_commits", move || {
        let (usage, broadcast) = (Arc::clone(&usage), Arc::clone(&broadcast));
        async move { usage.count_commits(&*broadcast).await }
    });
}

/// Starts the tasks that remove expired data and read the signing keys again.
fn maintain(tasks: &mut Tasks, identity: &Identity, retention: Retention) {
    let accounts = Arc::clone(&identity.accounts);
    tasks.repeat("prune_accounts", PRUNE_INTERVAL, move || {
        let accounts = Arc::clone(&accounts);
        async move { accounts.prune().await }
    });
    let retention = Arc::new(retention);
    tasks.repeat("prune_commits", PRUNE_INTERVAL, move || {
        let retention = Arc::clone(&retention);
        async move { retention.prune().await.map(drop) }
    });
    let keys = Arc::clone(&identity.keys);
    tasks.repeat("reload_keys", KeyRing::RELOAD_INTERVAL, move || {
        let keys = Arc::clone(&keys);
        async move {
            identity::reload_keys(&keys).await;
            Ok(())
        }
    });
}

/// Binds the configured address. Returns the actual address too, because port 0 chooses a free port.
fn listen(settings: &Settings) -> Result<(TcpListener, SocketAddr), String> {
    let listener = TcpListener::bind(settings.listen)
        .map_err(|error| format!("{}: {error}", settings.listen))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    Ok((listener, address))
}

/// Starts one worker per core.
fn start_server(
    state: AppState,
    listener: TcpListener,
) -> Result<(ServerHandle, JoinHandle<std::io::Result<()>>), String> {
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let server = server::start(state, listener, workers).map_err(|error| error.to_string())?;
    Ok((server.handle(), tokio::spawn(server)))
}
