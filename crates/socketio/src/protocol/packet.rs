//! Socket.IO packets of clients.

use bytes::Bytes;
use bytestring::ByteString;
use serde_json::value::RawValue;

use super::args::Args;

/// Reserved event names, which clients must not emit (the reference parser's `RESERVED_EVENTS`).
const RESERVED: [&str; 6] = [
    "connect",
    "connect_error",
    "disconnect",
    "disconnecting",
    "newListener",
    "removeListener",
];

/// Whether an event name is reserved.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// A violation of the protocol; the connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// The first character is not a type that clients may send.
    #[error("unknown packet type")]
    UnknownType,
    /// The number of attachments is missing, zero or not a number.
    #[error("illegal attachments")]
    IllegalAttachments,
    /// There are more attachments than the server accepts.
    #[error("too many attachments")]
    TooManyAttachments,
    /// The packet with its attachments is larger than the server accepts.
    #[error("too large")]
    TooLarge,
    /// The acknowledgement's identifier is missing or too large.
    #[error("illegal acknowledgement id")]
    IllegalId,
    /// The JSON is malformed, or does not match the packet type.
    #[error("invalid payload")]
    InvalidPayload,
    /// Text instead of an attachment, or bytes instead of text.
    #[error("unexpected data")]
    Unexpected,
}

/// Content of a packet (Socket.IO protocol v5, "Packet types"). `BINARY_EVENT` and `BINARY_ACK`
/// become an event and an acknowledgement with attachments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `0`: requests to join the namespace, with a JSON object of credentials; empty if there
    /// is none.
    Connect(ByteString),
    /// `1`: leaves the namespace.
    Disconnect,
    /// `2` or `5`.
    Event {
        /// Name of the event; a number is read as its digits.
        name: ByteString,
        /// Arguments after the name.
        args: Args,
        /// Set if the client expects an acknowledgement.
        id: Option<u64>,
    },
    /// `3` or `6`: acknowledges the event with this identifier.
    Ack {
        /// Identifier of the event.
        id: u64,
        /// Arguments of the acknowledgement.
        args: Args,
    },
    /// An event without payload, which the reference ignores.
    Nothing,
}

/// A packet from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Namespace of the packet.
    pub namespace: ByteString,
    /// Content of the packet.
    pub kind: Kind,
    /// Bytes of the messages that it arrived in. They stay in memory as long as a part of them.
    pub(crate) bytes: usize,
}

/// The parsed text of a packet.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    kind: u8,
    /// Number of attachments that follow.
    pub(crate) attachments: usize,
    namespace: ByteString,
    id: Option<u64>,
    payload: ByteString,
    /// Length of the text.
    pub(crate) bytes: usize,
}

impl Header {
    /// Parses the text of a packet: `<type>[<attachments>-][<namespace>,][<id>][JSON]`
    /// ("Packet encoding").
    pub(crate) fn decode(text: &ByteString, max_attachments: usize) -> Result<Self, PacketError> {
        let kind = *text.as_bytes().first().ok_or(PacketError::UnknownType)?;
        if !matches!(kind, b'0'..=b'3' | b'5' | b'6') {
            return Err(PacketError::UnknownType);
        }
        let rest = &text[1..];
        let (attachments, rest) = match kind {
            b'5' | b'6' => split_attachments(rest, max_attachments)?,
            _ => (0, rest),
        };
        let (namespace, rest) = match rest.as_bytes().first() {
            Some(b'/') => rest.split_once(',').unwrap_or((rest, "")),
            _ => ("/", rest),
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (id, payload) = rest.split_at(digits);
        let id = if id.is_empty() {
            None
        } else {
            Some(id.parse().map_err(|_| PacketError::IllegalId)?)
        };
        let namespace = if namespace == "/" {
            "/".into()
        } else {
            text.slice_ref(namespace)
        };
        Ok(Self {
            kind,
            attachments,
            namespace,
            id,
            payload: text.slice_ref(payload),
            bytes: text.len(),
        })
    }

    /// Creates the packet, once all attachments have arrived.
    pub(crate) fn complete(self, attachments: Vec<Bytes>) -> Result<Packet, PacketError> {
        let attached: usize = attachments.iter().map(Bytes::len).sum();
        let bytes = self.bytes + attached;
        if !attachments.is_empty() {
            check_placeholders(&self.payload, attachments.len())?;
        }
        let kind = match self.kind {
            b'0' => Kind::Connect(object(self.payload)?),
            b'1' if self.payload.is_empty() => Kind::Disconnect,
            b'1' => return Err(PacketError::InvalidPayload),
            b'2' | b'5' if self.payload.is_empty() => Kind::Nothing,
            b'2' | b'5' => {
                let (name, items) = event(&self.payload)?;
                Kind::Event {
                    name,
                    args: Args::new(items, attachments),
                    id: self.id,
                }
            }
            _ => {
                let id = self.id.ok_or(PacketError::IllegalId)?;
                let items = if self.payload.is_empty() {
                    ByteString::new()
                } else {
                    array(&self.payload)?.0
                };
                Kind::Ack {
                    id,
                    args: Args::new(items, attachments),
                }
            }
        };
        Ok(Packet {
            namespace: self.namespace,
            kind,
            bytes,
        })
    }
}

fn split_attachments(text: &str, max: usize) -> Result<(usize, &str), PacketError> {
    let (count, rest) = text
        .split_once('-')
        .ok_or(PacketError::IllegalAttachments)?;
    if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(PacketError::IllegalAttachments);
    }
    match count.parse() {
        Ok(0) => Err(PacketError::IllegalAttachments),
        Ok(count) if count <= max => Ok((count, rest)),
        _ => Err(PacketError::TooManyAttachments),
    }
}

fn object(payload: ByteString) -> Result<ByteString, PacketError> {
    let valid = payload.is_empty()
        || (payload.trim_start().starts_with('{')
            && serde_json::from_str::<&RawValue>(&payload).is_ok());
    if valid {
        Ok(payload)
    } else {
        Err(PacketError::InvalidPayload)
    }
}

/// The content of an array, and its elements.
fn array(payload: &ByteString) -> Result<(ByteString, Vec<&RawValue>), PacketError> {
    let elements: Vec<&RawValue> =
        serde_json::from_str(payload).map_err(|_| PacketError::InvalidPayload)?;
    let text = payload.trim();
    let inside = text
        .get(1..text.len().saturating_sub(1))
        .unwrap_or_default();
    Ok((payload.slice_ref(inside), elements))
}

/// The name of an event, and the elements after it.
fn event(payload: &ByteString) -> Result<(ByteString, ByteString), PacketError> {
    let (inside, elements) = array(payload)?;
    let raw = elements.first().ok_or(PacketError::InvalidPayload)?.get();
    let name: ByteString = match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(raw)
            .map_err(|_| PacketError::InvalidPayload)?
            .into(),
        Some(b'-' | b'0'..=b'9') => payload.slice_ref(raw),
        _ => return Err(PacketError::InvalidPayload),
    };
    if is_reserved(&name) {
        return Err(PacketError::InvalidPayload);
    }
    // Elements are slices of the payload, so the rest begins after the comma of the first one.
    let rest = inside
        .trim_start()
        .get(raw.len()..)
        .unwrap_or_default()
        .trim_start();
    let rest = rest.strip_prefix(',').unwrap_or_default();
    Ok((name, payload.slice_ref(rest)))
}

/// Every placeholder must refer to a received attachment ("illegal attachments").
fn check_placeholders(payload: &str, count: usize) -> Result<(), PacketError> {
    let value: serde_json::Value =
        serde_json::from_str(payload).map_err(|_| PacketError::InvalidPayload)?;
    let mut pending = vec![&value];
    while let Some(value) = pending.pop() {
        match value {
            serde_json::Value::Array(elements) => pending.extend(elements),
            serde_json::Value::Object(fields)
                if fields.get("_placeholder") == Some(&true.into()) =>
            {
                let num = fields.get("num").and_then(serde_json::Value::as_u64);
                if num.is_none_or(|num| num >= count as u64) {
                    return Err(PacketError::IllegalAttachments);
                }
            }
            serde_json::Value::Object(fields) => pending.extend(fields.values()),
            _ => {}
        }
    }
    Ok(())
}
