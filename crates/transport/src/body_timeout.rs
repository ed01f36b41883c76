//! Bodies that come slowly, or never. A client that sends one must not hold a connection for long (OWASP ASVS 5.0, 13.1.3),
//! neither while a handler reads the body nor where none does. Here it is also noted on which connections a request is under
//! way that the app answers.

use std::cell::RefCell;
use std::future::{Ready, ready};
use std::io::ErrorKind;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::error::PayloadError;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{Error, HttpMessage, HttpResponse, web};
use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::idle_timeout::{Busy, Connection};

/// Gives each body this time to come, from its head on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTime(pub(crate) Duration);

/// The service inside, whose requests have bodies that end in time.
pub(crate) struct Bounded<S> {
    inner: S,
    time: Duration,
}

/// A body on its way, in the hands of the handler and of the answer.
type Shared = Rc<RefCell<Payload>>;

/// What a handler reads.
struct Timed {
    body: Shared,
    end: Instant,
    /// Made when the body has to be waited for: most are there with their head.
    sleep: Option<Pin<Box<Sleep>>>,
}

pin_project! {
    /// A request on its way.
    pub(crate) struct PendingResponse<F> {
        #[pin]
        inner: F,
        body: Option<Shared>,
        busy: Option<Busy>,
        head: bool,
    }
}

pin_project! {
    /// An answer that keeps the request's body until it is sent. Of a body that somebody keeps and nobody has read to its
    /// end, actix closes the connection; one that was let go in chunks it would read on for ever.
    pub(crate) struct BodyDeadline<B> {
        #[pin]
        answer: B,
        body: Option<Shared>,
        busy: Option<Busy>,
    }
}

impl<S, B> Transform<S, ServiceRequest> for BodyTime
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    type Response = ServiceResponse<BodyDeadline<B>>;
    type Error = Error;
    type Transform = Bounded<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(Bounded {
            inner,
            time: self.0,
        }))
    }
}

impl<S, B> Service<ServiceRequest> for Bounded<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    type Response = ServiceResponse<BodyDeadline<B>>;
    type Error = Error;
    type Future = PendingResponse<S::Future>;

    forward_ready!(inner);

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let busy = request.conn_data::<Arc<Connection>>().map(Busy::on);
        let head = request.method() == Method::HEAD;
        let body = match request.take_payload() {
            Payload::None => None,
            endless if is_handshake(&request) => {
                request.set_payload(endless);
                None
            }
            body => {
                let body = Rc::new(RefCell::new(body));
                let timed = Timed {
                    body: Rc::clone(&body),
                    end: Instant::now() + self.time,
                    sleep: None,
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
            busy,
            head,
        }
    }
}

/// Whether what follows the head are the frames of a WebSocket (RFC 6455, section 4.1), which end when they end.
fn is_handshake(request: &ServiceRequest) -> bool {
    let has = |name| request.headers().contains_key(name);
    let framed = has(header::CONTENT_LENGTH) || has(header::TRANSFER_ENCODING);
    request.method() == Method::GET && has(header::UPGRADE) && !framed
}

impl Stream for Timed {
    type Item = Result<web::Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Poll::Ready(read) = Pin::new(&mut *this.body.borrow_mut()).poll_next(context) {
            return Poll::Ready(read);
        }
        let end = this.end;
        let sleep = this.sleep.get_or_insert_with(|| Box::pin(sleep_until(end)));
        ready!(sleep.as_mut().poll(context));
        Poll::Ready(Some(Err(PayloadError::Io(ErrorKind::TimedOut.into()))))
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
        let answered = ready!(this.inner.poll(context))?;
        let (body, busy) = (this.body.take(), this.busy.take());
        if let Some(busy) = busy
            .as_ref()
            .filter(|_| !*this.head && is_stream(answered.response()))
        {
            busy.streams();
        }
        Poll::Ready(Ok(answered.map_body(|_, answer| BodyDeadline {
            answer,
            body,
            busy,
        })))
    }
}

/// Whether an answer goes on until one of the two goes away: a WebSocket, or an event stream.
fn is_stream<B>(answer: &HttpResponse<B>) -> bool {
    let content = answer.headers().get(header::CONTENT_TYPE);
    answer.status() == StatusCode::SWITCHING_PROTOCOLS
        || content.is_some_and(|kind| kind == "text/event-stream")
}

impl<B: MessageBody> MessageBody for BodyDeadline<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.answer.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<web::Bytes, B::Error>>> {
        self.project().answer.poll_next(context)
    }

    fn try_into_bytes(self) -> Result<web::Bytes, Self> {
        // Of an answer that is made bytes the request's body would be let go before they are sent.
        if self.body.is_some() {
            return Err(self);
        }
        let Self { answer, body, busy } = self;
        answer
            .try_into_bytes()
            .map_err(|answer| Self { answer, body, busy })
    }
}
