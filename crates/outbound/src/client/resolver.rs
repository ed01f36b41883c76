//! The resolver of the client.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::lookup::Lookup;
use crate::target::{Reach, Rules};

/// Looks names up and returns only addresses that may be connected to.
pub(super) struct CheckedResolver {
    rules: Arc<Rules>,
    lookup: Arc<dyn Lookup>,
    reach: Reach,
}

impl CheckedResolver {
    pub(super) fn new(rules: Arc<Rules>, lookup: Arc<dyn Lookup>, reach: Reach) -> Self {
        Self {
            rules,
            lookup,
            reach,
        }
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let rules = Arc::clone(&self.rules);
        let lookup = Arc::clone(&self.lookup);
        let reach = self.reach;
        Box::pin(async move {
            let found = lookup.addresses(name.as_str()).await;
            let kept = rules.filter(name.as_str(), found, reach)?;
            // The client replaces port 0 by the port of the URL.
            let kept = kept.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(kept) as Addrs)
        })
    }
}
