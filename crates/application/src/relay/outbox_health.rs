//! Whether a node can read what is committed.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// How long the outbox may be unreadable before the node counts as out of date.
pub(super) const STALE_AFTER: Duration = Duration::from_secs(5);

/// When the outbox could last be read or written.
#[derive(Debug)]
pub(super) struct OutboxHealth(Mutex<State>);

#[derive(Debug, Clone, Copy)]
struct State {
    last_success: Instant,
    is_stale: bool,
}

impl OutboxHealth {
    /// The outbox was read or written.
    pub(super) fn succeeded(&self) {
        *self.0.lock() = State::now();
    }

    /// The outbox could not be read. Returns whether the node is out of date.
    pub(super) fn failed(&self) -> bool {
        let mut state = self.0.lock();
        state.is_stale = state.last_success.elapsed() >= STALE_AFTER;
        state.is_stale
    }

    pub(super) fn is_stale(&self) -> bool {
        self.0.lock().is_stale
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
            last_success: Instant::now(),
            is_stale: false,
        }
    }
}
