//! A correction of as many periods and other incidents as storage reads.

use super::*;

const MANY: i64 = 20_000;

/// Whether each of these periods is degraded for the second that its incident lasted.
fn are_of_others(periods: &[StatusPeriod]) -> bool {
    let is_of_other = |&(incident, status, start, end): &Row| {
        let number = u128::try_from(start / 2).unwrap() + 2;
        (incident, status, end) == (number, Degraded, Some(start + 1))
    };
    rows(periods).iter().all(is_of_other)
}

#[test]
fn each_of_many_periods_gets_the_impact_of_another_incident() {
    let starts = || (0..MANY).map(|number| 2 * number);
    let end = 2 * MANY - 1;
    let others = (2..).zip(starts());
    let others: Vec<Row> = others
        .map(|(incident, start)| (incident, Degraded, start, Some(start + 1)))
        .collect();
    let periods = starts().map(|start| (MOVED, MajorOutage, start, Some(start + 1)));
    let periods = stored(&periods.collect::<Vec<Row>>());
    // Only the last period is left.
    let change = moved((0, Some(end)), (end - 1, Some(end)));
    let mut next = u128::from(u64::MAX);
    let new_id = || {
        next += 1;
        StatusPeriodId(Uuid::from_u128(next))
    };
    let component = impacted(MajorOutage, &others);
    let changes = change.apply(&component, &periods, at(2 * end), new_id);
    let replaced = periods.len() - 1;
    assert_eq!(changes.inserted.len(), replaced);
    assert_eq!(changes.deleted.len(), replaced);
    assert!(changes.updated.is_empty());
    assert!(are_of_others(&changes.inserted));
}
