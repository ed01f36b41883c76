//! Shares what one organisation has for its clients, so that one client leaves a part to others.

use std::net::IpAddr;

use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_domain::id::OrganisationId;
use tokio::sync::OwnedSemaphorePermit;

use super::client_network::{SITE_PERMITS, site};

/// Permits of each client, and of the IPv6 clients of each site together, for each organisation.
pub(crate) struct ClientSemaphore {
    clients: KeyedSemaphore<(OrganisationId, IpAddr)>,
    sites: KeyedSemaphore<(OrganisationId, IpAddr)>,
}

/// What a client has, until it is dropped.
#[derive(Debug)]
pub(crate) struct ClientPermit(
    #[expect(dead_code, reason = "dropped when the client has what it waits for")]
    [Option<OwnedSemaphorePermit>; 2],
);

impl ClientSemaphore {
    /// Gives each client so many permits.
    pub(crate) fn new(permits: usize) -> Self {
        Self {
            clients: KeyedSemaphore::new(permits, 0),
            sites: KeyedSemaphore::new(SITE_PERMITS * permits, 0),
        }
    }

    /// Waits for permits of a client and its site. A client without an address needs none. `None`
    /// if as many requests as it has permits have or want some already.
    pub(crate) async fn acquire(
        &self,
        organisation: &OrganisationId,
        client: Option<IpAddr>,
        permits: usize,
    ) -> Option<ClientPermit> {
        let of = async |semaphore: &KeyedSemaphore<_>, address: Option<IpAddr>| {
            let Some(address) = address else {
                return Some(None);
            };
            let key = (organisation.clone(), address);
            semaphore.acquire_many(&key, permits).await.map(Some)
        };
        // A client waits for its own permits first: what waits there holds nothing that others of
        // its site need.
        let of_client = of(&self.clients, client).await?;
        let of_site = of(&self.sites, client.and_then(site)).await?;
        Some(ClientPermit([of_client, of_site]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn clients_of_an_ipv6_site_have_the_permits_of_two() {
        let semaphore = ClientSemaphore::new(1);
        let organisation = OrganisationId::parse("organisation1").unwrap();
        let acquire = |client: IpAddr| {
            let acquired = semaphore.acquire(&organisation, Some(client), 1);
            acquired.now_or_never().flatten()
        };
        let network = |number: u16| IpAddr::from([0x2001, 0xdb8, 0, number, 0, 0, 0, 0]);
        let first = acquire(network(1));
        assert!(first.is_some() && acquire(network(1)).is_none());
        let second = acquire(network(2));
        assert!(second.is_some() && acquire(network(3)).is_none());
        let other = acquire(IpAddr::from([192, 0, 2, 1]));
        assert!(other.is_some());
        drop(first);
        assert!(acquire(network(3)).is_some());
    }
}
