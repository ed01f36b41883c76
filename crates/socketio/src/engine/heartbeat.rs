//! Pings and their pongs (Engine.IO protocol v4, "Heartbeat").

use std::time::{Duration, Instant};

use crate::settings::Settings;

/// A ping later than this shifts the pong's deadline with it: the delay was ours.
const LATE: Duration = Duration::from_millis(50);

/// What the clock asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beat {
    Rest,
    Ping,
    Dead,
}

#[derive(Debug)]
pub(super) struct Heartbeat {
    /// When the next ping is due, or its pong.
    due: Instant,
    awaiting_pong: bool,
    heard: Instant,
}

impl Heartbeat {
    pub(super) fn new(now: Instant, settings: &Settings) -> Self {
        Self {
            due: now + settings.ping_interval,
            awaiting_pong: false,
            heard: now,
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// The client sent a packet, whichever.
    pub(super) fn hear(&mut self, now: Instant) {
        self.heard = now;
    }

    /// The client sent a pong. One that nobody asked for puts the next ping off too, like the reference does.
    pub(super) fn pong(&mut self, now: Instant, settings: &Settings) {
        self.awaiting_pong = false;
        self.due = now + settings.ping_interval;
    }

    pub(super) fn tick(&mut self, now: Instant, settings: &Settings) -> Beat {
        if now < self.due {
            return Beat::Rest;
        }
        let asks = !self.awaiting_pong;
        if asks {
            self.awaiting_pong = true;
            let sent = if now - self.due > LATE { now } else { self.due };
            self.due = sent + settings.ping_timeout;
        }
        // Any packet is a sign of life: a pong may be held up behind a large message.
        self.due = self.due.max(self.heard + settings.ping_timeout);
        match (asks, now < self.due) {
            (_, false) => Beat::Dead,
            (true, true) => Beat::Ping,
            (false, true) => Beat::Rest,
        }
    }
}
