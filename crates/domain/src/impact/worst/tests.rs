use super::*;

use uuid::Uuid;

use crate::component::ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};
use crate::incident::tests::at;

/// An incident, its impact, and when that began.
type Row = (u128, ComponentStatus, i64);

const CHANGED: u128 = 5;

/// The worst of the impacts from second 20 on, at second 60.
fn worst(rows: &[Row]) -> Vec<Row> {
    let id = |number| IncidentId(Uuid::from_u128(number));
    let impacts = rows.iter().map(|(incident, status, since)| Impact {
        incident: id(*incident),
        status: *status,
        since: at(*since),
        until: None,
    });
    let worst = worst_over_time(impacts, id(CHANGED), (at(20), at(60)));
    let row = |impact: &Impact| {
        let incident = impact.incident.0.as_u128();
        (incident, impact.status, impact.since.timestamp())
    };
    worst.iter().map(row).collect()
}

#[test]
fn impacts_count_from_their_beginning_and_become_worse() {
    assert_eq!(worst(&[]), []);
    assert_eq!(worst(&[(1, Operational, 10)]), []);
    assert_eq!(worst(&[(1, Degraded, 10)]), [(1, Degraded, 20)]);
    assert_eq!(worst(&[(1, Degraded, 70)]), [(1, Degraded, 60)]);
    let rows = [
        (1, PartialOutage, 40),
        (2, Degraded, 10),
        (3, Degraded, 50),
        (4, MajorOutage, 70),
    ];
    let expected = [
        (2, Degraded, 20),
        (1, PartialOutage, 40),
        (4, MajorOutage, 60),
    ];
    assert_eq!(worst(&rows), expected);
}

#[test]
fn of_impacts_that_begin_together_the_worst_counts_and_then_that_of_the_changed_incident() {
    let rows = [(2, Degraded, 10), (1, MajorOutage, 15), (3, MajorOutage, 5)];
    assert_eq!(worst(&rows), [(1, MajorOutage, 20)]);
    let rows = [(2, MajorOutage, 30), (CHANGED, MajorOutage, 30)];
    assert_eq!(worst(&rows), [(CHANGED, MajorOutage, 30)]);
}
