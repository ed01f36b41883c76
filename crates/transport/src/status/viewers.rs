//! Who watches a status page on this node, and what they are sent: each commit encoded once, shared by all of them.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allclear_application::outbox::Commit;
use allclear_application::relay::Audience;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use tokio::sync::{broadcast, watch};

/// How many frames a viewer may be behind before it is dropped; it comes back and resumes.
const QUEUE: usize = 256;
/// How many of the newest commits are kept for viewers who come back, and their size in bytes.
const RECENT: usize = 256;
const RECENT_BYTES: usize = 256 * 1024;

/// A piece of an event stream (HTML Living Standard, section 9.2.6).
#[derive(Debug, Clone)]
pub enum Frame {
    /// A commit: its revision and its events.
    Commit(Revision, Bytes),
    /// Keeps the connection alive; says nothing.
    KeepAlive(Bytes),
    /// The viewer has to read the snapshot anew.
    Resync(Bytes),
}

/// How a viewer catches up.
#[derive(Debug)]
pub enum Backlog {
    /// With these; none when the viewer is up to date.
    Frames(Vec<Frame>),
    /// What is needed is no longer in memory: the outbox may have it.
    Older,
}

/// What a viewer hears an organisation's frames by.
pub(crate) struct Subscription {
    /// The frames.
    pub(crate) frames: broadcast::Receiver<Frame>,
    /// Changes when there are new ones, and closes after their end.
    pub(crate) told: watch::Receiver<()>,
}

struct Channel {
    // Ends before what tells of it.
    frames: broadcast::Sender<Frame>,
    told: watch::Sender<()>,
    recent: VecDeque<(Revision, Bytes)>,
    recent_bytes: usize,
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

    /// What a viewer who has subscribed and has seen the revision `since` gets first. `told` is the newest revision this
    /// node's audiences knew after the viewer subscribed, so that nothing falls between the two.
    pub fn backlog(
        &self,
        organisation: &OrganisationId,
        since: Revision,
        told: Revision,
    ) -> Backlog {
        let channels = self.lock();
        let Some(channel) = channels.get(organisation) else {
            return Backlog::Older;
        };
        let newest = channel
            .recent
            .back()
            .map_or(told, |(revision, _)| told.max(*revision));
        if since >= newest {
            Backlog::Frames(Vec::new())
        } else if channel
            .recent
            .front()
            .is_some_and(|(oldest, _)| *oldest <= since.next())
        {
            let later = channel
                .recent
                .iter()
                .filter(|(revision, _)| *revision > since);
            Backlog::Frames(
                later
                    .map(|(revision, bytes)| Frame::Commit(*revision, bytes.clone()))
                    .collect(),
            )
        } else {
            Backlog::Older
        }
    }

    /// How many streams are open.
    pub fn count(&self) -> usize {
        self.lock().values().map(Channel::viewers).sum()
    }

    /// Sends every viewer a comment, so that proxies and clients see the connection is alive.
    pub fn keep_alive(&self) {
        let mut channels = self.lock();
        for channel in channels.values() {
            channel.send(Frame::KeepAlive(Bytes::from_static(b":\n\n")));
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

impl Audience for Viewers {
    fn tell(&self, commit: &Arc<Commit>) {
        let Ok(organisation) = OrganisationId::parse(&commit.organisation) else {
            return;
        };
        if let Some(channel) = self.lock().get_mut(&organisation) {
            let bytes = encode(commit);
            channel.keep(commit.revision(), bytes.clone());
            channel.send(Frame::Commit(commit.revision(), bytes));
        }
    }

    fn resync(&self, organisation: &OrganisationId) {
        if let Some(channel) = self.lock().remove(organisation) {
            channel.send(resync());
        }
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
            frames: broadcast::Sender::new(QUEUE),
            told: watch::Sender::default(),
            recent: VecDeque::new(),
            recent_bytes: 0,
        }
    }

    fn subscribe(&self) -> Subscription {
        Subscription {
            frames: self.frames.subscribe(),
            told: self.told.subscribe(),
        }
    }

    fn viewers(&self) -> usize {
        self.frames.receiver_count()
    }

    fn send(&self, frame: Frame) {
        // An error says that nobody listens.
        let _ = self.frames.send(frame);
        self.told.send_replace(());
    }

    fn keep(&mut self, revision: Revision, bytes: Bytes) {
        if self
            .recent
            .back()
            .is_some_and(|(newest, _)| newest.next() != revision)
        {
            self.recent.clear();
            self.recent_bytes = 0;
        }
        self.recent_bytes += bytes.len();
        self.recent.push_back((revision, bytes));
        while self.recent.len() > RECENT || self.recent_bytes > RECENT_BYTES {
            let Some((_, oldest)) = self.recent.pop_front() else {
                return;
            };
            self.recent_bytes -= oldest.len();
        }
    }
}

/// Tells a viewer to read the snapshot anew.
#[must_use]
pub fn resync() -> Frame {
    Frame::Resync(Bytes::from_static(b"event: resync\ndata: []\n\n"))
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

    fn organisation() -> OrganisationId {
        OrganisationId::parse("org").unwrap()
    }

    fn revisions(backlog: Backlog) -> Option<Vec<i64>> {
        let Backlog::Frames(frames) = backlog else {
            return None;
        };
        let revision = |frame| {
            if let Frame::Commit(revision, _) = frame {
                revision.0
            } else {
                -1
            }
        };
        Some(frames.into_iter().map(revision).collect())
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
    fn a_viewer_that_comes_back_gets_what_it_missed() {
        let viewers = Viewers::default();
        let _watching = viewers.subscribe(&organisation());
        assert_eq!(
            revisions(viewers.backlog(&organisation(), Revision(2), Revision(2))),
            Some(vec![])
        );
        for revision in 3..=5 {
            viewers.tell(&Arc::new(commit(revision, &["component-update"])));
        }
        let after =
            |since| revisions(viewers.backlog(&organisation(), Revision(since), Revision(5)));
        assert_eq!(after(5), Some(vec![]));
        assert_eq!(after(3), Some(vec![4, 5]));
        assert_eq!(after(2), Some(vec![3, 4, 5]));
        assert_eq!(after(1), None);
    }

    #[test]
    fn memory_for_viewers_who_come_back_is_bounded() {
        let mut channel = Channel::new();
        for revision in 1..=1000 {
            channel.keep(Revision(revision), Bytes::from(vec![0; 4096]));
        }
        assert!(channel.recent_bytes <= RECENT_BYTES && channel.recent.len() <= RECENT);
        assert_eq!(channel.recent.back().unwrap().0, Revision(1000));
    }

    #[test]
    fn a_channel_nobody_watches_is_dropped() {
        let viewers = Viewers::default();
        let watching = viewers.subscribe(&organisation());
        viewers.keep_alive();
        assert_eq!((viewers.count(), viewers.lock().len()), (1, 1));
        drop(watching);
        viewers.keep_alive();
        assert_eq!((viewers.count(), viewers.lock().len()), (0, 0));
    }
}
