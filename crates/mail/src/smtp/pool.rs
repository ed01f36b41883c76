//! A bounded pool of connections to the mail server.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use lettre::address::Envelope;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::SmtpLimits;
use super::connection::Connection;
use super::failure::{Failure, Stage};
use super::server::Server;

/// Timeout of QUIT and RSET.
pub(super) const QUIT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval of the log's errors about an unusable server.
const ERROR_LOG_INTERVAL: Duration = Duration::from_mins(1);

/// The connections to one server. A connection whose message was abandoned is closed, because its
/// state is unknown.
pub(super) struct Pool {
    server: Server,
    limits: SmtpLimits,
    permits: Semaphore,
    idle: Mutex<Vec<Idle>>,
    logged_at: Mutex<Option<Instant>>,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    /// An empty pool, which closes unused connections after a while.
    pub(super) fn start(server: Server, limits: SmtpLimits) -> Arc<Self> {
        let permits = Semaphore::new(limits.connections);
        let (idle, logged_at) = (Mutex::default(), Mutex::default());
        let pool = Arc::new(Self {
            server,
            limits,
            permits,
            idle,
            logged_at,
        });
        tokio::spawn(sweep(Arc::downgrade(&pool), limits.idle));
        pool
    }

    /// Sends a message on a kept connection or on a new one.
    pub(super) async fn send(&self, envelope: &Envelope, message: &[u8]) -> Result<(), Failure> {
        let sent = self.exchange(envelope, message).await;
        if let Err(failure) = &sent
            && (failure.is_of_sender() || failure.stage == Stage::Connect)
        {
            self.log_error(failure);
        }
        sent
    }

    async fn exchange(&self, envelope: &Envelope, message: &[u8]) -> Result<(), Failure> {
        let beginning = timeout(self.limits.begin, async {
            // The semaphore is never closed.
            let permit = self.permits.acquire().await;
            Ok::<_, Failure>((permit, self.announce(envelope).await?))
        });
        let begun = beginning.await;
        let (_permit, connection) = begun.unwrap_or_else(|_| Err(Failure::late(Stage::Connect)))?;
        self.transmit(connection, message).await
    }

    /// Announces a message on a kept connection or on a new one.
    async fn announce(&self, envelope: &Envelope) -> Result<Connection, Failure> {
        if let Some(connection) = self.take() {
            match self.announce_by(connection, envelope).await {
                // The server closed the unused connection. The message has not been sent.
                Err(failure) if failure.is_stale() => {}
                done => return done,
            }
        }
        let opening = timeout(self.limits.connect, Connection::open(&self.server)).await;
        let connection = opening.unwrap_or_else(|_| Err(Failure::late(Stage::Connect)))?;
        self.announce_by(connection, envelope).await
    }

    async fn announce_by(
        &self,
        mut connection: Connection,
        envelope: &Envelope,
    ) -> Result<Connection, Failure> {
        let announcing = timeout(self.limits.exchange, connection.announce(envelope)).await;
        match announcing.unwrap_or_else(|_| Err(Failure::late(Stage::Data))) {
            Ok(()) => Ok(connection),
            Err(failure) => {
                self.keep_after(connection, &failure).await;
                Err(failure)
            }
        }
    }

    async fn transmit(&self, mut connection: Connection, message: &[u8]) -> Result<(), Failure> {
        let sending = timeout(self.limits.confirm, connection.transmit(message)).await;
        let sent = sending.unwrap_or_else(|_| Err(Failure::late(Stage::Message)));
        match &sent {
            Ok(()) => self.keep(connection),
            Err(failure) => self.keep_after(connection, failure).await,
        }
        sent
    }

    /// Keeps the connection of a failed message if it can be used for the next one.
    async fn keep_after(&self, mut connection: Connection, failure: &Failure) {
        let usable = failure.leaves_connection()
            && timeout(QUIT_TIMEOUT, connection.reset())
                .await
                .unwrap_or_default();
        if usable {
            self.keep(connection);
        }
    }

    /// The connection that was used last, so that surplus connections expire.
    fn take(&self) -> Option<Connection> {
        let mut idle = self.idle.lock();
        let last = idle.pop()?;
        if last.since.elapsed() < self.limits.idle {
            Some(last.connection)
        } else {
            None
        }
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock();
        idle.push(Idle {
            connection,
            since: Instant::now(),
        });
    }

    /// Removes the connections that were unused for too long.
    fn expired(&self) -> Vec<Idle> {
        let mut idle = self.idle.lock();
        idle.extract_if(.., |one| one.since.elapsed() >= self.limits.idle)
            .collect()
    }

    /// Logs an error, but not for every mail.
    fn log_error(&self, failure: &Failure) {
        let mut logged_at = self.logged_at.lock();
        if logged_at.is_none_or(|last| last.elapsed() >= ERROR_LOG_INTERVAL) {
            *logged_at = Some(Instant::now());
            let (server, reason) = (self.server.to_string(), &failure.reason);
            tracing::error!(
                server,
                reason,
                "the mail server cannot be used; messages to subscribers wait and are retried, mails about accounts are lost after three attempts"
            );
        }
    }
}

/// Closes unused connections as long as the pool exists.
async fn sweep(pool: Weak<Pool>, idle: Duration) {
    loop {
        tokio::time::sleep(idle).await;
        let Some(pool) = pool.upgrade() else { return };
        for Idle { connection, .. } in pool.expired() {
            drop(timeout(QUIT_TIMEOUT, connection.quit()).await);
        }
    }
}
