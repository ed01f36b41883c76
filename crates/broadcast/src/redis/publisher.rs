//! Publishes the commits of this node.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::outbox::Commit;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, RedisResult};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::message::Message;
use super::{MAX_SILENCE, Outage, RESPONSE_TIMEOUT, RETRY_DELAY, Redis};

/// Commits published in one round trip.
const BATCH: usize = 64;

impl Redis {
    /// Publishes waiting commits in order, for ever. What waits while Redis is unavailable is not
    /// published, because the outbox has it.
    pub async fn run_publisher(&self) {
        let mut waiting = self.waiting.lock().await;
        let (mut unsent, mut outage) = (Vec::with_capacity(BATCH), Outage::default());
        loop {
            let published =
                self.publish_waiting(&mut waiting, &mut unsent, &mut outage, MAX_SILENCE);
            if let Err(error) = published.await {
                outage.begin(&error);
                // Other nodes find them in the outbox before they could be published.
                unsent.clear();
                while waiting.try_recv().is_ok() {}
                sleep(RETRY_DELAY).await;
            }
        }
    }

    /// Publishes by a new connection until that fails, which leaves the commits of the failed round
    /// trip in `unsent` for the next connection: often the connection was closed because it was
    /// unused. Nodes drop the commits that they have received already. Tests the connection after
    /// each `silence` without a commit.
    ///
    /// # Errors
    /// If Redis cannot be reached, or the new connection cannot publish `unsent` either.
    pub(super) async fn publish_waiting(
        &self,
        waiting: &mut mpsc::Receiver<Arc<Commit>>,
        unsent: &mut Vec<Arc<Commit>>,
        outage: &mut Outage,
        silence: Duration,
    ) -> RedisResult<()> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RESPONSE_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT));
        let connecting = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        let mut connection = connecting.await?;
        if !unsent.is_empty() {
            self.publish_all(&mut connection, unsent).await?;
            unsent.clear();
            outage.end();
        }
        loop {
            let received = timeout(silence, waiting.recv_many(unsent, BATCH)).await;
            let is_published = received.is_ok();
            let sent = if is_published {
                self.publish_all(&mut connection, unsent).await
            } else {
                redis::cmd("PING").query_async(&mut connection).await
            };
            if sent.is_err() {
                return Ok(());
            }
            if is_published {
                outage.end();
                unsent.clear();
            } else {
                outage.is_connected();
            }
        }
    }

    /// Publishes commits in one round trip.
    async fn publish_all(
        &self,
        connection: &mut MultiplexedConnection,
        commits: &[Arc<Commit>],
    ) -> RedisResult<()> {
        let mut pipe = redis::pipe();
        for commit in commits {
            let message = Message {
                sender: self.node,
                commit,
            };
            match serde_json::to_vec(&message) {
                Ok(text) => {
                    let signed = self.envelopes.sign(&text);
                    pipe.publish(&*self.channel, signed).ignore();
                }
                Err(error) => tracing::error!(%error, "a commit cannot be serialised"),
            }
        }
        pipe.query_async(connection).await
    }
}
