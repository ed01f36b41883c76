//! How far the commits of an organisation that this node follows are known and delivered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};

use allclear_domain::organisation::Revision;

/// Position in the commits of an organisation. Readers of a public page use it instead of the
/// relay. They only read it: concurrent writes to one place would slow them down.
#[derive(Debug, Clone)]
pub struct StreamPosition(Arc<Position>);

#[derive(Debug)]
struct Position {
    /// The listeners have every commit up to this revision.
    delivered: AtomicI64,
    /// The newest revision known to exist; its commit may not be delivered yet.
    latest: AtomicI64,
    /// Whether the position was used since [`StreamPosition::take_touched`].
    touched: AtomicBool,
    /// Number of sweeps in a row that did not find all delivered commits in the outbox.
    sweeps_behind: AtomicU32,
    /// Whether the organisation is no longer followed from here.
    is_closed: AtomicBool,
}

impl StreamPosition {
    /// A touched position at a revision that is delivered.
    pub(super) fn from(revision: Revision) -> Self {
        Self(Arc::new(Position {
            delivered: AtomicI64::new(revision.0),
            latest: AtomicI64::new(revision.0),
            touched: AtomicBool::new(true),
            sweeps_behind: AtomicU32::new(0),
            is_closed: AtomicBool::new(false),
        }))
    }

    /// The revision up to which the listeners have every commit.
    #[must_use]
    pub fn delivered(&self) -> Revision {
        Revision(self.0.delivered.load(Ordering::Acquire))
    }

    /// The newest revision this node knows of; `None` once it no longer follows the organisation.
    /// Touches the position.
    #[must_use]
    pub fn latest_if_followed(&self) -> Option<Revision> {
        self.touch();
        (!self.0.is_closed.load(Ordering::Acquire)).then(|| self.latest())
    }

    /// The newest revision this node knows of. Does not touch the position.
    pub(super) fn latest(&self) -> Revision {
        Revision(self.0.latest.load(Ordering::Acquire))
    }

    /// Keeps the organisation followed.
    pub(super) fn touch(&self) {
        if !self.is_touched() {
            self.0.touched.store(true, Ordering::Release);
        }
    }

    pub(super) fn is_touched(&self) -> bool {
        self.0.touched.load(Ordering::Acquire)
    }

    /// Returns whether the position was touched since the last call.
    pub(super) fn take_touched(&self) -> bool {
        self.0.touched.swap(false, Ordering::AcqRel)
    }

    /// Records that this revision exists.
    pub(super) fn note(&self, revision: Revision) {
        self.0.latest.fetch_max(revision.0, Ordering::AcqRel);
    }

    pub(super) fn set_delivered(&self, revision: Revision) {
        self.0.delivered.store(revision.0, Ordering::Release);
    }

    /// Records whether a sweep has found all delivered commits in the outbox. Returns the number of
    /// sweeps in a row that have not.
    pub(super) fn note_sweep(&self, has_found_all: bool) -> u32 {
        let before = self.0.sweeps_behind.load(Ordering::Relaxed);
        let sweeps = if has_found_all { 0 } else { before + 1 };
        self.0.sweeps_behind.store(sweeps, Ordering::Relaxed);
        sweeps
    }

    /// The organisation is no longer followed from here.
    pub(super) fn close(&self) {
        self.0.is_closed.store(true, Ordering::Release);
    }
}
