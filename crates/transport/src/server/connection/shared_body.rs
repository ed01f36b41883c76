//! A body in memory, which many clients may receive at the same time.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_http::ResponseHead;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use pin_project_lite::pin_project;

use super::{Connection, RequestGuard};

/// Bytes from which a connection sends a body itself, which takes another turn of its task. The
/// HTTP server copies smaller ones, such as compressed pages, behind their head.
const SHARED_FROM_BYTES: u64 = 12 * 1024;

pin_project! {
    /// A body in memory. The connection sends a large one from there: the HTTP server would
    /// copy it into the connection's buffer, and the buffers of many connections exceed the
    /// processor's caches.
    pub(crate) struct SharedBody<B> {
        #[pin]
        body: B,
        size: BodySize,
        // The connection that sends the body itself, and the size of the body.
        sender: Option<(Rc<Connection>, usize)>,
        // Bytes of the body that the connection has.
        sent: usize,
        request: Option<RequestGuard>,
    }
}

impl SharedBody<Bytes> {
    /// The body of a response, or `None` for a head only. `connection` is that of the request,
    /// which has no other guard.
    pub(crate) fn of_bytes(
        head: &mut ResponseHead,
        bytes: Option<Bytes>,
        connection: Option<Rc<Connection>>,
    ) -> Self {
        let size = bytes
            .as_ref()
            .map_or(BodySize::None, |bytes| BodySize::Sized(bytes.len() as u64));
        let request = connection.as_ref().map(RequestGuard::on);
        let body = bytes.unwrap_or_default();
        Self {
            request,
            ..Self::of_size(head, body, size, connection)
        }
    }
}

impl<B: MessageBody> SharedBody<B> {
    /// The body of a response. `connection` is that of the request.
    pub(crate) fn new(
        head: &mut ResponseHead,
        body: B,
        connection: Option<Rc<Connection>>,
    ) -> Self {
        let size = body.size();
        Self::of_size(head, body, size, connection)
    }

    fn of_size(
        head: &mut ResponseHead,
        body: B,
        mut size: BodySize,
        connection: Option<Rc<Connection>>,
    ) -> Self {
        let sender = match size {
            BodySize::Sized(size) if size >= SHARED_FROM_BYTES => {
                connection.zip(usize::try_from(size).ok())
            }
            _ => None,
        };
        if let Some((_, length)) = &sender {
            // The HTTP server receives no bytes of the body, so it must not count or frame them.
            head.no_chunking(true);
            head.headers_mut()
                .insert(header::CONTENT_LENGTH, HeaderValue::from(*length));
            size = BodySize::Stream;
        }
        Self {
            body,
            size,
            sender,
            sent: 0,
            request: None,
        }
    }
}

impl<B: MessageBody> MessageBody for SharedBody<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.size
    }

    /// With a sender, the body ends when it is sent: the head of the next response must not
    /// overtake it.
    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, B::Error>>> {
        let mut this = self.project();
        let Some((sender, size)) = this.sender else {
            return this.body.poll_next(context);
        };
        while !sender.is_sending() {
            let part = match ready!(this.body.as_mut().poll_next(context)) {
                Some(Ok(part)) => part,
                None => {
                    sender.end_body();
                    if this.sent != size {
                        // The next response would be read as the rest of the body.
                        sender.close();
                    }
                    return Poll::Ready(None);
                }
                error => return Poll::Ready(error),
            };
            let is_first = *this.sent == 0;
            *this.sent += part.len();
            if part.len() == *size {
                sender.send(part);
            } else if is_first {
                sender.send_first_part(part, *size);
            } else {
                sender.send_part(part);
            }
        }
        Poll::Pending
    }
}
