//! Wires the public status pages and the connections that keep them live.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::caller::TokenVerifier;
use allclear_application::error::Error;
use allclear_application::relay::CommitListener;
use allclear_transport::limit::client_limits::ClientLimits;
use allclear_transport::server::client_address::TrustedProxies;
use allclear_transport::socket::Sockets;
use allclear_transport::status_page::events::EventStreams;
use allclear_transport::status_page::history::pages::HistoryPages;
use allclear_transport::status_page::page_cache::PageCache;
use allclear_transport::status_page::viewers::Viewers;
use allclear_transport::statuspage_api::document_cache::DocumentCache;
use allclear_transport::web_app::WebApp;
use tokio::task::spawn_blocking;

use crate::infrastructure::Infrastructure;
use crate::metrics;
use crate::settings::Settings;
use crate::tasks::Tasks;

/// Interval of pings to event streams. Proxies close a connection that is silent for a minute, and
/// the scripts of the public pages open another one after 50 seconds.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// The public pages, event streams and sockets.
pub(crate) struct PublicServices {
    pub(crate) viewers: Arc<Viewers>,
    pub(crate) pages: Arc<PageCache>,
    pub(crate) history_pages: Arc<HistoryPages>,
    pub(crate) statuspage_documents: Arc<DocumentCache>,
    pub(crate) streams: Arc<EventStreams>,
    pub(crate) sockets: Arc<Sockets>,
    pub(crate) proxies: Arc<TrustedProxies>,
    pub(crate) client_limits: Arc<ClientLimits>,
}

impl PublicServices {
    /// `verifier` checks the tokens of sockets.
    ///
    /// # Errors
    /// One line that names the wrong setting.
    pub(crate) fn new(
        infra: &Infrastructure,
        verifier: Arc<dyn TokenVerifier>,
    ) -> Result<Self, String> {
        let (settings, public_url) = (&infra.settings, &infra.public_url);
        let (relay, clock) = (infra.relay(), infra.clock());
        let (proxies, client_limits) = client_limits(settings)?;
        let viewers = Arc::new(Viewers::default());
        let pages = Arc::new(PageCache::new(
            infra.store(),
            infra.relay(),
            infra.clock(),
            WebApp::page_template(public_url),
            infra.store().concurrency_of_one().reads,
        ));
        let history_template = WebApp::history_template(public_url);
        let history_pages = HistoryPages::new(infra.store(), &relay, &clock, history_template);
        let statuspage_documents = DocumentCache::new(infra.store(), &relay, &clock);
        let sockets = Sockets::new(
            &settings.socket(public_url),
            Arc::clone(&client_limits),
            Arc::clone(&pages),
            infra.relay(),
            verifier,
            clock,
        );
        let streams = EventStreams::new(Arc::clone(&viewers), relay, infra.store());
        Ok(Self {
            viewers,
            pages,
            history_pages: Arc::new(history_pages),
            statuspage_documents: Arc::new(statuspage_documents),
            streams: Arc::new(streams),
            sockets: Arc::new(sockets),
            proxies,
            client_limits,
        })
    }

    /// Starts the tasks that send commits to viewers, check the access of sockets, and keep
    /// connections alive.
    pub(crate) fn start(&self, tasks: &mut Tasks, infra: &Infrastructure) {
        let listeners: [Arc<dyn CommitListener>; 3] = [
            Arc::clone(&self.viewers) as _,
            Arc::clone(&self.sockets) as _,
            Arc::new(metrics::EventCounter),
        ];
        let counted = infra.relay();
        tasks.repeat("metrics", metrics::UPKEEP_INTERVAL, move || {
            let relay = Arc::clone(&counted);
            async move {
                let upkeep = spawn_blocking(move || metrics::upkeep(&relay));
                upkeep.await.map_err(Error::internal)
            }
        });
        let relay = infra.relay();
        tasks.start("relay", move || {
            let (relay, listeners) = (Arc::clone(&relay), listeners.clone());
            async move { relay.run(&listeners).await }
        });
        let sockets = Arc::clone(&self.sockets);
        tasks.start("authorize_sockets", move || {
            let sockets = Arc::clone(&sockets);
            async move { sockets.run_authorizer().await }
        });
        let viewers = Arc::clone(&self.viewers);
        tasks.repeat("keep_alive", KEEP_ALIVE, move || {
            viewers.keep_alive();
            ready(Ok(()))
        });
    }
}

/// The trusted proxies, and the limits of open connections.
fn client_limits(settings: &Settings) -> Result<(Arc<TrustedProxies>, Arc<ClientLimits>), String> {
    let proxies = settings.trusted_proxies.iter().map(String::as_str);
    let proxies = Arc::new(TrustedProxies::parse(proxies)?);
    let limits = ClientLimits::new(&settings.connections.limits(), Arc::clone(&proxies));
    Ok((proxies, Arc::new(limits)))
}
