use super::*;
use chrono::TimeDelta;
use proptest::prelude::*;
use uuid::Uuid;

use crate::component::ComponentDraft;
use crate::id::ComponentId;
use crate::time_zone::TimeZone;
use ComponentStatus::{Degraded, MajorOutage, Operational, PartialOutage};

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn span(status: ComponentStatus, start: i64, end: Option<i64>) -> StatusSpan {
    StatusSpan {
        status,
        start_at: at(start),
        end_at: end.map(at),
    }
}

fn id(number: u128) -> StatusPeriodId {
    StatusPeriodId(Uuid::from_u128(number))
}

fn period(number: u128, span: StatusSpan) -> StatusPeriod {
    StatusPeriod {
        id: id(number),
        span,
        cause: PeriodCause::Operator(None),
        version: Revision(3),
    }
}

fn author() -> Author {
    Author {
        id: "user".into(),
        name: "Ada".into(),
    }
}

fn history(status: ComponentStatus, periods: Vec<StatusPeriod>) -> ComponentHistory {
    let draft = ComponentDraft {
        name: "API".into(),
        description: String::new(),
        status,
        ..ComponentDraft::default()
    };
    ComponentHistory {
        component: Component::create(
            ComponentId(Uuid::from_u128(1)),
            draft,
            TimeZone::default(),
            at(0),
        )
        .unwrap()
        .state,
        periods,
    }
}

/// One period from 100 to 200.
fn one() -> ComponentHistory {
    history(Operational, vec![period(1, span(Degraded, 100, Some(200)))])
}

/// A period that lasts since 100.
fn open() -> ComponentHistory {
    history(Degraded, vec![period(1, span(Degraded, 100, None))])
}

const NOW: i64 = 1000;

fn added(history: ComponentHistory, span: StatusSpan) -> Result<HistoryChange, Invalid> {
    let changed = history.add(id(9), span, author(), at(NOW))?;
    assert_eq!(changed.events.len(), 1);
    Ok(changed.state)
}

#[test]
fn added_period_is_a_correction_and_leaves_the_status() {
    let change = added(one(), span(MajorOutage, 300, Some(400))).unwrap();
    assert_eq!(
        change.changes.inserted,
        std::slice::from_ref(&change.period)
    );
    assert_eq!(change.period.cause, PeriodCause::Correction(author()));
    assert_eq!(change.component.status, Operational);
}

#[test]
fn periods_may_touch_and_may_not_overlap() {
    for fits in [(50, 100), (200, 250), (NOW - 1, NOW)] {
        assert!(added(one(), span(Degraded, fits.0, Some(fits.1))).is_ok());
    }
    for overlaps in [(50, 101), (199, 250), (120, 130), (50, 250), (100, 200)] {
        let refused = added(one(), span(Degraded, overlaps.0, Some(overlaps.1)));
        let error = Invalid::field("startAt", "Must not overlap another period");
        assert_eq!(refused, Err(error), "{overlaps:?}");
    }
}

#[test]
fn span_that_breaks_a_rule_is_refused_at_its_field() {
    for (bad, field, message) in [
        (
            span(Operational, 300, Some(400)),
            "status",
            "Select Any One",
        ),
        (
            span(Degraded, 300, Some(300)),
            "endAt",
            "End must be after start",
        ),
        (
            span(Degraded, 300, Some(250)),
            "endAt",
            "End must be after start",
        ),
        (
            span(Degraded, 300, Some(NOW + 1)),
            "endAt",
            "End must not be in the future",
        ),
        (span(Degraded, 300, None), "endAt", "End is required"),
    ] {
        let refused = added(one(), bad);
        assert_eq!(refused, Err(Invalid::field(field, message)), "{bad:?}");
    }
}

#[test]
fn period_that_lasts_may_start_at_another_time_and_not_in_the_future() {
    let earlier = open().change(id(1), span(Degraded, 50, None), at(NOW));
    let change = earlier.unwrap().state;
    assert_eq!(change.changes.updated, std::slice::from_ref(&change.period));
    assert_eq!(change.component, open().component);
    let refused = open().change(id(1), span(Degraded, NOW + 1, None), at(NOW));
    let error = Invalid::field("startAt", "Start must not be in the future");
    assert_eq!(refused, Err(HistoryError::Invalid(error)));
}

#[test]
fn status_of_the_component_follows_the_period_that_lasts() {
    let worse = open().change(id(1), span(MajorOutage, 100, None), at(NOW));
    assert_eq!(worse.unwrap().state.component.status, MajorOutage);
    let ended = open().change(id(1), span(Degraded, 100, Some(300)), at(NOW));
    let component = ended.unwrap().state.component;
    assert_eq!(component.status, Operational);
    assert_eq!(component.status_source, StatusSource::Operator);
    assert_eq!(component.updated_at, at(NOW));
    let deleted = open().delete(id(1), at(NOW)).unwrap().state;
    assert_eq!(deleted.component.status, Operational);
    assert_eq!(deleted.changes.deleted, [id(1)]);
}

#[test]
fn changed_status_of_the_component_makes_a_notice() {
    let worse = open().change(id(1), span(MajorOutage, 100, None), at(NOW));
    let ended = open().change(id(1), span(Degraded, 100, Some(300)), at(NOW));
    let deleted = open().delete(id(1), at(NOW));
    for changed in [worse, ended, deleted] {
        let changed = changed.unwrap();
        let notice = NewNotice::Component {
            old_status: Degraded,
            component: changed.state.component,
        };
        assert_eq!(changed.notices, [notice]);
    }
    let moved = open().change(id(1), span(Degraded, 50, None), at(NOW));
    assert!(moved.unwrap().notices.is_empty());
}

#[test]
fn change_of_a_past_period_leaves_status_and_cause_and_makes_no_notice() {
    let changed = one().change(id(1), span(MajorOutage, 150, Some(300)), at(NOW));
    let changed = changed.unwrap();
    assert!(changed.notices.is_empty());
    assert_eq!(changed.state.component, one().component);
    assert_eq!(changed.state.period.cause, PeriodCause::Operator(None));
    let deleted = one().delete(id(1), at(NOW)).unwrap();
    assert!(deleted.notices.is_empty());
    assert_eq!(deleted.state.component, one().component);
}

#[test]
fn change_to_the_same_span_changes_nothing() {
    let same = one().change(id(1), span(Degraded, 100, Some(200)), at(NOW));
    assert!(same.unwrap().has_no_events());
}

#[test]
fn unknown_period_is_not_found() {
    let changed = one().change(id(2), span(Degraded, 1, Some(2)), at(NOW));
    assert_eq!(changed, Err(HistoryError::NotFound));
    assert_eq!(one().delete(id(2), at(NOW)), Err(HistoryError::NotFound));
}

fn incident() -> PeriodCause {
    PeriodCause::Incident(IncidentId(Uuid::nil()), Some("Payments fail".into()))
}

/// The history after an overlay, oldest first.
fn overlaid(periods: &[StatusPeriod], impact: StatusSpan) -> Vec<StatusPeriod> {
    let mut next = 100;
    let changes = overlay(periods, impact, &incident(), || {
        next += 1;
        id(next)
    });
    let mut after: Vec<_> = periods
        .iter()
        .filter(|period| !changes.deleted.contains(&period.id))
        .map(|period| {
            let updated = changes.updated.iter().find(|new| new.id == period.id);
            updated.unwrap_or(period).clone()
        })
        .chain(changes.inserted)
        .collect();
    after.sort_by_key(|period| period.span.start_at);
    after
}

fn spans(periods: &[StatusPeriod]) -> Vec<StatusSpan> {
    periods.iter().map(|period| period.span).collect()
}

#[test]
fn past_impact_splits_a_better_period() {
    let after = overlaid(&one().periods, span(MajorOutage, 120, Some(150)));
    let expected = [
        span(Degraded, 100, Some(120)),
        span(MajorOutage, 120, Some(150)),
        span(Degraded, 150, Some(200)),
    ];
    assert_eq!(spans(&after), expected);
    assert_eq!(after[1].cause, incident());
    assert_eq!(after[0].cause, PeriodCause::Operator(None));
}

#[test]
fn past_impact_leaves_a_worse_period_and_fills_the_rest() {
    let worse = [period(1, span(MajorOutage, 100, Some(200)))];
    let after = overlaid(&worse, span(Degraded, 50, Some(300)));
    let expected = [
        span(Degraded, 50, Some(100)),
        span(MajorOutage, 100, Some(200)),
        span(Degraded, 200, Some(300)),
    ];
    assert_eq!(spans(&after), expected);
}

#[test]
fn period_that_lasts_still_lasts_after_a_past_impact() {
    let after = overlaid(&open().periods, span(MajorOutage, 50, Some(300)));
    let expected = [span(MajorOutage, 50, Some(300)), span(Degraded, 300, None)];
    assert_eq!(spans(&after), expected);
    assert_eq!(after[1].id, id(1));
}

#[test]
fn past_impact_without_length_changes_nothing() {
    for nothing in [span(MajorOutage, 5, Some(5)), span(Operational, 5, Some(9))] {
        assert_eq!(
            overlay(&open().periods, nothing, &incident(), || id(2)),
            PeriodChanges::default()
        );
    }
}

fn status_at(spans: &[StatusSpan], second: i64) -> ComponentStatus {
    let mut found = spans.iter().filter(|span| {
        span.start_at <= at(second) && span.end_at.is_none_or(|end_at| at(second) < end_at)
    });
    let status = found.next().map_or(Operational, |span| span.status);
    assert_eq!(found.next(), None, "periods overlap");
    status
}

proptest! {
    #[test]
    fn every_second_has_the_worse_of_history_and_past_impact(
        gaps in proptest::collection::vec((0..4_i64, 1..6_i64, 1..4_usize), 0..7),
        open in any::<bool>(),
        start in 0..40_i64,
        length in 1..30_i64,
        status in 1..4_usize,
    ) {
        let statuses = [Operational, Degraded, PartialOutage, MajorOutage];
        let mut moment = 0;
        let mut periods = Vec::new();
        for (number, (gap, length, status)) in gaps.into_iter().enumerate() {
            let start = moment + gap;
            moment = start + length;
            periods.push(period(number as u128, span(statuses[status], start, Some(moment))));
        }
        if open && let Some(last) = periods.last_mut() {
            last.span.end_at = None;
        }
        let impact = span(statuses[status], start, Some(start + length));
        let after = overlaid(&periods, impact);
        let (before, after) = (spans(&periods), spans(&after));
        for second in -1..100 {
            let expected = status_at(&before, second).max(status_at(&[impact], second));
            prop_assert_eq!(status_at(&after, second), expected, "at {}", second);
        }
        prop_assert!(after.iter().all(|span| span.end_at.is_none_or(|end| end - span.start_at > TimeDelta::zero())));
        let lasting = |spans: &[StatusSpan]| spans.iter().find(|span| span.end_at.is_none()).map(|span| span.status);
        prop_assert_eq!(lasting(&before), lasting(&after));
    }
}
