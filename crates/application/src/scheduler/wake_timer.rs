//! Wakes the scheduler of this node.

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The time at which the scheduler of this node has to read the schedule next. Every write of a
/// maintenance sets it, so that a change that comes sooner than all known ones is not missed.
#[derive(Debug, Default)]
pub struct WakeTimer {
    moment: Mutex<Option<DateTime<Utc>>>,
    earlier: Notify,
}

impl WakeTimer {
    /// Brings the wake time forward to `moment` if `moment` is earlier, or if the timer is not set.
    pub(crate) fn set_if_earlier(&self, moment: DateTime<Utc>) {
        let mut known = self.moment.lock();
        if known.is_none_or(|known| moment < known) {
            *known = Some(moment);
            self.earlier.notify_one();
        }
    }

    /// Makes the scheduler run as soon as possible.
    pub(super) fn wake(&self) {
        self.set_if_earlier(DateTime::<Utc>::MIN_UTC);
    }

    /// The next time at which the scheduler runs; `None` if the timer is not set.
    pub(crate) fn moment(&self) -> Option<DateTime<Utc>> {
        *self.moment.lock()
    }

    pub(super) fn clear(&self) {
        *self.moment.lock() = None;
    }

    /// Waits until it is set to an earlier moment.
    pub(super) async fn notified(&self) {
        self.earlier.notified().await;
    }
}
