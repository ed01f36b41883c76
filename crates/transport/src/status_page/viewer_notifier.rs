//! Viewer notifiers: one task per worker and channel that wakes the worker's viewers when there is
//! something to read. Waking ten thousand viewers takes a tenth of a second, so the task yields to
//! other requests of the worker in between.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::{Buf as _, Bytes};
use parking_lot::Mutex;
use slab::Slab;
use tokio::sync::watch;

use crate::commit_log::{CommitLog, Found};
use crate::limit::slots::Slot;
use crate::status_page::viewers::{Frame, PING, Subscription};

/// How many viewers are woken before the task yields: less than a millisecond of work.
const WAKE_BATCH: usize = 48;
thread_local! {
    static NOTIFIERS: RefCell<HashMap<OrganisationId, ViewerNotifier>> = RefCell::default();
}

/// State of a channel in one worker.
struct Feed {
    /// The channel's log, shared by all workers.
    source: Arc<Mutex<CommitLog<Frame>>>,
    /// The worker's copy of the log, which its viewers read without a lock.
    log: CommitLog<Frame>,
    /// Number of keep-alives sent.
    keep_alives: u64,
    is_over: bool,
    /// The waker of each viewer, if it waits.
    viewers: Slab<Option<Waker>>,
}

type SharedFeed = Rc<RefCell<Feed>>;

/// Wakes the viewers of a channel in one worker.
#[derive(Clone)]
struct ViewerNotifier {
    channel: watch::Receiver<u64>,
    feed: SharedFeed,
}

/// The stream of one viewer. It ends with its channel, or when the viewer falls too far behind. It
/// holds no commits, but its position among them.
pub(crate) struct FrameStream {
    feed: SharedFeed,
    key: usize,
    /// Bytes to send before the next commit.
    first: VecDeque<Bytes>,
    /// The revision up to which the viewer has received everything.
    seen: Revision,
    /// Position of the next frame, and how many of its bytes were sent.
    next: i64,
    sent: usize,
    keep_alives: u64,
    /// Counts the viewer.
    _watching: Arc<()>,
    _slot: Slot,
}

impl Feed {
    fn pull(&mut self) {
        let source = Arc::clone(&self.source);
        self.log.copy(&source.lock());
    }
}

impl FrameStream {
    /// Starts the stream of a subscription. Must be called in a worker thread.
    pub(crate) fn of(
        organisation: &OrganisationId,
        subscription: Subscription,
        slot: Slot,
    ) -> Self {
        let keep_alives = *subscription.changes.borrow();
        let feed =
            NOTIFIERS.with_borrow_mut(|notifiers| match notifiers.entry(organisation.clone()) {
                Entry::Occupied(notifier)
                    if notifier.get().channel.same_channel(&subscription.changes) =>
                {
                    Rc::clone(&notifier.get().feed)
                }
                entry => {
                    let notifier = ViewerNotifier::new(subscription.changes, subscription.log);
                    tokio::task::spawn_local(notifier.clone().run(organisation.clone()));
                    let feed = Rc::clone(&notifier.feed);
                    entry.insert_entry(notifier);
                    feed
                }
            });
        let (key, next) = {
            let mut feed = feed.borrow_mut();
            feed.pull();
            (feed.viewers.insert(None), feed.log.end())
        };
        Self {
            feed,
            key,
            first: VecDeque::new(),
            seen: Revision::default(),
            next,
            sent: 0,
            keep_alives,
            _watching: subscription.watching,
            _slot: slot,
        }
    }

    /// Continues after the revision that a viewer has seen; false if the log lacks a later commit.
    /// `delivered` is the newest revision delivered on this node after the viewer subscribed.
    pub(crate) fn resume(&mut self, seen: Revision, delivered: Revision) -> bool {
        let mut feed = self.feed.borrow_mut();
        feed.pull();
        let newest = feed
            .log
            .newest()
            .map_or(delivered, |newest| delivered.max(newest));
        if seen < newest {
            let Some(next) = feed.log.after(seen) else {
                return false;
            };
            self.next = next;
        }
        self.seen = seen;
        true
    }

    /// Sends these bytes first, which bring the viewer up to the revision `seen`.
    pub(crate) fn start_with(&mut self, first: impl IntoIterator<Item = Bytes>, seen: Revision) {
        self.first.extend(first);
        self.seen = seen;
    }

    /// Starts the stream with these bytes.
    pub(crate) fn opened(mut self, opening: Bytes) -> Self {
        self.first.push_front(opening);
        self
    }

    /// What the viewer has not received yet: the rest of a frame, or of what comes before it.
    /// `None` at the end of the stream. The task is woken for everything later, also for the end.
    pub(crate) fn poll_unsent(&mut self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(bytes) = self.first.front() {
            return Poll::Ready(Some(bytes.clone()));
        }
        let mut feed = self.feed.borrow_mut();
        loop {
            let frame = match feed.log.get(self.next) {
                Found::Dropped => return Poll::Ready(None),
                Found::Entry(frame) => frame,
                Found::End if self.keep_alives != feed.keep_alives => {
                    self.keep_alives = feed.keep_alives;
                    let ping = Bytes::from_static(PING);
                    self.first.push_back(ping.clone());
                    return Poll::Ready(Some(ping));
                }
                Found::End if feed.is_over => return Poll::Ready(None),
                // The notifier runs in the same thread, so it wakes this viewer for every later
                // frame.
                Found::End => {
                    feed.viewers[self.key] = Some(context.waker().clone());
                    return Poll::Pending;
                }
            };
            if frame.revision <= self.seen {
                self.next += 1;
                continue;
            }
            if frame.revision != self.seen.next() {
                // A commit is missing: the viewer reconnects and resumes.
                return Poll::Ready(None);
            }
            return Poll::Ready(Some(frame.bytes.slice(self.sent..)));
        }
    }

    /// Continues after these bytes of what [`Self::poll_unsent`] has returned.
    pub(crate) fn advance(&mut self, sent: usize) {
        if let Some(bytes) = self.first.front_mut() {
            bytes.advance(sent);
            if bytes.is_empty() {
                self.first.pop_front();
            }
            if self.first.is_empty() {
                // Gives its memory back.
                self.first = VecDeque::new();
            }
            return;
        }
        self.sent += sent;
        if let Found::Entry(frame) = self.feed.borrow().log.get(self.next)
            && self.sent >= frame.bytes.len()
        {
            (self.seen, self.sent) = (frame.revision, 0);
            self.next += 1;
        }
    }

    /// Wakes the task of a viewer that does not read, too: its stream ends when it falls too
    /// far behind.
    pub(crate) fn wake_later(&self, context: &Context<'_>) {
        self.feed.borrow_mut().viewers[self.key] = Some(context.waker().clone());
    }
}

impl Drop for FrameStream {
    fn drop(&mut self) {
        self.feed.borrow_mut().viewers.remove(self.key);
    }
}

impl ViewerNotifier {
    fn new(channel: watch::Receiver<u64>, source: Arc<Mutex<CommitLog<Frame>>>) -> Self {
        let feed = Feed {
            source,
            log: CommitLog::default(),
            keep_alives: *channel.borrow(),
            is_over: false,
            viewers: Slab::new(),
        };
        Self {
            channel,
            feed: Rc::new(RefCell::new(feed)),
        }
    }

    /// Wakes the viewers for every change of the channel, and for its end.
    async fn run(mut self, organisation: OrganisationId) {
        while self.channel.changed().await.is_ok() {
            {
                let mut feed = self.feed.borrow_mut();
                feed.keep_alives = *self.channel.borrow_and_update();
                feed.pull();
            }
            self.wake_all().await;
        }
        NOTIFIERS.with_borrow_mut(|notifiers| {
            if notifiers
                .get(&organisation)
                .is_some_and(|notifier| Rc::ptr_eq(&notifier.feed, &self.feed))
            {
                notifiers.remove(&organisation);
            }
        });
        self.feed.borrow_mut().is_over = true;
        self.wake_all().await;
    }

    /// Wakes all waiting viewers in batches.
    async fn wake_all(&self) {
        let mut next = 0;
        while next < self.feed.borrow().viewers.capacity() {
            let woken = self.wake(next..next + WAKE_BATCH);
            next += WAKE_BATCH;
            if woken > 0 {
                tokio::task::yield_now().await;
            }
        }
    }

    fn wake(&self, keys: Range<usize>) -> usize {
        let mut feed = self.feed.borrow_mut();
        keys.filter_map(|key| feed.viewers.get_mut(key)?.take())
            .map(Waker::wake)
            .count()
    }
}

#[cfg(test)]
mod tests;
