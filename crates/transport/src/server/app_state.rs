//! What the routes need.

use std::sync::Arc;

use actix_web::web::{self, Data};
use allclear_application::api_key::ApiKeys;
use allclear_application::audit::AuditLog;
use allclear_application::clock::Clock;
use allclear_application::component::Components;
use allclear_application::component_group::ComponentGroups;
use allclear_application::custom_domain::Domains;
use allclear_application::custom_domain::hosts::Hosts;
use allclear_application::dashboard::Dashboard;
use allclear_application::delivery::Deliveries;
use allclear_application::health::Readiness;
use allclear_application::idempotency::Idempotency;
use allclear_application::incident::Incidents;
use allclear_application::link::Links;
use allclear_application::maintenance::Maintenances;
use allclear_application::metrics::Metrics;
use allclear_application::organisation::Organisations;
use allclear_application::review::Reviews;
use allclear_application::subscriber::Subscribers;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::configuration::Configuration;
use crate::custom_domain::DomainThrottle;
use crate::health::Draining;
use crate::health::metrics_access::MetricsAccess;
use crate::limit::client_limits::ClientLimits;
use crate::limit::key_usage::KeyUsage;
use crate::limit::usage::Usage;
use crate::provider::Provider;
use crate::server::client_address::TrustedProxies;
use crate::server::headers::Hsts;
use crate::server::timeouts::Timeouts;
use crate::socket::{SocketSettings, Sockets};
use crate::status_page::events::EventStreams;
use crate::status_page::history::pages::HistoryPages;
use crate::status_page::page_cache::PageCache;
use crate::status_page::viewers::Viewers;
use crate::statuspage_api::document_cache::DocumentCache;
use crate::subscriber::SubscriberThrottle;
use crate::web_app::WebApp;

/// Everything that the routes need.
#[derive(Clone)]
pub struct AppState {
    /// The identity provider.
    pub identity: Provider,
    /// API keys.
    pub api_keys: Arc<ApiKeys>,
    /// Limit for the requests of an API key.
    pub key_usage: Arc<KeyUsage>,
    /// Requests that may be repeated.
    pub idempotency: Arc<Idempotency>,
    /// Components.
    pub components: Arc<Components>,
    /// Component groups and the order of the page.
    pub component_groups: Arc<ComponentGroups>,
    /// The audit log.
    pub audit: Arc<AuditLog>,
    /// The dashboard.
    pub dashboard: Arc<Dashboard>,
    /// Metrics of an organisation.
    pub organisation_metrics: Arc<Metrics>,
    /// Reviews of incidents.
    pub reviews: Arc<Reviews>,
    /// Settings of organisations.
    pub organisations: Arc<Organisations>,
    /// Domains of organisations.
    pub domains: Arc<Domains>,
    /// Whose pages each host shows.
    pub hosts: Arc<Hosts>,
    /// Limit for checks of domains.
    pub domain_throttle: Arc<DomainThrottle>,
    /// Incidents.
    pub incidents: Arc<Incidents>,
    /// Maintenances.
    pub maintenances: Arc<Maintenances>,
    /// Subscribers.
    pub subscribers: Arc<Subscribers>,
    /// Delivery counts of mails to subscribers.
    pub deliveries: Arc<Deliveries>,
    /// Limits for subscribing, verifying and unsubscribing.
    pub subscriber_throttle: Arc<SubscriberThrottle>,
    /// The public pages.
    pub pages: Arc<PageCache>,
    /// The pages of the public history.
    pub history_pages: Arc<HistoryPages>,
    /// The Statuspage API and the feeds.
    pub statuspage_documents: Arc<DocumentCache>,
    /// The event streams of the public pages.
    pub streams: Arc<EventStreams>,
    /// The connected sockets.
    pub sockets: Arc<Sockets>,
    /// Settings of the sockets.
    pub socket_settings: SocketSettings,
    /// The open event streams.
    pub viewers: Arc<Viewers>,
    /// The files of the web app.
    pub web_app: Arc<WebApp>,
    /// Settings that the web app reads.
    pub configuration: Arc<Configuration>,
    /// Whether the database can be read and written.
    pub readiness: Arc<dyn Readiness>,
    /// Whether the process is shutting down.
    pub draining: Draining,
    /// Renders `/metrics`.
    pub metrics: PrometheusHandle,
    /// Limits for the writes and reads of an organisation, and for the writes of an account.
    pub usage: Arc<Usage>,
    /// Access to `/metrics`.
    pub metrics_access: Arc<MetricsAccess>,
    /// Scope of Strict-Transport-Security.
    pub hsts: Hsts,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub proxies: Arc<TrustedProxies>,
    /// Limits for the connections, streams and sockets of a client.
    pub client_limits: Arc<ClientLimits>,
    /// Own origin: the public URL without a path.
    pub origin: String,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Other origins whose pages may use the API.
    pub allowed_origins: Vec<String>,
    /// Time limits of connections.
    pub timeouts: Timeouts,
}

impl AppState {
    /// Registers the services as app data.
    pub(super) fn provide(&self, config: &mut web::ServiceConfig) {
        config
            .configure(|config| self.identity.provide(config, &self.origin))
            .app_data(Data::from(Arc::clone(&self.clock)))
            .app_data(Data::from(Arc::clone(&self.api_keys)))
            .app_data(Data::from(Arc::clone(&self.key_usage)))
            .app_data(Data::from(Arc::clone(&self.idempotency)))
            .app_data(Data::from(Arc::clone(&self.components)))
            .app_data(Data::from(Arc::clone(&self.component_groups)))
            .app_data(Data::from(Arc::clone(&self.audit)))
            .app_data(Data::from(Arc::clone(&self.dashboard)))
            .app_data(Data::from(Arc::clone(&self.organisation_metrics)))
            .app_data(Data::from(Arc::clone(&self.reviews)))
            .app_data(Data::from(Arc::clone(&self.organisations)))
            .app_data(Data::from(Arc::clone(&self.domains)))
            .app_data(Data::from(Arc::clone(&self.hosts)))
            .app_data(Data::from(Arc::clone(&self.domain_throttle)))
            .app_data(Data::from(Arc::clone(&self.incidents)))
            .app_data(Data::from(Arc::clone(&self.maintenances)))
            .app_data(Data::from(Arc::clone(&self.subscribers)))
            .app_data(Data::from(Arc::clone(&self.deliveries)))
            .app_data(Data::from(Arc::clone(&self.subscriber_throttle)))
            .app_data(Data::from(Arc::clone(&self.pages)))
            .app_data(Data::from(Arc::clone(&self.history_pages)))
            .app_data(Data::from(Arc::clone(&self.statuspage_documents)))
            .app_data(Data::from(Arc::clone(&self.streams)))
            .app_data(Data::from(Arc::clone(&self.viewers)))
            .app_data(Data::from(Arc::clone(&self.sockets)))
            .app_data(Data::from(Arc::clone(&self.web_app)))
            .app_data(Data::from(Arc::clone(&self.configuration)))
            .app_data(Data::from(Arc::clone(&self.readiness)))
            .app_data(Data::from(Arc::clone(&self.usage)))
            .app_data(Data::from(Arc::clone(&self.metrics_access)))
            .app_data(Data::from(Arc::clone(&self.proxies)))
            .app_data(Data::from(Arc::clone(&self.client_limits)))
            .app_data(Data::new(Links::new(&self.origin)))
            .app_data(Data::new(self.draining.clone()))
            .app_data(Data::new(self.metrics.clone()));
    }
}
