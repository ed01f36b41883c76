//! Connections kept for the next message, and no more of them than the server is to bear.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use lettre::address::Envelope;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Limits;
use super::connection::Connection;
use super::failure::{Failure, Stage};
use super::server::Server;

/// How long a server has to hear our farewell, or to forget a message.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often the log hears that the server cannot be used.
const COMPLAINTS: Duration = Duration::from_mins(1);

/// The connections to one server. One whose message is given up, for whatever reason, is closed and not used again: nobody
/// knows how far it had got.
pub(super) struct Pool {
    server: Server,
    limits: Limits,
    places: Semaphore,
    idle: Mutex<Vec<Idle>>,
    complained: Mutex<Option<Instant>>,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    /// A pool without connections, which takes leave of those nobody uses.
    pub(super) fn start(server: Server, limits: Limits) -> Arc<Self> {
        let places = Semaphore::new(limits.connections);
        let (idle, complained) = (Mutex::default(), Mutex::default());
        let pool = Arc::new(Self {
            server,
            limits,
            places,
            idle,
            complained,
        });
        tokio::spawn(sweep(Arc::downgrade(&pool), limits.idle));
        pool
    }

    /// Hands a message over, on a connection that is there or on a new one.
    pub(super) async fn send(&self, envelope: &Envelope, message: &[u8]) -> Result<(), Failure> {
        // Nobody closes the semaphore; without it there would only be no limit.
        let _place = self.places.acquire().await;
        let sent = self.exchange(envelope, message).await;
        if let Err(failure) = &sent
            && (failure.is_ours() || failure.stage == Stage::Connect)
        {
            self.complain(failure);
        }
        sent
    }

    async fn exchange(&self, envelope: &Envelope, message: &[u8]) -> Result<(), Failure> {
        if let Some(connection) = self.take() {
            match self.hand_over(connection, envelope, message).await {
                // The server closed it while nobody used it. Nothing of this message has been said.
                Err(failure) if failure.is_stale() => {}
                done => return done,
            }
        }
        let opening = timeout(self.limits.connect, Connection::open(&self.server)).await;
        let connection = opening.unwrap_or_else(|_| Err(Failure::late(Stage::Connect)))?;
        self.hand_over(connection, envelope, message).await
    }

    async fn hand_over(
        &self,
        mut connection: Connection,
        envelope: &Envelope,
        message: &[u8],
    ) -> Result<(), Failure> {
        let handing = timeout(
            self.limits.exchange,
            connection.hand_over(envelope, message),
        )
        .await;
        let handed = handing.unwrap_or_else(|_| Err(Failure::late(Stage::Message)));
        let usable = match &handed {
            Ok(()) => true,
            Err(failure) if failure.leaves_connection() => timeout(FAREWELL, connection.reset())
                .await
                .unwrap_or_default(),
            Err(_) => false,
        };
        if usable {
            self.keep(connection);
        }
        handed
    }

    /// The connection used last: those in excess grow old.
    fn take(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let last = idle.pop()?;
        if last.since.elapsed() < self.limits.idle {
            Some(last.connection)
        } else {
            None
        }
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(Idle {
            connection,
            since: Instant::now(),
        });
    }

    /// Takes out what nobody has used for long.
    fn expired(&self) -> Vec<Idle> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extract_if(.., |one| one.since.elapsed() >= self.limits.idle)
            .collect()
    }

    /// Tells the operator, but not once for every mail.
    fn complain(&self, failure: &Failure) {
        let mut complained = self
            .complained
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if complained.is_none_or(|last| last.elapsed() >= COMPLAINTS) {
            *complained = Some(Instant::now());
            let (server, reason) = (self.server.to_string(), &failure.reason);
            tracing::error!(
                server,
                reason,
                "the mail server cannot be used: mails wait until it can"
            );
        }
    }
}

/// Closes connections that nobody uses, as long as there is a pool.
async fn sweep(pool: Weak<Pool>, idle: Duration) {
    loop {
        tokio::time::sleep(idle).await;
        let Some(pool) = pool.upgrade() else { return };
        for Idle { connection, .. } in pool.expired() {
            // A server that does not answer hears none.
            drop(timeout(FAREWELL, connection.quit()).await);
        }
    }
}
