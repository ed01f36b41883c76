//! The time in which an incident has an impact, and its correction.

use chrono::{DateTime, Utc};

use crate::component::ComponentStatus;
use crate::id::{IncidentId, StatusPeriodId};
use crate::incident::Incident;
use crate::status_period::{PeriodCause, PeriodChanges, StatusPeriod, StatusSpan, overlay};

/// When an incident has an impact: from its occurrence to its resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpactInterval {
    /// When the incident [started to have an impact](impact_start).
    pub from: DateTime<Utc>,
    /// When it was resolved; `None` while it is unresolved.
    pub to: Option<DateTime<Utc>>,
}

impl ImpactInterval {
    /// Whether the incident is resolved and took no time.
    fn is_empty(&self) -> bool {
        self.to.is_some_and(|to| to <= self.from)
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

/// A correction of the times of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpactMove {
    /// The incident.
    pub incident: IncidentId,
    /// When it was created. A period of an incident that was said to occur later began then.
    pub created_at: DateTime<Utc>,
    /// Its interval before.
    pub before: ImpactInterval,
    /// Its interval after.
    pub after: ImpactInterval,
}

impl ImpactMove {
    /// An interval that contains the incident before and after.
    #[must_use]
    pub fn hull(&self) -> ImpactInterval {
        let ends = self.before.to.zip(self.after.to);
        ImpactInterval {
            from: self.earliest_start().min(self.after.from),
            to: ends.map(|(before, after)| before.max(after)),
        }
    }

    /// The changes of a component's history if this incident is attached to it with the impact
    /// `status`. `periods` are all periods that overlap or touch the [hull](Self::hull). `id` makes
    /// identifiers of new periods.
    ///
    /// Only periods that the incident caused change. Their starts move with the occurrence, their
    /// ends with the resolution:
    ///
    /// - A start at the former occurrence, or at the creation if that was earlier, moves as far as
    ///   the neighbouring period allows, and so does an end at the former resolution.
    /// - Where a neighbour cut off the impact, the boundary moves only away from the neighbour.
    /// - A period that would be empty is removed.
    /// - If the incident took no time before and caused no period, its impact is
    ///   [overlaid](overlay) as that of a past incident.
    ///
    /// Every other boundary stays. An operator corrected it, the component was attached later, or
    /// another status took over at exactly that time. In the last case another impact may have been
    /// hidden, and a gap would be wrong. Time beyond a neighbour is not filled. A reopened incident
    /// has earlier periods, which stay.
    #[must_use]
    pub fn apply(
        &self,
        periods: &[StatusPeriod],
        status: ComponentStatus,
        now: DateTime<Utc>,
        id: impl FnMut() -> StatusPeriodId,
    ) -> PeriodChanges {
        if self.before.is_empty() && !periods.iter().any(|period| self.caused(period)) {
            let span = StatusSpan {
                status,
                start_at: self.after.from,
                end_at: self.after.to.map(|to| to.min(now)),
            };
            return overlay(
                periods,
                span,
                &PeriodCause::Incident(self.incident, None),
                id,
            );
        }
        let mut periods: Vec<_> = periods.iter().collect();
        periods.sort_by_key(|period| period.span.start_at);
        let mut changes = PeriodChanges::default();
        // The end of the previous period as stored, and the earliest start that does not overlap it
        // after the move.
        let (mut previous, mut earliest) = (None, None);
        for (index, period) in periods.iter().enumerate() {
            let next = periods.get(index + 1).map(|next| next.span.start_at);
            let mut span = period.span;
            if self.caused(period) {
                span.start_at = self.start(span.start_at, previous, earliest);
                span.end_at = span.end_at.map(|end_at| self.end(end_at, next, now));
            }
            previous = period.span.end_at;
            if span.end_at.is_some_and(|end_at| end_at <= span.start_at) {
                changes.deleted.push(period.id);
                continue;
            }
            earliest = span.end_at;
            if span != period.span {
                changes.updated.push(StatusPeriod {
                    span,
                    ..(*period).clone()
                });
            }
        }
        changes
    }

    fn caused(&self, period: &StatusPeriod) -> bool {
        matches!(period.cause, PeriodCause::Incident(id, _) if id == self.incident)
    }

    fn earliest_start(&self) -> DateTime<Utc> {
        self.before.from.min(self.created_at)
    }

    /// The start of a period of the incident after the move. `previous` is the end of the period
    /// before it.
    fn start(
        &self,
        start_at: DateTime<Utc>,
        previous: Option<DateTime<Utc>>,
        earliest: Option<DateTime<Utc>>,
    ) -> DateTime<Utc> {
        let (before, after) = (self.before.from, self.after.from);
        if before == after {
            return start_at;
        }
        if previous == Some(start_at) {
            if self.earliest_start() < start_at {
                return start_at.max(after);
            }
        } else if [before, self.earliest_start()].contains(&start_at) {
            return earliest.map_or(after, |earliest| after.max(earliest));
        }
        start_at
    }

    /// The end of a period of the incident after the move. `next` is the start of the period
    /// after it.
    fn end(
        &self,
        end_at: DateTime<Utc>,
        next: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> DateTime<Utc> {
        let (Some(before), Some(after)) = (self.before.to, self.after.to) else {
            return end_at;
        };
        let after = after.min(now);
        if next == Some(end_at) {
            if end_at < before {
                return end_at.min(after);
            }
        } else if before == end_at {
            return next.map_or(after, |next| after.min(next));
        }
        end_at
    }
}

impl Incident {
    /// The correction of the times of this incident; `None` if there is none.
    pub(super) fn moved_from(&self, before: &Self) -> Option<ImpactMove> {
        let interval = |incident: &Self| ImpactInterval {
            from: impact_start(incident.occured_at, incident.created_at, self.updated_at),
            to: incident.resolved_at,
        };
        let (before, after) = (interval(before), interval(self));
        let ends = before.to.zip(after.to);
        let is_moved = before.from != after.from || ends.is_some_and(|(was, is)| was != is);
        is_moved.then_some(ImpactMove {
            incident: self.id,
            created_at: self.created_at,
            before,
            after,
        })
    }
}

#[cfg(test)]
pub(super) mod tests;
