//! Whether a node can know what is committed.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long the outbox may be silent before a node counts as cut off.
pub(super) const STALE_AFTER: Duration = Duration::from_secs(5);

/// When commits could last be heard of.
#[derive(Debug)]
pub(super) struct OutboxHealth(Mutex<State>);

#[derive(Debug, Clone, Copy)]
struct State {
    last: Instant,
    is_cut_off: bool,
}

impl OutboxHealth {
    /// What is committed was heard of.
    pub(super) fn heard(&self) {
        *self.lock() = State::now();
    }

    /// It could not be. Answers whether the node is cut off.
    pub(super) fn failed(&self) -> bool {
        let mut state = self.lock();
        state.is_cut_off = state.last.elapsed() >= STALE_AFTER;
        state.is_cut_off
    }

    pub(super) fn is_cut_off(&self) -> bool {
        self.lock().is_cut_off
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for OutboxHealth {
    fn default() -> Self {
        Self(Mutex::new(State::now()))
    }
}

impl State {
    fn now() -> Self {
        Self {
            last: Instant::now(),
            is_cut_off: false,
        }
    }
}
