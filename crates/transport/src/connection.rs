//! The connection of a client, between the HTTP server and the kernel. It closes when it is idle for too long, sends bodies that many
//! clients share without copying them, and leaves the HTTP server when its response is an event stream.
//! Reasons and figures: `docs/decisions/connections-below-the-http-server.md`.

pub(crate) mod idle;
mod shared_body;
mod stream;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Instant;

use actix_web::rt::net::TcpStream;
use bytes::Bytes;

pub(crate) use self::shared_body::SharedBody;
pub(crate) use self::stream::ClientStream;
use crate::client_slots::{DescriptorGuard, Slot};

/// What a connection counts against the limits, until it is dropped.
pub(crate) struct Claim {
    _descriptor: DescriptorGuard,
    _slot: Slot,
}

/// Receives the connection when the HTTP server has sent the head of the last response.
type Successor = Box<dyn FnOnce(TcpStream, Claim)>;

/// What the parts of a server in one worker know about a connection. Requests find it in their connection data.
pub(crate) struct Connection {
    /// End of the last request, or when the kernel last took a part of a large body; `None` during a request.
    idle_since: Cell<Option<Instant>>,
    is_closing: Cell<bool>,
    /// The task that waits for the client.
    reader: RefCell<Option<Waker>>,
    /// What follows the bytes that the HTTP server writes next; `None` once that is sent.
    body: RefCell<Option<Bytes>>,
    successor: Cell<Option<Successor>>,
    claim: Cell<Option<Claim>>,
}

/// A running request: its connection is not idle while this guard exists.
pub(crate) struct RequestGuard(Rc<Connection>);

impl Connection {
    fn new(slot: Slot, descriptor: DescriptorGuard) -> Rc<Self> {
        Rc::new(Self {
            idle_since: Cell::new(Some(Instant::now())),
            is_closing: Cell::default(),
            reader: RefCell::default(),
            body: RefCell::default(),
            successor: Cell::default(),
            claim: Cell::new(Some(Claim {
                _descriptor: descriptor,
                _slot: slot,
            })),
        })
    }

    /// Takes the connection from the HTTP server once it has written what it has, which is the head of a response whose body waits.
    pub(crate) fn hand_over(&self, successor: impl FnOnce(TcpStream, Claim) + 'static) {
        self.successor.set(Some(Box::new(successor)));
    }

    /// Sends a body after the bytes that the HTTP server writes next. The task is woken when it is sent.
    fn send(&self, body: Bytes) {
        self.body.replace(Some(body));
        self.be_idle();
    }

    fn is_sending(&self) -> bool {
        self.body.borrow().is_some()
    }

    /// Starts the time after which the connection is closed.
    fn be_idle(&self) {
        self.idle_since.set(Some(Instant::now()));
    }

    /// Closes the connection: reads find its end, and a write that waits fails.
    fn close(&self) {
        self.is_closing.set(true);
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Lets [`Connection::close`] wake the task.
    fn wait(&self, context: &Context<'_>) {
        let mut reader = self.reader.borrow_mut();
        if !reader
            .as_ref()
            .is_some_and(|reader| reader.will_wake(context.waker()))
        {
            *reader = Some(context.waker().clone());
        }
    }
}

impl RequestGuard {
    /// Marks the connection as active.
    pub(crate) fn on(connection: &Rc<Connection>) -> Self {
        connection.idle_since.set(None);
        Self(Rc::clone(connection))
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.be_idle();
    }
}

#[cfg(test)]
pub(crate) mod tests;
