use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::Notify;

/// When the scheduler of this node has to look next. Whoever writes a maintenance sets it, so that a change that comes
/// sooner than all known ones is not slept through.
#[derive(Debug, Default)]
pub struct WakeTimer {
    moment: Mutex<Option<DateTime<Utc>>>,
    rung: Notify,
}

impl WakeTimer {
    /// Makes sure it rings at `moment` or sooner.
    pub fn set(&self, moment: DateTime<Utc>) {
        let mut known = self.lock();
        if known.is_none_or(|known| moment < known) {
            *known = Some(moment);
            self.rung.notify_one();
        }
    }

    /// When it rings.
    pub(crate) fn moment(&self) -> Option<DateTime<Utc>> {
        *self.lock()
    }

    pub(super) fn clear(&self) {
        *self.lock() = None;
    }

    /// Waits until it is set to an earlier moment.
    pub(super) async fn rung(&self) {
        self.rung.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Option<DateTime<Utc>>> {
        // Its one value is whole at every moment.
        self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
