//! The connection of a client, between the HTTP server and the kernel. It closes when it is idle
//! for too long. It gives the HTTP server one request at a time, and reads little before its client
//! takes the responses. It sends bodies that many clients share without copying them. It leaves the
//! HTTP server when its response is an event stream or a WebSocket. Reasons and figures:
//! `docs/decisions/connections-below-the-http-server.md`.

mod body_file;
pub(crate) mod open_connections;
mod pipeline;
mod shared_body;
mod stream;
mod unsent_bodies;

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use actix_web::rt::net::TcpStream;
use bytes::Bytes;

use self::body_file::{BodyFile, BodyFiles, Place};
use self::pipeline::Pipeline;
pub(crate) use self::shared_body::SharedBody;
pub(crate) use self::stream::ClientStream;
use self::unsent_bodies::{UnsentBodies, UnsentBody};
use crate::limit::descriptors::DescriptorGuard;
use crate::limit::slots::Slot;

/// What a connection counts against the limits, until it is dropped.
pub(crate) struct ConnectionPermit {
    _descriptor: DescriptorGuard,
    _slot: Slot,
}

/// Bytes that are read at a time, and during a request. The HTTP server would parse all requests
/// that arrive, and poll without a pause once it holds 128 KiB behind a running one.
const READ_AHEAD: usize = 8 * 1024;

/// Receives the connection when the HTTP server has sent the head of the last response.
type Takeover = Box<dyn FnOnce(TcpStream, ConnectionPermit)>;

/// What the parts of a server in one worker know about a connection. Requests find it in their
/// connection data.
pub(crate) struct Connection {
    /// End of the last request; `None` during a request.
    idle_since: Cell<Option<Instant>>,
    /// When the client last took a part of what waits to be written; `None` if nothing waits.
    blocked_since: Cell<Option<Instant>>,
    /// When the handler began to wait for a part of the request's body; `None` if it does not.
    body_awaited_since: Cell<Option<Instant>>,
    /// Bytes that were read since nothing was left to read, or since the handler asked for more of
    /// the request's body.
    read_ahead: Cell<usize>,
    pipeline: Pipeline,
    is_closing: Cell<bool>,
    /// The task that waits for the client.
    reader: RefCell<Option<Waker>>,
    /// What follows the bytes that the HTTP server writes next; `None` once that is sent.
    body: RefCell<Option<Sending>>,
    /// Counts the body; `None` if it is small, or the connection is being closed.
    counted: Cell<Option<UnsentBody>>,
    takeover: Cell<Option<Takeover>>,
    permit: Cell<Option<ConnectionPermit>>,
    files: Rc<BodyFiles>,
    unsent: Rc<UnsentBodies>,
}

/// A body that the connection sends.
struct Sending {
    rest: Bytes,
    /// Where the kernel finds the same bytes.
    file: Option<Rc<BodyFile>>,
}

/// A running request: its connection is not idle while this guard exists.
pub(crate) struct RequestGuard(Rc<Connection>);

impl Connection {
    fn new(
        slot: Slot,
        descriptor: DescriptorGuard,
        files: Rc<BodyFiles>,
        unsent: Rc<UnsentBodies>,
    ) -> Rc<Self> {
        Rc::new(Self {
            idle_since: Cell::new(Some(Instant::now())),
            blocked_since: Cell::default(),
            body_awaited_since: Cell::default(),
            read_ahead: Cell::default(),
            pipeline: Pipeline::new(),
            is_closing: Cell::default(),
            reader: RefCell::default(),
            body: RefCell::default(),
            counted: Cell::default(),
            takeover: Cell::default(),
            permit: Cell::new(Some(ConnectionPermit {
                _descriptor: descriptor,
                _slot: slot,
            })),
            files,
            unsent,
        })
    }

    /// Takes the connection from the HTTP server once it has written what it has, which is the head
    /// of a response whose body waits.
    pub(crate) fn hand_over(&self, takeover: impl FnOnce(TcpStream, ConnectionPermit) + 'static) {
        self.takeover.set(Some(Box::new(takeover)));
    }

    /// Sends a body after the bytes that the HTTP server writes next. The task is woken when it
    /// is sent.
    fn send(self: &Rc<Self>, body: Bytes) {
        self.count(Place::of(&body));
        let file = self.files.of(&body);
        self.body.replace(Some(Sending { rest: body, file }));
    }

    /// Sends the first part of a body of this many bytes in the same way. Clients do not share
    /// such bodies.
    fn send_first_part(self: &Rc<Self>, part: Bytes, length: usize) {
        let body = Place {
            address: Rc::as_ptr(self).addr(),
            length,
        };
        self.count(body);
        self.send_part(part);
    }

    fn count(self: &Rc<Self>, body: Place) {
        self.counted.set(self.unsent.add(body, self));
        self.unsent.make_room();
    }

    /// Sends a further part.
    fn send_part(&self, part: Bytes) {
        self.body.replace(Some(Sending {
            rest: part,
            file: None,
        }));
    }

    /// The body is sent.
    fn end_body(&self) {
        self.counted.take();
    }

    fn is_sending(&self) -> bool {
        self.body.borrow().is_some()
    }

    /// Starts the time after which the connection is closed.
    fn mark_idle(&self) {
        self.idle_since.set(Some(Instant::now()));
    }

    /// Whether a request is being handled.
    fn is_running(&self) -> bool {
        self.idle_since.get().is_none()
    }

    /// Since when the connection waits for its client.
    fn waiting_since(&self) -> Option<Instant> {
        let blocked_or_idle = self.blocked_since.get().or(self.idle_since.get());
        blocked_or_idle.or(self.body_awaited_since.get())
    }

    /// Records since when the handler waits for a part of the request's body; `None` if it does
    /// not wait.
    pub(crate) fn set_body_awaited(&self, since: Option<Instant>) {
        self.body_awaited_since.set(since);
    }

    /// Whether a write waits for the client. A client that sends requests and takes no responses
    /// would fill the server's memory.
    fn is_blocked(&self) -> bool {
        self.blocked_since.get().is_some()
    }

    /// Number of bytes that may be read now: few during a request. If it is zero, the task is woken
    /// when it no longer is.
    fn poll_readable(&self, context: &Context<'_>) -> usize {
        let ahead = self.read_ahead.get().max(self.pipeline.waiting());
        let rest = READ_AHEAD.saturating_sub(ahead);
        if rest == 0 && !self.is_running() {
            // What was read is parsed first: it may hold a request.
            self.read_ahead.set(0);
            self.pipeline.note_pause();
            context.waker().wake_by_ref();
        }
        rest
    }

    /// Records how many bytes were read; `None` if none are left.
    fn note_read(&self, context: &Context<'_>, count: Option<usize>) {
        if let Some(count) = count {
            let read_ahead = self.read_ahead.get().saturating_add(count);
            self.read_ahead.set(read_ahead);
        } else {
            if !self.is_running() {
                self.read_ahead.set(0);
            }
            if self.pipeline.note_pause() {
                context.waker().wake_by_ref();
            }
        }
    }

    /// Lets the client send more of a body, because the handler asks for it.
    pub(crate) fn allow_more(&self) {
        if self.read_ahead.replace(0) > 0 {
            self.wake_reader();
        }
    }

    /// Records a write of some bytes, or that it waits. An error if it waits while the connection
    /// is to close.
    fn note_write(&self, write: Poll<io::Result<usize>>, length: usize) -> Poll<io::Result<usize>> {
        let waits = match write {
            Poll::Ready(Ok(written)) => written < length,
            Poll::Ready(Err(_)) => false,
            Poll::Pending if self.is_closing.get() => {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            Poll::Pending => true,
        };
        let waited = self.blocked_since.get().is_some();
        // A part that the client has taken restarts the time; a wait that continues does not.
        if !waits && waited {
            self.blocked_since.set(None);
            self.wake_reader();
        } else if waits && !(waited && write.is_pending()) {
            self.blocked_since.set(Some(Instant::now()));
        }
        write
    }

    fn wake_reader(&self) {
        if let Some(reader) = self.reader.borrow().as_ref() {
            reader.wake_by_ref();
        }
    }

    /// Closes the connection: reads find its end, and a write that waits fails.
    fn close(&self) {
        self.is_closing.set(true);
        self.counted.take();
        self.wake_reader();
    }

    /// Lets the connection wake the task.
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
        // The handler of the last request may have stopped within its body.
        connection.body_awaited_since.set(None);
        Self(Rc::clone(connection))
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.mark_idle();
        self.0.pipeline.end_request();
        if self.0.read_ahead.get() > 0 || self.0.pipeline.waiting() > 0 {
            // Requests that were read meanwhile are not parsed.
            self.0.wake_reader();
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
