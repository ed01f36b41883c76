//! WebSocket frames of a client, assembled to messages (RFC 6455, sections 5.4 and 7.4).

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_http::ws::Codec;
use actix_web::{dev, web};
use actix_ws::{Item, ProtocolError};
use bytes::{Bytes, BytesMut};
use bytestring::ByteString;
use futures_util::Stream as _;
use tokio_util::codec::Decoder as _;

use crate::engine::packet::Message;

/// "The endpoint is terminating the connection due to a protocol error."
const PROTOCOL: u16 = 1002;
/// "Data within a message that was not consistent with the type of the message."
const INCONSISTENT: u16 = 1007;
/// "A message that is too big for it to process."
const TOO_BIG: u16 = 1009;

/// The longest payload of a control frame, in bytes (RFC 6455, section 5.5).
const MAX_CONTROL: u64 = 125;

/// Input of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameInput {
    Message(Message),
    Ping(Bytes),
    Pong,
    /// A close frame with its code.
    Close(Option<u16>),
    /// The connection ended.
    End,
    /// The client broke a rule; the code to close with.
    Fault(u16),
}

/// A message with missing frames.
struct Partial {
    text: bool,
    bytes: BytesMut,
}

/// Reads a client's frames.
pub(super) struct Frames {
    payload: dev::Payload,
    codec: Codec,
    buffer: BytesMut,
    partial: Option<Box<Partial>>,
    max: usize,
}

impl Frames {
    /// Accepts messages of up to `max` bytes.
    pub(super) fn new(payload: web::Payload, max: usize) -> Self {
        let codec = Codec::new().max_size(max);
        Self {
            payload: payload.into_inner(),
            codec,
            buffer: BytesMut::new(),
            partial: None,
            max,
        }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<FrameInput> {
        loop {
            if let Some(code) = self.refused_header() {
                self.buffer = BytesMut::new();
                return Poll::Ready(FrameInput::Fault(code));
            }
            match self.codec.decode(&mut self.buffer) {
                Ok(Some(frame)) => {
                    if self.buffer.is_empty() {
                        // An idle client keeps no buffer.
                        self.buffer = BytesMut::new();
                    }
                    if let Some(input) = self.take(frame) {
                        return Poll::Ready(input);
                    }
                    continue;
                }
                Ok(None) => {}
                Err(ProtocolError::Overflow) => return Poll::Ready(FrameInput::Fault(TOO_BIG)),
                Err(_) => return Poll::Ready(FrameInput::Fault(PROTOCOL)),
            }
            match Pin::new(&mut self.payload).poll_next(context) {
                Poll::Ready(Some(Ok(bytes))) if self.buffer.is_empty() => {
                    self.buffer = bytes.into();
                }
                Poll::Ready(Some(Ok(bytes))) => self.buffer.extend_from_slice(&bytes),
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(FrameInput::End),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// The code to close with, if the header of the next frame announces a control frame that is
    /// too long, or a message that is too long together with its earlier frames. The codec would
    /// only check complete frames.
    fn refused_header(&self) -> Option<u16> {
        let (control, length) = announced(&self.buffer)?;
        if control {
            return (length > MAX_CONTROL).then_some(PROTOCOL);
        }
        let parts = self
            .partial
            .as_ref()
            .map_or(0, |partial| partial.bytes.len());
        let message = length.saturating_add(u64::try_from(parts).unwrap_or(u64::MAX));
        (message > u64::try_from(self.max).unwrap_or(u64::MAX)).then_some(TOO_BIG)
    }

    fn take(&mut self, frame: actix_http::ws::Frame) -> Option<FrameInput> {
        use actix_http::ws::Frame;
        Some(match frame {
            Frame::Text(bytes) => text(own(&bytes)),
            Frame::Binary(bytes) => FrameInput::Message(Message::Binary(own(&bytes))),
            Frame::Ping(bytes) => FrameInput::Ping(bytes),
            Frame::Pong(_) => FrameInput::Pong,
            Frame::Close(reason) => FrameInput::Close(reason.map(|reason| reason.code.into())),
            Frame::Continuation(item) => return self.join(item),
        })
    }

    fn join(&mut self, item: Item) -> Option<FrameInput> {
        let (text, bytes, last) = match item {
            Item::FirstText(bytes) => (Some(true), bytes, false),
            Item::FirstBinary(bytes) => (Some(false), bytes, false),
            Item::Continue(bytes) => (None, bytes, false),
            Item::Last(bytes) => (None, bytes, true),
        };
        if let Some(text) = text {
            self.partial = Some(Box::new(Partial {
                text,
                bytes: BytesMut::new(),
            }));
        }
        let Some(partial) = &mut self.partial else {
            return Some(FrameInput::Fault(PROTOCOL));
        };
        partial.bytes.extend_from_slice(&bytes);
        if !last {
            return None;
        }
        let partial = self.partial.take()?;
        let bytes = partial.bytes.freeze();
        Some(if partial.text {
            self::text(bytes)
        } else {
            FrameInput::Message(Message::Binary(bytes))
        })
    }
}

/// Whether a frame is a control frame, and the length of its payload (RFC 6455, section 5.2);
/// `None` if the header is incomplete.
fn announced(buffer: &[u8]) -> Option<(bool, u64)> {
    let (first, second) = (buffer.first()?, buffer.get(1)?);
    let length = match second & 0x7f {
        126 => u16::from_be_bytes(buffer.get(2..4)?.try_into().ok()?).into(),
        127 => u64::from_be_bytes(buffer.get(2..10)?.try_into().ok()?),
        short => short.into(),
    };
    Some((first & 0x08 != 0, length))
}

/// A copy, because a short message must not keep the whole read buffer in memory.
fn own(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(bytes)
}

fn text(bytes: Bytes) -> FrameInput {
    match ByteString::try_from(bytes) {
        Ok(text) => FrameInput::Message(Message::Text(text)),
        Err(_) => FrameInput::Fault(INCONSISTENT),
    }
}
