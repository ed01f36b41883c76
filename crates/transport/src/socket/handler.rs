//! Handles the sockets of the namespace.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use allclear_application::caller::TokenError;
use allclear_application::error::Error;
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use allclear_socketio::{Connect, ConnectError, DisconnectReason, Handler, Incoming, Socket};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::timeout;

use super::access::{Access, SocketAuthorizer};
use super::large_lists::{LARGE_FROM_BYTES, LargeList, LargeLists};
use super::request::{Authenticated, Joined, Refused, Request, acknowledge, organisation};
use super::room::{ReplayGap, RoomMembership, Rooms};
use crate::request::caller::bearer_token;
use crate::response::problem::Problem;
use crate::status_page::page::{Page, SnapshotList};
use crate::status_page::page_cache::PageCache;

/// Successive refused tokens after which a connection is closed.
const MAX_REFUSALS: u32 = 10;
/// How many organisations one socket may join.
const MAX_ROOMS: usize = 32;
/// How long an acknowledgement waits for the events that belong before it: twice the interval of
/// the relay's sweep.
const EVENTS_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a larger list waits for a slow client to receive what is queued.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(30);

/// Handler of the namespace.
pub(super) struct SocketHandler {
    pages: Arc<PageCache>,
    large_lists: LargeLists,
    relay: Arc<Relay>,
    rooms: Arc<Rooms>,
    authorizer: Arc<SocketAuthorizer>,
}

/// State of a socket.
pub(super) struct SocketData {
    /// The verified token, until the socket is connected.
    access: Mutex<Option<Access>>,
    /// The rooms of the socket.
    memberships: Mutex<Vec<RoomMembership>>,
    /// Number of successive refused tokens. Each has cost a verification.
    refusals: AtomicU32,
}

/// The payload of `CONNECT`.
#[derive(Deserialize)]
struct Credentials {
    token: Option<String>,
}

impl Handler for SocketHandler {
    type Data = SocketData;

    async fn connect(&self, request: Connect<'_>) -> Result<SocketData, ConnectError> {
        let credentials: Credentials = request
            .auth()
            .map_err(|_| ConnectError::new("auth.token must be a token, or absent"))?;
        // A client that reconnects repeats its headers, but computes a new `auth`.
        let token = credentials.token.as_deref();
        let token = token.or_else(|| {
            request
                .handshake()
                .header("authorization")
                .and_then(bearer_token)
        });
        let client = request.handshake().address();
        let access = match token {
            None => None,
            Some(token) => {
                let checked = self.authorizer.check(client, token).await;
                Some(checked.map_err(|error| match error {
                    TokenError::Unavailable(_) => ConnectError::temporary(),
                    TokenError::Bad(_) | TokenError::KeyExpired => {
                        ConnectError::new(Problem::from(error).to_string())
                    }
                })?)
            }
        };
        Ok(SocketData {
            access: Mutex::new(access),
            memberships: Mutex::default(),
            refusals: AtomicU32::default(),
        })
    }

    async fn connected(&self, socket: &Socket<SocketData>) {
        let access = socket.data().access.lock().take();
        if let Some(access) = access {
            self.authorizer.authorize(socket, access);
        }
    }

    async fn event(&self, socket: &Socket<SocketData>, mut event: Incoming) {
        let refused = match Request::from_name(event.name()) {
            Some(request) => self.serve(socket, &mut event, request).await,
            None => Err(Refused::because("There is no such event")),
        };
        if let Err(refused) = refused {
            acknowledge(&mut event, &refused);
            if socket.data().refusals.load(Ordering::Relaxed) >= MAX_REFUSALS {
                socket.close_transport();
            }
        }
    }

    async fn disconnected(&self, socket: &Socket<SocketData>, _: DisconnectReason) {
        self.authorizer.forget(socket);
    }
}

impl SocketHandler {
    pub(super) fn new(
        pages: Arc<PageCache>,
        relay: Arc<Relay>,
        rooms: Arc<Rooms>,
        authorizer: Arc<SocketAuthorizer>,
    ) -> Self {
        Self {
            pages,
            large_lists: LargeLists::new(),
            relay,
            rooms,
            authorizer,
        }
    }

    async fn serve(
        &self,
        socket: &Socket<SocketData>,
        event: &mut Incoming,
        request: Request,
    ) -> Result<(), Refused> {
        match request {
            Request::Authenticate => self.authenticate(socket, event).await,
            Request::Join => self.join(socket, event, &organisation(event)?).await,
            // Nothing would limit lists that are read and not sent.
            Request::Get(_) if !event.expects_ack() => Ok(()),
            Request::Get(list) => self.list(socket, event, &organisation(event)?, list).await,
        }
    }

    async fn list(
        &self,
        socket: &Socket<SocketData>,
        event: &mut Incoming,
        organisation: &OrganisationId,
        list: SnapshotList,
    ) -> Result<(), Refused> {
        if socket.data().follows(organisation) {
            return self.list_in_place(socket, event, organisation, list).await;
        }
        let page = self.page(organisation).await?;
        let large = self.large_list(socket, organisation, &page).await?;
        flushed(socket, &page).await;
        acknowledge(event, page.list(list)?);
        received(socket, large).await;
        Ok(())
    }

    async fn join(
        &self,
        socket: &Socket<SocketData>,
        event: &mut Incoming,
        organisation: &OrganisationId,
    ) -> Result<(), Refused> {
        let data = socket.data();
        if !data.follows(organisation) && data.memberships.lock().len() >= MAX_ROOMS {
            return Err(Refused::because(
                "That is more organisations than one socket may follow",
            ));
        }
        let membership = self.rooms.membership(organisation);
        let position = self
            .relay
            .follow(organisation)
            .await?
            .ok_or_else(Refused::unknown_organisation)?;
        membership.join(socket, position.delivered(), |delivered| {
            acknowledge(
                event,
                &Joined {
                    revision: delivered.0,
                },
            );
        });
        if !data.follows(organisation) {
            data.memberships.lock().push(membership);
        }
        Ok(())
    }

    /// Acknowledges a list at its place among the events of a joined organisation.
    async fn list_in_place(
        &self,
        socket: &Socket<SocketData>,
        event: &mut Incoming,
        organisation: &OrganisationId,
        list: SnapshotList,
    ) -> Result<(), Refused> {
        // These waits may be long, so they come before the pause, which withholds the events.
        let large = {
            let page = self.page(organisation).await?;
            let large = self.large_list(socket, organisation, &page).await?;
            flushed(socket, &page).await;
            large
        };
        let paused = self.rooms.pause(organisation, socket);
        let page = self.page(organisation).await;
        let revision = page
            .as_ref()
            .map_or_else(|_| Revision::default(), |page| page.revision());
        // While the database is slow or unavailable, the last page is served, which may lack events
        // that were sent.
        let page = page.and_then(|page| {
            if paused.is_ahead_of(revision) {
                return Err(Error::Unavailable("the page is older than the events".into()).into());
            }
            Ok(page)
        });
        if timeout(EVENTS_TIMEOUT, self.rooms.reach(organisation, revision))
            .await
            .is_err()
        {
            tracing::debug!(%organisation, "acknowledged a list before its events, which have not arrived in time");
        }
        // Before `resume`, which keeps commits of the room waiting.
        let list = page.and_then(|page| Ok(page.list(list)?.to_owned()));
        let resumed = self
            .rooms
            .resume(organisation, socket, paused, revision, || match list {
                Ok(list) => acknowledge(event, &list),
                Err(refused) => acknowledge(event, &refused),
            });
        if resumed == Err(ReplayGap) {
            socket.close_transport();
        }
        received(socket, large).await;
        Ok(())
    }

    async fn authenticate(
        &self,
        socket: &Socket<SocketData>,
        event: &mut Incoming,
    ) -> Result<(), Refused> {
        let (token,) = event
            .args()
            .parse::<(String,)>()
            .map_err(|_| Refused::because("A token is required"))?;
        let client = socket.handshake().address();
        let checked = self.authorizer.check(client, &token).await;
        let refusals = &socket.data().refusals;
        if let Err(TokenError::Bad(_) | TokenError::KeyExpired) = &checked {
            refusals.fetch_add(1, Ordering::Relaxed);
        }
        let access = checked.map_err(Problem::from)?;
        refusals.store(0, Ordering::Relaxed);
        let expires_at = access.expires_at();
        if !self.authorizer.authorize(socket, access) {
            return Err(Refused::because(
                "This connection belongs to another session or organisation",
            ));
        }
        acknowledge(event, &Authenticated { expires_at });
        Ok(())
    }

    async fn large_list(
        &self,
        socket: &Socket<SocketData>,
        organisation: &OrganisationId,
        page: &Page,
    ) -> Result<Option<LargeList>, Refused> {
        let client = socket.handshake().address();
        self.large_lists
            .begin(organisation, client, page.size())
            .await
    }

    async fn page(&self, organisation: &OrganisationId) -> Result<Arc<Page>, Refused> {
        self.pages
            .page(organisation)
            .await?
            .ok_or_else(Refused::unknown_organisation)
    }
}

impl SocketData {
    fn follows(&self, organisation: &OrganisationId) -> bool {
        self.memberships
            .lock()
            .iter()
            .any(|membership| membership.organisation() == organisation)
    }
}

/// Before a large list, waits until the client has received what is queued: beside its bound, a
/// queue accepts one larger packet.
async fn flushed(socket: &Socket<SocketData>, page: &Page) {
    if page.size() >= LARGE_FROM_BYTES {
        // A client that does not read for that long is closed by its queue or its ping.
        let _ = timeout(FLUSH_TIMEOUT, socket.flushed()).await;
    }
}

/// Waits until the client has received a large list, whose memory is free then. Closes the
/// connection of a client that does not read.
async fn received(socket: &Socket<SocketData>, list: Option<LargeList>) {
    if list.is_some() && timeout(FLUSH_TIMEOUT, socket.flushed()).await.is_err() {
        socket.close_transport();
    }
}
