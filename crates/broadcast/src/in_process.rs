//! The broadcast port for a single node.

use std::sync::Arc;

use allclear_application::broadcast::Broadcast;
use allclear_application::outbox::Commit;
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// Most commits that wait for a subscriber, for example while its database does not respond. It
/// misses later ones.
const QUEUE_LENGTH: usize = 4096;

/// Delivers commits to the subscribers of this process.
#[derive(Debug, Default)]
pub struct InProcess {
    subscribers: Mutex<Vec<mpsc::Sender<Arc<Commit>>>>,
}

#[async_trait]
impl Broadcast for InProcess {
    async fn publish(&self, commit: Arc<Commit>) {
        let mut subscribers = self.subscribers.lock();
        subscribers.retain(|subscriber| {
            let sent = subscriber.try_send(Arc::clone(&commit));
            if let Err(TrySendError::Full(commit)) = &sent {
                tracing::debug!(
                    revision = commit.revision.0,
                    "a subscriber is behind and misses a commit"
                );
            }
            !matches!(sent, Err(TrySendError::Closed(_)))
        });
    }

    async fn subscribe(&self) -> mpsc::Receiver<Arc<Commit>> {
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        self.subscribers.lock().push(sender);
        receiver
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(revision: i64) -> Arc<Commit> {
        Arc::new(Commit::example("org", revision, &[]))
    }

    #[tokio::test]
    async fn every_subscriber_gets_every_commit_in_order() {
        let broadcast = InProcess::default();
        let (mut one, mut two) = (broadcast.subscribe().await, broadcast.subscribe().await);
        for revision in 1..=3 {
            broadcast.publish(commit(revision)).await;
        }
        for revision in 1..=3 {
            assert_eq!(one.recv().await.unwrap().revision.0, revision);
            assert_eq!(two.recv().await.unwrap().revision.0, revision);
        }
    }

    #[tokio::test]
    async fn a_subscriber_that_does_not_receive_misses_the_commits_beyond_its_queue() {
        let broadcast = InProcess::default();
        let mut slow = broadcast.subscribe().await;
        let full = i64::try_from(QUEUE_LENGTH).unwrap();
        for revision in 1..=full + 1 {
            broadcast.publish(commit(revision)).await;
        }
        for revision in 1..=full {
            assert_eq!(slow.recv().await.unwrap().revision.0, revision);
        }
        broadcast.publish(commit(full + 2)).await;
        assert_eq!(slow.recv().await.unwrap().revision.0, full + 2);
    }

    #[tokio::test]
    async fn closed_subscribers_are_removed() {
        let broadcast = InProcess::default();
        drop(broadcast.subscribe().await);
        broadcast.publish(commit(1)).await;
        assert!(broadcast.subscribers.lock().is_empty());
    }
}
