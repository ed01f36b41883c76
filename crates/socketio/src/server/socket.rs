//! Sockets: clients in a namespace.

use std::fmt;
use std::future::poll_fn;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::ack::{AckError, Pending};
use super::broadcast::Broadcast;
use super::namespace::NamespaceState;
use crate::engine::{CloseReason, Encoded, Handshake, Session};
use crate::protocol::{Args, Event, encode_all, encode_disconnect};
use crate::sid::Sid;

/// A client in a namespace: what its handles share.
pub(super) struct Core {
    pub(super) sid: Sid,
    pub(super) namespace: Arc<NamespaceState>,
    pub(super) session: Arc<Session>,
    pub(super) pending: Pending,
    /// Rooms of the socket; written by the namespace only, under its lock.
    pub(super) rooms: Mutex<Vec<Arc<str>>>,
    connected: AtomicBool,
}

impl Core {
    pub(super) fn new(
        sid: Sid,
        namespace: Arc<NamespaceState>,
        session: Arc<Session>,
    ) -> Arc<Self> {
        let connected = AtomicBool::new(true);
        Arc::new(Self {
            sid,
            namespace,
            session,
            pending: Pending::default(),
            rooms: Mutex::default(),
            connected,
        })
    }

    pub(super) fn namespace_name(&self) -> &str {
        &self.namespace.name
    }

    pub(super) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    pub(super) fn send(&self, packet: Encoded) {
        if self.is_connected() {
            self.session.send(packet);
        }
    }

    /// Leaves the namespace; true on the first call.
    pub(super) fn leave(&self) -> bool {
        let first = self.connected.swap(false, Ordering::AcqRel);
        if first {
            self.namespace.remove(self);
            self.pending.clear();
        }
        first
    }

    /// Removes the socket from the namespace.
    fn disconnect(&self) {
        if self.is_connected() {
            self.send(encode_disconnect(&self.namespace.name));
            if self.leave() {
                self.session.notify();
            }
        }
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket")
            .field("sid", &self.sid)
            .field("namespace", &self.namespace.name)
            .finish_non_exhaustive()
    }
}

/// A client in a namespace, without its handler's data. Cheap to clone, usable from any thread.
#[derive(Clone, Debug)]
pub struct SocketRef(pub(super) Arc<Core>);

impl SocketRef {
    /// Identifier of the socket, which the client sees as `socket.id`. A client has a different one
    /// in every namespace, and each differs from the session's identifier.
    #[must_use]
    pub fn sid(&self) -> Sid {
        self.0.sid
    }

    /// The request that opened the session.
    #[must_use]
    pub fn handshake(&self) -> &Handshake {
        &self.0.session.handshake
    }

    /// Whether the socket is still in its namespace.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.0.is_connected() && self.0.session.is_open()
    }

    /// Sends an event. It is lost if the socket has left. If the queue is full, the session
    /// is closed.
    pub fn emit(&self, event: &Event) {
        self.emit_all(std::slice::from_ref(event));
    }

    /// Sends events like [`Self::emit`], together: in the queue they are one packet.
    pub fn emit_all(&self, events: &[Event]) {
        if let Some(packet) = encode_all(events, self.0.namespace_name()) {
            self.0.send(packet);
        }
    }

    /// Sends an event and waits for the acknowledgement.
    ///
    /// # Errors
    /// If the acknowledgement does not arrive in time, or the socket leaves.
    pub async fn emit_with_ack(&self, event: &Event, timeout: Duration) -> Result<Args, AckError> {
        if !self.is_connected() {
            return Err(AckError::Disconnected);
        }
        let (id, receiver) = self.0.pending.register();
        let _forget = PendingAck(&self.0, id);
        self.0.send(event.encode(self.0.namespace_name(), Some(id)));
        if !self.0.is_connected() {
            return Err(AckError::Disconnected);
        }
        match tokio::time::timeout(timeout, receiver).await {
            Ok(Ok(args)) => Ok(args),
            Ok(Err(_)) => Err(AckError::Disconnected),
            Err(_) => Err(AckError::Timeout),
        }
    }

    /// Number of queued packets.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.0.session.queued()
    }

    /// Waits until no packet is queued, or until the session ends.
    pub async fn flushed(&self) {
        poll_fn(|context| self.0.session.poll_flushed(context)).await;
    }

    /// Joins a room.
    pub fn join(&self, room: &str) {
        self.0.namespace.join(&self.0, room);
    }

    /// Leaves a room.
    pub fn leave(&self, room: &str) {
        self.0.namespace.leave(&self.0, room);
    }

    /// The rooms of the socket.
    #[must_use]
    pub fn rooms(&self) -> Vec<Arc<str>> {
        self.0.rooms.lock().clone()
    }

    /// The sockets in a room, except this one.
    pub fn to(&self, room: &str) -> Broadcast {
        Broadcast::new(Arc::clone(&self.0.namespace))
            .except(self.0.sid.as_str())
            .to(room)
    }

    /// The sockets of the namespace, except this one.
    pub fn broadcast(&self) -> Broadcast {
        Broadcast::new(Arc::clone(&self.0.namespace)).except(self.0.sid.as_str())
    }

    /// Removes the socket from the namespace (packet `41`). The official client does not reconnect
    /// after that.
    pub fn disconnect(&self) {
        self.0.disconnect();
    }

    /// Closes the client's session without a packet. The official client reconnects.
    pub fn close_transport(&self) {
        self.0.session.drain(CloseReason::ForcedClose);
    }
}

/// Removes a pending acknowledgement when its future is dropped.
struct PendingAck<'a>(&'a Core, u64);

impl Drop for PendingAck<'_> {
    fn drop(&mut self) {
        self.0.pending.forget(self.1);
    }
}

/// A client in a namespace, with its handler's data.
#[derive(Debug)]
pub struct Socket<D> {
    socket: SocketRef,
    data: Arc<D>,
}

impl<D> Socket<D> {
    pub(super) fn new(core: Arc<Core>, data: D) -> Self {
        Self {
            socket: SocketRef(core),
            data: Arc::new(data),
        }
    }

    /// The data that the handler's `connect` returned.
    #[must_use]
    pub fn data(&self) -> &D {
        &self.data
    }
}

impl<D> Clone for Socket<D> {
    fn clone(&self) -> Self {
        Self {
            socket: self.socket.clone(),
            data: Arc::clone(&self.data),
        }
    }
}

impl<D> Deref for Socket<D> {
    type Target = SocketRef;

    fn deref(&self) -> &SocketRef {
        &self.socket
    }
}
