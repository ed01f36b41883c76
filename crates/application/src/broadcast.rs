//! Tells every node what was committed: the broadcast port.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::outbox::Commit;

/// Carries commits to every node, the sender's own included. It may lose, repeat or reorder them: the
/// [relay](crate::relay) puts that right from the outbox.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Broadcast: Send + Sync {
    /// Sends a commit on. An adapter MUST NOT wait for receivers, and reports its own faults to the log only: the commit
    /// is safe in the outbox.
    async fn publish(&self, commit: Arc<Commit>);

    /// What arrives from now on, this node's own commits included.
    async fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Commit>>;
}
