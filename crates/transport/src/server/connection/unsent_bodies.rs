//! The large bodies that the clients of a worker have not received yet, bounded in bytes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::time::Instant;

use super::Connection;
use super::body_file::Place;

/// Bytes of these bodies for each worker. Beyond them, the clients of the body of which none has
/// taken anything for the longest time are disconnected.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// Size from which bodies are counted. The limits of connections bound smaller ones.
const MIN_COUNTED: usize = 64 * 1024;

/// The large bodies that connections of a worker are sending. A body that several of them send is
/// in memory once, and counts once.
#[derive(Default)]
pub(super) struct UnsentBodies {
    bytes: Cell<usize>,
    /// The connections that send a body, by their places in memory.
    bodies: RefCell<HashMap<Place, HashMap<usize, Weak<Connection>>>>,
}

/// Counts a body for a connection until it is sent.
pub(super) struct UnsentBody {
    all: Rc<UnsentBodies>,
    body: Place,
    sender: usize,
}

impl UnsentBodies {
    /// Counts a body that a connection is going to send; `None` if it is small.
    /// [`Self::make_room`] follows.
    pub(super) fn add(self: &Rc<Self>, body: Place, sender: &Rc<Connection>) -> Option<UnsentBody> {
        if body.length < MIN_COUNTED {
            return None;
        }
        let address = Rc::as_ptr(sender).addr();
        let mut bodies = self.bodies.borrow_mut();
        let senders = bodies.entry(body).or_default();
        if senders.is_empty() {
            self.bytes.set(self.bytes.get() + body.length);
        }
        senders.insert(address, Rc::downgrade(sender));
        Some(UnsentBody {
            all: Rc::clone(self),
            body,
            sender: address,
        })
    }

    /// Disconnects clients if the bodies are too much.
    pub(super) fn make_room(&self) {
        while self.bytes.get() > MAX_BYTES
            && let Some(senders) = self.senders_of_slowest_body()
        {
            for sender in senders {
                sender.close();
                metrics::counter!("allclear_responses_cut_total").increment(1);
            }
        }
    }

    /// The connections that send the body of which no client has taken anything for the longest
    /// time. `None` if each body has a client that does not wait.
    fn senders_of_slowest_body(&self) -> Option<Vec<Rc<Connection>>> {
        let bodies = self.bodies.borrow();
        let waiting = bodies.values().filter_map(|senders| {
            let senders: Vec<_> = senders.values().filter_map(Weak::upgrade).collect();
            let since: Option<Vec<Instant>> = senders
                .iter()
                .map(|sender| sender.blocked_since.get())
                .collect();
            Some((since?.into_iter().max()?, senders))
        });
        waiting
            .min_by_key(|(since, _)| *since)
            .map(|(_, senders)| senders)
    }
}

impl Drop for UnsentBody {
    fn drop(&mut self) {
        let mut bodies = self.all.bodies.borrow_mut();
        if let Some(senders) = bodies.get_mut(&self.body) {
            senders.remove(&self.sender);
            if senders.is_empty() {
                bodies.remove(&self.body);
                self.all.bytes.set(self.all.bytes.get() - self.body.length);
            }
        }
    }
}
