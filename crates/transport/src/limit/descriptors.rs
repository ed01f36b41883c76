//! The limit of the file descriptors of the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// File descriptors reserved for the database, the log and the workers.
const OWN_DESCRIPTORS: usize = 64;

/// Counter of the file descriptors used by connections and the files of bodies.
pub(crate) struct Descriptors {
    /// `None` means no limit.
    most: Option<usize>,
    open: AtomicUsize,
}

/// A counted file descriptor, released on drop.
pub(crate) struct DescriptorGuard(Arc<Descriptors>);

impl Descriptors {
    /// Creates a counter with this limit of the process; `None` means no limit.
    pub(crate) fn new(most: Option<usize>) -> Self {
        Self {
            most,
            open: AtomicUsize::new(0),
        }
    }

    /// Counts a descriptor until the guard is dropped.
    pub(crate) fn take(self: &Arc<Self>) -> DescriptorGuard {
        self.open.fetch_add(1, Ordering::Relaxed);
        DescriptorGuard(Arc::clone(self))
    }

    /// Whether no descriptor is left.
    pub(crate) fn are_used_up(&self) -> bool {
        self.is_over(|_| 1)
    }

    /// Whether half of them are taken.
    pub(crate) fn is_half_taken(&self) -> bool {
        self.is_over(|most| most / 2)
    }

    /// Whether only those are left that streams and sockets leave to other requests.
    pub(crate) fn is_crowded(&self) -> bool {
        self.is_over(|most| (most / 10).clamp(32, 1024))
    }

    /// Whether half of those that streams and sockets leave to other requests are taken.
    pub(crate) fn is_reserve_half_taken(&self) -> bool {
        self.is_over(|most| (most / 20).clamp(16, 512))
    }

    /// Whether fewer are left than `reserve` returns for the limit.
    fn is_over(&self, reserve: impl Fn(usize) -> usize) -> bool {
        let used = self.open.load(Ordering::Relaxed) + OWN_DESCRIPTORS;
        self.most.is_some_and(|most| used + reserve(most) > most)
    }

    #[cfg(test)]
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Drop for DescriptorGuard {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
