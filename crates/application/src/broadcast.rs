//! The broadcast port, which publishes commits to all nodes.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::outbox::Commit;

/// Publishes commits to every node, including the sender. It may lose, repeat or reorder them: the
/// [relay](crate::relay) recovers from the outbox.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Broadcast: Send + Sync {
    /// Publishes a commit. An adapter MUST NOT wait for receivers, and leaves out the commit where
    /// too many wait to be received. It only logs its own faults, because the commit is stored in
    /// the outbox.
    async fn publish(&self, commit: Arc<Commit>);

    /// Returns a receiver of all commits from now on, including this node's own. The subscriber
    /// MUST have another way to learn of commits that it misses, or do without them.
    async fn subscribe(&self) -> mpsc::Receiver<Arc<Commit>>;
}
