//! Connections on which no request is under way. The HTTP server sees to it that the head of the first request comes in time;
//! those that stay silent after it, or begin another one and do not go on, are ended here.

use std::any::Any;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::client_slots::{ClientLimits, HeldDescriptors, Slot};
use actix_web::dev::Extensions;
#[cfg(unix)]
use socket2::SockRef;
#[cfg(unix)]
use std::os::fd::AsFd;

/// How often it is looked whether descriptors run out.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Every connection, watched.
pub(crate) struct Connections {
    open: Mutex<Vec<Weak<Connection>>>,
    began: Instant,
    /// How long one may be without a request.
    limit: Duration,
    clients: Arc<ClientLimits>,
}

/// One connection.
pub(crate) struct Connection {
    /// A handle of its own, by which it is ended; none any more where it streams. An open file a viewer is enough.
    stream: Mutex<Option<TcpStream>>,
    began: Instant,
    /// When its last request was answered, in milliseconds since the beginning.
    idle_since: AtomicU64,
    descriptors: HeldDescriptors,
    _slot: Slot,
}

/// A request under way: its connection is not idle while this is there.
pub(crate) struct Busy(Arc<Connection>);

impl Connections {
    /// Whether connections can be watched here.
    pub(crate) const WATCHED: bool = cfg!(unix);

    const BUSY: u64 = u64::MAX;
    /// How long one may be without a request while descriptors run out, in milliseconds.
    const CROWDED: u64 = 2000;
    /// Descriptors of a connection: the HTTP server's, and the handle by which it is ended.
    const DESCRIPTORS: usize = 2;

    /// Ends each that is without a request for this long, and takes no more than clients may have.
    pub(crate) fn new(limit: Duration, clients: Arc<ClientLimits>) -> Arc<Self> {
        Arc::new(Self {
            clients,
            open: Mutex::default(),
            began: Instant::now(),
            limit,
        })
    }

    /// Watches a new connection.
    pub(crate) fn watch(&self, connection: &dyn Any, data: &mut Extensions) {
        let Some(stream) = handle(connection) else {
            return;
        };
        let peer = stream.peer_addr().ok().map(|peer| peer.ip());
        let Some((slot, descriptors)) = self.clients.connection(peer, Self::DESCRIPTORS) else {
            // The peer may have gone already.
            let _ = stream.shutdown(Shutdown::Both);
            return;
        };
        let idle_since = AtomicU64::new(milliseconds(self.began));
        let connection = Arc::new(Connection {
            stream: Mutex::new(Some(stream)),
            began: self.began,
            idle_since,
            descriptors,
            _slot: slot,
        });
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::downgrade(&connection));
        data.insert(connection);
    }

    /// Looks at them again and again, for as long as the server is there.
    pub(crate) async fn guard(connections: Weak<Self>) {
        let mut swept = Instant::now();
        while let Some(period) = connections.upgrade().map(|all| all.limit / 4) {
            tokio::time::sleep(period.min(POLL_INTERVAL)).await;
            let Some(all) = connections.upgrade() else {
                return;
            };
            let is_crowded = all.clients.is_crowded();
            if is_crowded || swept.elapsed() >= period {
                all.sweep(is_crowded);
                swept = Instant::now();
            }
        }
    }

    fn sweep(&self, is_crowded: bool) {
        let now = milliseconds(self.began);
        let mut limit = u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX);
        if is_crowded {
            limit = limit.min(Self::CROWDED);
        }
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|connection| {
                let Some(connection) = connection.upgrade() else {
                    return false;
                };
                let since = connection.idle_since.load(Ordering::Relaxed);
                if since != Self::BUSY && now.saturating_sub(since) > limit {
                    // Whoever has gone meanwhile needs no ending.
                    let _ = connection
                        .handle()
                        .as_ref()
                        .map(|stream| stream.shutdown(Shutdown::Both));
                }
                true
            });
    }
}

impl Connection {
    fn handle(&self) -> MutexGuard<'_, Option<TcpStream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Busy {
    /// A request has come on this connection.
    pub(crate) fn on(connection: &Arc<Connection>) -> Self {
        connection
            .idle_since
            .store(Connections::BUSY, Ordering::Relaxed);
        Self(Arc::clone(connection))
    }

    /// The request is answered by a stream, after which nothing is asked on this connection: it needs no watching.
    pub(crate) fn streams(&self) {
        if self.0.handle().take().is_some() {
            self.0.descriptors.release();
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0
            .idle_since
            .store(milliseconds(self.0.began), Ordering::Relaxed);
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(Connections::BUSY - 1)
}

#[cfg(unix)]
fn handle(connection: &dyn Any) -> Option<TcpStream> {
    let stream = connection.downcast_ref::<actix_web::rt::net::TcpStream>()?;
    let own = stream.as_fd().try_clone_to_owned();
    if own.is_err() {
        // There are too many open files. Of a connection without a handle nobody would see that it is idle.
        let _ = SockRef::from(stream).shutdown(Shutdown::Both);
    }
    own.ok().map(TcpStream::from)
}

#[cfg(not(unix))]
fn handle(_: &dyn Any) -> Option<TcpStream> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_slots::tests::unlimited;
    use actix_web::rt::net::{TcpListener, TcpStream};

    #[actix_web::test]
    async fn a_connection_is_watched_until_it_streams() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, accepted) = tokio::join!(
            TcpStream::connect(listener.local_addr().unwrap()),
            listener.accept()
        );
        let (_client, accepted) = (client.unwrap(), accepted.unwrap().0);
        let clients = Arc::new(unlimited());
        let connections = Connections::new(Duration::ZERO, clients);
        let mut data = Extensions::new();
        connections.watch(&accepted, &mut data);
        let connection = data.get::<Arc<Connection>>().unwrap();
        let busy = Busy::on(connection);
        assert!(connection.handle().is_some());
        busy.streams();
        assert!(connection.handle().is_none());
    }
}
