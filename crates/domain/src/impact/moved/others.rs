//! The impacts of the other incidents on a component. A correction may read 20,000 of them and as
//! many periods, so nothing here scans all impacts for a piece of the history.

use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, Utc};

use crate::component::ComponentStatus;
use crate::id::IncidentId;
use crate::impact::worst::Impact;

/// The impacts of other incidents, ordered by incident.
pub(super) struct Others(Vec<Impact>);

impl Others {
    pub(super) fn new(impacts: impl IntoIterator<Item = Impact>) -> Self {
        let mut impacts: Vec<_> = impacts.into_iter().collect();
        impacts.sort_by_key(|impact| impact.incident);
        Self(impacts)
    }

    pub(super) fn all(&self) -> &[Impact] {
        &self.0
    }

    /// The impacts of an incident; empty if it is not one of the others.
    pub(super) fn of(&self, incident: IncidentId) -> &[Impact] {
        let start = self.0.partition_point(|impact| impact.incident < incident);
        let rest = &self.0[start..];
        &rest[..rest.partition_point(|impact| impact.incident == incident)]
    }

    /// Prepares the search for the worst impact at each of several times.
    pub(super) fn sweep(&self) -> Sweep {
        let mut impacts = self.0.clone();
        impacts.sort_by_key(|impact| (impact.since, impact.incident));
        let mut by_status: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for impact in impacts {
            by_status
                .entry(impact.status)
                .or_default()
                .push_back(impact);
        }
        Sweep { by_status }
    }
}

/// Finds the worst impact at times that do not decrease.
pub(super) struct Sweep {
    /// The impacts with each status, ordered by start and incident. An impact is removed when it is
    /// first in line and over.
    by_status: BTreeMap<ComponentStatus, VecDeque<Impact>>,
}

impl Sweep {
    /// The worst impact at a time, if the history showed `shown`. What would be worse had not
    /// begun. Of equal impacts, the one that began first counts, then that of the oldest incident.
    pub(super) fn worst_at(
        &mut self,
        time: DateTime<Utc>,
        shown: ComponentStatus,
    ) -> Option<Impact> {
        let counted = ComponentStatus::Degraded..=shown;
        let worst_first = self.by_status.iter_mut().rev();
        let mut worst_first = worst_first.filter(|(status, _)| counted.contains(*status));
        worst_first.find_map(|(_, impacts)| first_at(impacts, time))
    }
}

/// The first of these impacts that lasts at a time. Removes those before it, which are over.
fn first_at(impacts: &mut VecDeque<Impact>, time: DateTime<Utc>) -> Option<Impact> {
    let is_over = |impact: &Impact| impact.until.is_some_and(|until| until <= time);
    while impacts.front().is_some_and(is_over) {
        impacts.pop_front();
    }
    // Later ones begin later.
    impacts
        .front()
        .copied()
        .filter(|impact| impact.contains(time))
}

#[cfg(test)]
mod tests;
