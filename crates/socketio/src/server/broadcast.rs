//! Actions on many sockets.

use std::sync::Arc;

use super::namespace::NamespaceState;
use super::socket::SocketRef;
use crate::protocol::{Event, encode_all};

/// The sockets in any of the given rooms, except those in other rooms.
#[derive(Clone, Debug)]
#[must_use = "nothing happens before one of its actions is called"]
pub struct Broadcast {
    namespace: Arc<NamespaceState>,
    rooms: Vec<Box<str>>,
    except: Vec<Box<str>>,
}

impl Broadcast {
    pub(super) fn new(namespace: Arc<NamespaceState>) -> Self {
        Self {
            namespace,
            rooms: Vec::new(),
            except: Vec::new(),
        }
    }

    /// Adds a room. Each socket has a room of its own, named by its identifier.
    pub fn to(mut self, room: &str) -> Self {
        self.rooms.push(room.into());
        self
    }

    /// Excludes a room.
    pub fn except(mut self, room: &str) -> Self {
        self.except.push(room.into());
        self
    }

    /// Sends an event. It is encoded once, and every receiver gets two broadcasts in the
    /// same order.
    pub fn emit(&self, event: &Event) {
        self.emit_all(std::slice::from_ref(event));
    }

    /// Sends events together: in the queue of a receiver they are one packet.
    pub fn emit_all(&self, events: &[Event]) {
        let Some(packet) = encode_all(events, &self.namespace.name) else {
            return;
        };
        self.namespace.send(&self.rooms, &self.except, &packet);
    }

    /// The current sockets.
    #[must_use]
    pub fn sockets(&self) -> Vec<SocketRef> {
        let found = self.namespace.sockets(&self.rooms, &self.except);
        found.into_iter().map(SocketRef).collect()
    }

    /// Makes the sockets join a room.
    pub fn join(&self, room: &str) {
        self.sockets().iter().for_each(|socket| socket.join(room));
    }

    /// Makes the sockets leave a room.
    pub fn leave(&self, room: &str) {
        self.sockets().iter().for_each(|socket| socket.leave(room));
    }

    /// Removes the sockets from the namespace (packet `41`).
    pub fn disconnect(&self) {
        self.sockets().iter().for_each(SocketRef::disconnect);
    }

    /// Closes the sessions of the sockets without a packet; their clients reconnect.
    pub fn close_transports(&self) {
        self.sockets().iter().for_each(SocketRef::close_transport);
    }
}
