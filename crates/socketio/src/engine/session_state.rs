//! The life of a session as rules: no clock, no locks, no I/O.
//!
//! Every event of a session is a method. Time is an argument, and the result says what to do next.
//! The rules are those of the Engine.IO protocol v4 ("Heartbeat", "Upgrade", "Transports"); where
//! it is silent, those of the reference server.

use std::time::{Duration, Instant};

use super::encoded::{Encoded, FIXED};
use super::heartbeat::{Heartbeat, HeartbeatAction};
use super::outcome::{Output, PollError, Received};
use super::packet::Packet;
use super::queue::Queue;
use super::reason::CloseReason;
use super::transport::Transport;
use super::upgrade::{Probe, Upgrade};
use crate::settings::Settings;

/// How long a session closed by the server waits until its last packets are fetched (the
/// reference's `closeTimeout`).
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// Closed by the server; queued packets are delivered until this time.
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
    /// Time at which the session is closed unless the protocol on top cancels that after its
    /// own handshake.
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

    /// Closes the session at this time; `None` cancels that.
    pub(crate) fn expire_at(&mut self, at: Option<Instant>) {
        self.expires = at;
    }

    /// Queues a packet. If the queue is full, the session is closed and the queue cleared.
    pub(crate) fn push(&mut self, packet: Encoded, settings: &Settings) {
        if self.is_open() && !self.queue.push(packet, settings) {
            self.close(CloseReason::TooSlow);
        }
    }

    /// Ends the session immediately; queued packets are lost. `take_poll` ends a waiting poll.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Closed;
            self.reason.get_or_insert(reason);
            self.queue.clear();
        }
    }

    /// Ends the session after delivering the queued packets.
    pub(crate) fn drain(&mut self, reason: CloseReason, now: Instant) {
        let no_poll_waits = self.transport == Transport::Polling && !self.polling;
        if no_poll_waits && reason == CloseReason::ShuttingDown {
            // No request waits for the packets, and the shutdown does not wait for the next one.
            self.close(reason);
        } else if self.is_open() {
            self.reason = Some(reason);
            self.phase = Phase::Draining(now + CLOSE_TIMEOUT);
        }
    }

    /// Handles a packet of the session's transport.
    pub(crate) fn receive(
        &mut self,
        packet: Packet,
        now: Instant,
        settings: &Settings,
    ) -> Received {
        if !self.is_open() {
            return Received::Closed;
        }
        self.heartbeat.packet_received(now);
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

    /// A poll begins. Two concurrent polls close the session ("HTTP long-polling": "there MUST NOT
    /// be more than one ... GET").
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

    /// Packets for the waiting poll; `None` if it has to wait.
    pub(crate) fn take_poll(&mut self) -> Option<Vec<Encoded>> {
        match self.phase {
            // A client that leaves receives a noop, a closed client a close packet.
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

    /// The connection of a poll ended before its response ("poll connection closed prematurely").
    pub(crate) fn abandon_poll(&mut self) {
        self.polling = false;
        if self.transport == Transport::Polling {
            self.close(CloseReason::TransportError);
        }
    }

    /// A request with packets begins. Two concurrent ones close the session.
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

    /// Starts an upgrade by a WebSocket and returns its number; `None` if another one is
    /// running or complete.
    pub(crate) fn attach(&mut self, now: Instant, settings: &Settings) -> Option<u32> {
        if !self.is_open() || !settings.allow_upgrades {
            return None;
        }
        self.upgrade.attach(now + settings.upgrade_timeout)
    }

    /// Whether an upgrade is running.
    pub(crate) fn has_upgrade(&self) -> bool {
        self.upgrade.deadline().is_some()
    }

    /// Whether this upgrade is still running.
    pub(crate) fn is_upgrading(&self, attempt: u32) -> bool {
        self.upgrade.is_under_way(attempt) && !self.is_closed()
    }

    /// Handles a packet of the upgrading WebSocket.
    pub(crate) fn receive_probe(&mut self, packet: &Packet, now: Instant) -> Probe {
        let probe = self.upgrade.receive(packet);
        if probe == Probe::Complete {
            self.transport = Transport::Websocket;
            self.heartbeat.packet_received(now);
        }
        probe
    }

    /// The upgrading WebSocket is gone: the session stays on polling and may upgrade again.
    pub(crate) fn detach(&mut self, attempt: u32) {
        if self.is_upgrading(attempt) {
            self.upgrade.give_up();
        }
    }

    /// Does what is due at `now` and returns the time of the next call; `None` once closed.
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
            HeartbeatAction::None => {}
            HeartbeatAction::Ping => self.push(FIXED.ping.clone(), settings),
            HeartbeatAction::TimedOut => self.close(CloseReason::PingTimeout),
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
mod tests;
