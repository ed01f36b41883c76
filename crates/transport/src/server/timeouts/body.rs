//! Time limit for request bodies. A client that sends its body slowly must not hold a connection
//! for long (OWASP ASVS 5.0, 13.1.3), whether or not a handler reads the body. This middleware also
//! marks connections as busy while the app handles a request, lets them read more of its body, and
//! tells them while a handler waits for it.

use std::cell::RefCell;
use std::future::{Ready, ready};
use std::io::ErrorKind;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::error::PayloadError;
use actix_web::http::{Method, header};
use actix_web::{Error, HttpMessage, web};
use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::server::connection::{Connection, RequestGuard};

/// Bytes of a body after which its client has time for the next ones. If each byte gave it time, a
/// client would keep its connection up to the time limit also while descriptors are running out.
const PART: usize = 8 * 1024;

/// Middleware: each body must arrive within this time after its head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTimeout(pub(crate) Duration);

pub(crate) struct BodyTimeoutService<S> {
    inner: S,
    time: Duration,
}

/// A request body, shared by the handler and the response.
type SharedPayload = Rc<RefCell<Payload>>;

/// The body as a handler reads it: an error after the deadline.
struct TimedPayload {
    body: SharedPayload,
    end: Instant,
    /// Created on the first wait, because most bodies arrive with their head.
    sleep: Option<Pin<Box<Sleep>>>,
    part: Part,
    connection: Option<Rc<Connection>>,
}

/// The part of a body that its client has to send next.
#[derive(Default)]
struct Part {
    received: usize,
    /// When a handler began to wait for it; `None` if none has waited yet.
    awaited_since: Option<Instant>,
}

pin_project! {
    /// The response future. It keeps the body until there is a response.
    pub(crate) struct PendingResponse<F> {
        #[pin]
        inner: F,
        body: Option<SharedPayload>,
        guard: Option<RequestGuard>,
    }
}

pin_project! {
    /// A response that keeps the request's body until it is sent. If the body is still held and
    /// unread at that moment, actix closes the connection; otherwise actix would read an endless
    /// chunked body for ever.
    pub(crate) struct BodyDeadline<B> {
        #[pin]
        response: B,
        body: Option<SharedPayload>,
        guard: Option<RequestGuard>,
    }
}

impl<S, B> Transform<S, ServiceRequest> for BodyTimeout
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    type Response = ServiceResponse<BodyDeadline<B>>;
    type Error = Error;
    type Transform = BodyTimeoutService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(BodyTimeoutService {
            inner,
            time: self.0,
        }))
    }
}

impl<S, B> Service<ServiceRequest> for BodyTimeoutService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    type Response = ServiceResponse<BodyDeadline<B>>;
    type Error = Error;
    type Future = PendingResponse<S::Future>;

    forward_ready!(inner);

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let connection = request.conn_data::<Rc<Connection>>().cloned();
        let guard = connection.as_ref().map(RequestGuard::on);
        let body = match request.take_payload() {
            Payload::None => None,
            endless if is_handshake(&request) => {
                request.set_payload(endless);
                None
            }
            body => {
                let body = Rc::new(RefCell::new(body));
                let timed = TimedPayload {
                    body: Rc::clone(&body),
                    end: Instant::now() + self.time,
                    sleep: None,
                    part: Part::default(),
                    connection,
                };
                request.set_payload(Payload::Stream {
                    payload: Box::pin(timed),
                });
                Some(body)
            }
        };
        PendingResponse {
            inner: self.inner.call(request),
            body,
            guard,
        }
    }
}

/// Whether the head is followed by WebSocket frames (RFC 6455, section 4.1), which have no
/// time limit.
pub(crate) fn is_handshake(request: &ServiceRequest) -> bool {
    let has = |name| request.headers().contains_key(name);
    let framed = has(header::CONTENT_LENGTH) || has(header::TRANSFER_ENCODING);
    request.method() == Method::GET && has(header::UPGRADE) && !framed
}

impl Stream for TimedPayload {
    type Item = Result<web::Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(connection) = &this.connection {
            connection.allow_more();
        }
        let read = Pin::new(&mut *this.body.borrow_mut()).poll_next(context);
        let awaited_since = this.part.note_read(&read);
        if let Some(connection) = &this.connection {
            connection.set_body_awaited(awaited_since.map(Instant::into_std));
        }
        if read.is_ready() {
            return read;
        }
        let end = this.end;
        let sleep = this.sleep.get_or_insert_with(|| Box::pin(sleep_until(end)));
        ready!(sleep.as_mut().poll(context));
        Poll::Ready(Some(Err(PayloadError::Io(ErrorKind::TimedOut.into()))))
    }
}

impl Part {
    /// Since when the handler waits for the part after this result of a read; `None` if it does
    /// not wait.
    fn note_read(
        &mut self,
        read: &Poll<Option<Result<web::Bytes, PayloadError>>>,
    ) -> Option<Instant> {
        if read.is_pending() {
            return Some(*self.awaited_since.get_or_insert_with(Instant::now));
        }
        if let Poll::Ready(Some(Ok(bytes))) = read {
            self.received += bytes.len();
        }
        if self.received >= PART {
            *self = Self::default();
        }
        None
    }
}

impl<F, B> Future for PendingResponse<F>
where
    F: Future<Output = Result<ServiceResponse<B>, Error>>,
    B: MessageBody,
{
    type Output = Result<ServiceResponse<BodyDeadline<B>>, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let response = ready!(this.inner.poll(context))?;
        let (body, guard) = (this.body.take(), this.guard.take());
        Poll::Ready(Ok(response.map_body(|_, response| BodyDeadline {
            response,
            body,
            guard,
        })))
    }
}

impl<B: MessageBody> MessageBody for BodyDeadline<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.response.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<web::Bytes, B::Error>>> {
        self.project().response.poll_next(context)
    }

    fn try_into_bytes(self) -> Result<web::Bytes, Self> {
        // Converting to bytes would drop the request's body before the response is sent.
        if self.body.is_some() {
            return Err(self);
        }
        let Self {
            response,
            body,
            guard,
        } = self;
        response.try_into_bytes().map_err(|response| Self {
            response,
            body,
            guard,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::sleep;

    #[actix_web::test]
    async fn time_for_a_part_of_a_body_does_not_restart_with_each_byte() {
        let mut part = Part::default();
        let bytes = |count| Poll::Ready(Some(Ok(web::Bytes::from(vec![0; count]))));
        let begin = part.note_read(&Poll::Pending);
        assert!(begin.is_some());
        assert_eq!(part.note_read(&bytes(1)), None);
        assert_eq!(part.note_read(&Poll::Pending), begin);
        assert_eq!(part.note_read(&bytes(PART - 1)), None);
        sleep(Duration::from_millis(1)).await;
        assert!(part.note_read(&Poll::Pending) > begin);
        assert_eq!(part.note_read(&Poll::Ready(None)), None);
    }
}
