//! Closes connections that have no running request, take nothing of a response, or send nothing of
//! a body that a handler waits for, for too long. The HTTP server limits the time for the head of
//! the first request only; this module covers silence after a response, heads of later requests
//! that never end, and responses that their clients do not read. Bodies have a time limit of their
//! own, which is long for what a client may do while descriptors are running out.

use std::cell::RefCell;
use std::io;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::rt::net::TcpStream;
use tokio::sync::Notify;

use super::body_file::BodyFiles;
use super::unsent_bodies::UnsentBodies;
use super::{ClientStream, Connection};
use crate::limit::client_limits::ClientLimits;

/// How often file descriptors are checked while connections are open.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Longest idle time while descriptors are running out.
const MAX_IDLE_UNDER_PRESSURE: Duration = Duration::from_secs(2);

/// The open connections of one worker.
pub(crate) struct Connections {
    open: RefCell<Vec<Weak<Connection>>>,
    /// Longest time a connection may be idle.
    limit: Duration,
    clients: Arc<ClientLimits>,
    files: Rc<BodyFiles>,
    unsent: Rc<UnsentBodies>,
    /// Notified when the first connection opens, and when the worker ends.
    changed: Rc<Notify>,
}

impl Connections {
    /// Closes connections that are idle for longer than `limit`, and refuses connections over the
    /// limits of `clients`.
    pub(crate) fn new(limit: Duration, clients: Arc<ClientLimits>) -> Rc<Self> {
        Rc::new(Self {
            open: RefCell::default(),
            limit,
            files: Rc::new(BodyFiles::new(Arc::clone(&clients))),
            unsent: Rc::default(),
            clients,
            changed: Rc::default(),
        })
    }

    /// Starts to track a new connection.
    ///
    /// # Errors
    /// If the client has too many, or the process too many open files.
    pub(crate) fn accept(&self, tcp: TcpStream) -> io::Result<ClientStream> {
        let peer = tcp.peer_addr().ok().map(|peer| peer.ip());
        let (slot, descriptor) = self
            .clients
            .connection(peer)
            .ok_or(io::ErrorKind::QuotaExceeded)?;
        let (files, unsent) = (Rc::clone(&self.files), Rc::clone(&self.unsent));
        let connection = Connection::new(slot, descriptor, files, unsent);
        let mut open = self.open.borrow_mut();
        if open.is_empty() {
            self.changed.notify_one();
        }
        // A reference to a closed connection keeps its memory.
        if open.len() == open.capacity() {
            open.retain(|connection| connection.strong_count() > 0);
            // So that the next sweep is as many connections away.
            let len = open.len();
            open.reserve(len.max(1));
        }
        open.push(Rc::downgrade(&connection));
        Ok(ClientStream::new(tcp, connection))
    }

    /// Closes idle connections periodically until the worker ends.
    pub(crate) async fn close_idle(connections: Weak<Self>) {
        let mut swept_at = Instant::now();
        while let Some(all) = connections.upgrade() {
            let (period, changed) = (all.limit / 4, Rc::clone(&all.changed));
            let is_at_rest = all.open.borrow().is_empty();
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
        let limit = if is_crowded {
            self.limit.min(MAX_IDLE_UNDER_PRESSURE)
        } else {
            self.limit
        };
        self.open.borrow_mut().retain(|connection| {
            let Some(connection) = connection.upgrade() else {
                return false;
            };
            let waits = connection.waiting_since();
            if waits.is_some_and(|since| since.elapsed() > limit) {
                connection.close();
            }
            true
        });
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    use crate::limit::client_limits::tests::unlimited;
    use crate::server::connection::RequestGuard;
    use crate::server::connection::tests::pair;

    #[actix_web::test]
    async fn idle_connections_are_closed_again_after_a_time_without_any() {
        let limit = Duration::from_millis(20);
        let connections = Connections::new(limit, Arc::new(unlimited()));
        let closing =
            tokio::task::spawn_local(Connections::close_idle(Rc::downgrade(&connections)));
        for _ in 0..2 {
            while !connections.open.borrow().is_empty() {
                tokio::task::yield_now().await;
            }
            let (mut client, accepted) = pair().await;
            let mut stream = connections.accept(accepted).unwrap();
            assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
            drop(stream);
            assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
        }
        drop(connections);
        closing.await.unwrap();
    }

    #[actix_web::test]
    async fn running_request_ends_only_while_it_waits_for_its_body() {
        let limit = Duration::from_millis(20);
        let connections = Connections::new(limit, Arc::new(unlimited()));
        let (_client, accepted) = pair().await;
        let mut stream = connections.accept(accepted).unwrap();
        let connection = Rc::clone(stream.connection());
        let _running = RequestGuard::on(&connection);
        connection.set_body_awaited(Some(Instant::now()));
        connection.set_body_awaited(None);
        tokio::time::sleep(2 * limit).await;
        connections.sweep(false);
        assert!(!connection.is_closing.get());
        connection.set_body_awaited(Some(Instant::now()));
        tokio::time::sleep(2 * limit).await;
        connections.sweep(false);
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    }
}
