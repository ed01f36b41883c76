//! The worst impact on a component over time.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};

use super::interval::ImpactInterval;
use crate::component::ComponentStatus;
use crate::id::IncidentId;

/// The impact of an incident on a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impact {
    /// The incident.
    pub incident: IncidentId,
    /// The impact.
    pub status: ComponentStatus,
    /// When it began.
    pub since: DateTime<Utc>,
    /// When it ended; `None` while the incident is unresolved.
    pub until: Option<DateTime<Utc>>,
}

impl Impact {
    /// Whether it lasts at a time.
    pub(super) fn contains(&self, time: DateTime<Utc>) -> bool {
        let interval = ImpactInterval {
            from: self.since,
            to: self.until,
        };
        interval.contains(time)
    }
}

/// The worst of the given impacts of unresolved incidents over time, from `since` on: each is worse
/// than the one before, and the last one lasts. No impact begins after `now`. Of equal impacts that
/// begin together, the one of `changed` counts, or else that of the oldest incident.
#[must_use]
pub fn worst_over_time(
    impacts: impl IntoIterator<Item = Impact>,
    changed: IncidentId,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Vec<Impact> {
    let begun = |impact: Impact| Impact {
        since: impact.since.max(since).min(now),
        ..impact
    };
    let mut impacts: Vec<_> = impacts.into_iter().map(begun).collect();
    impacts.sort_by_key(|impact| {
        let is_other = impact.incident != changed;
        let worst_first = Reverse(impact.status);
        (impact.since, worst_first, is_other, impact.incident)
    });
    let mut worst = ComponentStatus::Operational;
    impacts.retain(|impact| {
        let is_worse = impact.status > worst;
        worst = worst.max(impact.status);
        is_worse
    });
    impacts
}

#[cfg(test)]
mod tests;
