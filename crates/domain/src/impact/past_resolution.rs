//! The resolution of an incident in the past.

use chrono::{DateTime, Utc};

use super::{Impact, worst_over_time};
use crate::component::{Component, ComponentStatus, StatusSource};
use crate::id::{IncidentId, StatusPeriodId};
use crate::organisation::Revision;
use crate::status_period::{PeriodCause, PeriodChanges, StatusPeriod, StatusSpan};

/// The resolution of an incident in the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastResolution {
    /// The incident.
    pub incident: IncidentId,
    /// When it was resolved.
    pub resolved_at: DateTime<Utc>,
    /// The time of the change.
    pub now: DateTime<Utc>,
}

impl PastResolution {
    /// The changes of the history of a component that is attached to the incident. `component` is
    /// its state before, `impacts` are those of the incidents that are still unresolved, and
    /// `periods` are all that end after the resolution. `id` makes identifiers of new periods.
    ///
    /// These periods end with the resolution, and the [worst impacts over time](worst_over_time)
    /// replace what follows:
    ///
    /// - a period that the incident caused and another status ended
    /// - the period that lasts, if the component has its status from incidents, and the incident
    ///   caused it or the status changes
    ///
    /// Every other period stays. An operator set its status or corrected its end, another incident
    /// caused it, or the incident was resolved before and reopened.
    #[must_use]
    pub fn apply(
        &self,
        component: &Component,
        impacts: &[Impact],
        periods: &[StatusPeriod],
        mut id: impl FnMut() -> StatusPeriodId,
    ) -> PeriodChanges {
        let mut periods: Vec<_> = periods.iter().collect();
        periods.sort_by_key(|period| period.span.start_at);
        let mut changes = PeriodChanges::default();
        let mut replaced: Vec<(DateTime<Utc>, Option<DateTime<Utc>>)> = Vec::new();
        for (index, period) in periods.iter().enumerate() {
            let StatusSpan {
                start_at, end_at, ..
            } = period.span;
            let next = periods.get(index + 1).map(|next| next.span.start_at);
            let is_replaced = match end_at {
                Some(_) => end_at == next && is_caused(period, self.incident),
                None => self.replaces_lasting(period, component, impacts),
            };
            if !is_replaced {
                continue;
            }
            if start_at < self.resolved_at {
                let mut shorter = (*period).clone();
                shorter.span.end_at = Some(self.resolved_at);
                changes.updated.push(shorter);
            } else {
                changes.deleted.push(period.id);
            }
            let from = start_at.max(self.resolved_at);
            match replaced.last_mut() {
                Some((_, to)) if *to == Some(from) => *to = end_at,
                _ => replaced.push((from, end_at)),
            }
        }
        for (from, to) in replaced {
            let next = periods.iter().find(|next| Some(next.span.start_at) == to);
            // What began with the next period had no part in the time before it.
            let lasted =
                |impact: &&Impact| next.is_none_or(|next| !is_caused(next, impact.incident));
            let lasting: Vec<_> = impacts.iter().filter(lasted).copied().collect();
            let spans = self.worst_between(&lasting, from, to).into_iter();
            let inserted = spans.map(|(span, incident)| StatusPeriod {
                id: id(),
                span,
                cause: PeriodCause::Incident(incident, None),
                version: Revision::default(),
            });
            changes.inserted.extend(inserted);
        }
        changes
    }

    fn replaces_lasting(
        &self,
        period: &StatusPeriod,
        component: &Component,
        impacts: &[Impact],
    ) -> bool {
        let worst = ComponentStatus::worst(impacts.iter().map(|impact| impact.status));
        component.status_source == StatusSource::Incidents
            && (is_caused(period, self.incident) || worst != Some(component.status))
    }

    /// The worst impacts from a time until another, or lasting without it, each with its incident.
    fn worst_between(
        &self,
        impacts: &[Impact],
        from: DateTime<Utc>,
        to: Option<DateTime<Utc>>,
    ) -> Vec<(StatusSpan, IncidentId)> {
        let impacts = impacts.iter().copied();
        let worst = worst_over_time(impacts, self.incident, (from, to.unwrap_or(self.now)));
        let ends = worst.iter().skip(1).map(|next| Some(next.since));
        let ends: Vec<_> = ends.chain([to]).collect();
        let spans = worst.into_iter().zip(ends).map(|(impact, end_at)| {
            let span = StatusSpan {
                status: impact.status,
                start_at: impact.since,
                end_at,
            };
            (span, impact.incident)
        });
        spans
            .filter(|(span, _)| span.end_at != Some(span.start_at))
            .collect()
    }
}

fn is_caused(period: &StatusPeriod, incident: IncidentId) -> bool {
    matches!(period.cause, PeriodCause::Incident(id, _) if id == incident)
}

#[cfg(test)]
mod tests;
