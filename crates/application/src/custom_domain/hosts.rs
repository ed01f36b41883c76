//! The organisation whose pages each host shows, from memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use allclear_domain::custom_domain::DomainName;
use allclear_domain::event::EventKind;
use allclear_domain::id::OrganisationId;
use arc_swap::{ArcSwap, Guard};
use tokio::sync::Mutex;
use tokio::time::MissedTickBehavior;

use super::DomainStore;
use crate::broadcast::Broadcast;
use crate::error::Error;
use crate::failure_log::FailureLog;
use crate::outbox::Commit;

/// The host of the installation's public URL, and the organisation of all hosts that no
/// organisation has verified.
#[derive(Debug, Clone, Default)]
pub struct HostSettings {
    /// Host of the public URL, in lower case, without a port.
    pub own: String,
    /// Identifier or code of the organisation whose pages an unknown host shows; `None` to treat
    /// such a host as the own one.
    pub default_organisation: Option<String>,
}

/// The verified domains. They are read again when one may have changed.
pub struct Hosts {
    store: Arc<dyn DomainStore>,
    settings: HostSettings,
    table: ArcSwap<HostTable>,
    /// Locked while the table is read; otherwise an older table could replace a newer one.
    reading: Mutex<()>,
}

/// The organisation of each host, as of one read.
#[derive(Debug, Default)]
pub struct HostTable {
    own: String,
    domains: HashMap<DomainKey, OrganisationId>,
    default: Option<OrganisationId>,
}

/// Text of a [`DomainName`], so that a look-up needs no parsed name.
type DomainKey = Box<str>;

impl HostTable {
    /// The organisation whose pages a host shows; `None` for a host that shows the whole
    /// installation. The host is in lower case, without a port and a trailing dot.
    #[must_use]
    pub fn organisation(&self, host: &str) -> Option<&OrganisationId> {
        if host == self.own {
            return None;
        }
        self.domains.get(host).or(self.default.as_ref())
    }

    /// Whether a proxy may obtain a certificate for the host.
    #[must_use]
    pub fn is_served(&self, host: &str) -> bool {
        host == self.own || self.domains.contains_key(host)
    }
}

impl Hosts {
    /// Interval at which the domains are read without a notification, because a broadcast may
    /// be lost.
    const RELOAD_INTERVAL: Duration = Duration::from_secs(5);

    /// Reads the domains for the first time.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn load(store: Arc<dyn DomainStore>, settings: HostSettings) -> Result<Self, Error> {
        let hosts = Self {
            store,
            settings,
            table: ArcSwap::default(),
            reading: Mutex::default(),
        };
        hosts.reload().await?;
        Ok(hosts)
    }

    /// The present table.
    #[must_use]
    pub fn table(&self) -> Guard<Arc<HostTable>> {
        self.table.load()
    }

    /// Whether this is the host of the public URL.
    #[must_use]
    pub fn is_own(&self, host: &str) -> bool {
        host == self.settings.own
    }

    /// Whether a default organisation is configured and there was none with that identifier or code
    /// at the last read.
    #[must_use]
    pub fn lacks_default_organisation(&self) -> bool {
        self.settings.default_organisation.is_some() && self.table().default.is_none()
    }

    /// Reads the domains again.
    pub async fn reload(&self) -> Result<(), Error> {
        let _reading = self.reading.lock().await;
        let verified = self.store.verified_domains().await?;
        let default = match &self.settings.default_organisation {
            Some(text) => self.store.find_by_id_or_code(text).await?,
            None => None,
        };
        let key = |(name, organisation): (DomainName, _)| (name.as_str().into(), organisation);
        self.table.store(Arc::new(HostTable {
            own: self.settings.own.clone(),
            domains: verified.into_iter().map(key).collect(),
            default,
        }));
        Ok(())
    }

    /// Reads the domains whenever a node has changed an organisation, and regularly, until the
    /// broadcast ends.
    pub async fn run(&self, broadcast: &dyn Broadcast) {
        let mut arriving = broadcast.subscribe().await;
        let mut tick = tokio::time::interval(Self::RELOAD_INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut failures = FailureLog::default();
        loop {
            tokio::select! {
                commit = arriving.recv() => match commit {
                    Some(commit) if !may_change_a_domain(&commit) => continue,
                    // One read is enough for all that have arrived.
                    Some(_) => while arriving.try_recv().is_ok() {},
                    None => return,
                },
                _ = tick.tick() => {}
            }
            match self.reload().await {
                Ok(()) => {
                    if failures.succeeded() {
                        tracing::info!("the domains can be read again");
                    }
                }
                Err(error) => {
                    if failures.failed() {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "the domains could not be read; trying again"
                        );
                    }
                }
            }
        }
    }
}

fn may_change_a_domain(commit: &Commit) -> bool {
    commit.has_event(|kind| kind == EventKind::OrganisationUpdated)
}
