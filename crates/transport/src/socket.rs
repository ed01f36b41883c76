//! The socket `/socket.io`, for signed-in people and anonymous visitors. All its events are public.
//!
//! Events that a client sends:
//!
//! - `join` with an organisation's identifier enters the room of that organisation, whichever
//!   organisation the token is for. The acknowledgement is `{"revision"}`; every later event has a
//!   later revision.
//! - `get-components`, `get-incidents`, `get-maintenances` with an organisation's identifier
//!   are acknowledged with the bare array of the public snapshot. A client that has joined
//!   receives the events up to that state before the acknowledgement, later events after it,
//!   and each event once.
//! - `authenticate` with a fresh token of the same session and organisation prolongs the socket's
//!   access. The acknowledgement is `{"expiresAt"}`.
//!
//! An error, such as an unknown organisation, is acknowledged with `{"message"}`, a message
//! for people.
//!
//! The server sends the events of each joined organisation in the order of the revisions.
//! A client that missed events is disconnected without packet `41`; it reconnects and reads the
//! lists again.

mod access;
mod admission;
mod connection;
mod handler;
mod large_lists;
mod request;
mod room;
mod worker_wakes;

use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::HttpServiceFactory;
use actix_web::middleware::from_fn;
use allclear_application::caller::TokenVerifier;
use allclear_application::clock::Clock;
use allclear_application::outbox::Commit;
use allclear_application::relay::{CommitListener, Relay};
use allclear_domain::id::OrganisationId;
use allclear_socketio::{Cors, Namespace, Origins, PacketRate, Server, Settings};

use self::access::SocketAuthorizer;
use self::admission::SessionAdmission;
use self::handler::SocketHandler;
pub use self::request::events;
use self::room::Rooms;
use crate::limit::client_limits::ClientLimits;
use crate::status_page::page_cache::PageCache;

/// Bounds of a client's queue. A client that falls further behind is disconnected and reconnects.
const QUEUE_BYTES: usize = 96 * 1024;
const QUEUE_PACKETS: usize = 512;
/// Largest message from a client, in bytes; twice the longest token.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// Most bytes of a message with attachments, which waits for them as long as its client likes. No
/// event has any.
const MAX_ATTACHMENT_BYTES: usize = 8 * 1024;
/// Packets of a client that are handled: 50 a second, so that no client occupies a processor.
/// Further ones wait. A page sends a few when it connects.
const PACKET_RATE: PacketRate = PacketRate {
    burst: 100,
    interval: Duration::from_millis(20),
};
/// How long a shutdown waits for the sockets to close.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Settings of the socket.
#[derive(Debug, Clone)]
pub struct SocketSettings {
    /// Time from a pong to the next ping. Access is checked at the same interval.
    pub ping_interval: Duration,
    /// Time a client has to respond to a ping.
    pub ping_timeout: Duration,
    /// Origins whose pages may connect. Requests without `Origin` do not come from a browser and
    /// are accepted.
    pub origins: Vec<String>,
}

impl SocketSettings {
    pub(crate) fn settings(&self) -> Settings {
        let origins = Origins::List(self.origins.clone());
        Settings {
            ping_interval: self.ping_interval,
            ping_timeout: self.ping_timeout,
            max_http_buffer_size: MAX_MESSAGE_BYTES,
            max_attachment_bytes: MAX_ATTACHMENT_BYTES,
            max_queue_bytes: QUEUE_BYTES,
            max_queue_packets: QUEUE_PACKETS,
            packet_rate: Some(PACKET_RATE),
            handshake_headers: Some(&["authorization"]),
            cors: Some(Cors {
                origins: origins.clone(),
                credentials: true,
            }),
            allowed_origins: Some(origins),
            ..Settings::default()
        }
    }
}

/// The sockets that are connected to this node.
pub struct Sockets {
    server: Server,
    rooms: Arc<Rooms>,
    authorizer: Arc<SocketAuthorizer>,
}

impl Sockets {
    /// Creates the socket server. [`Sockets::run_authorizer`] must run beside it.
    #[must_use]
    pub fn new(
        settings: &SocketSettings,
        limits: Arc<ClientLimits>,
        pages: Arc<PageCache>,
        relay: Arc<Relay>,
        verifier: Arc<dyn TokenVerifier>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let rooms = Arc::new(Rooms::default());
        let authorizer = Arc::new(SocketAuthorizer::new(
            verifier,
            clock,
            settings.ping_interval,
        ));
        let admission = SessionAdmission {
            limits,
            relay: Arc::clone(&relay),
        };
        let handler = SocketHandler::new(pages, relay, Arc::clone(&rooms), Arc::clone(&authorizer));
        let server = Server::builder()
            .settings(settings.settings())
            .admission(Arc::new(admission))
            .namespace("/", handler)
            .build();
        Self {
            server,
            rooms,
            authorizer,
        }
    }

    /// The resource `/socket.io`.
    pub(crate) fn resource(&self) -> impl HttpServiceFactory + 'static {
        let resource = self.server.resource("/socket.io");
        resource.wrap(from_fn(connection::take_connection))
    }

    /// Number of connected sockets.
    #[must_use]
    pub fn count(&self) -> usize {
        self.namespace().map_or(0, Namespace::len)
    }

    /// Disconnects sockets whose access has ended, until the future is dropped.
    pub async fn run_authorizer(&self) {
        self.authorizer.run().await;
    }

    /// Closes every transport, so that clients reconnect to another node, and accepts no new ones.
    pub async fn close(&self) {
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.server.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("some sockets did not close in time");
        }
    }

    fn namespace(&self) -> Option<&Namespace> {
        self.server.of("/")
    }
}

impl CommitListener for Sockets {
    fn on_commit(&self, commit: &Arc<Commit>) {
        if let Some(namespace) = self.namespace() {
            self.rooms.send(namespace, commit);
        }
    }

    fn resync(&self, organisation: &OrganisationId) {
        if let Some(namespace) = self.namespace() {
            self.rooms.reset(namespace, organisation);
        }
    }

    /// A connected client shows the current state, which this node no longer knows. Clients
    /// reconnect once it does.
    fn on_outage(&self) {
        if let Some(namespace) = self.namespace() {
            namespace.all().close_transports();
        }
    }

    fn is_interested(&self, organisation: &OrganisationId) -> bool {
        self.rooms.is_open(organisation)
    }
}
