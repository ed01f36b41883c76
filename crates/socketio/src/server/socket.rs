//! A client in a namespace.

use std::{
    fmt,
    ops::Deref,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{
    ack::{AckError, Pending},
    broadcast::Broadcast,
    namespace::Space,
};
use crate::{
    engine::{CloseReason, Encoded, Handshake, Session},
    protocol::{Args, Event, encode_disconnect},
    sid::Sid,
    sync::lock,
};

pub(super) struct Core {
    pub(super) sid: Sid,
    pub(super) space: Arc<Space>,
    pub(super) session: Arc<Session>,
    pub(super) pending: Pending,
    /// The rooms it is in; written by the namespace only, under its lock.
    pub(super) rooms: Mutex<Vec<Arc<str>>>,
    connected: AtomicBool,
}

impl Core {
    pub(super) fn new(sid: Sid, space: Arc<Space>, session: Arc<Session>) -> Arc<Self> {
        let connected = AtomicBool::new(true);
        Arc::new(Self {
            sid,
            space,
            session,
            pending: Pending::default(),
            rooms: Mutex::default(),
            connected,
        })
    }

    pub(super) fn namespace_name(&self) -> &str {
        &self.space.name
    }

    pub(super) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    pub(super) fn send(&self, packet: Arc<Encoded>) {
        if self.is_connected() {
            self.session.send(packet);
        }
    }

    /// Leaves the namespace; true the first time.
    pub(super) fn leave(&self) -> bool {
        let first = self.connected.swap(false, Ordering::AcqRel);
        if first {
            self.space.remove(self);
            self.pending.clear();
        }
        first
    }

    /// Puts the socket out of the namespace, or ends its session.
    pub(super) fn disconnect(&self, close: bool) {
        if self.is_connected() {
            self.send(encode_disconnect(&self.space.name));
            if self.leave() {
                self.session.notify();
            }
            if close {
                self.session.drain(CloseReason::ForcedServerClose);
            }
        }
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket")
            .field("sid", &self.sid)
            .field("namespace", &self.space.name)
            .finish_non_exhaustive()
    }
}

/// A client in a namespace, whatever the namespace keeps for it. Cheap to clone, usable from any thread.
#[derive(Clone, Debug)]
pub struct SocketRef(pub(super) Arc<Core>);

impl SocketRef {
    /// The socket's identifier, which the client knows as `socket.id`. It is another one in every namespace, and none of them
    /// is the session's.
    #[must_use]
    pub fn sid(&self) -> Sid {
        self.0.sid
    }

    /// The request that opened the session.
    #[must_use]
    pub fn handshake(&self) -> &Handshake {
        &self.0.session.handshake
    }

    /// Whether the socket is in its namespace still.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.0.is_connected() && self.0.session.is_open()
    }

    /// Sends an event. A socket that has left does not get it; one whose queue is full is closed.
    pub fn emit(&self, event: &Event) {
        self.0.send(event.encode(self.0.namespace_name(), None));
    }

    /// Sends an event and waits for its acknowledgement.
    ///
    /// # Errors
    /// When the acknowledgement does not come in time, or the socket leaves.
    pub async fn emit_with_ack(&self, event: &Event, timeout: Duration) -> Result<Args, AckError> {
        if !self.is_connected() {
            return Err(AckError::Disconnected);
        }
        let (id, receiver) = self.0.pending.register();
        let _forget = Forget(&self.0, id);
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

    /// How many packets wait for the client.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.0.session.queued()
    }

    /// Enters a room.
    pub fn join(&self, room: &str) {
        self.0.space.join(&self.0, room);
    }

    /// Leaves a room.
    pub fn leave(&self, room: &str) {
        self.0.space.leave(&self.0, room);
    }

    /// The rooms it is in.
    #[must_use]
    pub fn rooms(&self) -> Vec<Arc<str>> {
        lock(&self.0.rooms).clone()
    }

    /// Everyone in a room but this socket.
    pub fn to(&self, room: &str) -> Broadcast {
        Broadcast::new(Arc::clone(&self.0.space))
            .except(self.0.sid.as_str())
            .to(room)
    }

    /// Everyone in the namespace but this socket.
    pub fn broadcast(&self) -> Broadcast {
        Broadcast::new(Arc::clone(&self.0.space)).except(self.0.sid.as_str())
    }

    /// Puts the socket out of the namespace (packet `41`). The official client does not come back from that by itself.
    pub fn disconnect(&self) {
        self.0.disconnect(false);
    }

    /// Ends the client's session without a word. The official client comes back.
    pub fn close_transport(&self) {
        self.0.session.drain(CloseReason::ForcedClose);
    }
}

/// Forgets an acknowledgement nobody waits for any more.
struct Forget<'a>(&'a Core, u64);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.pending.forget(self.1);
    }
}

/// A client in a namespace, with what its handler keeps for it.
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

    /// What the handler's `connect` answered.
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
