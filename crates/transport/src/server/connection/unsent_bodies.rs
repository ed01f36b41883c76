//! The large bodies that the clients of a worker have not received yet, bounded in bytes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use bytes::Bytes;

use super::Connection;
use super::body_file::Place;

/// Bytes of these bodies for each worker. Beyond them, the clients that have taken nothing for the longest time are disconnected.
pub(super) const MEMORY: usize = 128 * 1024 * 1024;
/// Size of the bodies that are counted. The limits of connections bound smaller ones.
const LARGE: usize = 64 * 1024;

/// The large bodies that connections of a worker are sending. A body that several of them send is in memory once, and counts once.
pub(super) struct UnsentBodies {
    memory: usize,
    bytes: Cell<usize>,
    /// Number of connections that send a body.
    bodies: RefCell<HashMap<Place, usize>>,
    /// The connections by their places in memory, and their bodies.
    senders: RefCell<HashMap<usize, (Weak<Connection>, Place)>>,
}

/// Counts a body for a connection until it is sent.
pub(super) struct UnsentBody {
    all: Rc<UnsentBodies>,
    body: Place,
    sender: usize,
}

impl UnsentBodies {
    pub(super) fn new(memory: usize) -> Rc<Self> {
        Rc::new(Self {
            memory,
            bytes: Cell::default(),
            bodies: RefCell::default(),
            senders: RefCell::default(),
        })
    }

    /// Counts a body that a connection is going to send; `None` if it is small. Disconnects others if that is too much.
    pub(super) fn add(
        self: &Rc<Self>,
        body: &Bytes,
        sender: &Rc<Connection>,
    ) -> Option<UnsentBody> {
        if body.len() < LARGE {
            return None;
        }
        let place = Place::of(body);
        let mut bodies = self.bodies.borrow_mut();
        let senders = bodies.entry(place).or_default();
        *senders += 1;
        if *senders == 1 {
            self.bytes.set(self.bytes.get() + body.len());
        }
        drop(bodies);
        while self.bytes.get() > self.memory
            && let Some(slowest) = self.slowest()
        {
            slowest.close();
            metrics::counter!("allclear_responses_cut_total").increment(1);
        }
        let address = Rc::as_ptr(sender).addr();
        let sender = (Rc::downgrade(sender), place);
        self.senders.borrow_mut().insert(address, sender);
        Some(UnsentBody {
            all: Rc::clone(self),
            body: place,
            sender: address,
        })
    }

    /// The connection whose client has taken nothing for the longest time; of those whose bodies others send, too, only if there are no
    /// others, because their bodies stay.
    fn slowest(&self) -> Option<Rc<Connection>> {
        let (senders, bodies) = (self.senders.borrow(), self.bodies.borrow());
        let blocked = senders.values().filter_map(|(sender, body)| {
            let sender = sender.upgrade()?;
            let is_shared = bodies.get(body).is_some_and(|senders| *senders > 1);
            Some(((is_shared, sender.blocked_since.get()?), sender))
        });
        blocked
            .min_by_key(|(order, _)| *order)
            .map(|(_, sender)| sender)
    }
}

impl Drop for UnsentBody {
    fn drop(&mut self) {
        self.all.senders.borrow_mut().remove(&self.sender);
        let mut bodies = self.all.bodies.borrow_mut();
        if let Some(senders) = bodies.get_mut(&self.body) {
            *senders -= 1;
            if *senders == 0 {
                bodies.remove(&self.body);
                self.all.bytes.set(self.all.bytes.get() - self.body.length);
            }
        }
    }
}
