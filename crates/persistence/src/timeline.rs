//! What timelines of incidents and maintenances have in common.

use allclear_application::error::Error;
use allclear_application::public::incident::TIMELINE_LENGTH;
use allclear_application::public::size::Budget;
use serde::Serialize;

/// How many updates are read of each timeline: one more than it shows, which tells that there are older ones.
pub(crate) const READ: u64 = TIMELINE_LENGTH + 1;

/// How many timelines one statement reads: few enough that their texts are no burden, and that PostgreSQL looks each of them
/// up.
pub(crate) const AT_ONCE: usize = 25;

/// The newest updates of something, newest first.
pub(crate) struct Timeline<T> {
    pub(crate) entries: Vec<T>,
    /// Whether there are older ones.
    pub(crate) truncated: bool,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            truncated: false,
        }
    }
}

impl<T> Timeline<T> {
    /// Adds the next older update.
    pub(crate) fn push(&mut self, entry: T) {
        if self.entries.len() as u64 == TIMELINE_LENGTH {
            self.truncated = true;
        } else {
            self.entries.push(entry);
        }
    }

    /// A timeline that was not read: it may have updates.
    pub(crate) fn unread() -> Self {
        Self {
            truncated: true,
            ..Self::default()
        }
    }
}

impl<T: Serialize> Timeline<T> {
    /// Leaves the newest updates for which a list has room.
    pub(crate) fn fit(&mut self, budget: &mut Budget) -> Result<(), Error> {
        budget.fit(&mut self.entries, &mut self.truncated)
    }
}
