//! The event stream of a status page: the socket's events as server-sent events.

mod viewer;

use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use allclear_application::error::{Error, Resource};
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_application::outbox::Outbox;
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout;
use utoipa::IntoParams;

use self::viewer::EventStreamBody;
use crate::limit::client_limits::ClientLimits;
use crate::response::problem::Problem;
use crate::server::connection::Connection;
use crate::status_page::viewer_notifier::FrameStream;
use crate::status_page::viewers::{Frame, Viewers, resync};

/// How many commits a viewer may resume; a viewer further behind has to read the snapshot again.
const CATCH_UP: i64 = 256;
/// Largest size of the stored commits sent to a resuming viewer, because each viewer holds its own
/// copy until it is sent. Larger ones are not read: what a viewer has seen is its own statement.
const CATCH_UP_BYTES: usize = 48 * 1024;
/// How long a viewer waits for its turn to read stored commits. After that the snapshot, which all
/// share, is faster.
const CATCH_UP_TIME: Duration = Duration::from_secs(1);
/// How many viewers may read stored commits concurrently. SQLite has four to eight connections that
/// read, and other requests need them, too.
const MAX_CONCURRENT_READS: usize = 2;

/// Time after which a viewer reconnects, in milliseconds. Each stream draws one, because all
/// viewers lose their connections at the same moment when a node stops: twenty thousand of them
/// return at about 2,500 a second.
const RETRY_MILLISECONDS: RangeInclusive<u32> = 2_000..=10_000;

/// Stands for an identifier that is no revision: what such a viewer has seen is unknown, so it has
/// to read the snapshot again.
const NO_REVISION: i64 = -1;

/// Start of a stream.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Since {
    /// Revision of the viewer's snapshot. `Last-Event-ID` takes precedence.
    since: Option<i64>,
}

/// Opens event streams.
pub struct EventStreams {
    viewers: Arc<Viewers>,
    relay: Arc<Relay>,
    outbox: Arc<dyn Outbox>,
    /// One read of each organisation at a time, so that viewers of one do not delay those of
    /// others.
    organisations: KeyedSemaphore<OrganisationId>,
    reads: Semaphore,
}

impl EventStreams {
    /// Opens streams of the commits that the relay delivers to these viewers.
    pub fn new(viewers: Arc<Viewers>, relay: Arc<Relay>, outbox: Arc<dyn Outbox>) -> Self {
        Self {
            viewers,
            relay,
            outbox,
            // Streams are limited, and so are those that wait.
            organisations: KeyedSemaphore::new(1, usize::MAX),
            reads: Semaphore::new(MAX_CONCURRENT_READS),
        }
    }

    /// Responds with a stream that starts after what the viewer has seen. 503 if this node does not
    /// know what is committed, because an open stream says that the viewer is up to date.
    pub(crate) async fn open(
        &self,
        request: &HttpRequest,
        limits: &ClientLimits,
        organisation: &OrganisationId,
        since: Since,
    ) -> Result<HttpResponse, Problem> {
        if self.relay.is_stale() {
            return Err(Error::Unavailable("the outbox is unavailable".into()).into());
        }
        let slot = limits.stream(request)?;
        if self.relay.follow(organisation).await?.is_none() {
            return Err(Error::NotFound(Resource::Organisation).into());
        }
        let subscription = self.viewers.subscribe(organisation);
        let mut live = FrameStream::of(organisation, subscription, slot);
        let last_event_id = request.headers().get("last-event-id").map(|id| {
            let id = id.to_str().ok().and_then(|id| id.parse().ok());
            id.unwrap_or(NO_REVISION)
        });
        let seen = last_event_id.or(since.since).map(Revision);
        self.start(&mut live, organisation, seen).await?;
        Ok(respond(request, live.opened(opening())))
    }

    /// Positions a stream after the revision that its viewer has seen; at the current revision if
    /// the viewer has seen none.
    async fn start(
        &self,
        live: &mut FrameStream,
        organisation: &OrganisationId,
        seen: Option<Revision>,
    ) -> Result<(), Error> {
        // Read after subscribing: every commit is either included in this revision or arrives live.
        let delivered = self
            .relay
            .follow(organisation)
            .await?
            .map(|position| position.delivered())
            .unwrap_or_default();
        let seen = seen.unwrap_or(delivered);
        if seen > delivered
            && let Some(newest) = self.newest_before(organisation, seen, delivered).await?
        {
            // A viewer of a lost future, for example before a restored backup, cannot trust its
            // state.
            live.start_with([resync(newest)], newest);
        } else if !live.resume(seen, delivered) {
            self.catch_up(live, organisation, seen, delivered).await?;
        }
        Ok(())
    }

    /// Brings a viewer to the live commits by those in the outbox. They are added to the log as far
    /// as it has room: thousands of viewers that return after a restart lack the same ones.
    async fn catch_up(
        &self,
        live: &mut FrameStream,
        organisation: &OrganisationId,
        seen: Revision,
        delivered: Revision,
    ) -> Result<(), Error> {
        if delivered.0.saturating_sub(seen.0) > CATCH_UP {
            live.start_with([resync(delivered)], delivered);
            return Ok(());
        }
        let permit = self.read_permit(organisation).await;
        // Another viewer may have added them meanwhile.
        if live.resume(seen, delivered) {
            return Ok(());
        }
        let stored = if permit.is_some() {
            self.stored(organisation, seen, delivered).await?
        } else {
            None
        };
        let Some(frames) = stored else {
            live.start_with([resync(delivered)], delivered);
            return Ok(());
        };
        self.viewers.add_stored(organisation, frames.clone());
        if !live.resume(seen, delivered) {
            let last = delivered.max(seen);
            live.start_with(frames.into_iter().map(|frame| frame.bytes), last);
        }
        Ok(())
    }

    /// The newest stored revision if it is below what the viewer has seen. Otherwise another node
    /// has shown the viewer a revision that this node does not know yet. `delivered` if the
    /// database is too busy.
    async fn newest_before(
        &self,
        organisation: &OrganisationId,
        seen: Revision,
        delivered: Revision,
    ) -> Result<Option<Revision>, Error> {
        let Some(_permit) = self.read_permit(organisation).await else {
            return Ok(Some(delivered));
        };
        let revisions = self
            .outbox
            .revisions(std::slice::from_ref(organisation))
            .await?;
        let newest = revisions
            .first()
            .map(|(_, newest)| *newest)
            .unwrap_or_default();
        self.relay.note_revision(organisation, newest);
        Ok((seen > newest).then_some(newest))
    }

    /// Waits until a viewer of an organisation may read the outbox. `None` if the database is too
    /// busy.
    async fn read_permit(
        &self,
        organisation: &OrganisationId,
    ) -> Option<(OwnedSemaphorePermit, SemaphorePermit<'_>)> {
        let permit = async {
            let of_organisation = self.organisations.acquire(organisation).await?;
            let of_all = self.reads.acquire().await.ok()?;
            Some((of_organisation, of_all))
        };
        timeout(CATCH_UP_TIME, permit).await.ok()?
    }

    /// The stored commits from a viewer's position to the live ones. `None` if some are missing, or
    /// if they are so large that reading the snapshot is cheaper.
    async fn stored(
        &self,
        organisation: &OrganisationId,
        seen: Revision,
        delivered: Revision,
    ) -> Result<Option<Vec<Frame>>, Error> {
        let commits = self
            .outbox
            .between(organisation, seen, delivered, CATCH_UP_BYTES);
        match commits.await {
            Ok(commits) => Ok(commits.map(|commits| commits.iter().map(Frame::of).collect())),
            Err(error @ Error::Unavailable(_)) => Err(error),
            // Otherwise no viewer from before such a commit could come back.
            Err(error) => {
                tracing::error!(
                    organisation = organisation.as_str(),
                    error = &error as &dyn std::error::Error,
                    "commits could not be read; the viewer reads the page again"
                );
                Ok(None)
            }
        }
    }
}

/// The first bytes of a stream: a comment, which makes proxies forward the response headers, and
/// the viewer's reconnection time (HTML Living Standard, section 9.2.6).
fn opening() -> Bytes {
    format!(
        ": allclear\nretry: {}\n\n",
        rand::random_range(RETRY_MILLISECONDS)
    )
    .into()
}

/// Responds with the stream, which has the connection for itself after the head.
fn respond(request: &HttpRequest, stream: FrameStream) -> HttpResponse {
    let connection = request.conn_data::<Rc<Connection>>().cloned();
    let mut response = HttpResponse::Ok()
        .insert_header((
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        ))
        .insert_header((
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache, no-transform"),
        ))
        // Makes nginx send the stream without buffering.
        .insert_header(("x-accel-buffering", "no"))
        // The stream ends with its connection, so it needs no chunks.
        .force_close()
        .body(EventStreamBody::new(connection, stream));
    response.head_mut().no_chunking(true);
    response
}

#[cfg(test)]
mod tests;
