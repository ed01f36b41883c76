//! Namespaces: their sockets and rooms.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::broadcast::Broadcast;
use super::socket::{Core, SocketRef};
use crate::engine::Encoded;
use crate::protocol::Event;
use crate::sid::Sid;

type Members = HashMap<Sid, Arc<Core>>;

/// Sockets by room.
#[derive(Default)]
struct Rooms {
    all: Members,
    rooms: HashMap<Arc<str>, Members>,
}

pub(super) struct NamespaceState {
    pub(super) name: Box<str>,
    rooms: Mutex<Rooms>,
    /// Held while a broadcast is sent, so that every receiver gets two of them in the same order.
    /// The rooms are not: nobody has to wait for a broadcast to many sockets to join or leave.
    sending: Mutex<()>,
}

impl NamespaceState {
    pub(super) fn new(name: &str) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            rooms: Mutex::default(),
            sending: Mutex::default(),
        })
    }

    pub(super) fn add(&self, core: &Arc<Core>) {
        self.rooms.lock().all.insert(core.sid, Arc::clone(core));
    }

    pub(super) fn remove(&self, core: &Core) {
        let mut rooms = self.rooms.lock();
        rooms.all.remove(&core.sid);
        for room in core.rooms.lock().drain(..) {
            rooms.leave(&room, core.sid);
        }
    }

    pub(super) fn join(&self, core: &Arc<Core>, room: &str) {
        // Every socket is in that room already.
        if room == core.sid.as_str() {
            return;
        }
        let mut rooms = self.rooms.lock();
        // A socket that has left must not join a room again.
        if !rooms.all.contains_key(&core.sid) {
            return;
        }
        let mut joined = core.rooms.lock();
        if !joined.iter().any(|name| **name == *room) {
            let name = rooms
                .rooms
                .get_key_value(room)
                .map_or_else(|| room.into(), |(name, _)| Arc::clone(name));
            joined.push(Arc::clone(&name));
            rooms
                .rooms
                .entry(name)
                .or_default()
                .insert(core.sid, Arc::clone(core));
        }
    }

    pub(super) fn leave(&self, core: &Core, room: &str) {
        let mut rooms = self.rooms.lock();
        core.rooms.lock().retain(|name| **name != *room);
        rooms.leave(room, core.sid);
    }

    /// Sends a packet to [`Self::sockets`]. A socket that leaves the room meanwhile may receive it.
    pub(super) fn send(&self, rooms: &[Box<str>], except: &[Box<str>], packet: &Encoded) {
        let _sending = self.sending.lock();
        for core in self.sockets(rooms, except) {
            core.send(packet.clone());
        }
    }

    /// The sockets in one of the rooms (in the namespace if `rooms` is empty), except those in
    /// `except`.
    pub(super) fn sockets(&self, rooms: &[Box<str>], except: &[Box<str>]) -> Vec<Arc<Core>> {
        let all = self.rooms.lock();
        let excluded: Vec<Sid> = except.iter().filter_map(|room| Sid::parse(room)).collect();
        let excluded_rooms: Vec<&Members> = except
            .iter()
            .filter_map(|room| all.rooms.get(&**room))
            .collect();
        let is_included = |core: &&Arc<Core>| {
            let is_member = |members: &&Members| members.contains_key(&core.sid);
            !excluded.contains(&core.sid) && !excluded_rooms.iter().any(is_member)
        };
        match rooms {
            [] => all.all.values().filter(is_included).cloned().collect(),
            [room] => all.members(room).filter(is_included).cloned().collect(),
            many => {
                let found = many.iter().flat_map(|room| all.members(room));
                let found: Members = found
                    .filter(is_included)
                    .map(|core| (core.sid, Arc::clone(core)))
                    .collect();
                found.into_values().collect()
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rooms.lock().all.len()
    }
}

impl Rooms {
    fn leave(&mut self, room: &str, sid: Sid) {
        if let Some(members) = self.rooms.get_mut(room) {
            members.remove(&sid);
            if members.is_empty() {
                self.rooms.remove(room);
            }
        }
    }

    /// The sockets in a room. Each socket has a room of its own, named by its identifier.
    fn members(&self, room: &str) -> impl Iterator<Item = &Arc<Core>> {
        let own = Sid::parse(room).and_then(|sid| self.all.get(&sid));
        self.rooms
            .get(room)
            .into_iter()
            .flat_map(HashMap::values)
            .chain(own)
    }
}

impl fmt::Debug for NamespaceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Namespace")
            .field("name", &self.name)
            .field("sockets", &self.len())
            .finish_non_exhaustive()
    }
}

/// A namespace of a server. Cheap to clone, usable from any thread.
#[derive(Clone, Debug)]
pub struct Namespace(pub(super) Arc<NamespaceState>);

impl Namespace {
    /// Name of the namespace, with its leading slash.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Number of sockets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the namespace has no sockets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sockets in a room.
    pub fn to(&self, room: &str) -> Broadcast {
        Broadcast::new(Arc::clone(&self.0)).to(room)
    }

    /// All sockets of the namespace.
    pub fn all(&self) -> Broadcast {
        Broadcast::new(Arc::clone(&self.0))
    }

    /// Sends an event to all sockets of the namespace.
    pub fn emit(&self, event: &Event) {
        self.all().emit(event);
    }

    /// The socket with this identifier.
    #[must_use]
    pub fn socket(&self, sid: Sid) -> Option<SocketRef> {
        self.0
            .rooms
            .lock()
            .all
            .get(&sid)
            .map(|core| SocketRef(Arc::clone(core)))
    }
}
