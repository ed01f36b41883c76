//! HTTP long-polling (Engine.IO protocol v4, "HTTP long-polling").

use std::{future::poll_fn, sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
    web,
};
use bytes::{Bytes, BytesMut};
use bytestring::ByteString;
use futures_util::StreamExt as _;
use tokio::time::{sleep, timeout};

use super::max_message;
use crate::engine::{
    connection::Connection,
    encoded,
    handler::EngineHandler,
    packet::Packet,
    reason::{CloseReason, Refusal},
    session::Session,
    session_state::PollError,
};

/// How long a client that leaves waits for its own poll, so that the poll ends with a noop and not with an error.
const GRACE: Duration = Duration::from_millis(25);

/// A poll that waits. If its connection ends first, so does the session.
struct Waiting<'a>(Option<&'a Session>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.0 {
            session.abandon_poll();
        }
    }
}

/// The client asks for packets: answers when there are any.
pub(super) async fn poll<H: EngineHandler>(
    connection: &Connection<H>,
) -> Result<HttpResponse, Refusal> {
    let session = &*connection.session;
    if let Err(error) = session.begin_poll() {
        return refuse(error);
    }
    let mut waiting = Waiting(Some(session));
    let packets = poll_fn(|context| session.poll_packets(context)).await;
    waiting.0 = None;
    Ok(respond(
        "text/plain; charset=UTF-8",
        encoded::payload(&packets),
    ))
}

/// A request whose data is being taken in.
struct Posting<'a>(&'a Session);

impl Drop for Posting<'_> {
    fn drop(&mut self) {
        self.0.end_post();
    }
}

/// The client brings packets.
pub(super) async fn post<H: EngineHandler>(
    connection: &Arc<Connection<H>>,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    let session = &*connection.session;
    if let Err(error) = session.begin_post() {
        return refuse(error);
    }
    let _posting = Posting(session);
    let kind = request.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind == "application/octet-stream") {
        // The binary payloads of revision 3 ("invalid content").
        session.close(CloseReason::TransportError);
        return Err(Refusal::BadRequest);
    }
    // The client cannot send a pong meanwhile: a body that takes longer outlives its session.
    let patience = session.settings.ping_interval + session.settings.ping_timeout;
    let body = match timeout(patience, read(payload, max_message(connection))).await {
        Ok(Ok(body)) => body,
        Ok(Err(Unread::TooLarge)) => return Ok(HttpResponse::PayloadTooLarge().finish()),
        Ok(Err(Unread::Broken)) | Err(_) => {
            session.close(CloseReason::TransportError);
            return Err(Refusal::BadRequest);
        }
    };
    take_in(connection, body).await?;
    Ok(respond("text/html", Bytes::from_static(b"ok")))
}

async fn take_in<H: EngineHandler>(
    connection: &Arc<Connection<H>>,
    body: Bytes,
) -> Result<(), Refusal> {
    let session = &*connection.session;
    let Ok(body) = ByteString::try_from(body) else {
        session.close(CloseReason::ParseError);
        return Err(Refusal::BadRequest);
    };
    for packet in Packet::decode_payload(&body) {
        // The answer waits with us, and the client does not send before it has it.
        poll_fn(|context| connection.poll_room(context)).await;
        if packet == Ok(Packet::Close) && !session.is_polled() {
            // A polling client always polls: its poll is on another connection, and on its way.
            sleep(GRACE).await;
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

fn respond(kind: &'static str, body: Bytes) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, HeaderValue::from_static(kind)))
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(body)
}
