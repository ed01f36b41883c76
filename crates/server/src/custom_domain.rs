//! Wires the domains of organisations.

use std::sync::Arc;

use allclear_application::custom_domain::hosts::Hosts;
use allclear_application::custom_domain::{DomainPorts, Domains};

use crate::infrastructure::Infrastructure;
use crate::output::with_causes;
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
    pub(crate) async fn load(infra: &Infrastructure) -> Result<Self, String> {
        let settings = &infra.settings;
        let hosts = Hosts::load(infra.store(), settings.domain.hosts(&infra.public_url))
            .await
            .map_err(|error| with_causes(&error))?;
        if hosts.lacks_default_organisation() {
            tracing::warn!(
                "ALLCLEAR_DEFAULT_ORGANISATION is the identifier or code of no organisation: an unknown host shows the whole installation"
            );
        }
        let hosts = Arc::new(hosts);
        let ports = DomainPorts {
            organisations: infra.store(),
            store: infra.store(),
            probe: Arc::new(settings.domain.probe(settings.webhook.outbound()?)),
            relay: infra.relay(),
            clock: infra.clock(),
        };
        let domains = Arc::new(Domains::new(ports, Arc::clone(&hosts)));
        Ok(Self { domains, hosts })
    }

    /// Starts the task that reads the domains after a change on any node.
    pub(crate) fn start(&self, tasks: &mut Tasks, infra: &Infrastructure) {
        let (hosts, broadcast) = (Arc::clone(&self.hosts), infra.broadcast());
        tasks.start("hosts", move || {
            let (hosts, broadcast) = (Arc::clone(&hosts), Arc::clone(&broadcast));
            async move { hosts.run(&*broadcast).await }
        });
    }
}
