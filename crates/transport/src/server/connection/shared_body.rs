//! A body in memory, which many clients receive at the same time.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::ResponseHead;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;

use super::{Connection, RequestGuard};

/// Bytes from which a connection sends a body itself, which takes another turn of its task. The HTTP server copies smaller ones, such
/// as compressed pages, behind their head.
const LARGE: u64 = 12 * 1024;

/// A body in memory. The connection sends a large one from there: the HTTP server would copy it into the connection's buffer, and
/// the buffers of many connections exceed the processor's caches.
pub(crate) struct SharedBody {
    bytes: Option<Bytes>,
    size: BodySize,
    /// The connection that sends the body itself.
    sender: Option<Rc<Connection>>,
    _request: Option<RequestGuard>,
}

impl SharedBody {
    /// Whether a connection sends a body of this size itself.
    pub(crate) fn is_large(size: BodySize) -> bool {
        matches!(size, BodySize::Sized(size) if size >= LARGE)
    }

    /// The body of a response, or `None` for a head only. `connection` is that of the request.
    pub(crate) fn new(
        head: &mut ResponseHead,
        bytes: Option<Bytes>,
        connection: Option<Rc<Connection>>,
    ) -> Self {
        let mut size = bytes
            .as_ref()
            .map_or(BodySize::None, |bytes| BodySize::Sized(bytes.len() as u64));
        let request = connection.as_ref().map(RequestGuard::on);
        let sender = connection.filter(|_| Self::is_large(size));
        if let (Some(_), BodySize::Sized(length)) = (&sender, size) {
            // The HTTP server receives no bytes of the body, so it must not count or frame them.
            head.no_chunking(true);
            head.headers_mut()
                .insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            size = BodySize::Stream;
        }
        Self {
            bytes,
            size,
            sender,
            _request: request,
        }
    }
}

impl MessageBody for SharedBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.size
    }

    /// With a sender, the body ends when it is sent: the head of the next response must not overtake it.
    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let this = self.get_mut();
        let bytes = this.bytes.take();
        let Some(sender) = &this.sender else {
            return Poll::Ready(bytes.map(Ok));
        };
        if let Some(bytes) = bytes {
            sender.send(bytes);
        }
        if sender.is_sending() {
            Poll::Pending
        } else {
            Poll::Ready(None)
        }
    }
}
