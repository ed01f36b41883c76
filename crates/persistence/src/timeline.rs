//! Timelines of incidents and maintenances.

use allclear_application::error::Error;
use allclear_application::public::incident::TIMELINE_LENGTH;
use allclear_application::public::size::Budget;
use serde::Serialize;

/// Number of updates read per timeline: one more than shown, to detect older ones.
pub(crate) const READ: u64 = TIMELINE_LENGTH + 1;

/// Number of timelines read by one statement: few enough to bound memory, and for PostgreSQL to use the index for each.
pub(crate) const AT_ONCE: usize = 25;

/// The newest updates of an incident or a maintenance, newest first.
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

    /// A timeline that was not read, which may have updates.
    pub(crate) fn unread() -> Self {
        Self {
            truncated: true,
            ..Self::default()
        }
    }
}

impl<T: Serialize> Timeline<T> {
    /// Keeps the newest updates that fit in the list.
    pub(crate) fn fit(&mut self, budget: &mut Budget) -> Result<(), Error> {
        budget.fit(&mut self.entries, &mut self.truncated)
    }
}
