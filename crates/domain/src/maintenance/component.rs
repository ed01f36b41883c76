//! The components that a maintenance affects. They are under maintenance while it is in progress.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{Maintenance, MaintenanceStatus};
use crate::id::ComponentId;

/// Whether both lists have the same components, in any order. A list with a repeated component
/// equals no list.
pub(super) fn are_same(one: &[ComponentId], other: &[ComponentId]) -> bool {
    one.len() == other.len() && set(one) == set(other)
}

fn set(components: &[ComponentId]) -> BTreeSet<ComponentId> {
    components.iter().copied().collect()
}

impl Maintenance {
    /// The components that a viewer may have seen under maintenance: by an event, or on a page that
    /// was read after the start and before the event.
    pub(super) fn components_begun(&self, now: DateTime<Utc>) -> &[ComponentId] {
        use MaintenanceStatus::{Completed, InProgress, Scheduled};
        match (self.published_status, self.status(now)) {
            (InProgress, _) | (_, InProgress) | (Scheduled, Completed) => &self.components,
            _ => &[],
        }
    }

    /// Number of events that the clock has yet to make: when this maintenance begins and when it
    /// ends, one of itself and one of each component.
    #[must_use]
    pub fn scheduled_events(&self, now: DateTime<Utc>) -> usize {
        let has_end = usize::from(self.end_at.is_some());
        let changes = match self.status(now) {
            MaintenanceStatus::Scheduled => 1 + has_end,
            MaintenanceStatus::InProgress => has_end,
            MaintenanceStatus::Completed | MaintenanceStatus::Cancelled => 0,
        };
        changes * (1 + self.components.len())
    }

    /// The components for which this maintenance began or ended since `before`, the oldest first.
    pub(super) fn maintained_since(
        &self,
        before: Option<&Self>,
        now: DateTime<Utc>,
    ) -> Vec<ComponentId> {
        let in_progress =
            |maintenance: &Self| maintenance.status(now) == MaintenanceStatus::InProgress;
        let is = if in_progress(self) {
            set(&self.components)
        } else {
            BTreeSet::new()
        };
        let Some(before) = before else {
            return is.into_iter().collect();
        };
        let was = set(before.components_begun(now));
        let was_published = before.published_status == MaintenanceStatus::InProgress;
        if was_published && in_progress(before) && in_progress(self) {
            was.symmetric_difference(&is).copied().collect()
        } else {
            was.union(&is).copied().collect()
        }
    }
}

#[cfg(test)]
mod tests;
