use super::*;

use proptest::prelude::*;
use uuid::Uuid;

use crate::incident::tests::at;
use crate::organisation::Revision;

const NOW: i64 = 100;

fn interval(from: i64, to: Option<i64>) -> ImpactInterval {
    ImpactInterval {
        from: at(from),
        to: to.map(at),
    }
}

pub(in crate::impact) fn moved(
    before: (i64, Option<i64>),
    after: (i64, Option<i64>),
) -> ImpactMove {
    ImpactMove {
        incident: IncidentId(Uuid::from_u128(1)),
        created_at: at(NOW),
        before: interval(before.0, before.1),
        after: interval(after.0, after.1),
    }
}

/// A period with the number of the incident that caused it.
type Row = (u128, i64, Option<i64>);

fn stored(rows: &[Row]) -> Vec<StatusPeriod> {
    let period = |(number, &(incident, start, end)): (usize, &Row)| StatusPeriod {
        id: StatusPeriodId(Uuid::from_u128(number as u128)),
        span: StatusSpan {
            status: ComponentStatus::MajorOutage,
            start_at: at(start),
            end_at: end.map(at),
        },
        cause: PeriodCause::Incident(IncidentId(Uuid::from_u128(incident)), None),
        version: Revision(3),
    };
    rows.iter().enumerate().map(period).collect()
}

/// The periods after a move, the oldest first.
fn after_move(change: &ImpactMove, periods: &[StatusPeriod]) -> Vec<StatusPeriod> {
    let mut next = 1000;
    let new_id = || {
        next += 1;
        StatusPeriodId(Uuid::from_u128(next))
    };
    let changes = change.apply(periods, ComponentStatus::MajorOutage, at(NOW), new_id);
    let is_kept = |period: &&StatusPeriod| {
        let is_updated = changes.updated.iter().any(|new| new.id == period.id);
        !is_updated && !changes.deleted.contains(&period.id)
    };
    let mut after: Vec<_> = periods.iter().filter(is_kept).cloned().collect();
    after.extend(changes.updated);
    after.extend(changes.inserted);
    after.sort_by_key(|period| period.span.start_at);
    after
}

fn rows(periods: &[StatusPeriod]) -> Vec<Row> {
    let row = |period: &StatusPeriod| {
        let PeriodCause::Incident(incident, _) = period.cause else {
            unreachable!("an incident caused every period");
        };
        let end = period.span.end_at.map(|end_at| end_at.timestamp());
        (incident.0.as_u128(), period.span.start_at.timestamp(), end)
    };
    periods.iter().map(row).collect()
}

/// From an occurrence to a resolution, in seconds.
type Interval = (i64, Option<i64>);

/// A name, an incident's interval before and after a correction, and the periods before and
/// after it.
type Correction = (
    &'static str,
    Interval,
    Interval,
    &'static [Row],
    &'static [Row],
);

const WAS: Interval = (10, Some(50));

const CORRECTIONS: [Correction; 21] = [
    (
        "earlier end",
        WAS,
        (10, Some(40)),
        &[(1, 10, Some(50))],
        &[(1, 10, Some(40))],
    ),
    (
        "later end",
        WAS,
        (10, Some(60)),
        &[(1, 10, Some(50))],
        &[(1, 10, Some(60))],
    ),
    (
        "future end",
        WAS,
        (10, Some(NOW + 9)),
        &[(1, 10, Some(50))],
        &[(1, 10, Some(NOW))],
    ),
    (
        "earlier start",
        WAS,
        (5, Some(50)),
        &[(1, 10, Some(50))],
        &[(1, 5, Some(50))],
    ),
    (
        "later start",
        WAS,
        (20, Some(50)),
        &[(1, 10, Some(50))],
        &[(1, 20, Some(50))],
    ),
    (
        "both",
        WAS,
        (20, Some(60)),
        &[(1, 10, Some(50))],
        &[(1, 20, Some(60))],
    ),
    (
        "start of a lasting one",
        (10, None),
        (5, None),
        &[(1, 10, None)],
        &[(1, 5, None)],
    ),
    (
        "start while resolving",
        (10, None),
        (5, Some(60)),
        &[(1, 10, None)],
        &[(1, 5, None)],
    ),
    (
        "start at the creation, before the occurrence",
        (NOW + 50, None),
        (5, None),
        &[(1, NOW, None)],
        &[(1, 5, None)],
    ),
    (
        "corrected end",
        WAS,
        (10, Some(40)),
        &[(1, 10, Some(45))],
        &[(1, 10, Some(45))],
    ),
    (
        "corrected start",
        WAS,
        (5, Some(50)),
        &[(1, 12, Some(50))],
        &[(1, 12, Some(50))],
    ),
    (
        "attached later",
        WAS,
        (15, Some(60)),
        &[(1, 30, Some(50))],
        &[(1, 30, Some(60))],
    ),
    (
        "another cause",
        WAS,
        (5, Some(60)),
        &[(2, 10, Some(50))],
        &[(2, 10, Some(50))],
    ),
    (
        "neighbours stop it",
        WAS,
        (2, Some(60)),
        &[(2, 1, Some(5)), (1, 10, Some(50)), (2, 55, Some(70))],
        &[(2, 1, Some(5)), (1, 5, Some(55)), (2, 55, Some(70))],
    ),
    (
        "away from the neighbours that stopped it",
        (2, Some(60)),
        (10, Some(50)),
        &[(2, 1, Some(5)), (1, 5, Some(55)), (2, 55, Some(70))],
        &[(2, 1, Some(5)), (1, 10, Some(50)), (2, 55, Some(70))],
    ),
    (
        "another status took over",
        WAS,
        (20, Some(40)),
        &[(2, 1, Some(10)), (1, 10, Some(50)), (2, 50, Some(70))],
        &[(2, 1, Some(10)), (1, 10, Some(50)), (2, 50, Some(70))],
    ),
    (
        "cut in two, resolved before the cut",
        WAS,
        (10, Some(15)),
        &[(1, 10, Some(20)), (2, 20, Some(30)), (1, 30, Some(50))],
        &[(1, 10, Some(15)), (2, 20, Some(30))],
    ),
    (
        "cut in two, occurred after the cut",
        WAS,
        (35, Some(50)),
        &[(1, 10, Some(20)), (2, 20, Some(30)), (1, 30, Some(50))],
        &[(2, 20, Some(30)), (1, 35, Some(50))],
    ),
    (
        "no time left",
        WAS,
        (10, Some(10)),
        &[(1, 10, Some(50))],
        &[],
    ),
    (
        "time again",
        (10, Some(10)),
        WAS,
        &[(2, 20, Some(30))],
        &[(1, 10, Some(20)), (2, 20, Some(30)), (1, 30, Some(50))],
    ),
    ("deleted by hand", WAS, (10, Some(60)), &[], &[]),
];

#[test]
fn boundaries_that_the_incident_set_move_and_others_stay() {
    for (name, before, after, periods, expected) in CORRECTIONS {
        let change = moved(before, after);
        assert_eq!(
            rows(&after_move(&change, &stored(periods))),
            expected,
            "{name}"
        );
    }
}

/// Periods that do not overlap, of this incident and another one, with ends and starts among
/// few values.
fn any_periods() -> impl Strategy<Value = Vec<Row>> {
    let bounds = proptest::collection::btree_set(0..30_i64, 0..12);
    let causes = proptest::collection::vec(0..3_u128, 12);
    (bounds, causes, any::<bool>()).prop_map(|(bounds, causes, lasts)| {
        let bounds: Vec<_> = bounds.into_iter().collect();
        let pairs = bounds.windows(2).zip(causes);
        let mut rows: Vec<Row> = pairs
            .filter(|(_, cause)| *cause > 0)
            .map(|(pair, cause)| (cause, pair[0], Some(pair[1])))
            .collect();
        if lasts && let Some(last) = rows.last_mut() {
            last.2 = None;
        }
        rows
    })
}

fn any_interval() -> impl Strategy<Value = (i64, Option<i64>)> {
    (0..30_i64, proptest::option::of(0..30_i64))
}

proptest! {
    #[test]
    fn moved_periods_never_overlap_nor_end_before_they_start_and_others_stay(
        periods in any_periods(), before in any_interval(), after in any_interval()
    ) {
        let periods = stored(&periods);
        let change = moved(before, after);
        let result = after_move(&change, &periods);
        for pair in result.windows(2) {
            prop_assert!(!pair[0].span.overlaps(&pair[1].span), "{:?}", rows(&result));
        }
        prop_assert!(result.iter().all(|p| p.span.end_at.is_none_or(|end_at| p.span.start_at < end_at)));
        let lasting = |periods: &[StatusPeriod]| periods.iter().filter(|p| p.span.end_at.is_none()).count();
        prop_assert_eq!(lasting(&periods), lasting(&result));
        for other in periods.iter().filter(|period| !change.caused(period)) {
            prop_assert!(result.contains(other));
        }
    }

    #[test]
    fn correction_taken_back_restores_a_period_without_neighbours(
        before in (0..30_i64, 1..30_i64), after in (0..30_i64, 0..30_i64)
    ) {
        let end = |(from, length): (i64, i64)| (from, Some(from + length));
        let (before, after) = (end(before), end(after));
        let periods = stored(&[(1, before.0, before.1)]);
        let there = after_move(&moved(before, after), &periods);
        let back = after_move(&moved(after, before), &there);
        prop_assert_eq!(rows(&back), rows(&periods));
    }
}
