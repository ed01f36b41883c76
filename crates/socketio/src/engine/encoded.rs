//! Outgoing packets, encoded once and shared by all receivers.

use std::sync::{Arc, LazyLock, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::packet::{Message, SEPARATOR};

/// The longest header of an unmasked WebSocket frame (RFC 6455, section 5.2).
const HEADER: usize = 10;
const FIN_TEXT: u8 = 0x81;
const FIN_BINARY: u8 = 0x82;

/// One or more Engine.IO packets that must stay together, such as an event and its attachments.
/// Cheap to clone.
///
/// The WebSocket frames are built with the packet. The polling form of one text is a slice of them;
/// otherwise it is built by the first receiver that polls. Other receivers take a reference.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    /// Complete WebSocket frames.
    frames: Bytes,
    /// Start and end of the first frame's text; equal if there is none.
    text: (usize, usize),
    others: Option<Arc<Others>>,
}

/// What follows the first text.
#[derive(Debug)]
struct Others {
    packets: Packets,
    polling: OnceLock<Bytes>,
}

#[derive(Debug)]
enum Packets {
    /// Attachments of the first text.
    Binary(Vec<Bytes>),
    /// Packets that were joined; there is no first text.
    Joined(Vec<Encoded>),
}

impl Encoded {
    /// Encodes a text packet that `write` appends, followed by binary messages.
    pub(crate) fn build(attachments: Vec<Bytes>, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut buffer = vec![0; HEADER];
        write(&mut buffer);
        let (header, used) = header(FIN_TEXT, buffer.len() - HEADER);
        let start = HEADER - used;
        buffer[start..HEADER].copy_from_slice(&header[..used]);
        let end = buffer.len() - start;
        for bytes in &attachments {
            push_binary(&mut buffer, bytes);
        }
        Self {
            frames: Bytes::from(buffer).slice(start..),
            text: (used, end),
            others: Others::new(Packets::Binary(attachments)),
        }
    }

    /// Joins packets, which then are queued and sent as one.
    pub(crate) fn join(packets: Vec<Self>) -> Self {
        let mut frames = Vec::with_capacity(packets.iter().map(Self::len).sum());
        for packet in &packets {
            frames.extend_from_slice(&packet.frames);
        }
        let frames = Bytes::from(frames);
        let mut start = 0;
        let shared = packets.into_iter().map(|packet| {
            let end = start + packet.len();
            let frames = frames.slice(start..end);
            start = end;
            Self { frames, ..packet }
        });
        let packets = shared.collect();
        Self {
            text: (0, 0),
            others: Others::new(Packets::Joined(packets)),
            frames,
        }
    }

    /// Encodes a text packet with its type.
    pub(crate) fn text(packet: &str) -> Self {
        Self::build(Vec::new(), |buffer| {
            buffer.extend_from_slice(packet.as_bytes());
        })
    }

    /// Encodes a `message` packet.
    pub(crate) fn message(message: Message) -> Self {
        match message {
            Message::Text(text) => Self::build(Vec::new(), |buffer| {
                buffer.push(b'4');
                buffer.extend_from_slice(text.as_bytes());
            }),
            Message::Binary(bytes) => {
                let mut buffer = Vec::with_capacity(HEADER + bytes.len());
                push_binary(&mut buffer, &bytes);
                Self {
                    frames: buffer.into(),
                    text: (0, 0),
                    others: Others::new(Packets::Binary(vec![bytes])),
                }
            }
        }
    }

    /// The WebSocket form.
    pub(crate) fn into_websocket(self) -> Bytes {
        self.frames
    }

    /// The polling form, without separators.
    pub(crate) fn polling(&self) -> Bytes {
        let text = self.frames.slice(self.text.0..self.text.1);
        match &self.others {
            None => text,
            Some(others) => others.polling(&text),
        }
    }

    /// Size in a queue, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }
}

impl Others {
    fn new(packets: Packets) -> Option<Arc<Self>> {
        let polling = OnceLock::new();
        let is_empty = matches!(&packets, Packets::Binary(binaries) if binaries.is_empty());
        (!is_empty).then(|| Arc::new(Self { packets, polling }))
    }

    /// The polling form of a text and these packets.
    fn polling(&self, text: &[u8]) -> Bytes {
        let encode = || match &self.packets {
            Packets::Binary(binaries) => with_attachments(text, binaries),
            Packets::Joined(packets) => payload(packets),
        };
        self.polling.get_or_init(encode).clone()
    }
}

/// The polling form of a text packet and its attachments.
fn with_attachments(text: &[u8], binaries: &[Bytes]) -> Bytes {
    let mut payload = String::from_utf8_lossy(text).into_owned();
    for bytes in binaries {
        if !payload.is_empty() {
            payload.push(SEPARATOR);
        }
        payload.push('b');
        STANDARD.encode_string(bytes, &mut payload);
    }
    payload.into()
}

/// Joins packets to a polling payload.
pub(crate) fn payload(packets: &[Encoded]) -> Bytes {
    match packets {
        [] => Bytes::new(),
        [one] => one.polling(),
        many => {
            let parts: Vec<Bytes> = many.iter().map(Encoded::polling).collect();
            parts.join(&(SEPARATOR as u8)).into()
        }
    }
}

/// The constant packets `1`, `2`, `3probe` and `6`.
pub(crate) struct Fixed {
    pub(crate) close: Encoded,
    pub(crate) ping: Encoded,
    pub(crate) probe: Encoded,
    pub(crate) noop: Encoded,
}

pub(crate) static FIXED: LazyLock<Fixed> = LazyLock::new(|| Fixed {
    close: Encoded::text("1"),
    ping: Encoded::text("2"),
    probe: Encoded::text("3probe"),
    noop: Encoded::text("6"),
});

fn push_binary(buffer: &mut Vec<u8>, bytes: &[u8]) {
    let (header, used) = header(FIN_BINARY, bytes.len());
    buffer.extend_from_slice(&header[..used]);
    buffer.extend_from_slice(bytes);
}

/// The header of an unmasked frame, and its length.
fn header(first: u8, length: usize) -> ([u8; HEADER], usize) {
    let mut header = [0; HEADER];
    header[0] = first;
    if let Ok(short @ 0..=125) = u8::try_from(length) {
        header[1] = short;
        (header, 2)
    } else if let Ok(medium) = u16::try_from(length) {
        header[1] = 126;
        header[2..4].copy_from_slice(&medium.to_be_bytes());
        (header, 4)
    } else {
        header[1] = 127;
        header[2..].copy_from_slice(&(length as u64).to_be_bytes());
        (header, HEADER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_framed_once_and_sliced_for_polling() {
        let packet = Encoded::text("4hello");
        assert_eq!(packet.clone().into_websocket(), &b"\x81\x064hello"[..]);
        assert_eq!(packet.polling(), &b"4hello"[..]);
        assert_eq!(
            packet.polling().as_ptr(),
            packet.clone().into_websocket()[2..].as_ptr()
        );
    }

    #[test]
    fn lengths_use_the_shortest_header() {
        for (length, header) in [(124, 2), (125, 4), (65_534, 4), (65_535, 10)] {
            let packet = Encoded::message(Message::Text("x".repeat(length).into()));
            assert_eq!(
                packet.clone().into_websocket().len(),
                length + 1 + header,
                "{length}"
            );
            assert_eq!(packet.polling().len(), length + 1, "{length}");
        }
    }

    #[test]
    fn attachments_follow_their_packet_in_both_forms() {
        let packet = Encoded::build(vec![Bytes::from_static(&[1, 2, 3, 4])], |b| {
            b.extend_from_slice(b"451-[]");
        });
        assert_eq!(
            packet.clone().into_websocket(),
            &b"\x81\x06451-[]\x82\x04\x01\x02\x03\x04"[..]
        );
        assert_eq!(packet.polling(), &b"451-[]\x1ebAQIDBA=="[..]);
    }

    #[test]
    fn a_binary_message_stands_alone() {
        let packet = Encoded::message(Message::Binary(Bytes::from_static(&[1, 2, 3, 4])));
        assert_eq!(
            packet.clone().into_websocket(),
            &b"\x82\x04\x01\x02\x03\x04"[..]
        );
        assert_eq!(packet.polling(), &b"bAQIDBA=="[..]);
    }

    #[test]
    fn joined_packets_are_several_in_both_forms() {
        let attached = Encoded::build(vec![Bytes::from_static(&[1, 2, 3, 4])], |b| {
            b.extend_from_slice(b"451-[]");
        });
        let joined = Encoded::join(vec![Encoded::text("4a"), attached, Encoded::text("4b")]);
        assert_eq!(
            joined.clone().into_websocket(),
            &b"\x81\x024a\x81\x06451-[]\x82\x04\x01\x02\x03\x04\x81\x024b"[..]
        );
        assert_eq!(joined.polling(), &b"4a\x1e451-[]\x1ebAQIDBA==\x1e4b"[..]);
        let pair = [joined, FIXED.noop.clone()];
        assert_eq!(payload(&pair), &b"4a\x1e451-[]\x1ebAQIDBA==\x1e4b\x1e6"[..]);
    }

    #[test]
    fn a_payload_joins_packets() {
        assert_eq!(
            payload(&[Encoded::text("4a"), FIXED.noop.clone()]),
            &b"4a\x1e6"[..]
        );
    }
}
