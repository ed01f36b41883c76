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
    /// Begins to talk to a Redis, `redis://…`, from the current runtime. It need not be there yet. `installation` names what
    /// the nodes share: of several installations on one Redis, each hears its own.
    ///
    /// # Errors
    /// When the address is not one.
    pub fn start(url: &str, installation: &str) -> Result<Self, RedisError> {
        let client = Client::open(url)?;
        let channel: Arc<str> = format!("allclear:{installation}:commits").into();
        let local = Arc::new(InProcess::default());
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(publish(client.clone(), Arc::clone(&channel), waiting));
        tasks.spawn(listen(client, channel, Arc::clone(&local)));
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
async fn publish(client: Client, channel: Arc<str>, mut waiting: mpsc::Receiver<Arc<Commit>>) {
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
                sleep(PAUSE).await;
                continue;
            }
        };
        let mut batch = Vec::with_capacity(BATCH);
        while waiting.recv_many(&mut batch, BATCH).await > 0 {
            let mut pipe = redis::pipe();
            for commit in batch.drain(..) {
                match serde_json::to_vec(&*commit) {
                    Ok(text) => _ = pipe.publish(&*channel, text).ignore(),
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
async fn listen(client: Client, channel: Arc<str>, local: Arc<InProcess>) {
    let mut outage = Outage::default();
    loop {
        if let Err(error) = subscription(&client, &channel, &local, &mut outage).await {
            outage.goes_on(&error);
        }
        sleep(PAUSE).await;
    }
}

/// One subscription, to its end.
async fn subscription(
    client: &Client,
    channel: &str,
    local: &InProcess,
    outage: &mut Outage,
) -> RedisResult<()> {
    let subscribed = timeout(PATIENCE, async {
        let mut subscription = client.get_async_pubsub().await?;
        subscription.subscribe(channel).await?;
        RedisResult::Ok(subscription)
    });
    let Ok(subscribed) = subscribed.await else {
        return Ok(());
    };
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
mod tests {
    use super::*;

    fn commit(revision: i64) -> Arc<Commit> {
        Arc::new(Commit {
            organisation: "org".into(),
            revision,
            events: Vec::new(),
        })
    }

    #[tokio::test]
    async fn without_redis_a_node_still_hears_of_its_own_commits_and_nobody_waits() {
        let broadcast = Redis::start("redis://127.0.0.1:1", "one").unwrap();
        let mut own = broadcast.subscribe().await;
        for revision in 1..=i64::try_from(2 * WAITING).unwrap() {
            broadcast.publish(commit(revision)).await;
            assert_eq!(own.recv().await.unwrap().revision, revision);
        }
    }

    #[tokio::test]
    async fn what_is_no_address_is_refused() {
        assert!(Redis::start("http://127.0.0.1", "one").is_err());
    }

    /// Where the test run has started a Redis.
    fn redis() -> Option<String> {
        let url = std::env::var("ALLCLEAR_TEST_REDIS_URL").ok();
        if url.is_none() {
            assert!(
                std::env::var_os("CI").is_none(),
                "ALLCLEAR_TEST_REDIS_URL is not set"
            );
            eprintln!("left out: ALLCLEAR_TEST_REDIS_URL is not set");
        }
        url
    }

    /// Publishes, counting on from a revision, until somebody hears: the last published, and the first heard.
    async fn until_heard(
        from: &Redis,
        hearing: &mut mpsc::UnboundedReceiver<Arc<Commit>>,
        mut last: i64,
    ) -> (i64, i64) {
        loop {
            last += 1;
            from.publish(commit(last)).await;
            if let Ok(heard) = timeout(Duration::from_millis(20), hearing.recv()).await {
                return (last, heard.unwrap().revision);
            }
        }
    }

    #[tokio::test]
    async fn other_nodes_hear_of_commits_in_order() {
        let Some(url) = redis() else { return };
        let (here, there) = (
            Redis::start(&url, "order").unwrap(),
            Redis::start(&url, "order").unwrap(),
        );
        let mut hearing = there.subscribe().await;
        let (last, heard) = until_heard(&here, &mut hearing, 0).await;
        for revision in last + 1..=last + 300 {
            here.publish(commit(revision)).await;
        }
        for revision in heard + 1..=last + 300 {
            assert_eq!(hearing.recv().await.unwrap().revision, revision);
        }
    }

    #[tokio::test]
    async fn installations_on_one_redis_do_not_hear_each_other() {
        let Some(url) = redis() else { return };
        let [one, two] = ["one", "two"].map(|installation| {
            [
                Redis::start(&url, installation).unwrap(),
                Redis::start(&url, installation).unwrap(),
            ]
        });
        let (mut hearing_one, mut hearing_two) =
            (one[1].subscribe().await, two[1].subscribe().await);
        // Both listen; whatever of the one could reach the other has been sent before the last of each is heard.
        let (last, _) = until_heard(&one[0], &mut hearing_one, 0).await;
        let (_, first) = until_heard(&two[0], &mut hearing_two, 1000).await;
        assert!(first > 1000, "{first} is not its own");
        one[0].publish(commit(last + 1)).await;
        while hearing_one.recv().await.unwrap().revision != last + 1 {}
        let (last, heard) = until_heard(&two[0], &mut hearing_two, 2000).await;
        assert!(heard > 1000 && last > 2000);
        while let Ok(commit) = hearing_two.try_recv() {
            assert!(commit.revision > 1000, "{} is not its own", commit.revision);
        }
    }
}
