//! All services of a server, the state of its routes, and its tasks.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::organisation::NameSource;
use allclear_application::retention::Retention;
use allclear_transport::health::Draining;
use allclear_transport::limit::usage::Usage;
use allclear_transport::provider::Provider;
use allclear_transport::server::AppState;
use allclear_transport::subscriber::SubscriberThrottle;
use allclear_transport::web_app::WebApp;
use chrono::TimeDelta;

use crate::automation::AutomationServices;
use crate::clerk;
use crate::content_services::ContentServices;
use crate::custom_domain::DomainServices;
use crate::delivery::{DeliveryServices, RunningDeliveries};
use crate::identity::IdentityServices;
use crate::infrastructure::Infrastructure;
use crate::metrics;
use crate::postgresql;
use crate::public_services::PublicServices;
use crate::settings::clerk::Clerk;
use crate::tasks::Tasks;

/// Interval of the removal of old commits and items of the audit log.
const PRUNE_INTERVAL: Duration = Duration::from_hours(1);
/// Interval of the check of an SQLite file. Its failure is logged, whether or not anybody requests
/// the readiness.
const FILE_INTERVAL: Duration = Duration::from_mins(1);

/// All services of a server.
pub(crate) struct Services {
    pub(crate) identity: IdentityServices,
    pub(crate) content: ContentServices,
    pub(crate) public: PublicServices,
    /// The identity provider, which also accepts API keys.
    provider: Provider,
    automation: AutomationServices,
    deliveries: DeliveryServices,
    domains: DomainServices,
    usage: Arc<Usage>,
}

impl Services {
    /// The services over the infrastructure. Reads what they need of the database.
    ///
    /// # Errors
    /// One line with the reason.
    pub(crate) async fn load(
        infra: &Infrastructure,
        clerk: Option<&Clerk>,
    ) -> Result<Self, String> {
        let identity = IdentityServices::load(infra).await?;
        let automation = AutomationServices::new(infra);
        let provider = match clerk {
            Some(clerk) => {
                Provider::Clerk(clerk::services(clerk, infra, &identity.security_mails)?)
            }
            None => Provider::BuiltIn(Box::new(identity.transport_services(&infra.settings))),
        };
        let provider = provider.with_api_keys(&automation.api_keys);
        // Clerk has the names of organisations.
        let names = match clerk {
            Some(_) => NameSource::Provider,
            None => NameSource::Settings,
        };
        let usage = Usage::new(
            infra.settings.usage.write_limits(),
            infra.store().concurrency_of_one(),
        );
        Ok(Self {
            content: ContentServices::new(infra, names),
            public: PublicServices::new(infra, provider.verifier())?,
            deliveries: DeliveryServices::new(infra, &identity.mail_budget)?,
            domains: DomainServices::load(infra).await?,
            usage: Arc::new(usage),
            identity,
            provider,
            automation,
        })
    }

    /// The state of the routes.
    ///
    /// # Errors
    /// One line that names the wrong setting.
    pub(crate) fn state(
        &self,
        infra: &Infrastructure,
        clerk: Option<&Clerk>,
        draining: Draining,
    ) -> Result<AppState, String> {
        let (settings, public_url) = (&infra.settings, &infra.public_url);
        let passkeys = self.identity.passkeys.are_offered();
        let subscriber_throttle = SubscriberThrottle::new(&settings.limits.subscriber());
        Ok(AppState {
            identity: self.provider.clone(),
            api_keys: Arc::clone(&self.automation.api_keys),
            key_usage: Arc::clone(&self.automation.key_usage),
            idempotency: Arc::clone(&self.automation.idempotency),
            components: Arc::clone(&self.content.components),
            component_groups: Arc::clone(&self.content.component_groups),
            reviews: Arc::clone(&self.content.reviews),
            organisations: Arc::clone(&self.content.organisations),
            domains: Arc::clone(&self.domains.domains),
            hosts: Arc::clone(&self.domains.hosts),
            domain_throttle: Arc::default(),
            audit: Arc::clone(&self.content.audit),
            dashboard: Arc::clone(&self.content.dashboard),
            organisation_metrics: Arc::clone(&self.content.metrics),
            incidents: Arc::clone(&self.content.incidents),
            maintenances: Arc::clone(&self.content.maintenances),
            subscribers: Arc::clone(&self.deliveries.subscribers),
            deliveries: Arc::clone(&self.deliveries.deliveries),
            subscriber_throttle: Arc::new(subscriber_throttle),
            pages: Arc::clone(&self.public.pages),
            history_pages: Arc::clone(&self.public.history_pages),
            statuspage_documents: Arc::clone(&self.public.statuspage_documents),
            streams: Arc::clone(&self.public.streams),
            sockets: Arc::clone(&self.public.sockets),
            socket_settings: settings.socket(public_url),
            viewers: Arc::clone(&self.public.viewers),
            web_app: Arc::new(WebApp::load(clerk.map(clerk::policy).transpose()?)),
            configuration: Arc::new(settings.configuration(clerk, passkeys)),
            readiness: infra.store(),
            draining,
            metrics: metrics::handle(),
            usage: Arc::clone(&self.usage),
            metrics_access: Arc::new(settings.metrics.access()?),
            hsts: settings.hsts(public_url),
            proxies: Arc::clone(&self.public.proxies),
            client_limits: Arc::clone(&self.public.client_limits),
            origin: public_url.clone(),
            clock: infra.clock(),
            allowed_origins: settings.allowed_origins.clone(),
            timeouts: settings.timeouts(),
        })
    }

    /// Starts the tasks that run beside the requests.
    pub(crate) fn start_tasks(
        &self,
        tasks: &mut Tasks,
        infra: &Infrastructure,
    ) -> RunningDeliveries {
        infra.start(tasks);
        let running_deliveries = self.deliveries.start(tasks, infra);
        self.public.start(tasks, infra);
        self.domains.start(tasks, infra);
        self.content.start(tasks, infra);
        self.identity.start(tasks);
        self.automation.start(tasks);
        let (usage, broadcast) = (Arc::clone(&self.usage), infra.broadcast());
        tasks.start("count_commits", move || {
            let (usage, broadcast) = (Arc::clone(&usage), Arc::clone(&broadcast));
            async move { usage.count_commits(&*broadcast).await }
        });
        let max_audit_age = TimeDelta::days(infra.settings.audit_days.into());
        let retention = Retention::new(infra.store(), infra.store(), max_audit_age, infra.store());
        let retention = Arc::new(retention);
        tasks.repeat_removal("prune_commits", PRUNE_INTERVAL, move || {
            let retention = Arc::clone(&retention);
            async move { retention.prune().await.map(drop) }
        });
        if infra.settings.is_on_sqlite() {
            let database = infra.store();
            tasks.repeat("check_database_file", FILE_INTERVAL, move || {
                let database = Arc::clone(&database);
                async move { database.check_file().await }
            });
        } else {
            postgresql::start(tasks, infra);
        }
        running_deliveries
    }
}
