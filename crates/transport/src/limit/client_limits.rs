//! Limits for the connections, event streams, sockets and bodies of one client.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::HttpRequest;
use allclear_socketio::{Admission, OverLimit, Permit, Permits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limit::client_network::{client, network};
use crate::limit::descriptors::{DescriptorGuard, Descriptors};
use crate::limit::slots::{Slot, Slots};
use crate::response::problem::Problem;
use crate::server::client_address::TrustedProxies;

/// Value of `Retry-After` in refusals, in seconds.
pub(crate) const RETRY_AFTER: u64 = 10;

/// Bytes of a part of a request's body. The first part of a body is not counted: it takes hardly
/// more than its connection, so that no client keeps others from sending short requests.
const BODY_PART: usize = 8 * 1024;
/// Maximum number of counted parts of the bodies of one client.
const BODY_PARTS_OF_CLIENT: usize = 512;
/// Maximum number of those of all unknown senders, and of all operators: unknown senders keep no
/// operator from sending a long text.
const BODY_PARTS: usize = 4096;

/// Limits per client address, four times as much per IPv6 site. `None` means no limit.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Open connections. Connections of a trusted proxy are not counted.
    pub connections: Option<usize>,
    /// Event streams.
    pub streams: Option<usize>,
    /// Sockets, by polling or WebSocket.
    pub sockets: Option<usize>,
    /// Waiting polls.
    pub polls: Option<usize>,
    /// Sockets that have not joined the namespace yet.
    pub handshakes: Option<usize>,
    /// Sockets that have not joined the namespace yet, over all clients.
    pub all_handshakes: Option<usize>,
    /// Open files of the process, over all clients.
    pub descriptors: Option<usize>,
}

/// Counts the connections, streams and sockets of clients, and enforces the limits.
pub struct ClientLimits {
    connections: Arc<Slots>,
    streams: Arc<Slots>,
    sockets: Arc<Slots>,
    polls: Arc<Slots>,
    body_parts: Arc<Slots>,
    body_parts_of_unknown: Arc<Semaphore>,
    body_parts_of_operators: Arc<Semaphore>,
    handshakes: Arc<Slots>,
    /// `None` if there is no limit.
    all_handshakes: Option<Arc<Semaphore>>,
    descriptors: Arc<Descriptors>,
    proxies: Arc<TrustedProxies>,
}

/// A body in memory that is being received, or that its request still needs.
#[derive(Default)]
pub(crate) struct BodyParts(Vec<(Slot, OwnedSemaphorePermit)>);

/// The kind of client that sends a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodySender {
    /// Anybody: the body is read before anything is known about its sender.
    Unknown,
    /// A caller with a permission. The body of another one is dropped as soon as the caller
    /// is refused.
    Operator,
}

impl ClientLimits {
    /// Creates counters that start at zero.
    #[must_use]
    pub fn new(limits: &ConnectionLimits, proxies: Arc<TrustedProxies>) -> Self {
        Self {
            connections: Slots::new(limits.connections),
            streams: Slots::new(limits.streams),
            sockets: Slots::new(limits.sockets),
            polls: Slots::new(limits.polls),
            body_parts: Slots::new(Some(BODY_PARTS_OF_CLIENT)),
            body_parts_of_unknown: Arc::new(Semaphore::new(BODY_PARTS)),
            body_parts_of_operators: Arc::new(Semaphore::new(BODY_PARTS)),
            handshakes: Slots::new(limits.handshakes),
            all_handshakes: limits
                .all_handshakes
                .map(|most| Arc::new(Semaphore::new(most))),
            descriptors: Arc::new(Descriptors::new(limits.descriptors)),
            proxies,
        }
    }

    /// Counts an event stream. 429 if the client has reached the limit, 503 if descriptors are
    /// running out.
    pub(crate) fn stream(&self, request: &HttpRequest) -> Result<Slot, Problem> {
        if self.is_crowded() {
            return Err(Problem::crowded(RETRY_AFTER));
        }
        self.streams
            .take(client(request))
            .ok_or_else(|| Problem::too_many(RETRY_AFTER))
    }

    /// Counts the parts of a body of this many bytes. `false` if the client, or all together, have
    /// as many as they may.
    pub(crate) fn try_count_body(
        &self,
        BodyParts(parts): &mut BodyParts,
        (sender, client): (BodySender, IpAddr),
        length: usize,
    ) -> bool {
        let all = match sender {
            BodySender::Unknown => &self.body_parts_of_unknown,
            BodySender::Operator => &self.body_parts_of_operators,
        };
        let counted = length.saturating_sub(1) / BODY_PART;
        while parts.len() < counted {
            let of_client = self.body_parts.take(client);
            let in_all = Arc::clone(all).try_acquire_owned().ok();
            let Some(part) = of_client.zip(in_all) else {
                return false;
            };
            parts.push(part);
        }
        true
    }

    /// Counts a connection and its descriptor. `None` if the client has reached the limit, or if no
    /// descriptors are left.
    pub(crate) fn connection(&self, peer: Option<IpAddr>) -> Option<(Slot, DescriptorGuard)> {
        if self.descriptors.are_used_up() {
            return None;
        }
        let peer = peer.map(|peer| peer.to_canonical());
        let slot = match peer.filter(|peer| !self.proxies.is_trusted(*peer)) {
            Some(peer) => self.connections.take(network(peer))?,
            None => Slot::unlimited(),
        };
        Some((slot, self.descriptors.take()))
    }

    /// Counts the descriptor of a file. `None` if half of the descriptors are taken: the others are
    /// for connections.
    pub(crate) fn descriptor(&self) -> Option<DescriptorGuard> {
        (!self.descriptors.is_half_taken()).then(|| self.descriptors.take())
    }

    /// Whether only the descriptors reserved for ordinary requests are left.
    pub(crate) fn is_crowded(&self) -> bool {
        self.descriptors.is_crowded()
    }
}

impl Admission for ClientLimits {
    fn address(&self, request: &HttpRequest) -> Option<IpAddr> {
        Some(client(request))
    }

    fn session(&self, request: &HttpRequest) -> Result<Permits, OverLimit> {
        if self.is_crowded() {
            return Err(OverLimit::server(RETRY_AFTER));
        }
        let client = client(request);
        let of_client =
            |slots: &Arc<Slots>| slots.take(client).ok_or(OverLimit::client(RETRY_AFTER));
        let session = of_client(&self.sockets)?;
        let handshake = of_client(&self.handshakes)?;
        let in_all = self.all_handshakes.as_ref();
        let in_all = in_all.map(|all| Arc::clone(all).try_acquire_owned());
        let in_all = in_all
            .transpose()
            .map_err(|_| OverLimit::server(RETRY_AFTER))?;
        Ok(Permits {
            session: Box::new(session),
            handshake: Box::new((handshake, in_all)),
        })
    }

    fn upgrade(&self, _request: &HttpRequest) -> Result<(), OverLimit> {
        if self.is_crowded() {
            return Err(OverLimit::server(RETRY_AFTER));
        }
        Ok(())
    }

    fn poll(&self, request: &HttpRequest) -> Result<Permit, OverLimit> {
        // Not as soon as it is crowded: the sessions have begun, and their viewers would be cut off.
        if self.descriptors.is_reserve_half_taken() {
            return Err(OverLimit::server(RETRY_AFTER));
        }
        let slot = self
            .polls
            .take(client(request))
            .ok_or(OverLimit::client(RETRY_AFTER))?;
        Ok(Box::new(slot))
    }

    fn body(&self, request: &HttpRequest, length: usize) -> Result<Permit, OverLimit> {
        let mut parts = BodyParts::default();
        let sender = (BodySender::Unknown, client(request));
        if self.try_count_body(&mut parts, sender, length) {
            Ok(Box::new(parts))
        } else {
            Err(OverLimit::client(RETRY_AFTER))
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use actix_web::web;

    const NONE: ConnectionLimits = ConnectionLimits {
        connections: None,
        streams: None,
        sockets: None,
        polls: None,
        handshakes: None,
        all_handshakes: None,
        descriptors: None,
    };

    /// Limits nothing.
    pub(crate) fn unlimited() -> ClientLimits {
        limits(NONE)
    }

    /// Limits the descriptors.
    pub(crate) fn with_descriptors(descriptors: usize) -> ClientLimits {
        limits(ConnectionLimits {
            descriptors: Some(descriptors),
            ..NONE
        })
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
    fn network_of_ipv6_addresses_is_one_client() {
        let limits = limits(ConnectionLimits {
            connections: Some(1),
            ..NONE
        });
        let _first = limits.connection(peer("2001:db8::1")).unwrap();
        assert!(limits.connection(peer("2001:db8::2")).is_none());
        assert!(limits.connection(peer("2001:db8:0:1::1")).is_some());
    }

    #[test]
    fn connections_of_a_trusted_proxy_are_not_counted() {
        let limits = limits(ConnectionLimits {
            connections: Some(1),
            ..NONE
        });
        let _first = limits.connection(peer("10.0.0.9")).unwrap();
        assert!(limits.connection(peer("10.0.0.9")).is_some());
    }

    #[test]
    fn large_bodies_of_a_client_leave_memory_to_others() {
        let limits = unlimited();
        let (one, other) = (peer("10.0.0.1").unwrap(), peer("10.0.0.2").unwrap());
        let body = |client, length| {
            let mut parts = BodyParts::default();
            limits
                .try_count_body(&mut parts, (BodySender::Unknown, client), length)
                .then_some(parts)
        };
        let large = body(one, (BODY_PARTS_OF_CLIENT + 1) * BODY_PART);
        assert!(large.is_some());
        assert!(body(one, BODY_PART + 1).is_none());
        assert!(
            body(one, BODY_PART).is_some(),
            "short bodies always have room"
        );
        assert!(body(other, BODY_PART + 1).is_some());
        drop(large);
        assert!(body(one, BODY_PART + 1).is_some());
        let all: Vec<_> = (0..)
            .map_while(|number: u32| {
                let client = IpAddr::from((0x0a00_0100 + number).to_be_bytes());
                body(client, 101 * BODY_PART)
            })
            .collect();
        assert_eq!(all.len(), BODY_PARTS / 100);
        assert!(body(other, BODY_PART).is_some());
        let operator = (BodySender::Operator, other);
        assert!(limits.try_count_body(&mut BodyParts::default(), operator, 9 * BODY_PART));
    }

    #[test]
    fn sockets_that_have_not_joined_are_bounded_by_client_and_in_all() {
        let limits = limits(ConnectionLimits {
            handshakes: Some(1),
            all_handshakes: Some(2),
            ..NONE
        });
        let ask = |address| limits.session(&request(address));
        let first = ask("10.0.0.1").unwrap();
        assert_eq!(ask("10.0.0.1").err(), Some(OverLimit::client(RETRY_AFTER)));
        let _second = ask("10.0.0.2").unwrap();
        assert_eq!(ask("10.0.0.3").err(), Some(OverLimit::server(RETRY_AFTER)));
        drop(first.handshake);
        assert!(ask("10.0.0.1").is_ok(), "the first has joined");
    }

    #[test]
    fn streams_leave_descriptors_to_other_requests() {
        let limits = limits(ConnectionLimits {
            descriptors: Some(128),
            ..NONE
        });
        let mut open: Vec<_> = (0..32)
            .map(|_| limits.connection(peer("10.0.0.1")).unwrap())
            .collect();
        assert!(limits.stream(&request("10.0.0.2")).is_ok());
        open.push(limits.connection(peer("10.0.0.1")).unwrap());
        assert!(limits.stream(&request("10.0.0.2")).is_err());
        assert!(limits.session(&request("10.0.0.2")).is_err());
        assert!(limits.upgrade(&request("10.0.0.2")).is_err());
        assert!(limits.poll(&request("10.0.0.2")).is_ok());
        open.pop();
        assert!(limits.stream(&request("10.0.0.2")).is_ok());
        assert!(limits.upgrade(&request("10.0.0.2")).is_ok());
        open.extend((0..16).map(|_| limits.connection(peer("10.0.0.1")).unwrap()));
        assert!(limits.poll(&request("10.0.0.2")).is_ok(), "half is left");
        open.push(limits.connection(peer("10.0.0.1")).unwrap());
        assert!(limits.poll(&request("10.0.0.2")).is_err());
        while let Some(next) = limits.connection(peer("10.0.0.1")) {
            open.push(next);
        }
        assert_eq!(open.len(), 64, "the process keeps some for itself");
        drop(open);
        assert_eq!(limits.descriptors.open(), 0);
    }
}
