//! The broadcast port for several nodes, by Redis publish/subscribe.
//!
//! Redis is a shortcut, not a store. Commits published while a node is not subscribed are lost, and its relay reads
//! them from the outbox. So nothing waits for Redis, and a node starts and works without it.

mod envelope;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::broadcast::Broadcast;
use allclear_application::outbox::Commit;
use allclear_application::secret::HmacKey;
use async_trait::async_trait;
use futures_util::StreamExt;
use redis::aio::PubSub;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, IntoConnectionInfo, RedisError, RedisResult,
    TlsCertificates,
};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use self::envelope::{Envelopes, Rejections};
use crate::InProcess;

/// Most commits that wait to be published. While Redis is unavailable, later ones are left to the outbox.
const QUEUE_LENGTH: usize = 4096;
/// Commits published in one round trip.
const BATCH: usize = 64;
/// Time after which Redis counts as unavailable.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Time between two attempts to connect.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// A subscription without messages is renewed after this time, because its connection may be dead.
const MAX_SILENCE: Duration = Duration::from_secs(30);

/// Gauge: whether this node receives the commits of other nodes.
const CONNECTED: &str = "allclear_redis_connected";

/// Connection to a Redis, and what the nodes of an installation share.
#[derive(Debug)]
pub struct RedisOptions<'a> {
    /// URL: `redis://…`, or `rediss://…` for TLS. It may contain a password.
    pub url: &'a str,
    /// Certificate authorities in PEM that may sign the server's certificate; `None` for those of the operating system.
    pub authorities: Option<Vec<u8>>,
    /// Name of the installation in channel names, so that several installations can share a Redis.
    pub installation: &'a str,
    /// Key of the installation. Messages without its signature are dropped.
    pub key: HmacKey,
}

/// The host that a Redis URL reaches without TLS; `None` if the connection is encrypted or local.
#[must_use]
pub fn clear_text_host(url: &str) -> Option<String> {
    match url.into_connection_info().ok()?.addr() {
        ConnectionAddr::Tcp(host, _) => Some(host.clone()),
        _ => None,
    }
}

fn client(url: &str, authorities: Option<Vec<u8>>) -> RedisResult<Client> {
    if authorities.is_none() {
        return Client::open(url);
    }
    let certificates = TlsCertificates {
        client_tls: None,
        root_cert: authorities,
    };
    Client::build_with_tls(url, certificates)
}

/// Publishes commits to all nodes through Redis, and to this node's own subscribers directly.
#[derive(Debug)]
pub struct Redis {
    local: Arc<InProcess>,
    outgoing: mpsc::Sender<Arc<Commit>>,
    /// Aborted on drop.
    _tasks: JoinSet<()>,
}

impl Redis {
    /// Starts the connection in the current runtime. Redis may be unavailable at this time.
    ///
    /// # Errors
    /// If the URL is malformed, or certificates are given and the URL is not `rediss://…`.
    pub fn start(options: RedisOptions<'_>) -> Result<Self, RedisError> {
        let client = client(options.url, options.authorities)?;
        let channel: Arc<str> = format!("allclear:{}:commits", options.installation).into();
        let envelopes = Envelopes::new(options.key);
        let node = Uuid::new_v4();
        let local = Arc::new(InProcess::default());
        let (outgoing, waiting) = mpsc::channel(QUEUE_LENGTH);
        let mut tasks = JoinSet::new();
        tasks.spawn(publish(
            client.clone(),
            Arc::clone(&channel),
            envelopes.clone(),
            node,
            waiting,
        ));
        let receiver = Receiver {
            envelopes,
            node,
            local: Arc::clone(&local),
            rejections: Rejections::default(),
        };
        tasks.spawn(listen(client, channel, receiver));
        Ok(Self {
            local,
            outgoing,
            _tasks: tasks,
        })
    }
}

#[async_trait]
impl Broadcast for Redis {
    async fn publish(&self, commit: Arc<Commit>) {
        if self.outgoing.try_send(Arc::clone(&commit)).is_err() {
            tracing::debug!(
                revision = commit.revision,
                "commit not published; other nodes read it from the outbox"
            );
        }
        self.local.publish(commit).await;
    }

    async fn subscribe(&self) -> mpsc::Receiver<Arc<Commit>> {
        self.local.subscribe().await
    }
}

/// Publishes waiting commits in order. A failed batch is not repeated, because the outbox has it.
async fn publish(
    client: Client,
    channel: Arc<str>,
    envelopes: Envelopes,
    node: Uuid,
    mut waiting: mpsc::Receiver<Arc<Commit>>,
) {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(RESPONSE_TIMEOUT))
        .set_response_timeout(Some(RESPONSE_TIMEOUT));
    let mut outage = Outage::default();
    loop {
        let mut connection = match client
            .get_multiplexed_async_connection_with_config(&config)
            .await
        {
            Ok(connection) => connection,
            Err(error) => {
                outage.begin(&error);
                sleep(RETRY_DELAY).await;
                continue;
            }
        };
        let mut batch = Vec::with_capacity(BATCH);
        while waiting.recv_many(&mut batch, BATCH).await > 0 {
            let mut pipe = redis::pipe();
            for commit in batch.drain(..) {
                let message = Message {
                    sender: node,
                    commit: &commit,
                };
                match serde_json::to_vec(&message) {
                    Ok(text) => _ = pipe.publish(&*channel, envelopes.sign(&text)).ignore(),
                    Err(error) => tracing::error!(%error, "a commit cannot be serialised"),
                }
            }
            if let Err(error) = pipe.query_async::<()>(&mut connection).await {
                outage.begin(&error);
                break;
            }
            outage.end();
        }
        if waiting.is_closed() {
            return;
        }
    }
}

/// Delivers the commits of other nodes to this node's subscribers.
async fn listen(client: Client, channel: Arc<str>, mut receiver: Receiver) {
    let mut outage = Outage::default();
    metrics::gauge!(CONNECTED).set(0.0);
    loop {
        let subscribed = subscribe(&client, &channel).await;
        match subscribed {
            Ok(subscription) => {
                outage.end();
                metrics::gauge!(CONNECTED).set(1.0);
                receiver.receive(subscription).await;
                metrics::gauge!(CONNECTED).set(0.0);
            }
            Err(error) => outage.begin(&error),
        }
        sleep(RETRY_DELAY).await;
    }
}

/// Subscribes. An error also if Redis does not respond in time.
async fn subscribe(client: &Client, channel: &str) -> RedisResult<PubSub> {
    let subscribed = timeout(RESPONSE_TIMEOUT, async {
        let mut subscription = client.get_async_pubsub().await?;
        subscription.subscribe(channel).await?;
        RedisResult::Ok(subscription)
    });
    let silent = |_| RedisError::from(io::Error::from(io::ErrorKind::TimedOut));
    subscribed.await.map_err(silent)?
}

/// Receives the messages of all nodes.
struct Receiver {
    envelopes: Envelopes,
    /// This node, whose subscribers already have its commits.
    node: Uuid,
    local: Arc<InProcess>,
    rejections: Rejections,
}

impl Receiver {
    /// Receives until the subscription ends or is silent for too long. Messages without the installation's signature are dropped.
    async fn receive(&mut self, mut subscription: PubSub) {
        let mut messages = subscription.on_message();
        while let Ok(Some(message)) = timeout(MAX_SILENCE, messages.next()).await {
            let Some(text) = self.envelopes.open(message.get_payload_bytes()) else {
                self.rejections.count();
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

/// A message: a commit with its sender.
#[derive(Serialize)]
struct Message<'c> {
    sender: Uuid,
    #[serde(flatten)]
    commit: &'c Commit,
}

/// The sender of a message; `None` if it is a node of version 0.1.0, whose messages have none.
#[derive(Deserialize)]
struct Sender {
    sender: Option<Uuid>,
}

/// The commit of a message; `None` if `node` is its sender.
fn commit_of_another(text: &[u8], node: Uuid) -> serde_json::Result<Option<Commit>> {
    let Sender { sender } = serde_json::from_slice(text)?;
    if sender == Some(node) {
        return Ok(None);
    }
    serde_json::from_slice(text).map(Some)
}

/// Whether Redis is unavailable, so that the log says so once.
#[derive(Debug, Default)]
struct Outage(bool);

impl Outage {
    fn begin(&mut self, error: &RedisError) {
        if !std::mem::replace(&mut self.0, true) {
            let error = error as &dyn std::error::Error;
            tracing::warn!(
                error,
                "Redis is unavailable; nodes read each other's commits from the outbox"
            );
        }
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.0) {
            tracing::info!("Redis is available again");
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;
