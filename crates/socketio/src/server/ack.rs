//! Received events, and acknowledgements in both directions.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::oneshot;

use super::socket::Core;
use crate::protocol::{Args, EncodeError, encode_ack, encode_ack_args};

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

    /// Acknowledges the event with arguments that refer to `attachments`.
    ///
    /// # Errors
    /// As [`Incoming::ack`].
    pub fn ack_with_attachments<T: Serialize + ?Sized>(
        &mut self,
        args: &T,
        attachments: Vec<Bytes>,
    ) -> Result<(), EncodeError> {
        if let Some((core, id)) = &self.reply {
            core.send(encode_ack(core.namespace_name(), *id, args, attachments)?);
            self.reply = None;
        }
        Ok(())
    }

    /// Acknowledges the event with its own arguments.
    pub fn ack_echo(&mut self) {
        if let Some((core, id)) = self.reply.take() {
            core.send(encode_ack_args(core.namespace_name(), id, &self.args));
        }
    }
}

/// Why an acknowledgement did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AckError {
    /// The client did not acknowledge in time.
    #[error("operation has timed out")]
    Timeout,
    /// The socket has left.
    #[error("socket has been disconnected")]
    Disconnected,
}

/// The events of a socket that wait for an acknowledgement.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<Option<Box<AckSenders>>>);

#[derive(Debug, Default)]
struct AckSenders {
    next: u64,
    senders: HashMap<u64, oneshot::Sender<Args>>,
}

impl Pending {
    /// Registers an event; returns its identifier and the receiver of the acknowledgement.
    pub(super) fn register(&self) -> (u64, oneshot::Receiver<Args>) {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.0.lock();
        let waiting = waiting.get_or_insert_default();
        let id = waiting.next;
        waiting.next += 1;
        waiting.senders.insert(id, sender);
        (id, receiver)
    }

    /// Delivers an acknowledgement; an unexpected one is ignored, as in the reference.
    pub(super) fn resolve(&self, id: u64, args: Args) {
        if let Some(sender) = self.forget(id)
            && sender.send(args).is_err()
        {
            tracing::debug!(id, "acknowledgement arrived too late");
        }
    }

    pub(super) fn forget(&self, id: u64) -> Option<oneshot::Sender<Args>> {
        self.0.lock().as_mut()?.senders.remove(&id)
    }

    /// Drops all expectations, because the socket has left.
    pub(super) fn clear(&self) {
        if let Some(waiting) = self.0.lock().as_mut() {
            waiting.senders.clear();
        }
    }
}
