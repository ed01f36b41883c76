//! From polling to WebSocket (Engine.IO protocol v4, "Upgrade": `2probe`, answered by `3probe`, then `5`).

use std::time::Instant;

use super::packet::Packet;

/// What a packet received by an upgrading WebSocket asks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    Answer,
    Complete,
    Abort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    None,
    /// A WebSocket asks to take over.
    Attached(Instant),
    /// Its probe was answered: polls are ended so that the client can go over.
    Probed(Instant),
    Done,
}

#[derive(Debug)]
pub(super) struct Upgrade {
    state: State,
    /// Tells one upgrading WebSocket from the next.
    attempt: u32,
}

impl Upgrade {
    /// A session begins; `done` when it began as a WebSocket.
    pub(super) fn new(done: bool) -> Self {
        Self {
            state: if done { State::Done } else { State::None },
            attempt: 0,
        }
    }

    /// When the attempt under way is given up.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Attached(until) | State::Probed(until) => Some(until),
            State::None | State::Done => None,
        }
    }

    /// Whether polls are ended at once.
    pub(super) fn ends_polls(&self) -> bool {
        matches!(self.state, State::Probed(_) | State::Done)
    }

    /// A WebSocket wants to take over; the number is its own from here on. `None` when one already has or is about to.
    pub(super) fn attach(&mut self, until: Instant) -> Option<u32> {
        if self.state != State::None {
            return None;
        }
        self.state = State::Attached(until);
        self.attempt = self.attempt.wrapping_add(1);
        Some(self.attempt)
    }

    /// Whether this attempt is still the one under way.
    pub(super) fn is_under_way(&self, attempt: u32) -> bool {
        self.attempt == attempt && self.deadline().is_some()
    }

    /// The attempt has failed; another may follow.
    pub(super) fn give_up(&mut self) {
        if self.deadline().is_some() {
            self.state = State::None;
        }
    }

    /// A packet came over the upgrading WebSocket.
    pub(super) fn receive(&mut self, packet: &Packet) -> Probe {
        match (packet, self.deadline()) {
            (Packet::Ping { probe: true }, Some(until)) => {
                self.state = State::Probed(until);
                Probe::Answer
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
