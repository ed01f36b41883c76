//! Engine.IO packets of clients.
//!
//! `engineioxide-core` was rejected for three reasons. Its text type cannot be a slice of a
//! received frame without `unsafe`, so every message would be copied. It refuses packets that the
//! reference server ignores (`0`). Its payload decoder needs another version of the `http` crates.

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use bytes::Bytes;
use bytestring::ByteString;

/// Separator of packets in a polling payload (Engine.IO protocol v4, "Packet encoding /
/// HTTP long-polling").
pub(crate) const SEPARATOR: char = '\x1e';

/// Padding is optional, because some clients omit it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Content of a `message` packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Text, without the packet type.
    Text(ByteString),
    /// Bytes.
    Binary(Bytes),
}

impl Message {
    /// Size in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }

    /// Whether the message is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A packet from a client (Engine.IO protocol v4, "Packet types").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet {
    /// `0`, which only servers send.
    Open,
    /// `1`: the client leaves.
    Close,
    /// `2`; `2probe` starts an upgrade.
    Ping {
        /// Whether the packet carries `probe`.
        probe: bool,
    },
    /// `3`.
    Pong,
    /// `4`, a binary frame, or `b` and base64 in a polling payload.
    Message(Message),
    /// `5`: the upgrade is complete.
    Upgrade,
    /// `6`.
    Noop,
}

/// A text that is not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The first character is not a packet type.
    #[error("unknown packet type")]
    UnknownType,
    /// `b` is not followed by base64.
    #[error("malformed base64")]
    Base64,
}

impl Packet {
    /// Decodes a text packet. The message shares the memory of `text`.
    ///
    /// # Errors
    /// If the type is unknown or the base64 is malformed.
    pub fn decode(text: &ByteString) -> Result<Self, DecodeError> {
        let rest = text.get(1..).unwrap_or_default();
        Ok(match text.as_bytes().first() {
            Some(b'0') => Self::Open,
            Some(b'1') => Self::Close,
            Some(b'2') => Self::Ping {
                probe: rest == "probe",
            },
            Some(b'3') => Self::Pong,
            Some(b'4') => Self::Message(Message::Text(text.slice_ref(rest))),
            Some(b'5') => Self::Upgrade,
            Some(b'6') => Self::Noop,
            Some(b'b') => {
                let bytes = BASE64.decode(rest).map_err(|_| DecodeError::Base64)?;
                Self::Message(Message::Binary(bytes.into()))
            }
            _ => return Err(DecodeError::UnknownType),
        })
    }

    /// Decodes the packets of a polling payload one by one, so that a payload of many tiny packets
    /// never expands in memory.
    pub fn decode_payload(payload: &ByteString) -> impl Iterator<Item = Result<Self, DecodeError>> {
        payload
            .split(SEPARATOR)
            .map(|part| Self::decode(&payload.slice_ref(part)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Packet {
        Packet::Message(Message::Text(text.into()))
    }

    #[test]
    fn every_packet_type_has_its_digit() {
        let table = [
            ("0", Packet::Open),
            ("1", Packet::Close),
            ("2", Packet::Ping { probe: false }),
            ("2probe", Packet::Ping { probe: true }),
            ("3", Packet::Pong),
            ("4", text("")),
            ("4häßlich", text("häßlich")),
            ("5", Packet::Upgrade),
            ("6", Packet::Noop),
        ];
        for (encoded, packet) in table {
            assert_eq!(Packet::decode(&encoded.into()), Ok(packet), "{encoded}");
        }
    }

    #[test]
    fn base64_is_binary_with_or_without_padding() {
        let bytes = Packet::Message(Message::Binary(Bytes::from_static(&[1, 2, 3, 4])));
        assert_eq!(Packet::decode(&"bAQIDBA==".into()), Ok(bytes.clone()));
        assert_eq!(Packet::decode(&"bAQIDBA".into()), Ok(bytes));
    }

    #[test]
    fn unknown_packet_types_are_errors() {
        for encoded in ["", "7", "abc", "é", "\u{1e}"] {
            assert_eq!(
                Packet::decode(&encoded.into()),
                Err(DecodeError::UnknownType),
                "{encoded}"
            );
        }
        assert_eq!(Packet::decode(&"b*".into()), Err(DecodeError::Base64));
    }

    #[test]
    fn a_payload_is_split_at_its_separators() {
        let payload = "4a\u{1e}4b\u{1e}bAQ==\u{1e}x".into();
        let packets: Vec<_> = Packet::decode_payload(&payload).collect();
        assert_eq!(packets.len(), 4);
        assert_eq!(packets[1], Ok(text("b")));
        assert_eq!(packets[3], Err(DecodeError::UnknownType));
    }
}
