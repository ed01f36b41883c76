//! The time in which an incident has an impact.

use chrono::{DateTime, Utc};

/// When an incident has an impact: from its occurrence to its resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpactInterval {
    /// When the incident [started to have an impact](impact_start).
    pub from: DateTime<Utc>,
    /// When it was resolved; `None` while it is unresolved.
    pub to: Option<DateTime<Utc>>,
}

impl ImpactInterval {
    /// Whether the incident has an impact at a time.
    pub(super) fn contains(self, time: DateTime<Utc>) -> bool {
        self.from <= time && self.to.is_none_or(|to| time < to)
    }

    /// This interval without the time after `now`. A resolution after `now` is one at `now`.
    pub(super) fn until(self, now: DateTime<Utc>) -> Self {
        Self {
            from: self.from.min(now),
            to: self.to.map(|to| to.min(now)),
        }
    }
}

/// When the impact of an incident starts: with its occurrence, or with its creation while it is
/// said to occur in the future.
#[must_use]
pub fn impact_start(
    occured_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    if occured_at > now {
        created_at
    } else {
        occured_at
    }
}

/// When a change of a component's status at `since` takes effect, if it is recorded `now`: not
/// before the previous change of the status, and not in the future. A status that was set by hand
/// at `since` or later stays until now.
#[must_use]
pub fn effective_from(
    since: DateTime<Utc>,
    previous: Option<DateTime<Utc>>,
    is_set_by_hand: bool,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    match previous {
        Some(previous) if is_set_by_hand && since <= previous => now,
        Some(previous) => since.max(previous).min(now),
        None => since.min(now),
    }
}

#[cfg(test)]
mod tests;
