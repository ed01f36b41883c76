//! Receives the commits of other nodes.

use std::io;
use std::sync::Arc;

use allclear_application::broadcast::Broadcast;
use futures_util::StreamExt;
use redis::aio::PubSub;
use redis::{Client, RedisError, RedisResult};
use tokio::time::{sleep, timeout};

use super::envelope::Rejections;
use super::message::commit_of_another;
use super::{MAX_SILENCE, Outage, RESPONSE_TIMEOUT, RETRY_DELAY, Redis};

/// Gauge: whether this node receives the commits of other nodes.
const CONNECTED: &str = "allclear_redis_connected";

/// Sets the gauge as long as it exists, so that a panic does not leave it set.
struct Connected;

impl Connected {
    fn set() -> Self {
        metrics::gauge!(CONNECTED).set(1.0);
        Self
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        metrics::gauge!(CONNECTED).set(0.0);
    }
}

impl Redis {
    /// Delivers the commits of other nodes to this node's subscribers, for ever.
    pub async fn run_subscriber(&self) {
        let (mut outage, mut rejections) = (Outage::default(), Rejections::default());
        metrics::gauge!(CONNECTED).set(0.0);
        loop {
            match subscribe(&self.client, &self.channel).await {
                Ok(subscription) => {
                    outage.end();
                    let _connected = Connected::set();
                    self.receive(subscription, &mut rejections).await;
                }
                Err(error) => outage.begin(&error),
            }
            sleep(RETRY_DELAY).await;
        }
    }

    /// Receives until the connection ends or does not respond. Messages without the installation's
    /// signature are dropped.
    async fn receive(&self, subscription: PubSub, rejections: &mut Rejections) {
        let (mut sink, mut messages) = subscription.split();
        loop {
            let Ok(message) = timeout(MAX_SILENCE, messages.next()).await else {
                let responds = timeout(RESPONSE_TIMEOUT, sink.ping::<()>()).await;
                if matches!(responds, Ok(Ok(()))) {
                    continue;
                }
                return;
            };
            let Some(message) = message else {
                return;
            };
            let Some(text) = self.envelopes.open(message.get_payload_bytes()) else {
                rejections.count();
                continue;
            };
            match commit_of_another(text, self.node) {
                Ok(Some(commit)) => self.local.publish(Arc::new(commit)).await,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "received a message that is not a commit"),
            }
        }
    }
}

/// Subscribes. An error also if Redis does not respond in time.
pub(super) async fn subscribe(client: &Client, channel: &str) -> RedisResult<PubSub> {
    let subscribed = timeout(RESPONSE_TIMEOUT, async {
        let mut subscription = client.get_async_pubsub().await?;
        subscription.subscribe(channel).await?;
        RedisResult::Ok(subscription)
    });
    let silent = |_| RedisError::from(io::Error::from(io::ErrorKind::TimedOut));
    subscribed.await.map_err(silent)?
}
