use super::*;

use uuid::Uuid;

use crate::component::ComponentDraft;
use crate::component::ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};
use crate::id::ComponentId;
use crate::incident::tests::at;
use crate::time_zone::TimeZone;

const RESOLVED: u128 = 1;
/// Stands for an operator that set the status.
const BY_HAND: u128 = 0;

/// The number of an incident, its impact, and when that began.
type ImpactRow = (u128, ComponentStatus, i64);
/// The number of an incident, the status that it caused, and when that began and ended.
type Row = (u128, ComponentStatus, i64, Option<i64>);

fn component(status: ComponentStatus, status_source: StatusSource) -> Component {
    let draft = ComponentDraft {
        name: "API".into(),
        ..ComponentDraft::default()
    };
    let id = ComponentId(Uuid::from_u128(5));
    let created = Component::create(id, draft, TimeZone::default(), at(1)).unwrap();
    Component {
        status,
        status_source,
        ..created.state
    }
}

fn stored(rows: &[Row]) -> Vec<StatusPeriod> {
    let period = |(number, &(incident, status, start, end)): (usize, &Row)| StatusPeriod {
        id: StatusPeriodId(Uuid::from_u128(number as u128)),
        span: StatusSpan {
            status,
            start_at: at(start),
            end_at: end.map(at),
        },
        cause: match incident {
            BY_HAND => PeriodCause::Operator(None),
            incident => PeriodCause::Incident(IncidentId(Uuid::from_u128(incident)), None),
        },
        version: Revision(3),
    };
    rows.iter().enumerate().map(period).collect()
}

/// [`resolved_of`] a component with the status of the period that lasts, set by what caused
/// the period.
fn resolved(impacts: &[ImpactRow], periods: &[Row]) -> Vec<Row> {
    let last = periods.iter().find(|(.., end)| end.is_none());
    let (status, source) = match last {
        Some((BY_HAND, status, ..)) => (*status, StatusSource::Operator),
        Some((_, status, ..)) => (*status, StatusSource::Incidents),
        None => (Operational, StatusSource::Operator),
    };
    resolved_of(&component(status, source), impacts, periods)
}

/// The periods after the resolution at second 40, which is recorded at second 100, oldest first.
fn resolved_of(component: &Component, impacts: &[ImpactRow], periods: &[Row]) -> Vec<Row> {
    let resolution = PastResolution {
        incident: IncidentId(Uuid::from_u128(RESOLVED)),
        resolved_at: at(40),
        now: at(100),
    };
    let impact = |&(incident, status, since): &ImpactRow| Impact {
        incident: IncidentId(Uuid::from_u128(incident)),
        status,
        since: at(since),
    };
    let impacts: Vec<_> = impacts.iter().map(impact).collect();
    let mut next = 1000;
    let new_id = || {
        next += 1;
        StatusPeriodId(Uuid::from_u128(next))
    };
    let mut after = stored(periods);
    let changes = resolution.apply(component, &impacts, &after, new_id);
    let is_changed = |period: &StatusPeriod| {
        let mut updated = changes.updated.iter();
        updated.any(|new| new.id == period.id) || changes.deleted.contains(&period.id)
    };
    after.retain(|period| !is_changed(period));
    after.extend(changes.updated);
    after.extend(changes.inserted);
    after.sort_by_key(|period| period.span.start_at);
    let row = |period: &StatusPeriod| {
        let incident = match &period.cause {
            PeriodCause::Incident(incident, _) => incident.0.as_u128(),
            _ => BY_HAND,
        };
        let StatusSpan {
            status,
            start_at,
            end_at,
        } = period.span;
        let end = end_at.map(|end_at| end_at.timestamp());
        (incident, status, start_at.timestamp(), end)
    };
    after.iter().map(row).collect()
}

#[test]
fn worst_impacts_over_time_replace_the_period_that_lasts() {
    let lasting = [(RESOLVED, MajorOutage, 10, None)];
    let ended = (RESOLVED, MajorOutage, 10, Some(40));
    assert_eq!(resolved(&[], &lasting), [ended]);
    assert_eq!(
        resolved(&[(2, Degraded, 5), (3, PartialOutage, 60)], &lasting),
        [
            ended,
            (2, Degraded, 40, Some(60)),
            (3, PartialOutage, 60, None)
        ]
    );
    // The status stays, and yet was another one for a time.
    assert_eq!(
        resolved(&[(2, MajorOutage, 70)], &lasting),
        [ended, (2, MajorOutage, 70, None)]
    );
    let later = [(RESOLVED, MajorOutage, 50, None)];
    assert_eq!(
        resolved(&[(2, Degraded, 5)], &later),
        [(2, Degraded, 50, None)]
    );
}

#[test]
fn worst_impacts_over_time_replace_a_period_that_another_status_ended() {
    let worse = [
        (RESOLVED, PartialOutage, 10, Some(50)),
        (RESOLVED, MajorOutage, 50, None),
    ];
    assert_eq!(
        resolved(&[(2, Degraded, 5)], &worse),
        [
            (RESOLVED, PartialOutage, 10, Some(40)),
            (2, Degraded, 40, None)
        ]
    );
    for other in [2, BY_HAND] {
        let periods = [
            (RESOLVED, PartialOutage, 10, Some(50)),
            (other, MajorOutage, 50, None),
        ];
        let impacts = [(2, MajorOutage, 50), (3, Degraded, 5)];
        assert_eq!(
            resolved(&impacts, &periods),
            [
                (RESOLVED, PartialOutage, 10, Some(40)),
                (3, Degraded, 40, Some(50)),
                (other, MajorOutage, 50, None)
            ]
        );
    }
    // The worse impact began with the next period, whenever its incident occurred.
    let raised = [
        (RESOLVED, PartialOutage, 10, Some(50)),
        (2, MajorOutage, 50, None),
    ];
    assert_eq!(
        resolved(&[(2, MajorOutage, 5), (3, Degraded, 5)], &raised),
        [
            (RESOLVED, PartialOutage, 10, Some(40)),
            (3, Degraded, 40, Some(50)),
            (2, MajorOutage, 50, None)
        ]
    );
}

#[test]
fn corrected_end_an_earlier_resolution_and_other_causes_stay() {
    let periods = [
        (RESOLVED, MajorOutage, 10, Some(50)),
        (2, MajorOutage, 60, Some(70)),
        (BY_HAND, MajorOutage, 70, Some(80)),
    ];
    assert_eq!(resolved(&[(2, Degraded, 5)], &periods), periods);
    let same = [(2, MajorOutage, 10, None)];
    assert_eq!(resolved(&[(2, MajorOutage, 10)], &same), same);
}

#[test]
fn status_that_lasts_ends_with_the_last_impact_whatever_caused_it() {
    // A resolved incident, or an operator before the incident, caused the status that the
    // incident kept.
    for cause in [2, BY_HAND] {
        let by_incidents = component(MajorOutage, StatusSource::Incidents);
        assert_eq!(
            resolved_of(&by_incidents, &[], &[(cause, MajorOutage, 10, None)]),
            [(cause, MajorOutage, 10, Some(40))]
        );
    }
    // An operator corrected the status of its period.
    let by_hand = component(Degraded, StatusSource::Operator);
    let corrected = [(RESOLVED, Degraded, 10, None)];
    assert_eq!(resolved_of(&by_hand, &[], &corrected), corrected);
}
