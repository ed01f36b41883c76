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

/// Receives the stream when the HTTP server has sent the last response on it.
type Successor = Box<dyn FnOnce(TcpStream, Rc<Connection>)>;

/// What the parts of a server in one worker know about a connection. Requests find it in their connection data.
pub(crate) struct Connection {
    /// End of the last request; `None` during a request.
    idle_since: Cell<Option<Instant>>,
    is_closing: Cell<bool>,
    /// The task that waits for the client.
    reader: RefCell<Option<Waker>>,
    /// What follows the bytes that the HTTP server writes next; `None` once that is sent.
    body: RefCell<Option<Bytes>>,
    successor: Cell<Option<Successor>>,
    _descriptor: DescriptorGuard,
    _slot: Slot,
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
            _descriptor: descriptor,
            _slot: slot,
        })
    }

    /// Takes the connection from the HTTP server when the response is sent, instead of closing it. The response must close the
    /// connection and have a head only.
    pub(crate) fn hand_over(&self, successor: impl FnOnce(TcpStream, Rc<Self>) + 'static) {
        self.successor.set(Some(Box::new(successor)));
    }

    /// Sends a body after the bytes that the HTTP server writes next. The task is woken when it is sent.
    fn send(&self, body: Bytes) {
        self.body.replace(Some(body));
    }

    fn is_sending(&self) -> bool {
        self.body.borrow().is_some()
    }

    /// Closes the connection like a client that sends nothing more.
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
        self.0.idle_since.set(Some(Instant::now()));
    }
}

#[cfg(test)]
mod tests;
