//! What an event or acknowledgement carries.

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The arguments of a received event or acknowledgement: the JSON as it came, and the binary attachments it refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// The elements with the commas between them, without the brackets.
    items: ByteString,
    attachments: Vec<Bytes>,
}

impl Args {
    pub(crate) fn new(items: ByteString, attachments: Vec<Bytes>) -> Self {
        Self { items, attachments }
    }

    /// Reads the arguments as a tuple or another sequence. Arguments beyond what `T` takes are an error, as missing ones are.
    ///
    /// # Errors
    /// When the JSON is not of that shape.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(&format!("[{}]", self.items))
    }

    /// The arguments' JSON, without the brackets around it.
    #[must_use]
    pub fn items(&self) -> &str {
        &self.items
    }

    /// The binary attachments.
    #[must_use]
    pub fn attachments(&self) -> &[Bytes] {
        &self.attachments
    }

    /// The bytes that a placeholder among the arguments stands for.
    #[must_use]
    pub fn attachment(&self, placeholder: Attachment) -> Option<&Bytes> {
        self.attachments.get(placeholder.num)
    }
}

/// Stands for a binary attachment within JSON (Socket.IO protocol v5, "Packet encoding": `{"_placeholder":true,"num":0}`).
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
