//! The life of a session as rules: no clock, no locks, no I/O.
//!
//! Everything that happens to a session is a method here. Time comes in as an argument; what has to be done next is the
//! answer. The rules are those of the Engine.IO protocol v4 ("Heartbeat", "Upgrade", "Transports"), and where it is silent,
//! the reference server's.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

pub(crate) use super::verdict::{Output, PollError, Received, Transport};
use super::{
    encoded::{Encoded, FIXED},
    heartbeat::{Beat, Heartbeat},
    packet::Packet,
    queue::Queue,
    reason::CloseReason,
    upgrade::{Probe, Upgrade},
};
use crate::settings::Settings;

/// How long a session closed by the server waits for its last packets to be fetched (the reference's `closeTimeout`).
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// Closed by the server; what is queued is still delivered until the time given.
    Draining(Instant),
    Closed,
}

#[derive(Debug)]
pub(crate) struct SessionState {
    phase: Phase,
    transport: Transport,
    upgrade: Upgrade,
    polling: bool,
    posting: bool,
    reason: Option<CloseReason>,
    queue: Queue,
    heartbeat: Heartbeat,
    /// Closes the session if nobody lifts it: the layer above has its own handshake.
    expires: Option<Instant>,
}

impl SessionState {
    pub(crate) fn new(transport: Transport, now: Instant, settings: &Settings) -> Self {
        Self {
            phase: Phase::Open,
            transport,
            upgrade: Upgrade::new(transport == Transport::Websocket),
            polling: false,
            posting: false,
            reason: None,
            queue: Queue::default(),
            heartbeat: Heartbeat::new(now, settings),
            expires: None,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    pub(crate) fn transport(&self) -> Transport {
        self.transport
    }

    /// Why the session ended; `None` while it is open.
    pub(crate) fn reason(&self) -> Option<CloseReason> {
        self.reason
    }

    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Closes the session unless lifted (`None`) by then.
    pub(crate) fn expire_at(&mut self, at: Option<Instant>) {
        self.expires = at;
    }

    /// Queues a packet. A client that let its queue fill up is closed and keeps nothing of it.
    pub(crate) fn push(&mut self, packet: Arc<Encoded>, settings: &Settings) {
        if self.is_open() && !self.queue.push(packet, settings) {
            self.close(CloseReason::TooSlow);
        }
    }

    /// Ends the session now; what is queued is lost. A waiting poll is answered by `take_poll`.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Closed;
            self.reason.get_or_insert(reason);
            self.queue.clear();
        }
    }

    /// Ends the session on the server's wish: what is queued is still delivered.
    pub(crate) fn drain(&mut self, reason: CloseReason, now: Instant) {
        let absent = self.transport == Transport::Polling && !self.polling;
        if absent && reason == CloseReason::ShuttingDown {
            // Nobody is there to be told, and the server has no time to wait.
            self.close(reason);
        } else if self.is_open() {
            self.reason = Some(reason);
            self.phase = Phase::Draining(now + CLOSE_TIMEOUT);
        }
    }

    /// A packet arrived over the session's transport.
    pub(crate) fn receive(
        &mut self,
        packet: Packet,
        now: Instant,
        settings: &Settings,
    ) -> Received {
        if !self.is_open() {
            return Received::Closed;
        }
        self.heartbeat.hear(now);
        match packet {
            Packet::Message(message) => Received::Deliver(message),
            Packet::Pong => {
                self.heartbeat.pong(now, settings);
                Received::Nothing
            }
            Packet::Close => {
                self.close(CloseReason::TransportClose);
                Received::Closed
            }
            // "invalid heartbeat direction": in revision 4 the server pings.
            Packet::Ping { .. } => {
                self.close(CloseReason::TransportError);
                Received::Closed
            }
            Packet::Open | Packet::Upgrade | Packet::Noop => Received::Nothing,
        }
    }

    /// A poll arrives. Two at a time close the session ("HTTP long-polling": "there MUST NOT be more than one ... GET").
    pub(crate) fn begin_poll(&mut self) -> Result<(), PollError> {
        if self.is_closed() {
            Err(PollError::Unknown)
        } else if self.transport == Transport::Websocket {
            Err(PollError::WrongTransport)
        } else if self.polling {
            self.close(CloseReason::TransportError);
            Err(PollError::Overlap)
        } else {
            self.polling = true;
            Ok(())
        }
    }

    /// What the waiting poll is answered with, if it can be.
    pub(crate) fn take_poll(&mut self) -> Option<Vec<Arc<Encoded>>> {
        match self.phase {
            // The client that leaves gets a noop, a client that is closed a close packet.
            Phase::Closed if self.reason == Some(CloseReason::TransportClose) => {
                return Some(vec![FIXED.noop.clone()]);
            }
            Phase::Closed => return Some(vec![FIXED.close.clone()]),
            Phase::Draining(_) => {
                let mut packets = self.queue.take_all();
                packets.push(FIXED.close.clone());
                self.phase = Phase::Closed;
                return Some(packets);
            }
            Phase::Open => {}
        }
        if self.transport == Transport::Polling && !self.queue.is_empty() {
            return Some(self.queue.take_all());
        }
        self.upgrade.ends_polls().then(|| vec![FIXED.noop.clone()])
    }

    pub(crate) fn is_polled(&self) -> bool {
        self.polling
    }

    pub(crate) fn end_poll(&mut self) {
        self.polling = false;
    }

    /// The poll's connection ended before its answer ("poll connection closed prematurely").
    pub(crate) fn abandon_poll(&mut self) {
        self.polling = false;
        if self.transport == Transport::Polling {
            self.close(CloseReason::TransportError);
        }
    }

    /// A request with data arrives. Two at a time close the session.
    pub(crate) fn begin_post(&mut self) -> Result<(), PollError> {
        if self.is_closed() {
            Err(PollError::Unknown)
        } else if self.transport == Transport::Websocket {
            Err(PollError::WrongTransport)
        } else if self.posting {
            self.close(CloseReason::TransportError);
            Err(PollError::Overlap)
        } else {
            self.posting = true;
            Ok(())
        }
    }

    pub(crate) fn end_post(&mut self) {
        self.posting = false;
    }

    /// What the WebSocket sends next.
    pub(crate) fn take_output(&mut self) -> Output {
        match (self.phase, self.queue.take()) {
            (Phase::Closed, _) => Output::Close,
            (_, Some(packet)) => Output::Packet(packet),
            (Phase::Open, None) => Output::Idle,
            (Phase::Draining(_), None) => {
                self.phase = Phase::Closed;
                Output::Close
            }
        }
    }

    /// A WebSocket wants to take over; the number is its own from here on. `None` when one already has or is about to.
    pub(crate) fn attach(&mut self, now: Instant, settings: &Settings) -> Option<u32> {
        if !self.is_open() || !settings.allow_upgrades {
            return None;
        }
        self.upgrade.attach(now + settings.upgrade_timeout)
    }

    /// Whether this attempt is still the one under way.
    pub(crate) fn is_upgrading(&self, attempt: u32) -> bool {
        self.upgrade.is_under_way(attempt) && !self.is_closed()
    }

    /// A packet came over the upgrading WebSocket.
    pub(crate) fn receive_probe(&mut self, packet: &Packet, now: Instant) -> Probe {
        let probe = self.upgrade.receive(packet);
        if probe == Probe::Complete {
            self.transport = Transport::Websocket;
            self.heartbeat.hear(now);
        }
        probe
    }

    /// The upgrading WebSocket is gone; the session stays where it was, and may try again.
    pub(crate) fn detach(&mut self, attempt: u32) {
        if self.is_upgrading(attempt) {
            self.upgrade.give_up();
        }
    }

    /// Does what is due by `now` and answers when to come again; `None` once closed.
    pub(crate) fn tick(&mut self, now: Instant, settings: &Settings) -> Option<Instant> {
        match self.phase {
            Phase::Closed => return None,
            Phase::Draining(until) if now >= until => self.close(CloseReason::ForcedClose),
            Phase::Draining(_) => {}
            Phase::Open if self.expires.is_some_and(|at| now >= at) => {
                self.expires = None;
                self.drain(CloseReason::ForcedServerClose, now);
            }
            Phase::Open => self.tick_open(now, settings),
        }
        self.next_deadline()
    }

    fn tick_open(&mut self, now: Instant, settings: &Settings) {
        if self.upgrade.deadline().is_some_and(|until| now >= until) {
            self.upgrade.give_up();
        }
        match self.heartbeat.tick(now, settings) {
            Beat::Rest => {}
            Beat::Ping => self.push(FIXED.ping.clone(), settings),
            Beat::Dead => self.close(CloseReason::PingTimeout),
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Closed => None,
            Phase::Draining(until) => Some(until),
            Phase::Open => [
                Some(self.heartbeat.due()),
                self.upgrade.deadline(),
                self.expires,
            ]
            .into_iter()
            .flatten()
            .min(),
        }
    }
}

#[cfg(test)]
#[path = "session_state_tests.rs"]
mod tests;
