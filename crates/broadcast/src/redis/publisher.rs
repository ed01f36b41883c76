//! Publishes the commits of this node.

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, RedisResult};
use tokio::time::sleep;

use super::message::Message;
use super::{Outage, RESPONSE_TIMEOUT, RETRY_DELAY, Redis};

/// Commits published in one round trip.
const BATCH: usize = 64;

impl Redis {
    /// Publishes waiting commits in order, for ever. What waits at a failure is not published,
    /// because the outbox has it.
    pub async fn run_publisher(&self) {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RESPONSE_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT));
        let mut outage = Outage::default();
        loop {
            let connection = self
                .client
                .get_multiplexed_async_connection_with_config(&config);
            let outcome = match connection.await {
                Ok(connection) => self.publish_waiting(connection, &mut outage).await,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                outage.begin(&error);
            }
            // Other nodes find them in the outbox before they could be published.
            let mut waiting = self.waiting.lock().await;
            while waiting.try_recv().is_ok() {}
            drop(waiting);
            sleep(RETRY_DELAY).await;
        }
    }

    /// Publishes by a connection until that fails.
    async fn publish_waiting(
        &self,
        mut connection: MultiplexedConnection,
        outage: &mut Outage,
    ) -> RedisResult<()> {
        let mut waiting = self.waiting.lock().await;
        let mut batch = Vec::with_capacity(BATCH);
        while waiting.recv_many(&mut batch, BATCH).await > 0 {
            let mut pipe = redis::pipe();
            for commit in batch.drain(..) {
                let message = Message {
                    sender: self.node,
                    commit: &commit,
                };
                match serde_json::to_vec(&message) {
                    Ok(text) => {
                        let signed = self.envelopes.sign(&text);
                        pipe.publish(&*self.channel, signed).ignore();
                    }
                    Err(error) => tracing::error!(%error, "a commit cannot be serialised"),
                }
            }
            pipe.query_async::<()>(&mut connection).await?;
            outage.end();
        }
        Ok(())
    }
}
