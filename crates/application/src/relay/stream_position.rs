//! How far an organisation that somebody on this node follows has been told and heard of.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use allclear_domain::organisation::Revision;

/// An organisation that is followed. Whoever keeps it need not ask the relay again: every reader of a public page looks here,
/// and readers who would all have to write to one place would wait for each other.
#[derive(Debug, Clone)]
pub struct StreamPosition(Arc<Position>);

#[derive(Debug)]
struct Position {
    /// The audiences know everything up to here.
    told: AtomicI64,
    /// There is a commit with this revision; it may still have to be told.
    heard: AtomicI64,
    /// Somebody has asked for it since it was last looked over.
    asked: AtomicBool,
    /// It is not followed any more.
    is_over: AtomicBool,
}

impl StreamPosition {
    /// Followed from this revision on, because somebody asks for it.
    pub(super) fn from(revision: Revision) -> Self {
        Self(Arc::new(Position {
            told: AtomicI64::new(revision.0),
            heard: AtomicI64::new(revision.0),
            asked: AtomicBool::new(true),
            is_over: AtomicBool::new(false),
        }))
    }

    /// The revision the audiences have been told.
    #[must_use]
    pub fn told(&self) -> Revision {
        Revision(self.0.told.load(Ordering::Acquire))
    }

    /// The newest revision this node has heard of; none once it does not follow the organisation any more. Asking keeps it
    /// followed.
    #[must_use]
    pub fn heard(&self) -> Option<Revision> {
        self.ask();
        (!self.0.is_over.load(Ordering::Acquire)).then(|| self.newest())
    }

    /// The same, of one that is followed.
    pub(super) fn newest(&self) -> Revision {
        Revision(self.0.heard.load(Ordering::Acquire))
    }

    /// Notes that somebody asks for it.
    pub(super) fn ask(&self) {
        if !self.is_asked() {
            self.0.asked.store(true, Ordering::Release);
        }
    }

    /// Whether somebody has asked for it since this was last taken back.
    pub(super) fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    /// Takes it back that somebody has asked; answers whether somebody had.
    pub(super) fn take_asked(&self) -> bool {
        self.0.asked.swap(false, Ordering::AcqRel)
    }

    /// Notes that there is such a revision.
    pub(super) fn hear(&self, revision: Revision) {
        self.0.heard.fetch_max(revision.0, Ordering::AcqRel);
    }

    /// Notes what the audiences know.
    pub(super) fn tell(&self, revision: Revision) {
        self.0.told.store(revision.0, Ordering::Release);
    }

    /// It is not followed any more.
    pub(super) fn end(&self) {
        self.0.is_over.store(true, Ordering::Release);
    }
}
