use std::cmp::Reverse;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::component::ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};
use crate::incident::tests::at;

fn incident(number: u128) -> IncidentId {
    IncidentId(Uuid::from_u128(number))
}

fn impact((number, status, since, until): (u128, ComponentStatus, i64, Option<i64>)) -> Impact {
    Impact {
        incident: incident(number),
        status,
        since: at(since),
        until: until.map(at),
    }
}

fn any_status() -> impl Strategy<Value = ComponentStatus> {
    proptest::sample::select(vec![Operational, Degraded, PartialOutage, MajorOutage])
}

/// Impacts in any order, of which many begin together. Some are empty, and some end before they
/// begin.
fn any_impacts() -> impl Strategy<Value = Vec<Impact>> {
    let until = proptest::option::of(0..30_i64);
    let impacts = proptest::collection::vec((any_status(), 0..30_i64, until), 0..20);
    let numbered = impacts.prop_map(|impacts| {
        let numbered = (1..).zip(impacts);
        let impacts =
            numbered.map(|(number, (status, since, until))| impact((number, status, since, until)));
        impacts.collect::<Vec<_>>()
    });
    numbered.prop_shuffle()
}

/// Times that do not decrease, each with what the history showed then.
fn any_pieces() -> impl Strategy<Value = Vec<(i64, ComponentStatus)>> {
    let pieces = proptest::collection::vec((0..35_i64, any_status()), 0..20);
    pieces.prop_map(|mut pieces| {
        pieces.sort_by_key(|(time, _)| *time);
        pieces
    })
}

/// The worst impact by a scan of all.
fn scanned(impacts: &[Impact], time: DateTime<Utc>, shown: ComponentStatus) -> Option<Impact> {
    let statuses = Degraded..=shown;
    let counts = |impact: &&Impact| impact.contains(time) && statuses.contains(&impact.status);
    let counted = impacts.iter().filter(counts);
    let worst = counted.min_by_key(|other| (Reverse(other.status), other.since, other.incident));
    worst.copied()
}

proptest! {
    #[test]
    fn sweep_finds_what_a_scan_of_all_impacts_finds(
        impacts in any_impacts(), pieces in any_pieces()
    ) {
        let mut sweep = Others::new(impacts.clone()).sweep();
        for (time, shown) in pieces {
            let found = sweep.worst_at(at(time), shown);
            prop_assert_eq!(found, scanned(&impacts, at(time), shown), "{} {}", time, shown);
        }
    }

    #[test]
    fn impacts_of_an_incident_are_those_that_a_scan_finds(
        numbers in proptest::collection::vec(1..6_u128, 0..12)
    ) {
        let impacts: Vec<_> = (0..)
            .zip(numbers)
            .map(|(since, number)| impact((number, MajorOutage, since, None)))
            .collect();
        let others = Others::new(impacts.clone());
        for number in 0..7 {
            let of_incident = |other: &&Impact| other.incident == incident(number);
            let expected: Vec<_> = impacts.iter().filter(of_incident).copied().collect();
            prop_assert_eq!(others.of(incident(number)), expected);
        }
    }
}

#[test]
fn impacts_that_are_over_are_looked_at_once() {
    let short = (1..=1_000).map(|number| impact((number, Degraded, 1, Some(2))));
    let lasting = impact((2_000, Degraded, 1, None));
    let mut sweep = Others::new(short.chain([lasting])).sweep();
    assert_eq!(sweep.worst_at(at(5), MajorOutage), Some(lasting));
    let left = sweep.by_status.values().map(VecDeque::len);
    assert_eq!(left.sum::<usize>(), 1);
}
