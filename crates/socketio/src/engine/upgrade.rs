//! The upgrade from polling to WebSocket (Engine.IO protocol v4, "Upgrade": `2probe`, acknowledged
//! by `3probe`, then `5`).

use std::time::Instant;

use super::packet::Packet;

/// What an upgrading WebSocket does after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    Pong,
    Complete,
    Abort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    None,
    /// A WebSocket has started an upgrade.
    Attached(Instant),
    /// The probe was acknowledged. Polls end, so that the client can complete the upgrade.
    Probed(Instant),
    Done,
}

#[derive(Debug)]
pub(super) struct Upgrade {
    state: State,
    /// Number of the current upgrade.
    attempt: u32,
}

impl Upgrade {
    /// The state of a new session; `done` if it began as a WebSocket.
    pub(super) fn new(done: bool) -> Self {
        Self {
            state: if done { State::Done } else { State::None },
            attempt: 0,
        }
    }

    /// Deadline of the running upgrade.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Attached(until) | State::Probed(until) => Some(until),
            State::None | State::Done => None,
        }
    }

    /// Whether polls end immediately.
    pub(super) fn ends_polls(&self) -> bool {
        matches!(self.state, State::Probed(_) | State::Done)
    }

    /// Starts an upgrade and returns its number; `None` if another one is running or complete.
    pub(super) fn attach(&mut self, until: Instant) -> Option<u32> {
        if self.state != State::None {
            return None;
        }
        self.state = State::Attached(until);
        self.attempt = self.attempt.wrapping_add(1);
        Some(self.attempt)
    }

    /// Whether this upgrade is still running.
    pub(super) fn is_under_way(&self, attempt: u32) -> bool {
        self.attempt == attempt && self.deadline().is_some()
    }

    /// Ends a failed upgrade; another may follow.
    pub(super) fn give_up(&mut self) {
        if self.deadline().is_some() {
            self.state = State::None;
        }
    }

    /// Handles a packet of the upgrading WebSocket.
    pub(super) fn receive(&mut self, packet: &Packet) -> Probe {
        match (packet, self.deadline()) {
            (Packet::Ping { probe: true }, Some(until)) => {
                self.state = State::Probed(until);
                Probe::Pong
            }
            (Packet::Upgrade, Some(_)) => {
                self.state = State::Done;
                Probe::Complete
            }
            _ => {
                self.give_up();
                Probe::Abort
            }
        }
    }
}
