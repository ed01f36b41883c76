//! Outgoing packets.

use bytes::Bytes;
use serde::Serialize;

use super::args::Args;
use super::packet::is_reserved;
use crate::engine::Encoded;
use crate::sid::Sid;

/// An event that cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The name is reserved.
    #[error("{0} is a reserved event name")]
    Reserved(String),
    /// The arguments are not a sequence.
    #[error("the arguments of an event are a tuple or another sequence")]
    NoSequence,
    /// The arguments cannot be serialised.
    #[error("the arguments cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// An event to send to one client or to many. Its JSON is written once.
///
/// ```
/// use allclear_socketio::Event;
///
/// let moved = Event::new("moved", &("pawn", [4, 5]))?;
/// let bell = Event::new("bell", &())?;
/// # Ok::<(), allclear_socketio::EncodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name as JSON, followed by the arguments.
    items: String,
    attachments: Vec<Bytes>,
}

impl Event {
    /// Creates an event with the arguments of a tuple or another sequence; `()` stands for
    /// no arguments.
    ///
    /// # Errors
    /// If the name is reserved, or the arguments are not a sequence or cannot be serialised.
    pub fn new<T: Serialize + ?Sized>(name: &str, args: &T) -> Result<Self, EncodeError> {
        Self::with_attachments(name, args, Vec::new())
    }

    /// Creates an event whose arguments refer to `attachments` by
    /// [`Attachment`](super::Attachment)s.
    ///
    /// # Errors
    /// As [`Event::new`].
    pub fn with_attachments<T: Serialize + ?Sized>(
        name: &str,
        args: &T,
        attachments: Vec<Bytes>,
    ) -> Result<Self, EncodeError> {
        let args = serde_json::to_string(args)?;
        Self::from_items(name, sequence(&args)?, attachments)
    }

    /// Creates an event with received arguments.
    ///
    /// # Errors
    /// If the name is reserved.
    pub fn from_args(name: &str, args: &Args) -> Result<Self, EncodeError> {
        Self::from_items(name, args.items(), args.attachments().to_vec())
    }

    fn from_items(name: &str, args: &str, attachments: Vec<Bytes>) -> Result<Self, EncodeError> {
        if is_reserved(name) {
            return Err(EncodeError::Reserved(name.to_owned()));
        }
        let mut items = serde_json::to_string(name)?;
        if !args.is_empty() {
            items.push(',');
            items.push_str(args);
        }
        Ok(Self { items, attachments })
    }

    /// Encodes the event for a namespace, with an identifier if an acknowledgement is expected.
    pub(crate) fn encode(&self, namespace: &str, id: Option<u64>) -> Encoded {
        encode(
            ['2', '5'],
            namespace,
            id,
            &self.items,
            self.attachments.clone(),
        )
    }
}

/// Encodes events that are sent together; `None` without one.
pub(crate) fn encode_all(events: &[Event], namespace: &str) -> Option<Encoded> {
    match events {
        [] => None,
        [event] => Some(event.encode(namespace, None)),
        many => {
            let packets = many.iter().map(|event| event.encode(namespace, None));
            Some(Encoded::join(packets.collect()))
        }
    }
}

/// The content of a JSON array; empty for `null`, the form of `()`.
fn sequence(json: &str) -> Result<&str, EncodeError> {
    match json
        .strip_prefix('[')
        .and_then(|json| json.strip_suffix(']'))
    {
        Some(inside) => Ok(inside),
        None if json == "null" => Ok(""),
        None => Err(EncodeError::NoSequence),
    }
}

/// Encodes an acknowledgement with the arguments of a tuple or another sequence, which refer to
/// `attachments`.
pub(crate) fn encode_ack<T: Serialize + ?Sized>(
    namespace: &str,
    id: u64,
    args: &T,
    attachments: Vec<Bytes>,
) -> Result<Encoded, EncodeError> {
    let args = serde_json::to_string(args)?;
    Ok(encode(
        ['3', '6'],
        namespace,
        Some(id),
        sequence(&args)?,
        attachments,
    ))
}

/// `kinds` are the packet types without and with attachments.
fn encode(
    kinds: [char; 2],
    namespace: &str,
    id: Option<u64>,
    items: &str,
    attachments: Vec<Bytes>,
) -> Encoded {
    let mut text = String::with_capacity(items.len() + namespace.len() + 32);
    text.push(if attachments.is_empty() {
        kinds[0]
    } else {
        kinds[1]
    });
    if !attachments.is_empty() {
        text.push_str(&attachments.len().to_string());
        text.push('-');
    }
    push_namespace(&mut text, namespace);
    if let Some(id) = id {
        text.push_str(&id.to_string());
    }
    text.push('[');
    text.push_str(items);
    text.push(']');
    message(&text, attachments)
}

/// `40{"sid":…}`: the client has joined.
pub(crate) fn encode_connect(namespace: &str, sid: Sid) -> Encoded {
    let mut text = String::from("0");
    push_namespace(&mut text, namespace);
    for part in [r#"{"sid":""#, sid.as_str(), r#""}"#] {
        text.push_str(part);
    }
    message(&text, Vec::new())
}

/// `44{"message":…}`: the client may not join.
pub(crate) fn encode_connect_error(namespace: &str, error: &impl Serialize) -> Encoded {
    let mut text = String::from("4");
    push_namespace(&mut text, namespace);
    text.push_str(&serde_json::to_string(error).unwrap_or_else(|_| "{}".to_owned()));
    message(&text, Vec::new())
}

/// `41`: the server removes the client from the namespace.
pub(crate) fn encode_disconnect(namespace: &str) -> Encoded {
    let mut text = String::from("1");
    push_namespace(&mut text, namespace);
    message(&text, Vec::new())
}

fn push_namespace(text: &mut String, namespace: &str) {
    if namespace != "/" {
        text.push_str(namespace);
        text.push(',');
    }
}

fn message(text: &str, attachments: Vec<Bytes>) -> Encoded {
    Encoded::build(attachments, |buffer| {
        buffer.push(b'4');
        buffer.extend_from_slice(text.as_bytes());
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attachment;

    fn text(packet: &Encoded) -> String {
        String::from_utf8(packet.polling().to_vec()).unwrap()
    }

    #[test]
    fn event_is_encoded_for_its_namespace() {
        let event = Event::new("a", &(1, "b")).unwrap();
        assert_eq!(text(&event.encode("/", None)), r#"42["a",1,"b"]"#);
        assert_eq!(text(&event.encode("/n", Some(7))), r#"42/n,7["a",1,"b"]"#);
        assert_eq!(
            text(&Event::new("a", &()).unwrap().encode("/", None)),
            r#"42["a"]"#
        );
    }

    #[test]
    fn event_with_attachments_is_binary() {
        let event =
            Event::with_attachments("a", &(Attachment::new(0),), vec![Bytes::from_static(b"x")])
                .unwrap();
        let expected = "451-[\"a\",{\"_placeholder\":true,\"num\":0}]\u{1e}beA==";
        assert_eq!(text(&event.encode("/", None)), expected);
    }

    #[test]
    fn an_acknowledgement_carries_bare_arguments() {
        assert_eq!(
            text(&encode_ack("/n", 3, &(vec![1, 2],), Vec::new()).unwrap()),
            "43/n,3[[1,2]]"
        );
    }

    #[test]
    fn reserved_names_and_lone_values_are_refused() {
        assert!(matches!(
            Event::new("connect", &()),
            Err(EncodeError::Reserved(_))
        ));
        assert!(matches!(Event::new("a", &1), Err(EncodeError::NoSequence)));
        assert!(matches!(
            Event::new("a", "text"),
            Err(EncodeError::NoSequence)
        ));
    }
}
