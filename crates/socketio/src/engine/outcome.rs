//! Results of session events.

use super::encoded::Encoded;
use super::packet::Message;

/// Result of a received packet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Deliver(Message),
    Nothing,
    Closed,
}

/// What a WebSocket has to send next.
#[derive(Debug)]
pub(crate) enum Output {
    Packet(Encoded),
    Idle,
    Close,
}

/// Why a poll or post is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PollError {
    Unknown,
    WrongTransport,
    Overlap,
}
