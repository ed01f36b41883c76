//! The look-up of host names.

mod shared;

use std::net::IpAddr;

use async_trait::async_trait;
use tokio::net::lookup_host;

pub use self::shared::SharedLookup;

/// Finds the addresses of host names. Tests replace it.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// Returns the addresses of a host; none if it has none or if no name server replies.
    async fn addresses(&self, host: &str) -> Vec<IpAddr>;
}

/// The look-up of the operating system. It occupies a thread until the name servers reply or the
/// system gives up.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, host: &str) -> Vec<IpAddr> {
        let found = lookup_host((host, 0)).await;
        found.map_or_else(
            |_| Vec::new(),
            |found| found.map(|address| address.ip()).collect(),
        )
    }
}
