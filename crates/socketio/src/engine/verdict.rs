//! What the rules of a session answer.

use std::sync::Arc;

use super::{encoded::Encoded, packet::Message};

/// How packets travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Polling,
    Websocket,
}

/// What a received packet asks of the caller.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Deliver(Message),
    Nothing,
    Closed,
}

/// What a WebSocket has to send next.
#[derive(Debug)]
pub(crate) enum Output {
    Packet(Arc<Encoded>),
    Idle,
    Close,
}

/// Why a poll is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PollError {
    Unknown,
    WrongTransport,
    Overlap,
}
