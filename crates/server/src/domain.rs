//! Wires the domains of organisations.

use std::sync::Arc;

use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_application::domain::hosts::Hosts;
use allclear_application::domain::{DomainPorts, Domains};
use allclear_application::relay::Relay;
use allclear_persistence::database::Database;

use crate::settings::Settings;
use crate::tasks::Tasks;

/// Services of domains.
pub(crate) struct DomainServices {
    pub(crate) domains: Arc<Domains>,
    /// The organisation whose pages each host shows.
    pub(crate) hosts: Arc<Hosts>,
}

impl DomainServices {
    /// Reads the verified domains.
    ///
    /// # Errors
    /// One line with the reason.
    pub(crate) async fn new(
        settings: &Settings,
        public_url: &str,
        database: &Database,
        relay: &Arc<Relay>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let store = Arc::new(database.clone());
        let hosts = Hosts::load(Arc::clone(&store) as _, settings.domain.hosts(public_url));
        let hosts = hosts.await.map_err(|error| error.to_string())?;
        let hosts = Arc::new(hosts);
        let ports = DomainPorts {
            organisations: Arc::clone(&store) as _,
            store,
            probe: Arc::new(settings.domain.probe(settings.webhook.outbound()?)),
            relay: Arc::clone(relay),
            clock: Arc::clone(clock),
        };
        let domains = Arc::new(Domains::new(ports, Arc::clone(&hosts)));
        Ok(Self { domains, hosts })
    }

    /// Starts the task that reads the domains after a change on any node.
    pub(crate) fn start(&self, tasks: &mut Tasks, broadcast: Arc<dyn Broadcast>) {
        let hosts = Arc::clone(&self.hosts);
        tasks.start("hosts", move || {
            let (hosts, broadcast) = (Arc::clone(&hosts), Arc::clone(&broadcast));
            async move { hosts.run(&*broadcast).await }
        });
    }
}
