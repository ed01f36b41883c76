//! Acknowledgements of clients.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::protocol::Args;

/// Why an acknowledgement did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AckError {
    /// The client did not acknowledge in time.
    #[error("operation has timed out")]
    Timeout,
    /// The socket has left.
    #[error("socket has been disconnected")]
    Disconnected,
}

/// The events of a socket that wait for an acknowledgement.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<Option<Box<AckSenders>>>);

#[derive(Debug, Default)]
struct AckSenders {
    next: u64,
    senders: HashMap<u64, oneshot::Sender<Args>>,
}

impl Pending {
    /// Registers an event; returns its identifier and the receiver of the acknowledgement.
    pub(super) fn register(&self) -> (u64, oneshot::Receiver<Args>) {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.0.lock();
        let waiting = waiting.get_or_insert_default();
        let id = waiting.next;
        waiting.next += 1;
        waiting.senders.insert(id, sender);
        (id, receiver)
    }

    /// Delivers an acknowledgement; an unexpected one is ignored, as in the reference.
    pub(super) fn resolve(&self, id: u64, args: Args) {
        if let Some(sender) = self.forget(id)
            && sender.send(args).is_err()
        {
            tracing::debug!(id, "acknowledgement arrived too late");
        }
    }

    pub(super) fn forget(&self, id: u64) -> Option<oneshot::Sender<Args>> {
        self.0.lock().as_mut()?.senders.remove(&id)
    }

    /// Drops all expectations, because the socket has left.
    pub(super) fn clear(&self) {
        if let Some(waiting) = self.0.lock().as_mut() {
            waiting.senders.clear();
        }
    }
}
