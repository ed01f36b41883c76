//! How many connections, event streams and sockets one client may have at a time, and how many files the process may have open.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::HttpRequest;
use allclear_socketio::{Admission, Busy, Permit, Permits};

use crate::client_address::TrustedProxies;
use crate::problem::Problem;
use crate::throttle::{client, network};

/// After how many seconds a client that was refused may try again.
const RETRY_AFTER: u64 = 10;
/// Descriptors that are not connections: the database, the log, the workers' own.
const OWN_DESCRIPTORS: usize = 64;

/// How many of each a client address may have at a time. 0 means that there is no limit.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Open connections. Those of a trusted proxy are not counted.
    pub connections: usize,
    /// Event streams.
    pub streams: usize,
    /// Sockets, by polling or WebSocket.
    pub sockets: usize,
    /// Polls that wait for an event.
    pub polls: usize,
    /// Sockets that have not joined the namespace yet.
    pub handshakes: usize,
    /// Sockets of all clients that have not joined the namespace yet.
    pub all_handshakes: usize,
    /// Files that the process may have open.
    pub descriptors: usize,
}

/// What clients hold, within the limits.
pub struct ClientLimits {
    connections: Arc<Slots>,
    streams: Arc<Slots>,
    sockets: Arc<Slots>,
    polls: Arc<Slots>,
    handshakes: Arc<Slots>,
    all_handshakes: Arc<Slots>,
    descriptors: Arc<Descriptors>,
    proxies: Arc<TrustedProxies>,
}

/// Slots of one kind.
struct Slots {
    /// How many each client may take; 0 means no limit.
    most: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A slot that a client has taken. It is free again when this is dropped.
pub(crate) struct Slot(Option<(Arc<Slots>, IpAddr)>);

/// The process's open files, as far as they are connections.
struct Descriptors {
    most: usize,
    open: AtomicUsize,
}

/// Descriptors that a connection holds.
pub(crate) struct HeldDescriptors {
    descriptors: Arc<Descriptors>,
    held: AtomicUsize,
}

impl Slots {
    fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            taken: Mutex::default(),
        })
    }

    /// Takes a slot; `None` if the client has as many as it may.
    fn take(self: &Arc<Self>, client: IpAddr) -> Option<Slot> {
        if self.most == 0 {
            return Some(Slot(None));
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(client).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Slot(Some((Arc::clone(self), client))))
    }
}

impl Slot {
    /// A slot where nothing is limited.
    #[cfg(test)]
    pub(crate) const fn unlimited() -> Self {
        Self(None)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some((slots, client)) = &self.0 else {
            return;
        };
        let mut taken = slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(client) {
            *count -= 1;
            if *count == 0 {
                taken.remove(client);
            }
        }
    }
}

impl Descriptors {
    /// Descriptors that streams and sockets leave to other requests.
    fn reserve(&self) -> usize {
        (self.most / 10).clamp(32, 1024)
    }

    fn is_over(&self, reserve: usize) -> bool {
        let used = self.open.load(Ordering::Relaxed) + OWN_DESCRIPTORS + reserve;
        self.most != 0 && used > self.most
    }
}

impl HeldDescriptors {
    /// One of them has been closed.
    pub(crate) fn release(&self) {
        if self.held.fetch_sub(1, Ordering::Relaxed) > 0 {
            self.descriptors.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for HeldDescriptors {
    fn drop(&mut self) {
        let held = *self.held.get_mut();
        self.descriptors.open.fetch_sub(held, Ordering::Relaxed);
    }
}

impl ClientLimits {
    /// Nobody holds anything yet.
    #[must_use]
    pub fn new(limits: &ConnectionLimits, proxies: Arc<TrustedProxies>) -> Self {
        Self {
            connections: Slots::new(limits.connections),
            streams: Slots::new(limits.streams),
            sockets: Slots::new(limits.sockets),
            polls: Slots::new(limits.polls),
            handshakes: Slots::new(limits.handshakes),
            all_handshakes: Slots::new(limits.all_handshakes),
            descriptors: Arc::new(Descriptors {
                most: limits.descriptors,
                open: AtomicUsize::new(0),
            }),
            proxies,
        }
    }

    /// Counts an event stream. 429 if the client has as many as it may, 503 if descriptors run out.
    pub(crate) fn stream(&self, request: &HttpRequest) -> Result<Slot, Problem> {
        if self.is_crowded() {
            return Err(Problem::crowded(RETRY_AFTER));
        }
        self.streams
            .take(client(request))
            .ok_or_else(|| Problem::too_many(RETRY_AFTER))
    }

    /// Counts a connection and its descriptors. `None` if the client has as many as it may, or if there are no descriptors left.
    pub(crate) fn connection(
        &self,
        peer: Option<IpAddr>,
        descriptors: usize,
    ) -> Option<(Slot, HeldDescriptors)> {
        if self.descriptors.is_over(descriptors) {
            return None;
        }
        let peer = peer.map(|peer| peer.to_canonical());
        let slot = match peer.filter(|peer| !self.proxies.is_trusted(*peer)) {
            Some(peer) => self.connections.take(network(peer))?,
            None => Slot(None),
        };
        self.descriptors
            .open
            .fetch_add(descriptors, Ordering::Relaxed);
        let held = HeldDescriptors {
            descriptors: Arc::clone(&self.descriptors),
            held: AtomicUsize::new(descriptors),
        };
        Some((slot, held))
    }

    /// Whether only the descriptors are left that are kept for ordinary requests.
    pub(crate) fn is_crowded(&self) -> bool {
        self.descriptors.is_over(self.descriptors.reserve())
    }
}

/// The key under which all clients are counted together.
const EVERYBODY: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

impl Admission for ClientLimits {
    fn session(&self, request: &HttpRequest) -> Result<Permits, Busy> {
        if self.is_crowded() {
            return Err(Busy::server(RETRY_AFTER));
        }
        let client = client(request);
        let of_client = |slots: &Arc<Slots>| slots.take(client).ok_or(Busy::client(RETRY_AFTER));
        let session = of_client(&self.sockets)?;
        let handshake = of_client(&self.handshakes)?;
        let in_all = self
            .all_handshakes
            .take(EVERYBODY)
            .ok_or(Busy::server(RETRY_AFTER))?;
        Ok(Permits {
            session: Box::new(session),
            handshake: Box::new((handshake, in_all)),
        })
    }

    fn poll(&self, request: &HttpRequest) -> Result<Permit, Busy> {
        let slot = self
            .polls
            .take(client(request))
            .ok_or(Busy::client(RETRY_AFTER))?;
        Ok(Box::new(slot))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use actix_web::web;

    const NONE: ConnectionLimits = ConnectionLimits {
        connections: 0,
        streams: 0,
        sockets: 0,
        polls: 0,
        handshakes: 0,
        all_handshakes: 0,
        descriptors: 0,
    };

    /// Nothing is limited.
    pub(crate) fn unlimited() -> ClientLimits {
        limits(NONE)
    }

    fn limits(limits: ConnectionLimits) -> ClientLimits {
        let proxies = TrustedProxies::parse(["10.0.0.9"]).unwrap();
        ClientLimits::new(&limits, Arc::new(proxies))
    }

    fn request(address: &str) -> HttpRequest {
        TestRequest::default()
            .app_data(web::Data::new(TrustedProxies::default()))
            .peer_addr(format!("{address}:1").parse().unwrap())
            .to_http_request()
    }

    fn peer(address: &str) -> Option<IpAddr> {
        address.parse().ok()
    }

    #[test]
    fn client_has_so_many_slots_and_others_have_theirs() {
        let limits = limits(ConnectionLimits { streams: 2, ..NONE });
        let ask = |address| limits.stream(&request(address)).ok();
        let (first, second) = (ask("10.0.0.1"), ask("10.0.0.1"));
        assert!(first.is_some() && second.is_some());
        assert!(ask("10.0.0.1").is_none());
        assert!(ask("10.0.0.2").is_some());
        drop(first);
        let again = ask("10.0.0.1");
        assert!(again.is_some() && ask("10.0.0.1").is_none());
        drop((second, again));
        assert!(limits.streams.taken.lock().unwrap().is_empty());
    }

    #[test]
    fn network_of_ipv6_addresses_is_one_client() {
        let limits = limits(ConnectionLimits {
            connections: 1,
            ..NONE
        });
        let _first = limits.connection(peer("2001:db8::1"), 2).unwrap();
        assert!(limits.connection(peer("2001:db8::2"), 2).is_none());
        assert!(limits.connection(peer("2001:db8:0:1::1"), 2).is_some());
    }

    #[test]
    fn connections_of_a_trusted_proxy_are_not_counted() {
        let limits = limits(ConnectionLimits {
            connections: 1,
            ..NONE
        });
        let _first = limits.connection(peer("10.0.0.9"), 2).unwrap();
        assert!(limits.connection(peer("10.0.0.9"), 2).is_some());
    }

    #[test]
    fn sockets_that_have_not_joined_are_bounded_by_client_and_in_all() {
        let limits = limits(ConnectionLimits {
            handshakes: 1,
            all_handshakes: 2,
            ..NONE
        });
        let ask = |address| limits.session(&request(address));
        let first = ask("10.0.0.1").unwrap();
        assert_eq!(ask("10.0.0.1").err(), Some(Busy::client(RETRY_AFTER)));
        let _second = ask("10.0.0.2").unwrap();
        assert_eq!(ask("10.0.0.3").err(), Some(Busy::server(RETRY_AFTER)));
        drop(first.handshake);
        assert!(ask("10.0.0.1").is_ok(), "the first has joined");
    }

    #[test]
    fn streams_leave_descriptors_to_other_requests() {
        let limits = limits(ConnectionLimits {
            descriptors: 128,
            ..NONE
        });
        let mut open: Vec<_> = (0..16)
            .map(|_| limits.connection(peer("10.0.0.1"), 2).unwrap())
            .collect();
        assert!(limits.stream(&request("10.0.0.2")).is_ok());
        open.push(limits.connection(peer("10.0.0.1"), 2).unwrap());
        assert!(limits.stream(&request("10.0.0.2")).is_err());
        assert!(limits.session(&request("10.0.0.2")).is_err());
        open[0].1.release();
        open[1].1.release();
        assert!(limits.stream(&request("10.0.0.2")).is_ok());
        while let Some(next) = limits.connection(peer("10.0.0.1"), 2) {
            open.push(next);
        }
        assert_eq!(open.len(), 33, "the process keeps some for itself");
        drop(open);
        assert_eq!(limits.descriptors.open.load(Ordering::Relaxed), 0);
    }
}
