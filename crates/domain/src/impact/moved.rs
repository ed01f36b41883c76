//! A correction of the times of an incident, in the histories of its components.

mod history;
mod others;

use chrono::{DateTime, Utc};

use self::history::{MovedHistory, MovedPiece};
use super::interval::{ImpactInterval, impact_start};
use super::piece::{Drawn, changes};
use super::worst::Impact;
use crate::component::{ComponentStatus, StatusSource};
use crate::id::{IncidentId, StatusPeriodId};
use crate::incident::Incident;
use crate::status_period::{PeriodChanges, StatusPeriod};

/// A correction of the times of an incident. Its resolution in the past is one, too.
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

/// A component that is attached to the incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpactedComponent {
    /// The impact of the incident.
    pub impact: ComponentStatus,
    /// What set the component's status last.
    pub status_source: StatusSource,
    /// The impacts of all other incidents that have an instant in common with the
    /// [extent](ImpactMove::extent), also of resolved ones.
    pub others: Vec<Impact>,
}

impl ImpactMove {
    /// An interval that contains the incident before and after.
    #[must_use]
    pub fn extent(&self) -> ImpactInterval {
        let ends = self.before.to.zip(self.after.to);
        let earliest = self.before.from.min(self.created_at);
        ImpactInterval {
            from: earliest.min(self.after.from),
            to: ends.map(|(before, after)| before.max(after)),
        }
    }

    /// Whether it resolves the incident.
    #[must_use]
    pub const fn resolves(&self) -> bool {
        self.before.to.is_none() && self.after.to.is_some()
    }

    /// The changes of a component's history. `periods` are all periods that overlap or touch the
    /// [extent](Self::extent). `id` makes identifiers of new periods.
    ///
    /// - In the time that the incident gains, the worse of its impact and the history counts.
    /// - In the time that it loses, the worst impact of the others replaces what it caused. The
    ///   same replaces a status that another one caused and it alone kept.
    /// - What an operator set or corrected stays, and so does what a deleted incident caused.
    /// - Its start or its end stays if the history contradicts it: an operator corrected the
    ///   period, or the component was attached later.
    ///
    /// The status that lasts changes only if this [resolves](Self::resolves) the incident and the
    /// component has its status from incidents.
    #[must_use]
    pub fn apply(
        &self,
        component: &ImpactedComponent,
        periods: &[StatusPeriod],
        now: DateTime<Utc>,
        id: impl FnMut() -> StatusPeriodId,
    ) -> PeriodChanges {
        let history = MovedHistory::new(self, component, periods, now);
        let start = history.bound(Some(history.before.from));
        let end = history.bound(history.before.to);
        let draw = |moved: &MovedPiece<'_>| {
            let time = moved.piece.start_at;
            let (before, after) = (history.before, history.after);
            // The nearer end of an interval that does not contain the piece.
            let bound = |interval: ImpactInterval| {
                if time < interval.from { start } else { end }
            };
            match (before.contains(time), after.contains(time)) {
                (false, true) if bound(before).may_widen => history.gained(moved),
                (was_active, false) if bound(after).may_narrow => history.lost(moved, was_active),
                _ => Drawn::Same,
            }
        };
        let drawn = history.pieces.iter();
        let drawn = drawn.map(|moved| (moved.piece, draw(moved)));
        let drawn: Vec<_> = drawn.collect();
        changes(&drawn, id)
    }
}

impl Incident {
    /// The correction of the times of this incident; `None` if there is none. A resolution now is
    /// none, and the impact before it was reopened stays.
    pub(super) fn moved_from(&self, before: &Self) -> Option<ImpactMove> {
        let now = self.updated_at;
        let from = |incident: &Self| impact_start(incident.occured_at, incident.created_at, now);
        let moved = ImpactMove {
            incident: self.id,
            created_at: self.created_at,
            before: ImpactInterval {
                from: from(before),
                to: before.resolved_at,
            },
            after: ImpactInterval {
                from: from(self),
                to: self.resolved_at.or(before.resolved_at),
            },
        };
        let ImpactMove { before, after, .. } = moved;
        let is_over_now = moved.resolves() && after.to.is_some_and(|to| now <= to);
        let is_moved = before.from != after.from || (before.to != after.to && !is_over_now);
        is_moved.then_some(moved)
    }
}

#[cfg(test)]
pub(super) mod tests;
