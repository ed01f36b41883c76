//! The socket: `/socket.io`, for signed-in people and anonymous visitors alike. What it tells is public.
//!
//! A client sends:
//!
//! - `join` with an organisation's identifier: it enters that organisation's room, whichever organisation its token is for.
//!   Acknowledged with `{"revision"}`: every later event tells of a later revision.
//! - `get-components`, `get-incidents`, `get-maintenances` with an organisation's identifier: acknowledged with the bare array,
//!   as the public snapshot holds it. A client that has joined gets the events before that state before it, the events after
//!   it after it, and each once: it misses nothing and applies nothing twice.
//! - `authenticate` with a fresh token of the session and organisation it belongs to, so that it lives on when the old one
//!   expires. Acknowledged with `{"expiresAt"}`.
//!
//! What is refused, an unknown organisation say, is acknowledged with `{"message"}`, a sentence to show.
//!
//! It is sent the thirteen events of each organisation it has joined, in the order of the revisions. A client that loses its
//! place is disconnected without packet `41`, comes back, and reads anew.

mod access;
mod handler;
mod room;

use std::sync::Arc;
use std::time::Duration;

use actix_web::Resource;
use allclear_application::caller::TokenVerifier;
use allclear_application::clock::Clock;
use allclear_application::outbox::Commit;
use allclear_application::relay::{CommitListener, Relay};
use allclear_domain::id::OrganisationId;
use allclear_socketio::{Cors, Namespace, Origins, Server, Settings};

use self::access::SocketAuthorizer;
use self::handler::SocketHandler;
pub use self::handler::events;
use self::room::Rooms;
use crate::client_slots::ClientLimits;
use crate::status::pages::Pages;

/// What waits for one client: one that falls further behind is dropped and comes back.
const QUEUE_BYTES: usize = 96 * 1024;
const QUEUE_PACKETS: usize = 512;
/// The largest message from a client, in bytes: the longest token fits many times.
const LARGEST_MESSAGE: usize = 100_000;
/// How long the clients' ends are waited for at shutdown.
const CLOSING: Duration = Duration::from_secs(5);

/// What can be set on the socket.
#[derive(Debug, Clone)]
pub struct SocketSettings {
    /// Time from a pong to the next ping. Whether access still stands is looked at as often.
    pub ping_interval: Duration,
    /// Time a client has to answer a ping.
    pub ping_timeout: Duration,
    /// The origins whose pages may connect; requests without an `Origin` pass, they are not a browser's.
    pub origins: Vec<String>,
}

impl SocketSettings {
    pub(crate) fn settings(&self) -> Settings {
        let origins = Origins::List(self.origins.clone());
        Settings {
            ping_interval: self.ping_interval,
            ping_timeout: self.ping_timeout,
            max_http_buffer_size: LARGEST_MESSAGE,
            max_queue_bytes: QUEUE_BYTES,
            max_queue_packets: QUEUE_PACKETS,
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

/// Everybody who is connected to this node by a socket.
pub struct Sockets {
    server: Server,
    rooms: Arc<Rooms>,
    guards: Arc<SocketAuthorizer>,
}

impl Sockets {
    /// Nobody yet. [`Sockets::guard`] has to run beside it.
    #[must_use]
    pub fn new(
        settings: &SocketSettings,
        limits: Arc<ClientLimits>,
        pages: Arc<Pages>,
        relay: Arc<Relay>,
        verifier: Arc<dyn TokenVerifier>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let rooms = Arc::new(Rooms::default());
        let guards = Arc::new(SocketAuthorizer::new(
            verifier,
            clock,
            settings.ping_interval,
        ));
        let visitors = SocketHandler::new(pages, relay, Arc::clone(&rooms), Arc::clone(&guards));
        let server = Server::builder()
            .settings(settings.settings())
            .admission(limits)
            .namespace("/", visitors)
            .build();
        Self {
            server,
            rooms,
            guards,
        }
    }

    /// Answers `/socket.io`.
    pub(crate) fn resource(&self) -> Resource {
        self.server.resource("/socket.io")
    }

    /// How many sockets are connected.
    #[must_use]
    pub fn count(&self) -> usize {
        self.namespace().map_or(0, Namespace::len)
    }

    /// Cuts whoever's access has ended, until it is dropped.
    pub async fn guard(&self) {
        self.guards.run().await;
    }

    /// Closes every transport, so that the clients come back to whoever answers next, and takes no new ones.
    pub async fn close(&self) {
        if tokio::time::timeout(CLOSING, self.server.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("some sockets did not end in time");
        }
    }

    fn namespace(&self) -> Option<&Namespace> {
        self.server.of("/")
    }
}

impl CommitListener for Sockets {
    fn tell(&self, commit: &Arc<Commit>) {
        if let Some(namespace) = self.namespace() {
            self.rooms.tell(namespace, commit);
        }
    }

    fn resync(&self, organisation: &OrganisationId) {
        if let Some(namespace) = self.namespace() {
            self.rooms.start_anew(namespace, organisation);
        }
    }

    /// A client that is connected shows the state of now; it comes back when it is let in.
    fn cut_off(&self) {
        if let Some(namespace) = self.namespace() {
            namespace.all().close_transports();
        }
    }

    fn watches(&self, organisation: &OrganisationId) -> bool {
        self.rooms.is_open(organisation)
    }
}
