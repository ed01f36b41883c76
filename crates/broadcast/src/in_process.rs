//! The broadcast port for a single node.

use std::sync::{Arc, Mutex, PoisonError};

use allclear_application::broadcast::Broadcast;
use allclear_application::outbox::Commit;
use async_trait::async_trait;
use tokio::sync::mpsc;

/// Delivers commits of this process to its own relay.
#[derive(Debug, Default)]
pub struct InProcess {
    subscribers: Mutex<Vec<mpsc::UnboundedSender<Arc<Commit>>>>,
}

#[async_trait]
impl Broadcast for InProcess {
    async fn publish(&self, commit: Arc<Commit>) {
        let mut subscribers = self
            .subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| subscriber.send(Arc::clone(&commit)).is_ok());
    }

    async fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Commit>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sender);
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
            assert_eq!(one.recv().await.unwrap().revision, revision);
            assert_eq!(two.recv().await.unwrap().revision, revision);
        }
    }

    #[tokio::test]
    async fn closed_subscribers_are_removed() {
        let broadcast = InProcess::default();
        drop(broadcast.subscribe().await);
        broadcast.publish(commit(1)).await;
        assert!(broadcast.subscribers.lock().unwrap().is_empty());
    }
}
