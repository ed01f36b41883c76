//! The event stream of a status page: the socket's events as server-sent events.

use std::sync::Arc;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use allclear_application::error::Error;
use allclear_application::outbox::{Backlog as Stored, Commit, Outbox};
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::problem::Problem;
use crate::status::crier::Listener;
use crate::status::viewers::{Backlog, Frame, Viewers, encode, resync};

/// How many commits a viewer who was away may be behind; one who is further behind reads the snapshot anew.
const CATCH_UP: u64 = 1000;

/// Where a stream starts.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Since {
    /// The revision of the snapshot the viewer has. `Last-Event-ID` wins over it.
    since: Option<i64>,
}

/// Opens streams.
pub struct EventStreams {
    viewers: Arc<Viewers>,
    relay: Arc<Relay>,
    outbox: Arc<dyn Outbox>,
}

impl EventStreams {
    /// Streams of what the relay tells these viewers.
    pub fn new(viewers: Arc<Viewers>, relay: Arc<Relay>, outbox: Arc<dyn Outbox>) -> Self {
        Self {
            viewers,
            relay,
            outbox,
        }
    }

    /// Answers with a stream that starts where the viewer left off. [`Error::Unavailable`] where this node could not tell what
    /// happens: who shows the state of now needs to know.
    pub(crate) async fn open(
        &self,
        request: &HttpRequest,
        organisation: &OrganisationId,
        since: Since,
    ) -> Result<HttpResponse, Problem> {
        if self.relay.is_cut_off() {
            return Err(Error::Unavailable("the outbox does not answer".into()).into());
        }
        if self.relay.follow(organisation).await?.is_none() {
            return Err(Error::NotFound("Organisation").into());
        }
        let live = Listener::of(organisation, self.viewers.subscribe(organisation));
        // Asked again after subscribing: what was told in between is in `told` or comes live.
        let told = self
            .relay
            .follow(organisation)
            .await?
            .map(|followed| followed.told())
            .unwrap_or_default();
        let last_event_id = request
            .headers()
            .get("last-event-id")
            .and_then(|id| id.to_str().ok()?.parse().ok());
        let since = Revision(last_event_id.or(since.since).unwrap_or(told.0));
        let first = match self.viewers.backlog(organisation, since, told) {
            // A viewer from a future that was lost, a restored backup say, cannot trust what it shows.
            _ if since > told && self.is_ahead(organisation, since).await? => vec![resync()],
            Backlog::Frames(frames) => frames,
            Backlog::Older => self.stored(organisation, since, told).await?,
        };
        let body = frames(since, first, live);
        Ok(HttpResponse::Ok()
            .insert_header((
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/event-stream"),
            ))
            .insert_header((
                header::CACHE_CONTROL,
                HeaderValue::from_static("no-cache, no-transform"),
            ))
            // nginx passes a stream on as it comes when told so.
            .insert_header(("x-accel-buffering", "no"))
            .streaming(body.map(Ok::<_, std::convert::Infallible>)))
    }

    /// Whether a viewer has seen more than there is. Another node may have shown it what this one has not heard of yet.
    async fn is_ahead(
        &self,
        organisation: &OrganisationId,
        since: Revision,
    ) -> Result<bool, Error> {
        let revisions = self
            .outbox
            .revisions(std::slice::from_ref(organisation))
            .await?;
        let newest = revisions
            .first()
            .map(|(_, newest)| *newest)
            .unwrap_or_default();
        self.relay.hear(organisation, newest);
        Ok(since > newest)
    }

    /// What the outbox has for a viewer, up to what comes live: where that is too many commits, or too many bytes of them, the
    /// snapshot is the shorter way.
    async fn stored(
        &self,
        organisation: &OrganisationId,
        since: Revision,
        told: Revision,
    ) -> Result<Vec<Frame>, Error> {
        Ok(
            match self.outbox.after(organisation, since, CATCH_UP).await? {
                Stored::Commits(commits)
                    if commits.last().map_or(since, Commit::revision) >= told =>
                {
                    commits
                        .iter()
                        .map(|commit| Frame::Commit(commit.revision(), encode(commit)))
                        .collect()
                }
                _ => vec![resync()],
            },
        )
    }
}

/// The bytes of a stream. It ends where a commit is missing, because the viewer was too slow or the relay is catching up:
/// the viewer comes back and resumes.
fn frames(
    since: Revision,
    first: Vec<Frame>,
    live: impl Stream<Item = Frame>,
) -> impl Stream<Item = Bytes> {
    // A comment at once opens the stream through every proxy.
    let opening = stream::once(async { Bytes::from_static(b": allclear\n\n") });
    let frames = stream::iter(first).chain(live);
    let rest = frames.scan((since, false), |(seen, over), frame| {
        let next = match frame {
            _ if *over => Next::End,
            Frame::Resync(bytes) => {
                *over = true;
                Next::Send(bytes)
            }
            Frame::KeepAlive(bytes) => Next::Send(bytes),
            Frame::Commit(revision, _) if revision <= *seen => Next::Skip,
            Frame::Commit(revision, bytes) if revision == seen.next() => {
                *seen = revision;
                Next::Send(bytes)
            }
            Frame::Commit(..) => Next::End,
        };
        std::future::ready(match next {
            Next::Send(bytes) => Some(Some(bytes)),
            Next::Skip => Some(None),
            Next::End => None,
        })
    });
    opening.chain(rest.filter_map(std::future::ready))
}

enum Next {
    Send(Bytes),
    Skip,
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(revision: i64) -> Frame {
        Frame::Commit(Revision(revision), Bytes::from(revision.to_string()))
    }

    async fn sent(since: i64, first: Vec<Frame>, live: Vec<Frame>) -> Vec<String> {
        let stream = frames(Revision(since), first, stream::iter(live));
        let chunks: Vec<Bytes> = stream.skip(1).collect().await;
        chunks
            .iter()
            .map(|chunk| String::from_utf8(chunk.to_vec()).unwrap())
            .collect()
    }

    #[actix_web::test]
    async fn the_backlog_comes_first_and_nothing_comes_twice() {
        assert_eq!(
            sent(1, vec![commit(2), commit(3)], vec![commit(3), commit(4)]).await,
            ["2", "3", "4"]
        );
    }

    #[actix_web::test]
    async fn a_stream_ends_where_a_commit_is_missing() {
        assert_eq!(
            sent(1, vec![commit(2)], vec![commit(4), commit(5)]).await,
            ["2"]
        );
    }

    #[actix_web::test]
    async fn after_a_resync_there_is_nothing_more() {
        assert_eq!(
            sent(1, vec![resync()], vec![commit(2)]).await,
            ["event: resync\ndata: []\n\n"]
        );
    }
}
