//! The broadcast port for several nodes, by Redis publish/subscribe.
//!
//! Redis is a shortcut, not a store. Commits published while a node is not subscribed are lost, and
//! its relay reads them from the outbox. So nothing waits for Redis, and a node starts and works
//! without it.

mod envelope;
mod message;
mod publisher;
mod subscriber;

use std::sync::Arc;
use std::time::Duration;

use allclear_application::broadcast::Broadcast;
use allclear_application::outbox::Commit;
use allclear_application::secret::HmacKey;
use async_trait::async_trait;
use redis::{Client, ConnectionAddr, IntoConnectionInfo, RedisError, RedisResult, TlsCertificates};
use tokio::sync::{Mutex, mpsc};
use uuid::Uuid;

use self::envelope::Envelopes;
use crate::InProcess;

/// Most commits that wait to be published. While Redis is unavailable, later ones are left to
/// the outbox.
const QUEUE_LENGTH: usize = 4096;
/// Time after which Redis counts as unavailable.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Time without a message after which a connection is tested: Redis or the network may have closed
/// it, and may not say so.
const MAX_SILENCE: Duration = Duration::from_secs(30);
/// Time between two attempts to connect.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Connection to a Redis, and what the nodes of an installation share.
#[derive(Debug)]
pub struct RedisOptions<'a> {
    /// URL: `redis://…`, or `rediss://…` for TLS. It may contain a password.
    pub url: &'a str,
    /// Certificate authorities in PEM that may sign the server's certificate; `None` for those of
    /// the operating system.
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
///
/// [`Redis::run_publisher`] and [`Redis::run_subscriber`] must run beside it.
#[derive(Debug)]
pub struct Redis {
    client: Client,
    channel: String,
    envelopes: Envelopes,
    /// This node, whose subscribers already have its commits.
    node: Uuid,
    local: InProcess,
    outgoing: mpsc::Sender<Arc<Commit>>,
    waiting: Mutex<mpsc::Receiver<Arc<Commit>>>,
}

impl Redis {
    /// A broadcast over a Redis, to which nothing is connected yet.
    ///
    /// # Errors
    /// If the URL is malformed, or certificates are given and the URL is not `rediss://…`.
    pub fn new(options: RedisOptions<'_>) -> Result<Self, RedisError> {
        let (outgoing, waiting) = mpsc::channel(QUEUE_LENGTH);
        Ok(Self {
            client: client(options.url, options.authorities)?,
            channel: format!("allclear:{}:commits", options.installation),
            envelopes: Envelopes::new(options.key),
            node: Uuid::new_v4(),
            local: InProcess::default(),
            outgoing,
            waiting: Mutex::new(waiting),
        })
    }
}

#[async_trait]
impl Broadcast for Redis {
    async fn publish(&self, commit: Arc<Commit>) {
        if self.outgoing.try_send(Arc::clone(&commit)).is_err() {
            tracing::debug!(
                revision = commit.revision.0,
                "commit not published; other nodes read it from the outbox"
            );
        }
        self.local.publish(commit).await;
    }

    async fn subscribe(&self) -> mpsc::Receiver<Arc<Commit>> {
        self.local.subscribe().await
    }
}

/// Whether Redis is unavailable, so that the log says so once.
#[derive(Debug, Default)]
struct Outage(Option<Cause>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Redis cannot be reached.
    Connection,
    /// Redis refuses the command, for example because the user may not publish.
    Refusal,
}

impl Outage {
    fn begin(&mut self, error: &RedisError) {
        let is_refused = !error.is_io_error() && !error.is_timeout();
        let cause = if is_refused {
            Cause::Refusal
        } else {
            Cause::Connection
        };
        if self.0.replace(cause).is_none() {
            let error = error as &dyn std::error::Error;
            tracing::warn!(
                error,
                "Redis is unavailable; nodes read each other's commits from the outbox"
            );
        }
    }

    /// Redis responds to a PING, which it also does while it refuses to publish.
    fn is_connected(&mut self) {
        if self.0 == Some(Cause::Connection) {
            self.end();
        }
    }

    fn end(&mut self) {
        if self.0.take().is_some() {
            tracing::info!("Redis is available again");
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;
