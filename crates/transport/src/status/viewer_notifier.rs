//! Criers: in each worker one task a channel, which wakes the worker's viewers when there is something to read. Waking ten
//! thousand of them takes a tenth of a second, and other requests of the worker must not wait for the end of it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use bytes::Bytes;
use futures_util::Stream;
use slab::Slab;
use tokio::sync::watch;

use crate::client_slots::Slot;
use crate::status::frame_log::{Found, FrameLog};
use crate::status::viewers::Subscription;

/// How many viewers are woken before the worker looks whether other tasks wait: less than a millisecond's work.
const AT_ONCE: usize = 48;
/// Most bytes that are handed to the HTTP server at once: it copies them, and a viewer that does not read holds the copy.
const PIECE: usize = 16 * 1024;

thread_local! {
    static CRIERS: RefCell<HashMap<OrganisationId, ViewerNotifier>> = RefCell::default();
}

/// What a worker knows of a channel.
struct Feed {
    /// The channel's log, shared by all workers.
    source: Arc<Mutex<FrameLog>>,
    /// This worker's copy of it: its viewers read without a lock.
    log: FrameLog,
    /// How many signs of life were sent.
    keep_alives: u64,
    is_over: bool,
    /// Each viewer, and how to wake it if it waits.
    viewers: Slab<Option<Waker>>,
}

type SharedFeed = Rc<RefCell<Feed>>;

/// Wakes the viewers of a channel in one worker.
#[derive(Clone)]
struct ViewerNotifier {
    channel: watch::Receiver<u64>,
    feed: SharedFeed,
}

/// What a viewer is sent, in pieces. It ends with its channel, and if the viewer falls too far behind.
pub(crate) struct FrameStream {
    feed: SharedFeed,
    key: usize,
    /// What comes before the live commits.
    first: VecDeque<Bytes>,
    /// The viewer knows everything up to here.
    seen: Revision,
    /// The next frame of the log, and how much of it was sent.
    next: u64,
    sent: usize,
    keep_alives: u64,
    /// Keeps the viewer counted.
    _watching: Arc<()>,
    _slot: Slot,
}

impl Feed {
    fn pull(&mut self) {
        let source = Arc::clone(&self.source);
        self.log
            .copy(&source.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl FrameStream {
    /// Listens to what a viewer has subscribed to. MUST be called in a worker.
    pub(crate) fn of(
        organisation: &OrganisationId,
        subscription: Subscription,
        slot: Slot,
    ) -> Self {
        let keep_alives = *subscription.told.borrow();
        let feed = CRIERS.with_borrow_mut(|criers| match criers.entry(organisation.clone()) {
            Entry::Occupied(crier) if crier.get().channel.same_channel(&subscription.told) => {
                Rc::clone(&crier.get().feed)
            }
            entry => {
                let crier = ViewerNotifier::new(subscription.told, subscription.log);
                tokio::task::spawn_local(crier.clone().cry(organisation.clone()));
                let feed = Rc::clone(&crier.feed);
                entry.insert_entry(crier);
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

    /// Goes on after the revision that a viewer has seen, if nothing is missing or the log has what is. `told` is the newest
    /// revision this node's audiences knew after the viewer subscribed.
    pub(crate) fn resume(&mut self, seen: Revision, told: Revision) -> bool {
        let mut feed = self.feed.borrow_mut();
        feed.pull();
        let newest = feed.log.newest().map_or(told, |newest| told.max(newest));
        if seen < newest {
            let Some(next) = feed.log.after(seen) else {
                return false;
            };
            self.next = next;
        }
        self.seen = seen;
        true
    }

    /// Sends these bytes first; with them the viewer knows everything up to a revision.
    pub(crate) fn start_with(&mut self, first: impl IntoIterator<Item = Bytes>, seen: Revision) {
        self.first.extend(first);
        self.seen = seen;
    }

    /// Opens the stream: a comment at once passes through every proxy.
    pub(crate) fn opened(mut self) -> Self {
        self.first.push_front(Bytes::from_static(b": allclear\n\n"));
        self
    }

    /// The next piece of what comes first.
    fn piece(&mut self) -> Option<Bytes> {
        let bytes = self.first.front_mut()?;
        let piece = bytes.split_to(bytes.len().min(PIECE));
        if bytes.is_empty() {
            self.first.pop_front();
        }
        Some(piece)
    }
}

impl Stream for FrameStream {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if let Some(piece) = this.piece() {
            return Poll::Ready(Some(piece));
        }
        let mut feed = this.feed.borrow_mut();
        loop {
            let frame = match feed.log.get(this.next) {
                Found::Dropped => return Poll::Ready(None),
                Found::Frame(frame) => frame,
                Found::End if this.keep_alives != feed.keep_alives => {
                    this.keep_alives = feed.keep_alives;
                    return Poll::Ready(Some(Bytes::from_static(b":\n\n")));
                }
                Found::End if feed.is_over => return Poll::Ready(None),
                // The crier runs in the same thread: it wakes this viewer for what comes from here on.
                Found::End => {
                    feed.viewers[this.key] = Some(context.waker().clone());
                    return Poll::Pending;
                }
            };
            if frame.revision <= this.seen {
                this.next += 1;
                continue;
            }
            if frame.revision != this.seen.next() {
                // A commit is missing: the viewer comes back and resumes.
                return Poll::Ready(None);
            }
            let end = frame.bytes.len().min(this.sent + PIECE);
            let piece = frame.bytes.slice(this.sent..end);
            if end == frame.bytes.len() {
                (this.seen, this.sent) = (frame.revision, 0);
                this.next += 1;
            } else {
                this.sent = end;
            }
            return Poll::Ready(Some(piece));
        }
    }
}

impl Drop for FrameStream {
    fn drop(&mut self) {
        self.feed.borrow_mut().viewers.remove(self.key);
    }
}

impl ViewerNotifier {
    fn new(channel: watch::Receiver<u64>, source: Arc<Mutex<FrameLog>>) -> Self {
        let feed = Feed {
            source,
            log: FrameLog::default(),
            keep_alives: *channel.borrow(),
            is_over: false,
            viewers: Slab::new(),
        };
        Self {
            channel,
            feed: Rc::new(RefCell::new(feed)),
        }
    }

    /// Wakes the viewers for everything that is sent, and for the end.
    async fn cry(mut self, organisation: OrganisationId) {
        while self.channel.changed().await.is_ok() {
            {
                let mut feed = self.feed.borrow_mut();
                feed.keep_alives = *self.channel.borrow_and_update();
                feed.pull();
            }
            self.wake_all().await;
        }
        CRIERS.with_borrow_mut(|criers| {
            if criers
                .get(&organisation)
                .is_some_and(|crier| Rc::ptr_eq(&crier.feed, &self.feed))
            {
                criers.remove(&organisation);
            }
        });
        self.feed.borrow_mut().is_over = true;
        self.wake_all().await;
    }

    /// Wakes every viewer that waits, some at a time.
    async fn wake_all(&self) {
        let mut next = 0;
        while next < self.feed.borrow().viewers.capacity() {
            let woken = self.wake(next..next + AT_ONCE);
            next += AT_ONCE;
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
#[path = "viewer_notifier_tests.rs"]
mod tests;
