//! Closes connections that have no running request for too long. The HTTP server limits the time for the head of the
//! first request only; this module covers silence after a response, and heads of later requests that never end.

use std::any::Any;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use actix_web::dev::Extensions;
use tokio::sync::Notify;
#[cfg(unix)]
use {socket2::SockRef, std::os::fd::AsFd};

use crate::client_slots::{ClientLimits, DescriptorGuard, Slot};

/// How often file descriptors are checked while connections are open.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// All open connections.
pub(crate) struct Connections {
    open: Mutex<Vec<Weak<Connection>>>,
    began: Instant,
    /// Longest time a connection may be idle.
    limit: Duration,
    clients: Arc<ClientLimits>,
    /// Notified when the first connection opens, and when the server ends.
    changed: Arc<Notify>,
}

/// One connection.
pub(crate) struct Connection {
    /// A second handle of the stream, used to close it. `None` once the connection streams, so that
    /// a viewer needs one open file only.
    stream: Mutex<Option<TcpStream>>,
    began: Instant,
    /// Milliseconds from `began` to the end of the last request; `ACTIVE` during a request.
    idle_since: AtomicU64,
    descriptors: DescriptorGuard,
    _slot: Slot,
}

/// A running request: its connection is not idle while this guard exists.
pub(crate) struct RequestGuard(Arc<Connection>);

impl Connections {
    /// Whether idle connections can be closed on this platform.
    pub(crate) const SUPPORTED: bool = cfg!(unix);

    const ACTIVE: u64 = u64::MAX;
    /// Longest idle time while descriptors are running out, in milliseconds.
    const CROWDED: u64 = 2000;
    /// Descriptors of a connection: the HTTP server's and the handle in `stream`.
    const DESCRIPTORS: usize = 2;

    /// Closes connections that are idle for longer than `limit`, and refuses connections over the limits of `clients`.
    pub(crate) fn new(limit: Duration, clients: Arc<ClientLimits>) -> Arc<Self> {
        Arc::new(Self {
            clients,
            open: Mutex::default(),
            began: Instant::now(),
            limit,
            changed: Arc::default(),
        })
    }

    /// Starts to track a new connection.
    pub(crate) fn watch(&self, connection: &dyn Any, data: &mut Extensions) {
        let Some(stream) = handle(connection) else {
            return;
        };
        let peer = stream.peer_addr().ok().map(|peer| peer.ip());
        let Some((slot, descriptors)) = self.clients.connection(peer, Self::DESCRIPTORS) else {
            // The peer may have closed the connection already.
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
        let mut open = self.lock();
        if open.is_empty() {
            self.changed.notify_one();
        }
        open.push(Arc::downgrade(&connection));
        drop(open);
        data.insert(connection);
    }

    /// Closes idle connections periodically until the server ends.
    pub(crate) async fn close_idle(connections: Weak<Self>) {
        let mut swept_at = Instant::now();
        while let Some(all) = connections.upgrade() {
            let (period, changed) = (all.limit / 4, Arc::clone(&all.changed));
            let is_at_rest = all.lock().is_empty();
            drop(all);
            if is_at_rest {
                changed.notified().await;
            }
            tokio::time::sleep(period.min(POLL_INTERVAL)).await;
            let Some(all) = connections.upgrade() else {
                return;
            };
            let is_crowded = all.clients.is_crowded();
            if is_crowded || swept_at.elapsed() >= period {
                all.sweep(is_crowded);
                swept_at = Instant::now();
            }
        }
    }

    fn sweep(&self, is_crowded: bool) {
        let now = milliseconds(self.began);
        let mut limit = u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX);
        if is_crowded {
            limit = limit.min(Self::CROWDED);
        }
        self.lock().retain(|connection| {
            let Some(connection) = connection.upgrade() else {
                return false;
            };
            let since = connection.idle_since.load(Ordering::Relaxed);
            if since != Self::ACTIVE && now.saturating_sub(since) > limit {
                // The peer may have closed the connection already.
                let _ = connection
                    .handle()
                    .as_ref()
                    .map(|stream| stream.shutdown(Shutdown::Both));
            }
            true
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.changed.notify_one();
    }
}

impl Connection {
    fn handle(&self) -> MutexGuard<'_, Option<TcpStream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestGuard {
    /// Marks the connection as active.
    pub(crate) fn on(connection: &Arc<Connection>) -> Self {
        connection
            .idle_since
            .store(Connections::ACTIVE, Ordering::Relaxed);
        Self(Arc::clone(connection))
    }

    /// Releases the handle, because the response is a stream and no further request follows: the
    /// connection needs no idle timeout.
    pub(crate) fn release_stream_handle(&self) {
        if self.0.handle().take().is_some() {
            self.0.descriptors.release();
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0
            .idle_since
            .store(milliseconds(self.0.began), Ordering::Relaxed);
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(Connections::ACTIVE - 1)
}

#[cfg(unix)]
fn handle(connection: &dyn Any) -> Option<TcpStream> {
    let stream = connection.downcast_ref::<actix_web::rt::net::TcpStream>()?;
    let own = stream.as_fd().try_clone_to_owned();
    if own.is_err() {
        // Out of file descriptors: close the connection, because its idleness could not be detected.
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
    use tokio::io::AsyncReadExt;

    /// A connection: the client's end, and the server's.
    async fn connection() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, accepted) = tokio::join!(
            TcpStream::connect(listener.local_addr().unwrap()),
            listener.accept()
        );
        (client.unwrap(), accepted.unwrap().0)
    }

    #[actix_web::test]
    async fn connection_has_an_idle_timeout_until_it_streams() {
        let (_client, accepted) = connection().await;
        let clients = Arc::new(unlimited());
        let connections = Connections::new(Duration::ZERO, clients);
        let mut data = Extensions::new();
        connections.watch(&accepted, &mut data);
        let connection = data.get::<Arc<Connection>>().unwrap();
        let guard = RequestGuard::on(connection);
        assert!(connection.handle().is_some());
        guard.release_stream_handle();
        assert!(connection.handle().is_none());
    }

    #[actix_web::test]
    async fn idle_connections_are_closed_again_after_a_time_without_any() {
        let limit = Duration::from_millis(20);
        let connections = Connections::new(limit, Arc::new(unlimited()));
        let closing = tokio::spawn(Connections::close_idle(Arc::downgrade(&connections)));
        for _ in 0..2 {
            while !connections.lock().is_empty() {
                tokio::task::yield_now().await;
            }
            let (mut client, accepted) = connection().await;
            let mut data = Extensions::new();
            connections.watch(&accepted, &mut data);
            assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
        }
        drop(connections);
        closing.await.unwrap();
    }
}
