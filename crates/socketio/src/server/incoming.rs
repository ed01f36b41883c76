//! Received events.

use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use serde::Serialize;

use super::socket::Core;
use crate::protocol::{Args, EncodeError, encode_ack};

/// An event from a client.
#[derive(Debug)]
pub struct Incoming {
    pub(super) name: ByteString,
    pub(super) args: Args,
    pub(super) reply: Option<(Arc<Core>, u64)>,
}

impl Incoming {
    /// Name of the event.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Arguments of the event.
    #[must_use]
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Whether the client expects an acknowledgement that it has not got.
    #[must_use]
    pub const fn expects_ack(&self) -> bool {
        self.reply.is_some()
    }

    /// Acknowledges the event with the arguments of a tuple or another sequence, with which the
    /// client's callback is called. Has no effect if the client expects no acknowledgement, or
    /// after the first call.
    ///
    /// # Errors
    /// If the arguments are not a sequence or cannot be serialised.
    pub fn ack<T: Serialize + ?Sized>(&mut self, args: &T) -> Result<(), EncodeError> {
        self.ack_with_attachments(args, Vec::new())
    }

    /// Acknowledges the event like [`Self::ack`], with arguments that refer to `attachments` by
    /// [`Attachment`](crate::Attachment)s.
    ///
    /// # Errors
    /// As [`Self::ack`].
    pub fn ack_with_attachments<T: Serialize + ?Sized>(
        &mut self,
        args: &T,
        attachments: Vec<Bytes>,
    ) -> Result<(), EncodeError> {
        if let Some((core, id)) = &self.reply {
            let namespace = core.namespace_name();
            core.send(encode_ack(namespace, *id, args, attachments)?);
            self.reply = None;
        }
        Ok(())
    }
}
