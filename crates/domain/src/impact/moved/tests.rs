mod limit;

use super::*;

use proptest::prelude::*;
use uuid::Uuid;

use crate::component::ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};
use crate::incident::tests::at;
use crate::organisation::Revision;
use crate::status_period::{PeriodCause, StatusSpan};

const NOW: i64 = 100;
/// The incident whose times are corrected.
const MOVED: u128 = 1;
/// Stands for an operator that set the status.
const BY_HAND: u128 = 0;

/// The number of an incident, its impact or the status that it caused, and when that began
/// and ended.
type Row = (u128, ComponentStatus, i64, Option<i64>);

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
        incident: IncidentId(Uuid::from_u128(MOVED)),
        created_at: at(NOW),
        before: interval(before.0, before.1),
        after: interval(after.0, after.1),
    }
}

fn stored(rows: &[Row]) -> Vec<StatusPeriod> {
    let period = |(number, &(cause, status, start, end)): (usize, &Row)| StatusPeriod {
        id: StatusPeriodId(Uuid::from_u128(number as u128)),
        span: StatusSpan {
            status,
            start_at: at(start),
            end_at: end.map(at),
        },
        cause: match cause {
            BY_HAND => PeriodCause::Operator(None),
            incident => PeriodCause::Incident(IncidentId(Uuid::from_u128(incident)), None),
        },
        version: Revision(3),
    };
    rows.iter().enumerate().map(period).collect()
}

fn rows(periods: &[StatusPeriod]) -> Vec<Row> {
    let row = |period: &StatusPeriod| {
        let cause = period.cause.incident();
        let StatusSpan {
            status,
            start_at,
            end_at,
        } = period.span;
        let end = end_at.map(|end_at| end_at.timestamp());
        let cause = cause.map_or(BY_HAND, |incident| incident.0.as_u128());
        (cause, status, start_at.timestamp(), end)
    };
    periods.iter().map(row).collect()
}

/// A component whose status comes from incidents.
fn impacted(impact: ComponentStatus, others: &[Row]) -> ImpactedComponent {
    let other = |&(incident, status, since, until): &Row| Impact {
        incident: IncidentId(Uuid::from_u128(incident)),
        status,
        since: at(since),
        until: until.map(at),
    };
    ImpactedComponent {
        impact,
        status_source: StatusSource::Incidents,
        others: others.iter().map(other).collect(),
    }
}

fn set_by_hand(impact: ComponentStatus, others: &[Row]) -> ImpactedComponent {
    ImpactedComponent {
        status_source: StatusSource::Operator,
        ..impacted(impact, others)
    }
}

/// The periods after a move, the oldest first.
fn after_move(
    change: &ImpactMove,
    component: &ImpactedComponent,
    periods: &[StatusPeriod],
) -> Vec<StatusPeriod> {
    let mut next = 1000;
    let new_id = || {
        next += 1;
        StatusPeriodId(Uuid::from_u128(next))
    };
    let changes = change.apply(component, periods, at(NOW), new_id);
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

/// [`after_move`] of rows.
fn moved_rows(change: &ImpactMove, component: &ImpactedComponent, periods: &[Row]) -> Vec<Row> {
    rows(&after_move(change, component, &stored(periods)))
}

/// From an occurrence to a resolution, in seconds.
type Interval = (i64, Option<i64>);

/// A cause, and when its major outage began and ended.
type Outage = (u128, i64, Option<i64>);

/// A name, an incident's interval before and after a correction, and the outages before and
/// after it.
type Correction = (
    &'static str,
    Interval,
    Interval,
    &'static [Outage],
    &'static [Outage],
);

const WAS: Interval = (10, Some(50));

/// Incident 2 is deleted.
const CORRECTIONS: [Correction; 24] = [
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
        &[(1, 5, Some(60))],
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
        "start corrected to an earlier one",
        WAS,
        (15, Some(50)),
        &[(1, 8, Some(50))],
        &[(1, 8, Some(50))],
    ),
    (
        "attached later",
        WAS,
        (15, Some(60)),
        &[(1, 30, Some(50))],
        &[(1, 30, Some(60))],
    ),
    (
        "resolved before it was attached",
        WAS,
        (10, Some(20)),
        &[(1, 30, Some(50))],
        &[],
    ),
    (
        "hidden beneath another",
        WAS,
        (5, Some(60)),
        &[(2, 10, Some(50))],
        &[(1, 5, Some(10)), (2, 10, Some(50)), (1, 50, Some(60))],
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
        "away from its neighbours",
        WAS,
        (20, Some(40)),
        &[(2, 1, Some(10)), (1, 10, Some(50)), (2, 50, Some(70))],
        &[(2, 1, Some(10)), (1, 20, Some(40)), (2, 50, Some(70))],
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
    (
        "another time",
        WAS,
        (60, Some(70)),
        &[(1, 10, Some(50))],
        &[(1, 60, Some(70))],
    ),
];

#[test]
fn boundaries_that_the_incident_set_move_and_others_stay() {
    let outages = |outages: &[Outage]| -> Vec<Row> {
        let row = |&(cause, start, end): &Outage| (cause, MajorOutage, start, end);
        outages.iter().map(row).collect()
    };
    let component = impacted(MajorOutage, &[]);
    for (name, before, after, periods, expected) in CORRECTIONS {
        let change = moved(before, after);
        assert_eq!(
            moved_rows(&change, &component, &outages(periods)),
            outages(expected),
            "{name}"
        );
    }
}

/// A major outage that hides the impact of another incident.
const HIDING: [Row; 3] = [
    (2, Degraded, 5, Some(10)),
    (1, MajorOutage, 10, Some(50)),
    (2, Degraded, 50, None),
];

#[test]
fn corrected_times_reveal_and_hide_the_impact_of_another_incident() {
    let component = impacted(MajorOutage, &[(2, Degraded, 5, None)]);
    let corrected = |after| moved_rows(&moved(WAS, after), &component, &HIDING);
    for (from, to) in [(10, 40), (10, 60), (20, 50), (8, 50), (20, 60)] {
        assert_eq!(
            corrected((from, Some(to))),
            [
                (2, Degraded, 5, Some(from)),
                (1, MajorOutage, from, Some(to)),
                (2, Degraded, to, None)
            ]
        );
    }
    assert_eq!(corrected((10, Some(10))), [(2, Degraded, 5, None)]);
    // It was set by hand when the impact ended.
    let by_hand = [
        (1, MajorOutage, 10, Some(50)),
        (BY_HAND, Degraded, 50, None),
    ];
    let component = set_by_hand(MajorOutage, &[(2, Degraded, 5, None)]);
    assert_eq!(
        moved_rows(&moved(WAS, (10, Some(60))), &component, &by_hand),
        by_hand
    );
}

#[test]
fn corrected_times_show_an_impact_that_was_hidden_beneath_another() {
    let outage = [(2, MajorOutage, 5, Some(60))];
    let component = impacted(Degraded, &[(2, MajorOutage, 5, Some(60))]);
    assert_eq!(
        moved_rows(&moved(WAS, (20, Some(70))), &component, &outage),
        [(2, MajorOutage, 5, Some(60)), (1, Degraded, 60, Some(70))]
    );
    // The other way round: what hid the other impact is over earlier.
    let outage = [(1, MajorOutage, 5, Some(60))];
    let component = impacted(MajorOutage, &[(2, Degraded, 10, Some(50))]);
    assert_eq!(
        moved_rows(&moved((5, Some(60)), (5, Some(40))), &component, &outage),
        [(1, MajorOutage, 5, Some(40)), (2, Degraded, 40, Some(50))]
    );
}

#[test]
fn period_ends_with_the_incident_that_keeps_its_status() {
    // Incident 2 caused the period, and this incident kept its status until second 80.
    let periods = [(2, MajorOutage, 10, Some(80))];
    let component = impacted(MajorOutage, &[(2, MajorOutage, 10, Some(60))]);
    let corrected = |to| {
        let change = moved((20, Some(80)), (20, Some(to)));
        moved_rows(&change, &component, &periods)
    };
    assert_eq!(corrected(70), [(2, MajorOutage, 10, Some(70))]);
    assert_eq!(corrected(40), [(2, MajorOutage, 10, Some(60))]);
    // This incident caused the period, and incident 2 kept its status.
    let periods = [(1, MajorOutage, 10, Some(80))];
    let component = impacted(MajorOutage, &[(2, MajorOutage, 20, Some(80))]);
    let change = moved((10, Some(60)), (10, Some(40)));
    assert_eq!(
        moved_rows(&change, &component, &periods),
        [
            (1, MajorOutage, 10, Some(40)),
            (2, MajorOutage, 40, Some(80))
        ]
    );
}

#[test]
fn component_attached_later_has_no_impact_before() {
    let periods = [
        (2, Degraded, 5, Some(30)),
        (1, MajorOutage, 30, Some(50)),
        (2, Degraded, 50, None),
    ];
    let component = impacted(MajorOutage, &[(2, Degraded, 5, None)]);
    assert_eq!(
        moved_rows(&moved(WAS, (2, Some(50))), &component, &periods),
        periods
    );
}

/// The periods after a resolution of the incident at second 40.
fn resolved(component: &ImpactedComponent, periods: &[Row]) -> Vec<Row> {
    moved_rows(&moved((10, None), (10, Some(40))), component, periods)
}

#[test]
fn worst_impacts_over_time_replace_the_status_that_lasts() {
    let lasting = [(1, MajorOutage, 10, None)];
    let ended = (1, MajorOutage, 10, Some(40));
    let after = |others: &[Row], periods: &[Row]| resolved(&impacted(MajorOutage, others), periods);
    assert_eq!(after(&[], &lasting), [ended]);
    assert_eq!(
        after(
            &[(2, Degraded, 5, None), (3, PartialOutage, 60, None)],
            &lasting
        ),
        [
            ended,
            (2, Degraded, 40, Some(60)),
            (3, PartialOutage, 60, None)
        ]
    );
    // The status stays, and yet was another one for a time.
    assert_eq!(
        after(&[(2, MajorOutage, 70, None)], &lasting),
        [ended, (2, MajorOutage, 70, None)]
    );
    // An incident that is resolved by now.
    assert_eq!(
        after(&[(2, Degraded, 5, Some(60))], &lasting),
        [ended, (2, Degraded, 40, Some(60))]
    );
    let attached_later = [(1, MajorOutage, 50, None)];
    assert_eq!(
        after(&[(2, Degraded, 5, None)], &attached_later),
        [(2, Degraded, 50, None)]
    );
}

#[test]
fn worst_impacts_over_time_replace_a_period_that_another_status_ended() {
    let worse = [(1, PartialOutage, 10, Some(50)), (1, MajorOutage, 50, None)];
    assert_eq!(
        resolved(&impacted(MajorOutage, &[(2, Degraded, 5, None)]), &worse),
        [(1, PartialOutage, 10, Some(40)), (2, Degraded, 40, None)]
    );
    // The worse impact began with the next period, whenever its incident occurred.
    for since in [50, 5] {
        let others = [(2, MajorOutage, since, None), (3, Degraded, 5, None)];
        for (cause, component) in [
            (2, impacted(PartialOutage, &others)),
            (BY_HAND, set_by_hand(PartialOutage, &others)),
        ] {
            let periods = [
                (1, PartialOutage, 10, Some(50)),
                (cause, MajorOutage, 50, None),
            ];
            assert_eq!(
                resolved(&component, &periods),
                [
                    (1, PartialOutage, 10, Some(40)),
                    (3, Degraded, 40, Some(50)),
                    (cause, MajorOutage, 50, None)
                ]
            );
        }
    }
}

#[test]
fn resolution_leaves_the_period_of_another_incident_with_the_same_status() {
    let lasting = [(2, MajorOutage, 10, None)];
    let unresolved = impacted(MajorOutage, &[(2, MajorOutage, 10, None)]);
    assert_eq!(resolved(&unresolved, &lasting), lasting);
    // It was resolved before, and this incident alone has kept the status since.
    let resolved_before = impacted(MajorOutage, &[(2, MajorOutage, 10, Some(60))]);
    assert_eq!(
        resolved(&resolved_before, &lasting),
        [(2, MajorOutage, 10, Some(60))]
    );
}

#[test]
fn resolution_leaves_what_was_set_or_ended_by_hand() {
    let periods = [
        (1, MajorOutage, 10, Some(50)),
        (2, MajorOutage, 60, Some(70)),
        (BY_HAND, MajorOutage, 70, Some(80)),
    ];
    let component = set_by_hand(MajorOutage, &[(2, Degraded, 5, None)]);
    assert_eq!(resolved(&component, &periods), periods);
    // An operator corrected the status of its period.
    let corrected = [(1, Degraded, 10, None)];
    let component = set_by_hand(MajorOutage, &[]);
    assert_eq!(resolved(&component, &corrected), corrected);
}

#[test]
fn status_that_lasts_ends_with_the_last_impact_whatever_caused_it() {
    // A deleted incident, or an operator before the incident, caused the status that the
    // incident kept.
    for cause in [2, BY_HAND] {
        let lasting = [(cause, MajorOutage, 10, None)];
        assert_eq!(
            resolved(&impacted(MajorOutage, &[]), &lasting),
            [(cause, MajorOutage, 10, Some(40))]
        );
    }
}

fn any_status() -> impl Strategy<Value = ComponentStatus> {
    proptest::sample::select(vec![Operational, Degraded, PartialOutage, MajorOutage])
}

fn any_interval() -> impl Strategy<Value = Interval> {
    (0..30_i64, proptest::option::of(0..30_i64))
        .prop_map(|(from, length)| (from, length.map(|length| from + length)))
}

/// The intervals of an incident before and after a move. It may be resolved, and is not reopened.
fn any_move() -> impl Strategy<Value = ImpactMove> {
    (any_interval(), any_interval(), 0..30_i64).prop_map(|(before, after, length)| {
        let is_reopened = before.1.is_some() && after.1.is_none();
        let after = if is_reopened {
            (after.0, Some(after.0 + length))
        } else {
            after
        };
        moved(before, after)
    })
}

fn any_others() -> impl Strategy<Value = Vec<Row>> {
    let impacts = proptest::collection::vec((any_status(), any_interval()), 0..5);
    impacts.prop_map(|impacts| {
        let row = |(incident, (status, (since, until))): (u128, (ComponentStatus, Interval))| {
            (incident, status, since, until)
        };
        (2..).zip(impacts).map(row).collect()
    })
}

/// The worst of the impacts at a second.
fn worst(impacts: &[Row], second: i64) -> Option<&Row> {
    let is_active = |&&(_, status, since, until): &&Row| {
        status > Operational && since <= second && until.is_none_or(|until| second < until)
    };
    impacts.iter().filter(is_active).max_by_key(|row| row.1)
}

/// The history that the impacts make, second by second. A period lasts as long as its status.
fn drawn(impacts: &[Row]) -> Vec<Row> {
    let mut periods: Vec<Row> = Vec::new();
    for second in 0..=NOW {
        let Some(&(incident, status, ..)) = worst(impacts, second) else {
            continue;
        };
        let end = (second < NOW).then_some(second + 1);
        match periods.last_mut() {
            Some(last) if last.3 == Some(second) && last.1 == status => last.3 = end,
            _ => periods.push((incident, status, second, end)),
        }
    }
    periods
}

fn own_impact(status: ComponentStatus, interval: ImpactInterval) -> Row {
    let until = interval.to.map(|to| to.timestamp());
    (MOVED, status, interval.from.timestamp(), until)
}

fn status_at(periods: &[StatusPeriod], second: i64) -> ComponentStatus {
    let lasts = |span: &StatusSpan| {
        span.start_at <= at(second) && span.end_at.is_none_or(|end_at| at(second) < end_at)
    };
    let mut spans = periods.iter().map(|period| period.span).filter(lasts);
    spans.next().map_or(Operational, |span| span.status)
}

fn is_well_formed(periods: &[StatusPeriod]) -> bool {
    let mut pairs = periods.windows(2);
    let is_empty = |span: StatusSpan| span.end_at.is_some_and(|end_at| end_at <= span.start_at);
    pairs.all(|pair| !pair[0].span.overlaps(&pair[1].span))
        && !periods.iter().any(|period| is_empty(period.span))
}

/// Periods that do not overlap, with bounds among few values.
fn any_periods() -> impl Strategy<Value = Vec<Row>> {
    let bounds = proptest::collection::btree_set(0..30_i64, 0..12);
    let periods = proptest::collection::vec((0..4_u128, any_status()), 12);
    (bounds, periods, any::<bool>()).prop_map(|(bounds, periods, lasts)| {
        let bounds: Vec<_> = bounds.into_iter().collect();
        let pairs = bounds.windows(2).zip(periods);
        let mut rows: Vec<Row> = pairs
            .filter(|(_, (_, status))| *status > Operational)
            .map(|(pair, (cause, status))| (cause, status, pair[0], Some(pair[1])))
            .collect();
        if lasts && let Some(last) = rows.last_mut() {
            last.3 = None;
        }
        rows
    })
}

proptest! {
    #[test]
    fn history_that_impacts_explain_is_the_one_that_they_make_after_a_move(
        change in any_move(), impact in any_status(), others in any_others()
    ) {
        let with_own = |interval| {
            let mut impacts = others.clone();
            impacts.push(own_impact(impact, interval));
            stored(&drawn(&impacts))
        };
        let result = after_move(&change, &impacted(impact, &others), &with_own(change.before));
        prop_assert!(is_well_formed(&result), "{:?}", rows(&result));
        let expected = with_own(change.after);
        for second in 0..NOW + 2 {
            let (is, must_be) = (status_at(&result, second), status_at(&expected, second));
            prop_assert_eq!(is, must_be, "at {} of {:?}", second, rows(&result));
        }
    }

    #[test]
    fn what_was_set_by_hand_and_what_is_outside_stay(
        change in any_move(),
        impact in any_status(),
        others in any_others(),
        periods in any_periods(),
    ) {
        let others: Vec<_> = others.into_iter().take(1).collect();
        let periods = stored(&periods);
        let component = set_by_hand(impact, &others);
        let result = after_move(&change, &component, &periods);
        prop_assert!(is_well_formed(&result), "{:?}", rows(&result));
        // Nothing is known of incident 3.
        let is_fixed = |period: &&StatusPeriod| {
            let cause = period.cause.incident();
            cause.is_none_or(|incident| incident.0.as_u128() == 3)
        };
        for fixed in periods.iter().filter(is_fixed) {
            prop_assert!(result.contains(fixed), "{:?}", rows(&result));
        }
        for second in 0..NOW + 2 {
            let time = at(second);
            if !change.before.contains(time) && !change.after.contains(time) {
                prop_assert_eq!(status_at(&result, second), status_at(&periods, second));
            }
        }
    }

    #[test]
    fn correction_taken_back_restores_a_period_without_neighbours(
        before in (0..30_i64, 1..30_i64), after in (0..30_i64, 0..30_i64)
    ) {
        let end = |(from, length): (i64, i64)| (from, Some(from + length));
        let (before, after) = (end(before), end(after));
        let component = impacted(MajorOutage, &[]);
        let periods = [(MOVED, MajorOutage, before.0, before.1)];
        let there = moved_rows(&moved(before, after), &component, &periods);
        let back = moved_rows(&moved(after, before), &component, &there);
        prop_assert_eq!(back, periods);
    }
}
