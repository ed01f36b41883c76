//! Who watches a status page on this node, and what they are sent: each commit encoded once, shared by all of them.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allclear_application::outbox::Commit;
use allclear_application::relay::CommitListener;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use tokio::sync::watch;

use crate::status::frame_log::{Frame, FrameLog};

/// What a viewer needs to follow an organisation.
pub(crate) struct Subscription {
    /// The newest commits.
    pub(crate) log: Arc<Mutex<FrameLog>>,
    /// Changes when there are new commits, and closes after their end. Its value counts the signs of life.
    pub(crate) told: watch::Receiver<u64>,
    /// Counts the viewer for as long as it is kept.
    pub(crate) watching: Arc<()>,
}

struct Channel {
    log: Arc<Mutex<FrameLog>>,
    told: watch::Sender<u64>,
    watching: Arc<()>,
}

/// Everybody who watches on this node.
#[derive(Default)]
pub struct Viewers {
    channels: Mutex<HashMap<OrganisationId, Channel>>,
}

impl Viewers {
    /// Subscribes to what happens in an organisation from now on.
    pub(crate) fn subscribe(&self, organisation: &OrganisationId) -> Subscription {
        self.lock()
            .entry(organisation.clone())
            .or_insert_with(Channel::new)
            .subscribe()
    }

    /// How many streams are open.
    pub fn count(&self) -> usize {
        self.lock().values().map(Channel::viewers).sum()
    }

    /// Sends every viewer a comment, so that proxies and clients see the connection is alive.
    pub fn keep_alive(&self) {
        let mut channels = self.lock();
        for channel in channels.values() {
            channel.told.send_modify(|sent| *sent += 1);
        }
        channels.retain(|_, channel| channel.viewers() > 0);
    }

    /// Ends every stream: viewers come back, to whoever serves then.
    pub fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OrganisationId, Channel>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CommitListener for Viewers {
    fn tell(&self, commit: &Arc<Commit>) {
        let Ok(organisation) = OrganisationId::parse(&commit.organisation) else {
            return;
        };
        if let Some(channel) = self.lock().get(&organisation) {
            channel.send(Frame {
                revision: commit.revision(),
                bytes: encode(commit),
            });
        }
    }

    /// The streams end. A viewer that comes back is sent `resync` with the revision from which it goes on.
    fn resync(&self, organisation: &OrganisationId) {
        self.lock().remove(organisation);
    }

    /// A stream that is open says that what was told is all there is.
    fn cut_off(&self) {
        self.close();
    }

    fn watches(&self, organisation: &OrganisationId) -> bool {
        self.lock()
            .get(organisation)
            .is_some_and(|channel| channel.viewers() > 0)
    }
}

impl Channel {
    fn new() -> Self {
        Self {
            log: Arc::default(),
            told: watch::Sender::default(),
            watching: Arc::default(),
        }
    }

    fn subscribe(&self) -> Subscription {
        Subscription {
            log: Arc::clone(&self.log),
            told: self.told.subscribe(),
            watching: Arc::clone(&self.watching),
        }
    }

    fn viewers(&self) -> usize {
        Arc::strong_count(&self.watching) - 1
    }

    fn send(&self, frame: Frame) {
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(frame);
        self.told.send_modify(|_| {});
    }
}

/// Tells a viewer to read the snapshot again. What follows continues from this revision.
#[must_use]
pub fn resync(revision: Revision) -> Bytes {
    format!("event: resync\ndata: []\nid: {}\n\n", revision.0).into()
}

/// A commit as event stream text: the revision is the id of its last event, so a viewer that was cut off in the middle
/// gets all of it again.
#[must_use]
pub fn encode(commit: &Commit) -> Bytes {
    let mut text = String::new();
    let last = commit.events.len().saturating_sub(1);
    for (index, event) in commit.events.iter().enumerate() {
        // JSON holds no line break, so one `data` line carries it. Writing to a String cannot fail.
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
    use super::*;
    use allclear_application::outbox::PublicEvent;

    fn commit(revision: i64, names: &[&str]) -> Commit {
        let events = names
            .iter()
            .map(|name| PublicEvent::new(name, &["x"]).unwrap())
            .collect();
        Commit {
            organisation: "org".into(),
            revision,
            events,
        }
    }

    #[test]
    fn the_last_event_of_a_commit_carries_its_revision() {
        let text = encode(&commit(7, &["timeline-updated", "incident-updated"]));
        assert_eq!(
            text,
            "event: timeline-updated\ndata: [\"x\"]\n\nevent: incident-updated\ndata: [\"x\"]\nid: 7\n\n"
        );
        assert_eq!(encode(&commit(8, &[])), "id: 8\n\n");
    }

    #[test]
    fn resync_names_the_revision_from_which_the_stream_goes_on() {
        assert_eq!(resync(Revision(7)), "event: resync\ndata: []\nid: 7\n\n");
    }

    #[test]
    fn a_channel_nobody_watches_is_dropped() {
        let viewers = Viewers::default();
        let organisation = OrganisationId::parse("org").unwrap();
        let watching = viewers.subscribe(&organisation);
        viewers.keep_alive();
        assert_eq!((viewers.count(), viewers.lock().len()), (1, 1));
        drop(watching);
        viewers.keep_alive();
        assert_eq!((viewers.count(), viewers.lock().len()), (0, 0));
    }
}
