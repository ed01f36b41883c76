//! The viewers of status pages on this node. Each commit is encoded once and shared by all of them.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use allclear_application::outbox::Commit;
use allclear_application::relay::CommitListener;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::commit_log::{CommitLog, LogEntry};

/// The keep-alive of an event stream. Browsers hide comments from scripts, but a script has to see
/// that its connection is alive. The event has no id, so the viewer keeps its position.
pub(crate) const PING: &[u8] = b"event: ping\ndata: []\n\n";

/// A commit as event stream text.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) revision: Revision,
    pub(crate) bytes: Bytes,
}

impl Frame {
    pub(crate) fn of(commit: &Commit) -> Self {
        Self {
            revision: commit.revision,
            bytes: encode(commit),
        }
    }
}

impl LogEntry for Frame {
    fn revision(&self) -> Revision {
        self.revision
    }

    fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// What a viewer needs to follow an organisation.
pub(crate) struct Subscription {
    /// The newest commits.
    pub(crate) log: Arc<Mutex<CommitLog<Frame>>>,
    /// Changes with every commit and keep-alive, and closes after the last one. Its value counts
    /// the keep-alives.
    pub(crate) changes: watch::Receiver<u64>,
    /// Counts the viewer until it is dropped.
    pub(crate) watching: Arc<()>,
}

struct Channel {
    log: Arc<Mutex<CommitLog<Frame>>>,
    changes: watch::Sender<u64>,
    watching: Arc<()>,
}

/// The channels of all organisations with viewers.
#[derive(Default)]
pub struct Viewers {
    channels: Mutex<HashMap<OrganisationId, Channel>>,
}

impl Viewers {
    /// Subscribes to the commits of an organisation from now on.
    pub(crate) fn subscribe(&self, organisation: &OrganisationId) -> Subscription {
        self.channels
            .lock()
            .entry(organisation.clone())
            .or_insert_with(Channel::new)
            .subscribe()
    }

    /// Adds commits that were read from the outbox to the log of an organisation, for all viewers
    /// that lack them.
    pub(crate) fn add_stored(&self, organisation: &OrganisationId, frames: Vec<Frame>) {
        if let Some(channel) = self.channels.lock().get(organisation) {
            channel.log.lock().prepend(frames);
        }
    }

    /// Number of open streams.
    pub fn count(&self) -> usize {
        self.channels.lock().values().map(Channel::viewers).sum()
    }

    /// Sends every viewer a ping, so that proxies and clients see that the connection is alive.
    pub fn keep_alive(&self) {
        let mut channels = self.channels.lock();
        for channel in channels.values() {
            channel.changes.send_modify(|sent| *sent += 1);
        }
        channels.retain(|_, channel| channel.viewers() > 0);
    }

    /// Ends every stream; viewers reconnect, if necessary to another node.
    pub fn close(&self) {
        self.channels.lock().clear();
    }
}

impl CommitListener for Viewers {
    fn on_commit(&self, commit: &Arc<Commit>) {
        if let Some(channel) = self.channels.lock().get(&commit.organisation) {
            channel.send(Frame::of(commit));
        }
    }

    /// Ends the streams. A reconnecting viewer receives `resync` with the current revision.
    fn resync(&self, organisation: &OrganisationId) {
        self.channels.lock().remove(organisation);
    }

    /// An open stream says that its viewer is up to date.
    fn on_outage(&self) {
        self.close();
    }

    fn is_interested(&self, organisation: &OrganisationId) -> bool {
        self.channels
            .lock()
            .get(organisation)
            .is_some_and(|channel| channel.viewers() > 0)
    }
}

impl Channel {
    fn new() -> Self {
        Self {
            log: Arc::default(),
            changes: watch::Sender::default(),
            watching: Arc::default(),
        }
    }

    fn subscribe(&self) -> Subscription {
        Subscription {
            log: Arc::clone(&self.log),
            changes: self.changes.subscribe(),
            watching: Arc::clone(&self.watching),
        }
    }

    fn viewers(&self) -> usize {
        Arc::strong_count(&self.watching) - 1
    }

    fn send(&self, frame: Frame) {
        self.log.lock().push(frame);
        self.changes.send_modify(|_| {});
    }
}

/// The event that makes a viewer read the snapshot again. The stream continues from this revision.
#[must_use]
pub fn resync(revision: Revision) -> Bytes {
    format!("event: resync\ndata: []\nid: {}\n\n", revision.0).into()
}

/// A commit as event stream text. The revision is the id of its last event, so a viewer that was
/// disconnected within a commit receives all of it again.
#[must_use]
pub fn encode(commit: &Commit) -> Bytes {
    let mut text = String::new();
    let last = commit.events.len().saturating_sub(1);
    for (index, event) in commit.events.iter().enumerate() {
        // JSON contains no line break, so one `data` line is enough. Writing to a String
        // cannot fail.
        let _ = write!(text, "event: {}\ndata: {}\n", event.name, event.args.get());
        if index == last {
            let _ = writeln!(text, "id: {}", commit.revision);
        }
        text.push('\n');
    }
    if commit.events.is_empty() {
        let _ = write!(text, "id: {}\n\n", commit.revision);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use allclear_domain::event::EventKind;

    use super::*;

    fn commit(revision: i64, kinds: &[EventKind]) -> Commit {
        Commit::example("org", revision, kinds)
    }

    #[test]
    fn last_event_of_a_commit_carries_its_revision() {
        let text = encode(&commit(
            7,
            &[EventKind::TimelineUpdated, EventKind::IncidentUpdated],
        ));
        assert_eq!(
            text,
            "event: timeline-updated\ndata: [7]\n\nevent: incident-updated\ndata: [7]\nid: 7\n\n"
        );
        assert_eq!(encode(&commit(8, &[])), "id: 8\n\n");
    }

    #[test]
    fn resync_carries_the_revision_from_which_the_stream_continues() {
        assert_eq!(resync(Revision(7)), "event: resync\ndata: []\nid: 7\n\n");
    }

    #[test]
    fn channel_without_viewers_is_removed() {
        let viewers = Viewers::default();
        let organisation = OrganisationId::parse("org").unwrap();
        let watching = viewers.subscribe(&organisation);
        viewers.keep_alive();
        assert_eq!((viewers.count(), viewers.channels.lock().len()), (1, 1));
        drop(watching);
        viewers.keep_alive();
        assert_eq!((viewers.count(), viewers.channels.lock().len()), (0, 0));
    }
}
