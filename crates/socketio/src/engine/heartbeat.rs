//! Pings and their pongs (Engine.IO protocol v4, "Heartbeat").

use std::time::{Duration, Instant};

use crate::settings::Settings;

/// Delay of a ping beyond which the deadline of its pong is shifted, because the server caused
/// the delay.
const MAX_PING_DELAY: Duration = Duration::from_millis(50);

/// What the heartbeat requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeartbeatAction {
    None,
    Ping,
    TimedOut,
}

#[derive(Debug)]
pub(super) struct Heartbeat {
    /// Time of the next ping, or of its missing pong.
    due: Instant,
    awaiting_pong: bool,
    last_packet: Instant,
}

impl Heartbeat {
    pub(super) fn new(now: Instant, settings: &Settings) -> Self {
        Self {
            due: now + settings.ping_interval,
            awaiting_pong: false,
            last_packet: now,
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// Records any packet of the client.
    pub(super) fn packet_received(&mut self, now: Instant) {
        self.last_packet = now;
    }

    /// Records a pong. An unsolicited pong also delays the next ping, as in the reference.
    pub(super) fn pong(&mut self, now: Instant, settings: &Settings) {
        self.awaiting_pong = false;
        self.due = now + settings.ping_interval;
    }

    pub(super) fn tick(&mut self, now: Instant, settings: &Settings) -> HeartbeatAction {
        if now < self.due {
            return HeartbeatAction::None;
        }
        let sends_ping = !self.awaiting_pong;
        if sends_ping {
            self.awaiting_pong = true;
            let sent = if now - self.due > MAX_PING_DELAY {
                now
            } else {
                self.due
            };
            self.due = sent + settings.ping_timeout;
        }
        // Any packet proves that the client is alive: a pong may queue behind a large message.
        self.due = self.due.max(self.last_packet + settings.ping_timeout);
        match (sends_ping, now < self.due) {
            (_, false) => HeartbeatAction::TimedOut,
            (true, true) => HeartbeatAction::Ping,
            (false, true) => HeartbeatAction::None,
        }
    }
}
