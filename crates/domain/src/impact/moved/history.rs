//! The history of a component in which the impact of an incident moves.

use chrono::{DateTime, Utc};

use super::others::Others;
use super::{ImpactMove, ImpactedComponent};
use crate::component::{ComponentStatus, StatusSource};
use crate::id::IncidentId;
use crate::impact::interval::ImpactInterval;
use crate::impact::piece::{Drawn, Piece, pieces};
use crate::impact::worst::Impact;
use crate::status_period::StatusPeriod;

/// How the start or the end of an impact may move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) may_widen: bool,
    pub(super) may_narrow: bool,
}

/// The history of a component, and the move of an incident in it.
pub(super) struct MovedHistory<'h> {
    incident: IncidentId,
    impact: ComponentStatus,
    status_source: StatusSource,
    /// The interval of the incident before, without the future.
    pub(super) before: ImpactInterval,
    /// The interval after, without the future.
    pub(super) after: ImpactInterval,
    others: Others,
    pub(super) pieces: Vec<MovedPiece<'h>>,
}

/// A piece of a history in which an incident moves.
pub(super) struct MovedPiece<'h> {
    pub(super) piece: Piece<'h>,
    /// The worst impact of another incident then, at most as bad as the piece; `None` if there is
    /// none.
    worst_other: Option<Impact>,
}

impl<'h> MovedHistory<'h> {
    pub(super) fn new(
        moved: &ImpactMove,
        component: &ImpactedComponent,
        periods: &'h [StatusPeriod],
        now: DateTime<Utc>,
    ) -> Self {
        let began_with_creation = periods.iter().any(|period| {
            period.cause.incident() == Some(moved.incident)
                && period.span.start_at == moved.created_at
        });
        let mut before = moved.before;
        if began_with_creation {
            before.from = before.from.min(moved.created_at);
        }
        let (before, after) = (before.until(now), moved.after.until(now));
        let others = component.others.iter().map(|other| Impact {
            until: other.until.map(|until| until.min(now)),
            ..*other
        });
        let others = Others::new(others);
        let of_moved = [before, after].map(|interval| [Some(interval.from), interval.to]);
        let of_others = others.all().iter();
        let of_others = of_others.map(|other| [Some(other.since), other.until]);
        let times = of_moved.into_iter().chain(of_others).flatten().flatten();
        let times = times.filter(|time| *time < now).chain([now]);
        let pieces = moved_pieces(pieces(periods, times), &others);
        Self {
            incident: moved.incident,
            impact: component.impact,
            status_source: component.status_source,
            before,
            after,
            others,
            pieces,
        }
    }

    /// What a piece shows if the incident has an impact now and had none before.
    pub(super) fn gained(&self, MovedPiece { piece, .. }: &MovedPiece<'_>) -> Drawn {
        let is_replaced = match piece.period {
            None => self.impact > ComponentStatus::Operational,
            Some(period) => {
                !self.caused(period)
                    && self.is_by_incidents(period, piece.start_at)
                    && period.span.status < self.impact
            }
        };
        if is_replaced {
            Drawn::Impact(self.impact, self.incident)
        } else {
            Drawn::Same
        }
    }

    /// What a piece shows if the incident has no impact now. Its period may last longer than its
    /// impact, because another one kept the status.
    pub(super) fn lost(&self, moved: &MovedPiece<'_>, was_active: bool) -> Drawn {
        let (piece, other) = (moved.piece, moved.worst_other);
        let time = piece.start_at;
        let by_incidents = |period: &&StatusPeriod| self.is_by_incidents(period, time);
        let Some(period) = piece.period.filter(by_incidents) else {
            return Drawn::Same;
        };
        let is_kept = other.is_some_and(|other| other.status == period.span.status);
        let is_replaced = if self.caused(period) {
            was_active || is_kept
        } else {
            was_active && !is_kept && self.kept_alone(period, time)
        };
        match other {
            _ if !is_replaced => Drawn::Same,
            Some(other) => Drawn::Impact(other.status, other.incident),
            None => Drawn::Operational,
        }
    }

    /// Whether only this incident can have kept the status of a period that another one caused.
    fn kept_alone(&self, period: &StatusPeriod, time: DateTime<Utc>) -> bool {
        let lasts_then = |cause: IncidentId| {
            let mut impacts = self.others.of(cause).iter();
            impacts.any(|impact| impact.contains(time))
        };
        // The other impact may have been worse then.
        let may_be_its_own = period.cause.incident().is_some_and(lasts_then);
        period.span.status == self.impact && (lasts(period) || !may_be_its_own)
    }

    /// How the impact's start or end at a time may move; `None` is the end while it lasts.
    pub(super) fn bound(&self, time: Option<DateTime<Utc>>) -> Bound {
        let touches = |MovedPiece { piece, .. }: &&MovedPiece<'_>| match time {
            Some(time) => piece.start_at == time || piece.end_at == Some(time),
            None => piece.end_at.is_none(),
        };
        let touching: Vec<_> = self.pieces.iter().filter(touches).collect();
        let is_corrected = touching.iter().any(|piece| self.is_corrected(piece));
        let began_later = touching
            .iter()
            .any(|piece| self.shows_lesser_impact(&piece.piece));
        Bound {
            may_widen: !is_corrected && !began_later,
            may_narrow: !is_corrected,
        }
    }

    /// Whether a piece contradicts the incident's times: it is operational in spite of the impact,
    /// or shows the impact at another time.
    fn is_corrected(&self, moved: &MovedPiece<'_>) -> bool {
        let is_active = self.before.contains(moved.piece.start_at);
        match moved.piece.period {
            None => is_active && self.impact > ComponentStatus::Operational,
            Some(period) if self.caused(period) && !is_active => {
                let other = moved.worst_other;
                other.is_none_or(|other| other.status < period.span.status)
            }
            Some(_) => false,
        }
    }

    /// Whether a piece shows a lesser impact of another incident instead. Then the impact began
    /// with a later change, such as an attachment.
    fn shows_lesser_impact(&self, piece: &Piece<'_>) -> bool {
        let time = piece.start_at;
        self.before.contains(time)
            && piece.period.is_some_and(|period| {
                !self.caused(period)
                    && !lasts(period)
                    && self.is_by_incidents(period, time)
                    && period.span.status < self.impact
            })
    }

    /// Whether the status of a period at a time comes from the incident or one of the others.
    fn is_by_incidents(&self, period: &StatusPeriod, time: DateTime<Utc>) -> bool {
        if lasts(period) && self.status_source == StatusSource::Operator {
            return false;
        }
        let is_known = |cause: IncidentId| !self.others.of(cause).is_empty();
        // The incident may have kept what something else had caused.
        let is_over = self.before.to.is_none() && self.after.to.is_some_and(|to| to <= time);
        self.caused(period)
            || period.cause.incident().is_some_and(is_known)
            || (lasts(period) && is_over)
    }

    fn caused(&self, period: &StatusPeriod) -> bool {
        period.cause.incident() == Some(self.incident)
    }
}

/// The pieces of a history, each with the worst impact of the others.
fn moved_pieces<'h>(pieces: Vec<Piece<'h>>, others: &Others) -> Vec<MovedPiece<'h>> {
    // The pieces are in the order of time.
    let mut sweep = others.sweep();
    let moved = pieces.into_iter().map(|piece| MovedPiece {
        piece,
        worst_other: piece
            .period
            .and_then(|period| sweep.worst_at(piece.start_at, period.span.status)),
    });
    moved.collect()
}

/// Whether a period lasts.
fn lasts(period: &StatusPeriod) -> bool {
    period.span.end_at.is_none()
}
