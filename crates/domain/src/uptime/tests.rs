use super::*;
use proptest::prelude::*;

use ComponentStatus::{Degraded, MajorOutage, PartialOutage};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn span(status: ComponentStatus, start_at: &str, end_at: Option<&str>) -> StatusSpan {
    StatusSpan {
        status,
        start_at: at(start_at),
        end_at: end_at.map(at),
    }
}

/// The bars of a page in `zone` at `now`.
fn bars(zone: &str, now: &str) -> UptimeWindow {
    let zone: TimeZone = zone.parse().unwrap();
    let now = at(now);
    UptimeWindow::new(DateRange::of_bars(zone.date_of(now)), zone, now)
}

fn shown(percentage: Option<Percentage>) -> Option<f64> {
    percentage.map(f64::from)
}

const NOW: &str = "2026-11-20T12:00:00Z";

#[test]
fn one_major_hour_in_ninety_days_is_99_95() {
    let outage = span(
        MajorOutage,
        "2026-11-10T10:00:00Z",
        Some("2026-11-10T11:00:00Z"),
    );
    let uptime = bars("Etc/UTC", NOW).uptime(None, [&outage]);
    assert_eq!(uptime.counted_days, 90);
    assert_eq!(shown(uptime.percentage()), Some(99.95));
}

#[test]
fn one_partial_hour_in_ninety_days_is_99_98() {
    let outage = span(
        PartialOutage,
        "2026-11-10T10:00:00Z",
        Some("2026-11-10T11:00:00Z"),
    );
    let uptime = bars("Etc/UTC", NOW).uptime(None, [&outage]);
    assert_eq!(shown(uptime.percentage()), Some(99.98));
}

#[test]
fn degraded_performance_is_shown_and_does_not_count() {
    let slow = span(
        Degraded,
        "2026-11-10T10:00:00Z",
        Some("2026-11-10T11:00:00Z"),
    );
    let uptime = bars("Etc/UTC", NOW).uptime(None, [&slow]);
    assert_eq!(shown(uptime.percentage()), Some(100.0));
    assert_eq!(uptime.seconds().degraded, 3600);
    assert_eq!(uptime.days.len(), 1);
}

#[test]
fn today_counts_as_a_whole_day_for_a_component_that_started_today() {
    let outage = span(MajorOutage, "2026-11-20T10:00:00Z", None);
    let uptime = bars("Etc/UTC", NOW).uptime(Some(date("2026-11-20")), [&outage]);
    assert_eq!(uptime.counted_days, 1);
    assert_eq!(shown(uptime.percentage()), Some(91.66));
}

#[test]
fn no_day_counts_before_the_start() {
    let outage = span(MajorOutage, "2026-11-20T10:00:00Z", None);
    let uptime = bars("Etc/UTC", NOW).uptime(Some(date("2026-11-21")), [&outage]);
    assert_eq!(uptime, Uptime::default());
    assert_eq!(uptime.percentage(), None);
}

#[test]
fn outage_before_the_start_date_does_not_count() {
    let outage = span(
        MajorOutage,
        "2026-11-10T10:00:00Z",
        Some("2026-11-12T01:00:00Z"),
    );
    let uptime = bars("Etc/UTC", NOW).uptime(Some(date("2026-11-12")), [&outage]);
    assert_eq!(uptime.counted_days, 9);
    assert_eq!(uptime.days.len(), 1);
    assert_eq!(uptime.seconds().major, 3600);
}

#[test]
fn outage_that_is_open_over_midnight_counts_on_both_days_up_to_now() {
    let outage = span(MajorOutage, "2026-11-19T23:30:00Z", None);
    let uptime = bars("Etc/UTC", "2026-11-20T00:00:30.900Z").uptime(None, [&outage]);
    let seconds: Vec<_> = uptime
        .days
        .iter()
        .map(|day| (day.date, day.seconds.major))
        .collect();
    let expected = [(date("2026-11-19"), 1800), (date("2026-11-20"), 30)];
    assert_eq!(seconds, expected);
}

#[test]
fn days_are_those_of_the_pages_zone() {
    let outage = span(
        MajorOutage,
        "2026-11-10T10:00:00Z",
        Some("2026-11-10T12:00:00Z"),
    );
    let uptime = bars("Pacific/Auckland", NOW).uptime(None, [&outage]);
    let seconds: Vec<_> = uptime
        .days
        .iter()
        .map(|day| (day.date, day.seconds.major))
        .collect();
    let expected = [(date("2026-11-10"), 3600), (date("2026-11-11"), 3600)];
    assert_eq!(seconds, expected);
}

#[test]
fn long_day_has_more_seconds_than_it_counts() {
    let window = bars("America/New_York", NOW);
    let outage = span(
        MajorOutage,
        "2026-11-01T04:00:00Z",
        Some("2026-11-02T05:00:00Z"),
    );
    let uptime = window.uptime(Some(date("2026-11-01")), [&outage]);
    assert_eq!(uptime.seconds().major, 90_000);
    assert_eq!(uptime.counted_days, 20);
    let alone = UptimeWindow::new(
        DateRange {
            first: date("2026-11-01"),
            last: date("2026-11-01"),
        },
        "America/New_York".parse().unwrap(),
        at(NOW),
    );
    assert_eq!(shown(alone.uptime(None, [&outage]).percentage()), Some(0.0));
}

#[test]
fn days_to_come_do_not_count() {
    let range = DateRange::requested(
        Some(date("2026-11-19")),
        Some(date("2026-11-30")),
        date("2026-11-20"),
    );
    let window = UptimeWindow::new(range.unwrap(), TimeZone::default(), at(NOW));
    assert_eq!(window.uptime(None, []).counted_days, 2);
}

#[test]
fn newest_spans_leave_earlier_ones_out_and_know_since_when_they_are_all() {
    let ended = |end: &str| span(Degraded, "2026-11-01T00:00:00Z", Some(end));
    let lasting = span(Degraded, "2026-11-12T00:00:00Z", None);
    let second = ended("2026-11-10T00:00:00Z");
    let mut newest = NewestSpans::default();
    newest.add(lasting, 2);
    newest.add(second, 2);
    assert_eq!(newest.known_since, None);
    newest.add(ended("2026-11-08T00:00:00Z"), 2);
    newest.add(ended("2026-11-06T00:00:00Z"), 2);
    assert_eq!(newest.spans, [lasting, second]);
    assert_eq!(newest.known_since, Some(at("2026-11-08T00:00:00Z")));
}

#[test]
fn start_after_today_counts_as_today() {
    let window = bars("Etc/UTC", NOW);
    let start_date = window.counted_from(Some(date("2026-11-21")), None);
    assert_eq!(start_date, Some(date("2026-11-20")));
    assert_eq!(window.uptime(start_date, []).counted_days, 1);
}

#[test]
fn day_of_which_a_part_is_unknown_does_not_count() {
    let window = bars("Asia/Tokyo", NOW);
    let from = |start_date: Option<&str>, since: Option<&str>| {
        window.counted_from(start_date.map(date), since.map(at))
    };
    assert_eq!(from(None, None), None);
    let early = Some("2026-01-01");
    let before_all = Some("2026-08-01T00:00:00Z");
    assert_eq!(from(early, before_all), early.map(date));
    // Midnight in Tokyo, and a moment later.
    let midnight = Some("2026-11-09T15:00:00Z");
    assert_eq!(from(None, midnight), Some(date("2026-11-10")));
    let later = Some("2026-11-09T15:00:00.001Z");
    assert_eq!(from(early, later), Some(date("2026-11-11")));
    let late = Some("2026-11-15");
    assert_eq!(from(late, later), late.map(date));
    // Of today, which is not over, nothing counts.
    let today = from(None, Some("2026-11-20T11:00:00Z"));
    assert_eq!(today, Some(date("2026-11-21")));
    assert_eq!(window.uptime(today, []).percentage(), None);
}

#[test]
fn group_has_the_mean_of_unrounded_percentages() {
    let window = bars("Etc/UTC", NOW);
    let lost = |seconds| {
        let end_at = at("2026-11-10T00:00:00Z") + TimeDelta::seconds(seconds);
        window.uptime(
            None,
            [&StatusSpan {
                status: MajorOutage,
                start_at: at("2026-11-10T00:00:00Z"),
                end_at: Some(end_at),
            }],
        )
    };
    // 0.005 % each: 99.995 alone is shown as 99.99, and its mean with 100 is 99.9975.
    let (some, none) = (lost(389), lost(0));
    assert_eq!(shown(some.percentage()), Some(99.99));
    assert_eq!(shown(mean([&some, &none])), Some(99.99));
    // 99.96296… and 99.9537…: 99.9583… if not rounded first.
    let (a, b) = (lost(2880), lost(3600));
    assert_eq!(shown(a.percentage()), Some(99.96));
    assert_eq!(shown(b.percentage()), Some(99.95));
    assert_eq!(shown(mean([&a, &b])), Some(99.95));
    assert_eq!(shown(mean([&none, &none, &none])), Some(100.0));
    assert_eq!(mean([&Uptime::default()]), None);
    assert_eq!(shown(mean([&Uptime::default(), &b])), Some(99.95));
}

#[test]
fn requested_range_defaults_to_the_bars_and_is_bounded() {
    let today = date("2026-11-20");
    assert_eq!(
        DateRange::requested(None, None, today),
        Ok(DateRange::of_bars(today))
    );
    assert_eq!(DateRange::of_bars(today).first, date("2026-08-23"));
    let year = DateRange::requested(Some(date("2025-11-20")), None, today);
    assert!(year.is_ok());
    let refused = DateRange::requested(Some(date("2025-11-19")), None, today);
    assert_eq!(
        refused,
        Err(Invalid::field("to", "Must be at most 366 days"))
    );
    let reversed = DateRange::requested(Some(today), Some(date("2026-11-19")), today);
    assert_eq!(
        reversed,
        Err(Invalid::field("to", "Must not be before the first day"))
    );
}

/// Counts second by second. The spans have whole seconds and do not overlap.
fn counted(
    range: DateRange,
    zone: TimeZone,
    now: DateTime<Utc>,
    start_date: Option<NaiveDate>,
    spans: &[StatusSpan],
) -> Uptime {
    let counts =
        |date: NaiveDate| start_date.is_none_or(|start| date >= start) && date <= zone.date_of(now);
    let mut days: Vec<_> = range
        .first
        .iter_days()
        .take_while(|date| *date <= range.last)
        .map(|date| DowntimeDay {
            date,
            seconds: StatusSeconds::default(),
        })
        .collect();
    let counted_days = days.iter().filter(|day| counts(day.date)).count();
    let mut second = zone.start_of(range.first) - TimeDelta::days(1);
    let end = zone.start_of(range.last) + TimeDelta::days(2);
    while second < end {
        let date = zone.date_of(second);
        let present = spans
            .iter()
            .find(|span| span.start_at <= second && second < span.end_at.unwrap_or(now).min(now));
        if let Some(span) = present
            && counts(date)
            && let Some(day) = days.iter_mut().find(|day| day.date == date)
        {
            match span.status {
                ComponentStatus::Operational => {}
                Degraded => day.seconds.degraded += 1,
                PartialOutage => day.seconds.partial += 1,
                MajorOutage => day.seconds.major += 1,
            }
        }
        second += TimeDelta::seconds(1);
    }
    days.retain(|day| !day.seconds.is_zero());
    Uptime {
        days,
        counted_days: u32::try_from(counted_days).unwrap(),
    }
}

/// Zones with the days before and after which their clocks change, in both directions.
const ZONES: [(&str, [&str; 2]); 6] = [
    ("Etc/UTC", ["2026-03-29", "2026-11-01"]),
    ("Europe/Berlin", ["2026-03-29", "2026-10-25"]),
    ("America/New_York", ["2026-03-08", "2026-11-01"]),
    ("Australia/Lord_Howe", ["2026-04-05", "2026-10-04"]),
    ("Africa/Cairo", ["2026-04-24", "2026-10-29"]),
    ("America/Havana", ["2026-03-08", "2026-11-01"]),
];

prop_compose! {
    fn any_case()(
        (zone, changes) in proptest::sample::select(ZONES.to_vec()),
        spring in any::<bool>(),
        before in 0..2_i64,
        length in 1..4_i64,
        now in 0..5 * 86_400_i64,
        start in proptest::option::of(-1..4_i64),
        gaps in proptest::collection::vec((0..60_000_i64, 1..60_000_i64, 0..3_usize), 0..8),
        open in any::<bool>(),
    ) -> (DateRange, TimeZone, DateTime<Utc>, Option<NaiveDate>, Vec<StatusSpan>) {
        let zone: TimeZone = zone.parse().unwrap();
        let first = date(changes[usize::from(spring)]) - TimeDelta::days(before);
        let range = DateRange { first, last: first + TimeDelta::days(length - 1) };
        let mut moment = zone.start_of(first) - TimeDelta::hours(20);
        let now = moment + TimeDelta::seconds(now);
        let mut spans = Vec::new();
        for (gap, length, status) in gaps {
            let start_at = moment + TimeDelta::seconds(gap);
            moment = start_at + TimeDelta::seconds(length);
            let status = [Degraded, PartialOutage, MajorOutage][status];
            spans.push(StatusSpan { status, start_at, end_at: Some(moment) });
        }
        if open && let Some(last) = spans.last_mut() {
            last.end_at = None;
        }
        (range, zone, now, start.map(|days| first + TimeDelta::days(days)), spans)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn intervals_give_the_same_as_counting_second_by_second(
        (range, zone, now, start_date, spans) in any_case(),
    ) {
        let expected = counted(range, zone, now, start_date, &spans);
        let uptime = UptimeWindow::new(range, zone, now).uptime(start_date, &spans);
        prop_assert_eq!(&uptime, &expected);
        let seconds = expected.seconds();
        if uptime.counted_days > 0 {
            let lost = u128::from(seconds.major * 10 + seconds.partial * 3);
            let whole = u128::from(uptime.counted_days) * 864_000;
            let slow = (0..=10_000_u128).rev().find(|h| h * whole + lost * 10_000 <= 10_000 * whole).unwrap_or(0);
            prop_assert_eq!(uptime.percentage().map(|p| u128::from(p.hundredths)), Some(slow));
            prop_assert_eq!(mean([&uptime]), uptime.percentage());
        } else {
            prop_assert_eq!(uptime.percentage(), None);
        }
    }
}
