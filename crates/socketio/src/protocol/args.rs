//! Arguments of events and acknowledgements.

use bytes::Bytes;
use bytestring::ByteString;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The arguments of a received event or acknowledgement: the JSON as received, and its
/// binary attachments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// The elements and the commas between them, without brackets.
    items: ByteString,
    attachments: Vec<Bytes>,
}

impl Args {
    pub(crate) fn new(items: ByteString, attachments: Vec<Bytes>) -> Self {
        Self { items, attachments }
    }

    /// Deserialises the arguments as a tuple or another sequence. The number of arguments must
    /// match `T`.
    ///
    /// # Errors
    /// If the JSON does not match `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(&format!("[{}]", self.items))
    }

    /// The arguments as JSON, without brackets.
    #[must_use]
    pub fn items(&self) -> &str {
        &self.items
    }

    /// The binary attachments, in the order of the numbers of their [`Attachment`]s.
    #[must_use]
    pub fn attachments(&self) -> &[Bytes] {
        &self.attachments
    }
}

/// Placeholder of a binary attachment in JSON (Socket.IO protocol v5, "Packet encoding":
/// `{"_placeholder":true,"num":0}`).
///
/// ```
/// # use allclear_socketio::{Attachment, Event};
/// let event = Event::with_attachments("file", &("a.png", Attachment::new(0)), vec!["bytes".into()])?;
/// # Ok::<(), allclear_socketio::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    #[serde(rename = "_placeholder")]
    placeholder: bool,
    num: usize,
}

impl Attachment {
    /// The placeholder of the attachment with that index.
    #[must_use]
    pub fn new(num: usize) -> Self {
        Self {
            placeholder: true,
            num,
        }
    }
}
