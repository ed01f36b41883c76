//! Commits for every node, by Redis publish/subscribe.
//!
//! Redis is a shortcut, not a store: what is published while a node is not listening is lost, and the relay reads it from the
//! outbox. So nothing here waits for Redis, and a node starts and serves without it.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::broadcast::Broadcast;
use allclear_application::outbox::Commit;
use async_trait::async_trait;
use futures_util::StreamExt;
use redis::{AsyncConnectionConfig, Client, RedisError, RedisResult};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::InProcess;

/// Where nodes of one installation hear of each other.
const CHANNEL: &str = "allclear:commits";
/// Commits that wait to be published; while Redis is away the later ones are left to the outbox.
const WAITING: usize = 4096;
/// Commits published in one round trip.
const BATCH: usize = 64;
/// How long Redis may take to answer before it counts as away.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time between two attempts to reach it.
const PAUSE: Duration = Duration::from_millis(250);
/// A subscription that has been silent for so long is made anew: its connection may be dead without having said so.
const SILENCE: Duration = Duration::from_secs(30);

/// Sends commits to every node by way of Redis, and to this node's own subscribers directly.
#[derive(Debug)]
pub struct Redis {
    local: Arc<InProcess>,
    outgoing: mpsc::Sender<Arc<Commit>>,
    /// They end with this.
    _tasks: JoinSet<()>,
}

impl Redis {
    /// Begins to talk to a Redis, `redis://…`, from the current runtime. It need not be there yet.
    ///
    /// # Errors
    /// When the address is not one.
    pub fn start(url: &str) -> Result<Self, RedisError> {
        let client = Client::open(url)?;
        let local = Arc::new(InProcess::default());
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(publish(client.clone(), waiting));
        tasks.spawn(listen(client, Arc::clone(&local)));
        Ok(Self { local, outgoing, _tasks: tasks })
    }
}

#[async_trait]
impl Broadcast for Redis {
    async fn publish(&self, commit: Arc<Commit>) {
        if self.outgoing.try_send(Arc::clone(&commit)).is_err() {
            tracing::debug!(revision = commit.revision, "not published: other nodes read it from the outbox");
        }
        self.local.publish(commit).await;
    }

    async fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Commit>> {
        self.local.subscribe().await
    }
}

/// Publishes in order what waits. A batch that fails is not sent again: the outbox has it.
async fn publish(client: Client, mut waiting: mpsc::Receiver<Arc<Commit>>) {
    let config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(PATIENCE)).set_response_timeout(Some(PATIENCE));
    let mut outage = Outage::default();
    loop {
        let mut connection = match client.get_multiplexed_async_connection_with_config(&config).await {
            Ok(connection) => connection,
            Err(error) => {
                outage.goes_on(&error);
                sleep(PAUSE).await;
                continue;
            }
        };
        let mut batch = Vec::with_capacity(BATCH);
        while waiting.recv_many(&mut batch, BATCH).await > 0 {
            let mut pipe = redis::pipe();
            for commit in batch.drain(..) {
                match serde_json::to_vec(&*commit) {
                    Ok(text) => _ = pipe.publish(CHANNEL, text).ignore(),
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
async fn listen(client: Client, local: Arc<InProcess>) {
    let mut outage = Outage::default();
    loop {
        if let Err(error) = subscription(&client, &local, &mut outage).await {
            outage.goes_on(&error);
        }
        sleep(PAUSE).await;
    }
}

/// One subscription, to its end.
async fn subscription(client: &Client, local: &InProcess, outage: &mut Outage) -> RedisResult<()> {
    let subscribed = timeout(PATIENCE, async {
        let mut subscription = client.get_async_pubsub().await?;
        subscription.subscribe(CHANNEL).await?;
        RedisResult::Ok(subscription)
    });
    let Ok(subscribed) = subscribed.await else { return Ok(()) };
    let mut subscription = subscribed?;
    outage.ends();
    let mut messages = subscription.on_message();
    while let Ok(Some(message)) = timeout(SILENCE, messages.next()).await {
        match serde_json::from_slice(message.get_payload_bytes()) {
            Ok(commit) => local.publish(Arc::new(commit)).await,
            Err(error) => tracing::warn!(%error, "what another node published is no commit"),
        }
    }
    Ok(())
}

/// Whether Redis is away, so that the log tells of it once.
#[derive(Debug, Default)]
struct Outage(bool);

impl Outage {
    fn goes_on(&mut self, error: &RedisError) {
        if !std::mem::replace(&mut self.0, true) {
            let error = error as &dyn std::error::Error;
            tracing::warn!(error, "Redis is away; nodes hear of each other's changes by way of the outbox");
        }
    }

    fn ends(&mut self) {
        if std::mem::take(&mut self.0) {
            tracing::info!("Redis is back");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(revision: i64) -> Arc<Commit> {
        Arc::new(Commit { organisation: "org".into(), revision, events: Vec::new() })
    }

    #[tokio::test]
    async fn without_redis_a_node_still_hears_of_its_own_commits_and_nobody_waits() {
        let broadcast = Redis::start("redis://127.0.0.1:1").unwrap();
        let mut own = broadcast.subscribe().await;
        for revision in 1..=i64::try_from(2 * WAITING).unwrap() {
            broadcast.publish(commit(revision)).await;
            assert_eq!(own.recv().await.unwrap().revision, revision);
        }
    }

    #[tokio::test]
    async fn what_is_no_address_is_refused() {
        assert!(Redis::start("http://127.0.0.1").is_err());
    }

    /// Runs where the test run has started a Redis.
    #[tokio::test]
    async fn other_nodes_hear_of_commits_in_order() {
        let Ok(url) = std::env::var("ALLCLEAR_TEST_REDIS_URL") else {
            assert!(std::env::var_os("CI").is_none(), "ALLCLEAR_TEST_REDIS_URL is not set");
            eprintln!("left out: ALLCLEAR_TEST_REDIS_URL is not set");
            return;
        };
        let (here, there) = (Redis::start(&url).unwrap(), Redis::start(&url).unwrap());
        let mut hearing = there.subscribe().await;
        // Publishing begins to arrive once the other node listens.
        let mut last = 0;
        let heard = loop {
            last += 1;
            here.publish(commit(last)).await;
            if let Ok(heard) = timeout(Duration::from_millis(20), hearing.recv()).await {
                break heard.unwrap().revision;
            }
        };
        for revision in last + 1..=last + 300 {
            here.publish(commit(revision)).await;
        }
        for revision in heard + 1..=last + 300 {
            assert_eq!(hearing.recv().await.unwrap().revision, revision);
        }
    }
}
