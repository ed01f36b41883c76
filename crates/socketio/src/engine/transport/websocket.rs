//! The WebSocket transport.
//!
//! A connection has no task, channel or timer of its own. The response body that actix polls anyway
//! reads the client's frames and writes the session's frames, which were built when the packets
//! were encoded. Of `actix-ws` only the handshake is used, without its channel and codec.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, dev, web};
use bytes::Bytes;

use super::frames::{FrameInput, Frames};
use super::max_message;
use crate::engine::connection::Connection;
use crate::engine::encoded::FIXED;
use crate::engine::handler::EngineHandler;
use crate::engine::packet::{Message, Packet};
use crate::engine::reason::{CloseReason, Refusal};
use crate::engine::session::WebsocketOutput;
use crate::engine::upgrade::Probe;

/// Frames that are read before packets are written.
const FRAMES: usize = 16;
/// Most waiting responses to the client's control frames. With more, the client is not read.
const MAX_CONTROL: usize = 16;
/// Bytes that are handed to the server of the connection at once, which keeps a copy for a client
/// that does not read.
pub(super) const CHUNK_SIZE: usize = 16 * 1024;
const CLOSE: u8 = 0x88;
const PONG: u8 = 0x8A;

/// Role of the connection for its session.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// It wants to become the session's transport.
    Probing(u32),
    /// It is the session's transport.
    Live,
    /// It is closing.
    Over,
}

/// Responds to the opening handshake (RFC 6455, section 4.2).
pub(super) async fn handshake(request: &HttpRequest) -> Result<HttpResponse, Refusal> {
    let nothing = web::Payload::from_request(request, &mut dev::Payload::None).await;
    let upgrade = nothing.and_then(|nothing| actix_ws::handle(request, nothing));
    upgrade
        .map(|(response, _, _)| response)
        .map_err(|_| Refusal::BadRequest)
}

/// Sends the response to the handshake, with the socket as its body.
pub(super) fn respond<H: EngineHandler>(
    response: HttpResponse,
    stage: Stage,
    connection: Arc<Connection<H>>,
    payload: web::Payload,
) -> HttpResponse {
    let frames = Frames::new(payload, max_message(&connection));
    let socket = Socket {
        connection,
        frames,
        control: Vec::new(),
        is_amid_packet: false,
        stage,
        may_be_full: true,
    };
    response.set_body(socket).map_into_boxed_body()
}

/// A WebSocket for a session that began with polling. A superfluous one is closed as soon as it is
/// open, as in the reference.
pub(super) async fn upgrade<H: EngineHandler>(
    connection: Arc<Connection<H>>,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    let response = handshake(request).await?;
    let attempt = connection.session.attach();
    let mut socket = Socket {
        frames: Frames::new(payload, max_message(&connection)),
        connection,
        control: Vec::new(),
        is_amid_packet: false,
        stage: Stage::Over,
        may_be_full: true,
    };
    match attempt {
        Some(attempt) => socket.stage = Stage::Probing(attempt),
        None => socket.finish(None),
    }
    Ok(response.set_body(socket).map_into_boxed_body())
}

/// Both directions of a WebSocket.
struct Socket<H: EngineHandler> {
    connection: Arc<Connection<H>>,
    frames: Frames,
    /// Control frames to send, the last one first.
    control: Vec<Bytes>,
    /// Whether more of the current packet follows.
    is_amid_packet: bool,
    stage: Stage,
    /// Whether there may be no room for another message. Only messages of this client take room.
    may_be_full: bool,
}

impl<H: EngineHandler> Socket<H> {
    /// Reads input of the client; true if there may be more.
    fn read(&mut self, context: &mut Context<'_>) -> bool {
        for _ in 0..FRAMES {
            if matches!(self.stage, Stage::Over) || self.control.len() >= MAX_CONTROL {
                return false;
            }
            if matches!(self.stage, Stage::Live) && self.may_be_full {
                if self.connection.poll_room(context).is_pending() {
                    return false;
                }
                self.may_be_full = false;
            }
            let Poll::Ready(input) = self.frames.poll(context) else {
                return false;
            };
            self.may_be_full = true;
            self.take(input);
        }
        true
    }

    fn take(&mut self, input: FrameInput) {
        match input {
            FrameInput::Message(message) => self.take_message(message),
            FrameInput::Ping(bytes) => self.send_control(control(PONG, &bytes)),
            FrameInput::Pong => {}
            FrameInput::Close(code) => {
                self.leave(CloseReason::TransportClose);
                self.finish(code);
            }
            FrameInput::End => {
                self.leave(CloseReason::TransportClose);
                self.stage = Stage::Over;
            }
            FrameInput::Fault(code) => {
                self.leave(CloseReason::TransportError);
                self.finish(Some(code));
            }
        }
    }

    fn take_message(&mut self, message: Message) {
        let packet = match message {
            Message::Text(text) => Packet::decode(&text),
            binary @ Message::Binary(_) => Ok(Packet::Message(binary)),
        };
        if !matches!(self.stage, Stage::Probing(_)) {
            self.connection.receive(packet);
            return;
        }
        let probe = packet.map_or(Probe::Abort, |packet| {
            self.connection.session.receive_probe(&packet)
        });
        match probe {
            Probe::Pong => self.send_control(FIXED.probe.clone().into_websocket()),
            Probe::Complete => self.stage = Stage::Live,
            Probe::Abort => self.finish(None),
        }
    }

    fn send_control(&mut self, frame: Bytes) {
        self.control.insert(0, frame);
    }

    /// Sends a close frame and stops reading.
    fn finish(&mut self, code: Option<u16>) {
        let code = code.map(u16::to_be_bytes);
        self.send_control(control(CLOSE, code.as_ref().map_or(&[], |code| &code[..])));
        self.stage = Stage::Over;
    }

    /// Detaches the connection from its session.
    fn leave(&self, reason: CloseReason) {
        match self.stage {
            Stage::Live => self.connection.session.close(reason),
            Stage::Probing(attempt) => self.connection.session.detach(attempt),
            Stage::Over => {}
        }
    }
}

impl<H: EngineHandler> MessageBody for Socket<H> {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let this = self.get_mut();
        let more = this.read(context);
        loop {
            if !this.is_amid_packet
                && let Some(frame) = this.control.pop()
            {
                return Poll::Ready(Some(Ok(frame)));
            }
            match this.stage {
                Stage::Over if !this.is_amid_packet => return Poll::Ready(None),
                Stage::Probing(attempt)
                    if this.connection.session.poll_upgrading(attempt, context) =>
                {
                    break;
                }
                Stage::Probing(_) => this.finish(None),
                Stage::Live | Stage::Over => {
                    match this.connection.session.poll_output(CHUNK_SIZE, context) {
                        WebsocketOutput::Part(bytes, is_amid_packet) => {
                            this.is_amid_packet = is_amid_packet;
                            return Poll::Ready(Some(Ok(bytes)));
                        }
                        WebsocketOutput::Idle => break,
                        WebsocketOutput::Close if this.is_amid_packet => {
                            // A close frame cannot come in the middle of a packet.
                            this.stage = Stage::Over;
                            return Poll::Ready(None);
                        }
                        WebsocketOutput::Close => this.finish(None),
                    }
                }
            }
        }
        if more {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl<H: EngineHandler> Unpin for Socket<H> {}

impl<H: EngineHandler> Drop for Socket<H> {
    fn drop(&mut self) {
        self.leave(CloseReason::TransportClose);
    }
}

/// A control frame; its payload is at most 125 bytes (RFC 6455, section 5.5).
fn control(kind: u8, payload: &[u8]) -> Bytes {
    let payload = payload.get(..125).unwrap_or(payload);
    let mut frame = Vec::with_capacity(2 + payload.len());
    frame.push(kind);
    frame.push(u8::try_from(payload.len()).unwrap_or_default());
    frame.extend_from_slice(payload);
    frame.into()
}
