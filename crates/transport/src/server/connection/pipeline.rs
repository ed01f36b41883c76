//! Requests that a client sends without waiting for the responses (RFC 9112, section 9.3.2). The HTTP server gets them one by one: it
//! encodes a response by the version, method and connection headers of the request that it parsed last.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::task::Context;

use bytes::BytesMut;
use memchr::memmem;
use tokio::io::ReadBuf;

/// Maximum number of headers of a request, as the HTTP server accepts them.
const MAX_HEADERS: usize = 96;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// What follows the request that the HTTP server has.
#[derive(Default)]
pub(super) struct Pipeline {
    rest: RefCell<BytesMut>,
    /// Whether the HTTP server has the whole request, so that what is read belongs to later ones. It does not during a body whose
    /// end is not known, nor after a WebSocket's handshake.
    is_complete: Cell<bool>,
    /// Whether the HTTP server has had the time to begin the request.
    is_due: Cell<bool>,
}

impl Pipeline {
    /// Whether further requests wait.
    pub(super) fn is_waiting(&self) -> bool {
        !self.rest.borrow().is_empty()
    }

    /// Whether what is read during the running request belongs to later ones.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete.get()
    }

    /// Keeps what follows the first request in what was read into the buffer after its first `before` bytes.
    pub(super) fn hold_later(&self, buffer: &mut ReadBuf<'_>, before: usize) {
        let read = buffer.filled().get(before..).unwrap_or_default();
        let end = self.end_of_first(read);
        self.hold_from(buffer, before + end);
    }

    /// Keeps what is in the buffer after its first `kept` bytes.
    pub(super) fn hold_from(&self, buffer: &mut ReadBuf<'_>, kept: usize) {
        let later = buffer.filled().get(kept..).unwrap_or_default();
        if !later.is_empty() {
            self.rest.borrow_mut().extend_from_slice(later);
            self.is_due.set(false);
            buffer.set_filled(kept);
        }
    }

    /// Moves the first request that waits to the buffer, or a part of it. Returns whether it did; otherwise the task is woken. No
    /// request may be running.
    pub(super) fn release(&self, context: &Context<'_>, buffer: &mut ReadBuf<'_>) -> bool {
        if !self.is_due.replace(true) {
            // The HTTP server parses what it has before it reads again.
            context.waker().wake_by_ref();
            return false;
        }
        let mut rest = self.rest.take();
        let part = self.end_of_first(&rest).min(buffer.remaining());
        buffer.put_slice(&rest.split_to(part));
        if !rest.is_empty() {
            self.is_due.set(false);
            self.rest.replace(rest);
        }
        true
    }

    /// Number of these bytes that the HTTP server may have: those of the first request, or all if its end is not here.
    fn end_of_first(&self, bytes: &[u8]) -> usize {
        let end = length_of_request(bytes).filter(|end| *end <= bytes.len());
        self.is_complete.set(end.is_some());
        end.unwrap_or(bytes.len())
    }
}

/// Length of the request that begins here; `None` if it is not known.
fn length_of_request(bytes: &[u8]) -> Option<usize> {
    let head = memmem::find(bytes, END_OF_HEAD)? + END_OF_HEAD.len();
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    let parsed = request.parse_with_uninit_headers(bytes, &mut headers);
    parsed.ok().filter(httparse::Status::is_complete)?;
    let mut body = 0;
    for header in request.headers {
        let is = |name| header.name.eq_ignore_ascii_case(name);
        if is("transfer-encoding") || is("upgrade") {
            return None;
        }
        if is("content-length") {
            body = str::from_utf8(header.value).ok()?.parse().ok()?;
        }
    }
    head.checked_add(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_of_a_request_is_that_of_head_and_body() {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let post = "POST / HTTP/1.1\r\nContent-length: 5\r\n\r\n";
        let socket = "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (bytes, expected) in [
            (get.to_owned(), Some(get.len())),
            (get.repeat(2), Some(get.len())),
            (format!("{post}12345{get}"), Some(post.len() + 5)),
            (format!("{post}12"), Some(post.len() + 5)),
            ("GET / HTTP/1.1\r\n".to_owned(), None),
            ("st: a\r\n\r\n".to_owned(), None),
            (socket.to_owned(), None),
            (chunked.to_owned(), None),
            (post.replace('5', "-5"), None),
            (post.replace('5', &usize::MAX.to_string()), None),
        ] {
            assert_eq!(length_of_request(bytes.as_bytes()), expected, "{bytes}");
        }
    }
}
