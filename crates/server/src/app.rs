//! The composition root: the one place that names adapters, read from top to bottom.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use allclear_application::account::Accounts;
use allclear_application::background::Background;
use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_application::component::Components;
use allclear_application::incident::Incidents;
use allclear_application::maintenance::Maintenances;
use allclear_application::outbox::Retention;
use allclear_application::relay::{CommitListener, Relay};
use allclear_application::scheduler::{self, Scheduler, WakeTimer};
use allclear_broadcast::{InProcess, Redis, RedisOptions};
use allclear_persistence::database::Database;
use allclear_persistence::sqlite_file;
use allclear_transport::client_address::TrustedProxies;
use allclear_transport::client_slots::ClientLimits;
use allclear_transport::configuration::{Configuration, IdentityProvider};
use allclear_transport::headers::Hsts;
use allclear_transport::health::Draining;
use allclear_transport::provider::Provider;
use allclear_transport::server::{self, AppState};
use allclear_transport::socket::Sockets;
use allclear_transport::status::events::EventStreams;
use allclear_transport::status::pages::Pages;
use allclear_transport::status::viewers::Viewers;
use allclear_transport::subscriber::SubscriberThrottle;
use allclear_transport::timeouts::Timeouts;
use allclear_transport::usage::WriteUsage;
use allclear_transport::web_app::WebApp;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::clear_text;
use crate::clerk;
use crate::clock::SystemClock;
use crate::delivery::{MailQueue, RunningMailQueue};
use crate::identity::{self, Identity};
use crate::mail;
use crate::metrics;
use crate::private;
use crate::services::Services;
use crate::settings::clerk::Clerk;
use crate::settings::{HstsScope, Settings};
use crate::signals::{EndSignal, EndSignals};

/// How often viewers get a sign of life: well within the minute after which proxies give up.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How often expired sessions, resets and invitations, and old commits, are removed.
const PRUNING: Duration = Duration::from_hours(1);

/// Allclear, running.
pub struct App {
    address: SocketAddr,
    public_url: String,
    with_clerk: bool,
    /// What the command line and the demo work with.
    pub(crate) identity: Identity,
    pub(crate) components: Arc<Components>,
    pub(crate) incidents: Arc<Incidents>,
    pub(crate) maintenances: Arc<Maintenances>,
    database: Database,
    public: PublicStatus,
    draining: Draining,
    background: Background,
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
    sending: RunningMailQueue,
    tasks: Vec<JoinHandle<()>>,
}

impl App {
    /// Starts by the system's clock.
    ///
    /// # Errors
    /// One line that says what stands in the way.
    pub async fn start(settings: &Settings) -> Result<Self, String> {
        Self::start_at(settings, Arc::new(SystemClock)).await
    }

    /// Opens the database, wires everything and starts to serve.
    ///
    /// # Errors
    /// One line that says what stands in the way.
    pub async fn start_at(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let clerk = settings.clerk.application()?;
        let (listener, address) = listen(settings)?;
        let public_url = settings.public_url(address.port());
        private::data_folder(&settings.data_dir)?;
        clear_text::warn(settings)?;

        let database = connect(settings, &clock)
            .await?
            .limited(settings.usage.stored());
        let store = Arc::new(database.clone());
        let broadcast = broadcast(settings, &database, &*clock).await?;
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
            Some(app) => clerk::services(app, settings, &public_url, &database, &relay, &clock)
                .map(Provider::Clerk)?,
            None => Provider::BuiltIn(Box::new(identity.transport_services(settings))),
        };
        let post =
            MailQueue::over(settings, &public_url, &database, &clock, mailer, &identity).await?;
        let Services {
            components,
            incidents,
            maintenances,
            wake_timer,
            scheduler,
        } = Services::over(&database, &relay, &clock);

        let public =
            PublicStatus::new(settings, &public_url, &database, &relay, &clock, &provider)?;
        let retention = Retention::new(Arc::clone(&store) as _, Arc::clone(&clock));
        let draining = Draining::default();
        let state = AppState {
            identity: provider,
            components: Arc::clone(&components),
            incidents: Arc::clone(&incidents),
            maintenances: Arc::clone(&maintenances),
            subscribers: Arc::clone(&post.subscribers),
            deliveries: Arc::clone(&post.deliveries),
            subscriber_throttle: Arc::new(SubscriberThrottle::new(&settings.limits.subscriber())),
            pages: Arc::clone(&public.pages),
            streams: Arc::clone(&public.streams),
            sockets: Arc::clone(&public.sockets),
            socket_settings: settings.socket(&public_url),
            viewers: Arc::clone(&public.viewers),
            web_app: Arc::new(WebApp::load(clerk.as_ref().map(clerk::policy).transpose()?)),
            configuration: Arc::new(configuration(settings, clerk.as_ref())),
            readiness: store,
            draining: draining.clone(),
            metrics: metrics::handle(),
            write_usage: Arc::new(WriteUsage::new(settings.usage.written())),
            metrics_access: Arc::new(settings.metrics.access()?),
            hsts: hsts(settings, &public_url),
            proxies: Arc::clone(&public.proxies),
            client_limits: Arc::clone(&public.client_limits),
            origin: public_url.clone(),
            allowed_origins: settings.allowed_origins.clone(),
            timeouts: timeouts(settings),
        };
        let (handle, serving) = start_server(state, listener)?;

        let sending = post.start(Arc::clone(&broadcast));
        let mut tasks = public.start(&relay);
        tasks.push(tokio::spawn(prune(
            Arc::clone(&identity.accounts),
            retention,
        )));
        tasks.extend(schedule(scheduler, wake_timer, broadcast, clock));
        tasks.push(tokio::spawn(identity::reload_keys(Arc::clone(
            &identity.keys,
        ))));
        Ok(Self {
            address,
            public_url,
            with_clerk: clerk.is_some(),
            identity,
            components,
            incidents,
            maintenances,
            database,
            public,
            draining,
            background,
            handle,
            serving,
            sending,
            tasks,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether people sign in with Clerk.
    pub(crate) const fn is_with_clerk(&self) -> bool {
        self.with_clerk
    }

    /// Where people reach it.
    #[must_use]
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Waits for the signal to end, then finishes what runs and closes everything. After a SIGTERM the server is not ready
    /// but answers for `delay`, or until the next signal.
    ///
    /// # Errors
    /// When the server fails.
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
                    tracing::info!(seconds = delay.as_secs_f64(), "ending: not ready from now on");
                    let _ = tokio::time::timeout(delay, signals.next()).await;
                }
            }
        }
        tracing::info!("ending: finishing what runs");
        self.stop().await;
        Ok(())
    }

    /// Readiness off, no new connection, streams and sockets closed, requests answered, mail handed over, database closed.
    pub async fn stop(self) {
        self.draining.begin();
        // Before the workers stop: a session that polls is looked after on one of them, whether it has a connection or not.
        self.public.sockets.close().await;
        let stopping = self.handle.stop(true);
        self.public.viewers.close();
        stopping.await;
        self.background.wait_idle().await;
        self.sending.stop().await;
        for task in &self.tasks {
            task.abort();
        }
        if let Err(error) = self.database.close().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the database was not closed cleanly"
            );
        }
    }
}

/// What the public sees: the pages, and the connections that keep them live.
struct PublicStatus {
    viewers: Arc<Viewers>,
    pages: Arc<Pages>,
    streams: Arc<EventStreams>,
    sockets: Arc<Sockets>,
    proxies: Arc<TrustedProxies>,
    client_limits: Arc<ClientLimits>,
}

impl PublicStatus {
    fn new(
        settings: &Settings,
        public_url: &str,
        database: &Database,
        relay: &Arc<Relay>,
        clock: &Arc<dyn Clock>,
        provider: &Provider,
    ) -> Result<Self, String> {
        let (proxies, client_limits) = client_limits(settings)?;
        let viewers = Arc::new(Viewers::default());
        let pages = Arc::new(Pages::new(
            Arc::new(database.clone()),
            Arc::clone(relay),
            Arc::clone(clock),
            WebApp::page_template(public_url),
        ));
        let sockets = Arc::new(Sockets::new(
            &settings.socket(public_url),
            Arc::clone(&client_limits),
            Arc::clone(&pages),
            Arc::clone(relay),
            provider.verifier(),
            Arc::clone(clock),
        ));
        let streams = Arc::new(EventStreams::new(
            Arc::clone(&viewers),
            Arc::clone(relay),
            Arc::new(database.clone()),
        ));
        Ok(Self {
            viewers,
            pages,
            streams,
            sockets,
            proxies,
            client_limits,
        })
    }

    /// Starts what sends each commit to the viewers and keeps their connections in order.
    fn start(&self, relay: &Arc<Relay>) -> Vec<JoinHandle<()>> {
        let listeners: [Arc<dyn CommitListener>; 3] = [
            Arc::clone(&self.viewers) as _,
            Arc::clone(&self.sockets) as _,
            Arc::new(metrics::Told),
        ];
        let counting = tokio::spawn(metrics::upkeep(Arc::clone(relay)));
        let relay = Arc::clone(relay);
        let publishing = tokio::spawn(async move { relay.run(&listeners).await });
        let sockets = Arc::clone(&self.sockets);
        let authorizing = tokio::spawn(async move { sockets.run_authorizer().await });
        let keeping_alive = tokio::spawn(keep_alive(Arc::clone(&self.viewers)));
        vec![counting, publishing, authorizing, keeping_alive]
    }
}

const fn timeouts(settings: &Settings) -> Timeouts {
    Timeouts {
        head: settings.head_timeout,
        body: settings.body_timeout,
        keep_alive: settings.keep_alive,
    }
}

/// The proxies whose word counts, and what clients may have open.
fn client_limits(settings: &Settings) -> Result<(Arc<TrustedProxies>, Arc<ClientLimits>), String> {
    let proxies = settings.trusted_proxies.iter().map(String::as_str);
    let proxies = Arc::new(TrustedProxies::parse(proxies)?);
    let limits = ClientLimits::new(&settings.connections.limits(), Arc::clone(&proxies));
    Ok((proxies, Arc::new(limits)))
}

/// Starts what announces the changes of the clock, and what wakes it.
fn schedule(
    scheduler: Scheduler,
    wake_timer: Arc<WakeTimer>,
    broadcast: Arc<dyn Broadcast>,
    clock: Arc<dyn Clock>,
) -> [JoinHandle<()>; 2] {
    let listening =
        tokio::spawn(async move { scheduler::listen(&*broadcast, &wake_timer, &*clock).await });
    [
        tokio::spawn(async move { scheduler.run().await }),
        listening,
    ]
}

/// Binds the configured address; the second value is the address in use, which differs where port 0 is configured.
fn listen(settings: &Settings) -> Result<(TcpListener, SocketAddr), String> {
    let listener = TcpListener::bind(settings.listen)
        .map_err(|error| format!("{}: {error}", settings.listen))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    Ok((listener, address))
}

/// Serves with one worker a core.
fn start_server(
    state: AppState,
    listener: TcpListener,
) -> Result<(ServerHandle, JoinHandle<std::io::Result<()>>), String> {
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let server = server::start(state, listener, workers).map_err(|error| error.to_string())?;
    Ok((server.handle(), tokio::spawn(server)))
}

/// Opens the database that is configured.
pub(crate) async fn connect(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
) -> Result<Database, String> {
    if let Some(file) = sqlite_file::path_of(&settings.database()) {
        private::database_files(&file)?;
    }
    let opened = Database::connect(&settings.database(), Arc::clone(clock)).await;
    // The address may hold a password: the error does not name it.
    opened.map_err(|error| {
        format!(
            "the database cannot be opened: {}",
            one_line(&error.to_string())
        )
    })
}

/// How nodes hear of each other's commits.
async fn broadcast(
    settings: &Settings,
    database: &Database,
    clock: &dyn Clock,
) -> Result<Arc<dyn Broadcast>, String> {
    let Some(url) = &settings.redis.redis_url else {
        return Ok(Arc::new(InProcess::default()));
    };
    let authorities = settings.redis.authorities()?;
    let (installation, key) = identity::installation(database, clock).await?;
    let redis = Redis::start(RedisOptions {
        url: url.reveal(),
        authorities,
        installation: &installation,
        key,
    })
    .map_err(|_| {
        "ALLCLEAR_REDIS_URL is not an address of Redis, or ALLCLEAR_REDIS_CA_FILE is not PEM"
            .to_owned()
    })?;
    Ok(Arc::new(redis))
}

/// An error as one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

async fn keep_alive(viewers: Arc<Viewers>) {
    let mut tick = tokio::time::interval(KEEP_ALIVE);
    loop {
        tick.tick().await;
        viewers.keep_alive();
    }
}

async fn prune(accounts: Arc<Accounts>, retention: Retention) {
    let mut tick = tokio::time::interval(PRUNING);
    loop {
        tick.tick().await;
        let pruned = accounts.prune().await.and(retention.prune().await);
        if let Err(error) = pruned {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "what has expired was not removed; trying again"
            );
        }
    }
}

fn hsts(settings: &Settings, public_url: &str) -> Hsts {
    match settings.hsts {
        _ if !public_url.starts_with("https:") => Hsts::Off,
        HstsScope::Off => Hsts::Off,
        HstsScope::Host => Hsts::Host,
        HstsScope::Subdomains => Hsts::Subdomains,
    }
}

fn configuration(settings: &Settings, clerk: Option<&Clerk>) -> Configuration {
    let text = |url: &Option<url::Url>| url.as_ref().map(ToString::to_string);
    Configuration {
        identity_provider: if clerk.is_some() {
            IdentityProvider::Clerk
        } else {
            IdentityProvider::BuiltIn
        },
        clerk_publishable_key: clerk.map(|clerk| clerk.publishable_key.as_str().to_owned()),
        sign_up: settings.sign_up.into(),
        mail_server: settings.mail.is_sent(),
        discord_url: text(&settings.discord_url),
        sponsor_url: text(&settings.sponsor_url),
        version: env!("CARGO_PKG_VERSION"),
    }
}
