//! Counts what clients have open at the same time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use super::client_network::{SITE_SLOTS, site};

/// Counter for one kind of resource, for each client and for the IPv6 clients of each
/// site together.
pub(crate) struct Slots {
    /// Limit per client; `None` means no limit.
    most: Option<usize>,
    clients: Counts,
    sites: Counts,
}

/// What each address has. An address without anything has no entry.
#[derive(Default)]
struct Counts(Mutex<HashMap<IpAddr, usize>>);

/// A counted resource of a client, released on drop.
pub(crate) struct Slot(Option<(Arc<Slots>, IpAddr)>);

impl Slots {
    /// Creates a counter with this limit per client; `None` means no limit.
    pub(crate) fn new(most: Option<usize>) -> Arc<Self> {
        Arc::new(Self {
            most,
            clients: Counts::default(),
            sites: Counts::default(),
        })
    }

    /// Takes a slot; `None` if the client, which is from [`client`](super::client_network::client),
    /// or its site has reached the limit.
    pub(crate) fn take(self: &Arc<Self>, client: IpAddr) -> Option<Slot> {
        let Some(most) = self.most else {
            return Some(Slot::unlimited());
        };
        if !self.clients.add(client, most) {
            return None;
        }
        let of_site = most.saturating_mul(SITE_SLOTS);
        if site(client).is_some_and(|site| !self.sites.add(site, of_site)) {
            self.clients.remove(client);
            return None;
        }
        Some(Slot(Some((Arc::clone(self), client))))
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        [&self.clients, &self.sites]
            .iter()
            .all(|counts| counts.0.lock().is_empty())
    }
}

impl Counts {
    /// Counts one more; `false` if there are `most` already.
    fn add(&self, address: IpAddr, most: usize) -> bool {
        let mut counts = self.0.lock();
        let count = counts.entry(address).or_default();
        let is_free = *count < most;
        *count += usize::from(is_free);
        is_free
    }

    fn remove(&self, address: IpAddr) {
        let mut counts = self.0.lock();
        if let Some(count) = counts.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&address);
            }
        }
    }
}

impl Slot {
    /// A slot that is not counted.
    pub(crate) const fn unlimited() -> Self {
        Self(None)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some((slots, client)) = &self.0 else {
            return;
        };
        slots.clients.remove(*client);
        if let Some(site) = site(*client) {
            slots.sites.remove(site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(number: u16) -> IpAddr {
        IpAddr::from([0x2001, 0xdb8, 0, number, 0, 0, 0, 0])
    }

    #[test]
    fn slots_are_counted_per_client_and_released() {
        let slots = Slots::new(Some(2));
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let (first, second) = (slots.take(one), slots.take(one));
        assert!(first.is_some() && second.is_some());
        assert!(slots.take(one).is_none());
        assert!(slots.take(other).is_some());
        drop(first);
        let again = slots.take(one);
        assert!(again.is_some() && slots.take(one).is_none());
        drop((second, again));
        assert!(slots.is_empty());
    }

    #[test]
    fn networks_of_one_site_have_as_many_as_four_clients() {
        let slots = Slots::new(Some(2));
        let mut taken: Vec<_> = (0..4)
            .flat_map(|number| [slots.take(network(number)), slots.take(network(number))])
            .collect();
        assert!(taken.iter().all(Option::is_some));
        assert!(slots.take(network(4)).is_none());
        let elsewhere = IpAddr::from([0x2001, 0xdb8, 1, 0, 0, 0, 0, 0]);
        assert!(slots.take(elsewhere).is_some());
        taken.pop();
        assert!(slots.take(network(4)).is_some());
        drop(taken);
        assert!(slots.is_empty(), "a refused slot is not counted");
    }

    #[test]
    fn nothing_is_counted_without_a_limit() {
        let slots = Slots::new(None);
        let taken: Vec<_> = (0..9).map(|_| slots.take(network(0))).collect();
        assert!(taken.iter().all(Option::is_some));
        assert!(slots.is_empty());
    }
}
