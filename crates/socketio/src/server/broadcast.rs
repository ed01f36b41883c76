//! Many sockets at once.

use std::sync::Arc;

use super::{namespace::Space, socket::SocketRef};
use crate::protocol::Event;

/// The sockets in any of some rooms, but those in others.
#[derive(Clone, Debug)]
#[must_use = "nothing happens before one of its actions is called"]
pub struct Broadcast {
    space: Arc<Space>,
    rooms: Vec<Box<str>>,
    except: Vec<Box<str>>,
}

impl Broadcast {
    pub(super) fn new(space: Arc<Space>) -> Self {
        Self {
            space,
            rooms: Vec::new(),
            except: Vec::new(),
        }
    }

    /// Also those in this room. A socket's identifier is the name of a room of its own.
    pub fn to(mut self, room: &str) -> Self {
        self.rooms.push(room.into());
        self
    }

    /// But those in this room.
    pub fn except(mut self, room: &str) -> Self {
        self.except.push(room.into());
        self
    }

    /// Sends an event. It is encoded once, whatever their number, and two broadcasts reach everyone in the same order.
    pub fn emit(&self, event: &Event) {
        let packet = event.encode(&self.space.name, None);
        self.space.each(&self.rooms, &self.except, |core| {
            core.send(Arc::clone(&packet));
        });
    }

    /// The sockets as they are now.
    #[must_use]
    pub fn sockets(&self) -> Vec<SocketRef> {
        let mut sockets = Vec::new();
        self.space.each(&self.rooms, &self.except, |core| {
            sockets.push(SocketRef(Arc::clone(core)));
        });
        sockets
    }

    /// Has them enter a room.
    pub fn join(&self, room: &str) {
        self.sockets().iter().for_each(|socket| socket.join(room));
    }

    /// Has them leave a room.
    pub fn leave(&self, room: &str) {
        self.sockets().iter().for_each(|socket| socket.leave(room));
    }

    /// Puts them out of the namespace (packet `41`).
    pub fn disconnect(&self) {
        self.sockets().iter().for_each(SocketRef::disconnect);
    }

    /// Ends their sessions without a word; their clients come back.
    pub fn close_transports(&self) {
        self.sockets().iter().for_each(SocketRef::close_transport);
    }
}
