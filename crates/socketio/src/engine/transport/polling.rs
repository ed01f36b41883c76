//! HTTP long-polling (Engine.IO protocol v4, "HTTP long-polling").

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::{Bytes, BytesMut};
use bytestring::ByteString;
use futures_util::StreamExt as _;
use tokio::time::{sleep, timeout};

use super::max_message;
use super::websocket::CHUNK_SIZE;
use crate::engine::connection::Connection;
use crate::engine::encoded;
use crate::engine::handler::EngineHandler;
use crate::engine::outcome::PollError;
use crate::engine::packet::Packet;
use crate::engine::reason::{CloseReason, Refusal};
use crate::engine::session::Session;

/// How long the request of a leaving client waits for its own poll, so that the poll ends with a
/// noop and not with an error.
const CLOSE_DELAY: Duration = Duration::from_millis(25);

/// A waiting poll. If its connection ends first, the session is closed.
struct PollGuard<'a>(Option<&'a Session>);

impl Drop for PollGuard<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.0 {
            session.abandon_poll();
        }
    }
}

/// Responds with the next packets, as soon as there are any.
pub(super) async fn poll<H: EngineHandler>(
    connection: &Connection<H>,
) -> Result<HttpResponse, Refusal> {
    let session = &*connection.session;
    if let Err(error) = session.begin_poll() {
        return refuse(error);
    }
    let mut guard = PollGuard(Some(session));
    let packets = poll_fn(|context| session.poll_packets(context)).await;
    guard.0 = None;
    let packets = Packets {
        rest: encoded::payload(&packets),
        session: Arc::clone(&connection.session),
    };
    Ok(respond("text/plain; charset=UTF-8", packets))
}

/// The body of a response to a poll.
struct Packets {
    rest: Bytes,
    session: Arc<Session>,
}

impl MessageBody for Packets {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let rest = &mut self.get_mut().rest;
        let size = rest.len().min(CHUNK_SIZE);
        Poll::Ready((size > 0).then(|| Ok(rest.split_to(size))))
    }
}

impl Drop for Packets {
    fn drop(&mut self) {
        self.session.response_sent();
    }
}

/// A request whose packets are being received.
struct PostGuard<'a>(&'a Session);

impl Drop for PostGuard<'_> {
    fn drop(&mut self) {
        self.0.end_post();
    }
}

/// Receives packets of the client.
pub(super) async fn post<H: EngineHandler>(
    connection: &Arc<Connection<H>>,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    let session = &*connection.session;
    if let Err(error) = session.begin_post() {
        return refuse(error);
    }
    let _posting = PostGuard(session);
    let kind = request.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind == "application/octet-stream") {
        // Binary payloads belong to revision 3 ("invalid content").
        session.close(CloseReason::TransportError);
        return Err(Refusal::BadRequest);
    }
    // The client cannot send a pong meanwhile, so the session would end before a slower body.
    let time_limit = session.settings.ping_interval + session.settings.ping_timeout;
    let body = match timeout(time_limit, read(payload, max_message(connection))).await {
        Ok(Ok(body)) => body,
        Ok(Err(Unread::TooLarge)) => return Ok(HttpResponse::PayloadTooLarge().finish()),
        Ok(Err(Unread::Broken)) | Err(_) => {
            session.close(CloseReason::TransportError);
            return Err(Refusal::BadRequest);
        }
    };
    receive_all(connection, body).await?;
    Ok(respond("text/html", Bytes::from_static(b"ok")))
}

async fn receive_all<H: EngineHandler>(
    connection: &Arc<Connection<H>>,
    body: Bytes,
) -> Result<(), Refusal> {
    let session = &*connection.session;
    let Ok(body) = ByteString::try_from(body) else {
        session.close(CloseReason::ParseError);
        return Err(Refusal::BadRequest);
    };
    for packet in Packet::decode_payload(&body) {
        // The response waits, and the client sends nothing before it.
        poll_fn(|context| connection.poll_room(context)).await;
        if packet == Ok(Packet::Close) && !session.is_polled() {
            // The client's poll is on another connection and will arrive soon.
            sleep(CLOSE_DELAY).await;
        }
        if !connection.receive(packet) {
            let left = session.reason() == Some(CloseReason::TransportClose);
            return if left {
                Ok(())
            } else {
                Err(Refusal::BadRequest)
            };
        }
    }
    Ok(())
}

enum Unread {
    TooLarge,
    Broken,
}

async fn read(mut payload: web::Payload, max: usize) -> Result<Bytes, Unread> {
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Unread::Broken)?;
        if body.len() + chunk.len() > max {
            return Err(Unread::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn refuse(error: PollError) -> Result<HttpResponse, Refusal> {
    match error {
        PollError::Unknown => Err(Refusal::UnknownSid),
        PollError::WrongTransport => Err(Refusal::BadRequest),
        PollError::Overlap => Ok(HttpResponse::BadRequest().finish()),
    }
}

fn respond(kind: &'static str, body: impl MessageBody + 'static) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, HeaderValue::from_static(kind)))
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(body)
}
