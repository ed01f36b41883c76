//! The history of a component in pieces, within which nothing begins or ends.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};

use crate::component::ComponentStatus;
use crate::id::{IncidentId, StatusPeriodId};
use crate::organisation::Revision;
use crate::status_period::{PeriodCause, PeriodChanges, StatusPeriod, StatusSpan};

/// A piece of a component's history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'p> {
    /// When it begins.
    pub(super) start_at: DateTime<Utc>,
    /// When it ends; `None` for the last one, which lasts.
    pub(super) end_at: Option<DateTime<Utc>>,
    /// The stored period that it is a piece of; `None` if the component was operational.
    pub(super) period: Option<&'p StatusPeriod>,
}

/// What a piece shows after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    /// The same as before.
    Same,
    /// The impact of an incident.
    Impact(ComponentStatus, IncidentId),
    /// No impact.
    Operational,
}

/// The pieces of a history. It is cut at the given times, and where a period starts or ends.
pub(super) fn pieces(
    periods: &[StatusPeriod],
    times: impl IntoIterator<Item = DateTime<Utc>>,
) -> Vec<Piece<'_>> {
    let is_empty = |span: &StatusSpan| span.end_at == Some(span.start_at);
    let stored = periods.iter().filter(|period| !is_empty(&period.span));
    let mut periods: Vec<_> = stored.collect();
    periods.sort_by_key(|period| period.span.start_at);
    let spans = periods.iter().map(|period| period.span);
    let bounds = spans.flat_map(|span| [Some(span.start_at), span.end_at]);
    let starts: BTreeSet<_> = bounds.flatten().chain(times).collect();
    let ends = starts.iter().skip(1).copied().map(Some).chain([None]);
    let period_at = |time: DateTime<Utc>| {
        let begun = periods.partition_point(|period| period.span.start_at <= time);
        let last = periods[..begun].last().copied();
        last.filter(|period| period.span.end_at.is_none_or(|end_at| time < end_at))
    };
    let pieces = starts.iter().zip(ends).map(|(&start_at, end_at)| Piece {
        start_at,
        end_at,
        period: period_at(start_at),
    });
    pieces.collect()
}

/// The changes of the stored periods after which they show what is drawn in each piece. `id` makes
/// identifiers of new periods.
pub(super) fn changes(
    drawn: &[(Piece<'_>, Drawn)],
    mut id: impl FnMut() -> StatusPeriodId,
) -> PeriodChanges {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for part in drawn.iter().filter_map(Part::of) {
        match parts.last_mut() {
            Some(last) if last.continues_as(&part) => last.extend(&part),
            _ => parts.push(part),
        }
    }
    let mut changes = PeriodChanges::default();
    let mut kept = HashSet::new();
    for Part { span, period, .. } in &parts {
        let Some(period) = period else { continue };
        let cut = StatusPeriod {
            span: *span,
            ..StatusPeriod::clone(period)
        };
        if !kept.insert(period.id) {
            // What is left of it after its first part.
            let rest = StatusPeriod { id: id(), ..cut };
            changes.inserted.push(rest);
        } else if *span != period.span {
            changes.updated.push(cut);
        }
    }
    let new = parts.iter().filter(|part| part.period.is_none());
    let inserted = new.filter_map(|part| {
        Some(StatusPeriod {
            id: id(),
            span: part.span,
            cause: PeriodCause::Incident(part.incident?, None),
            version: Revision::default(),
        })
    });
    changes.inserted.extend(inserted);
    let stored = drawn.iter().filter_map(|(piece, _)| piece.period);
    let gone = stored.map(|period| period.id);
    changes.deleted = gone.filter(|id| !kept.contains(id)).collect();
    changes.deleted.dedup();
    changes
}

/// Pieces that become one period.
struct Part<'p> {
    span: StatusSpan,
    /// The incident that causes it; `None` if an operator does.
    incident: Option<IncidentId>,
    /// The stored period that it continues; `None` if it is new.
    period: Option<&'p StatusPeriod>,
    /// The stored period of its last piece; `None` if that is new.
    last: Option<&'p StatusPeriod>,
}

impl<'p> Part<'p> {
    /// `None` if the piece is operational.
    fn of(&(piece, drawn): &(Piece<'p>, Drawn)) -> Option<Self> {
        let (status, incident, period) = match (drawn, piece.period) {
            (Drawn::Same, Some(period)) => {
                let incident = period.cause.incident();
                (period.span.status, incident, Some(period))
            }
            (Drawn::Impact(status, incident), _) => (status, Some(incident), None),
            (Drawn::Same, None) | (Drawn::Operational, _) => return None,
        };
        let span = StatusSpan {
            status,
            start_at: piece.start_at,
            end_at: piece.end_at,
        };
        Some(Self {
            span,
            incident,
            period,
            last: period,
        })
    }

    /// Whether the next part belongs to the same period. Stored periods that only touch stay two.
    fn continues_as(&self, next: &Self) -> bool {
        let is_same_period = match (self.last, next.period) {
            (Some(last), Some(next)) => last.id == next.id,
            _ => self.incident == next.incident,
        };
        is_same_period
            && self.span.status == next.span.status
            && self.span.end_at == Some(next.span.start_at)
    }

    fn extend(&mut self, next: &Self) {
        self.span.end_at = next.span.end_at;
        self.period = self.period.or(next.period);
        self.last = next.last;
    }
}
