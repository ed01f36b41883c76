//! Commits for every node, by Redis publish/subscribe.
//!
//! Redis is a shortcut, not a store: what is published while a node is not listening is lost, and the relay reads it from the
//! outbox. So nothing here waits for Redis, and a node starts and serves without it.

mod envelope;

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
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::envelope::{Envelopes, Rejections};
use crate::InProcess;

/// Commits that wait to be published; while Redis is away the later ones are left to the outbox.
const WAITING: usize = 4096;
/// Commits published in one round trip.
const BATCH: usize = 64;
/// How long Redis may take to answer before it counts as away.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time between two attempts to reach it.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// A subscription that has been silent for so long is made anew: its connection may be dead without having said so.
const SILENCE: Duration = Duration::from_secs(30);

/// How a Redis is reached, and what the nodes of an installation share.
#[derive(Debug)]
pub struct RedisOptions<'a> {
    /// The address: `redis://…`, or `rediss://…` for TLS. It may hold a password.
    pub url: &'a str,
    /// Certificates in PEM that the server's may be signed by; `None` for those that the operating system trusts.
    pub authorities: Option<Vec<u8>>,
    /// The installation's name in channels: of several installations on one Redis, each receives its own commits.
    pub installation: &'a str,
    /// The installation's key. Messages that are not signed with it are dropped.
    pub key: HmacKey,
}

/// The host that an address of Redis reaches without TLS; `None` if the connection is encrypted or stays on this machine's
/// file system.
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

/// Sends commits to every node by way of Redis, and to this node's own subscribers directly.
#[derive(Debug)]
pub struct Redis {
    local: Arc<InProcess>,
    outgoing: mpsc::Sender<Arc<Commit>>,
    /// They end with this.
    _tasks: JoinSet<()>,
}

impl Redis {
    /// Starts to talk to a Redis, from the current runtime. It need not be there yet.
    ///
    /// # Errors
    /// If the address is not one, or certificates are given and the address is not `rediss://…`.
    pub fn start(options: RedisOptions<'_>) -> Result<Self, RedisError> {
        let client = client(options.url, options.authorities)?;
        let channel: Arc<str> = format!("allclear:{}:commits", options.installation).into();
        let envelopes = Envelopes::new(options.key);
        let local = Arc::new(InProcess::default());
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(publish(
            client.clone(),
            Arc::clone(&channel),
            envelopes.clone(),
            waiting,
        ));
        tasks.spawn(listen(client, channel, envelopes, Arc::clone(&local)));
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
                "not published: other nodes read it from the outbox"
            );
        }
        self.local.publish(commit).await;
    }

    async fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Commit>> {
        self.local.subscribe().await
    }
}

/// Publishes in order what waits. A batch that fails is not sent again: the outbox has it.
async fn publish(
    client: Client,
    channel: Arc<str>,
    envelopes: Envelopes,
    mut waiting: mpsc::Receiver<Arc<Commit>>,
) {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(PATIENCE))
        .set_response_timeout(Some(PATIENCE));
    let mut outage = Outage::default();
    loop {
        let mut connection = match client
            .get_multiplexed_async_connection_with_config(&config)
            .await
        {
            Ok(connection) => connection,
            Err(error) => {
                outage.goes_on(&error);
                sleep(RETRY_DELAY).await;
                continue;
            }
        };
        let mut batch = Vec::with_capacity(BATCH);
        while waiting.recv_many(&mut batch, BATCH).await > 0 {
            let mut pipe = redis::pipe();
            for commit in batch.drain(..) {
                match serde_json::to_vec(&*commit) {
                    Ok(text) => _ = pipe.publish(&*channel, envelopes.sign(&text)).ignore(),
                    Err(error) => tracing::error!(%error, "a commit cannot be published"),
                }
            }
            if let Err(error) = pipe.query_async::<()>(&mut connection).await {
                outage.goes_on(&error);
                break;
            }
            outage.ends();
        }
        if waiting.is_closed() {
            return;
        }
    }
}

/// Hands what the nodes publish to this node's subscribers.
async fn listen(client: Client, channel: Arc<str>, envelopes: Envelopes, local: Arc<InProcess>) {
    let mut outage = Outage::default();
    let mut rejections = Rejections::default();
    loop {
        let subscribed = subscribe(&client, &channel).await;
        match subscribed {
            Ok(Some(subscription)) => {
                outage.ends();
                receive(subscription, &envelopes, &local, &mut rejections).await;
            }
            Ok(None) => {}
            Err(error) => outage.goes_on(&error),
        }
        sleep(RETRY_DELAY).await;
    }
}

/// Subscribes; `None` if Redis does not answer in time.
async fn subscribe(client: &Client, channel: &str) -> RedisResult<Option<PubSub>> {
    let subscribed = timeout(PATIENCE, async {
        let mut subscription = client.get_async_pubsub().await?;
        subscription.subscribe(channel).await?;
        RedisResult::Ok(subscription)
    });
    subscribed.await.ok().transpose()
}

/// Receives messages until the subscription ends or is silent for too long. A message that no node of this installation
/// signed is dropped.
async fn receive(
    mut subscription: PubSub,
    envelopes: &Envelopes,
    local: &InProcess,
    rejections: &mut Rejections,
) {
    let mut messages = subscription.on_message();
    while let Ok(Some(message)) = timeout(SILENCE, messages.next()).await {
        let Some(text) = envelopes.open(message.get_payload_bytes()) else {
            rejections.count();
            continue;
        };
        match serde_json::from_slice(text) {
            Ok(commit) => local.publish(Arc::new(commit)).await,
            Err(error) => tracing::warn!(%error, "what another node published is no commit"),
        }
    }
}

/// Whether Redis is away, so that the log tells of it once.
#[derive(Debug, Default)]
struct Outage(bool);

impl Outage {
    fn goes_on(&mut self, error: &RedisError) {
        if !std::mem::replace(&mut self.0, true) {
            let error = error as &dyn std::error::Error;
            tracing::warn!(
                error,
                "Redis is away; nodes hear of each other's changes by way of the outbox"
            );
        }
    }

    fn ends(&mut self) {
        if std::mem::take(&mut self.0) {
            tracing::info!("Redis is back");
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;
