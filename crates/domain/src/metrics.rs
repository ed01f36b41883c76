//! Metrics of an organisation over a range of days.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, Days, NaiveDate, Utc};

use crate::time_zone::TimeZone;
use crate::uptime::DateRange;
use crate::validation::Invalid;

/// Number of days that metrics cover, today included: 7, 30, 90 or 365.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricsDays(u16);

impl MetricsDays {
    /// The allowed numbers.
    const ALLOWED: [u16; 4] = [7, 30, 90, 365];

    /// Reads a number of days.
    ///
    /// # Errors
    /// [`Invalid`] at `days` if it is not allowed.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALLOWED
            .into_iter()
            .find(|days| days.to_string() == text)
            .map(Self)
            .ok_or_else(|| Invalid::field("days", "Must be 7, 30, 90 or 365"))
    }

    /// Number of days.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The days up to `today`, included.
    #[must_use]
    pub fn range(self, today: NaiveDate) -> DateRange {
        DateRange::of_last(self.0.into(), today)
    }
}

/// 30 days.
impl Default for MetricsDays {
    fn default() -> Self {
        Self(30)
    }
}

/// The times of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncidentTimes {
    /// When it began.
    pub occured_at: DateTime<Utc>,
    /// Time of its first update; `None` without updates.
    pub first_update_at: Option<DateTime<Utc>>,
    /// When it was resolved; `None` while it is not.
    pub resolved_at: Option<DateTime<Utc>>,
}

/// Number of incidents that began in a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeekCount {
    /// Monday of the week (ISO 8601), in the time zone of the page.
    pub week: NaiveDate,
    /// Number of incidents.
    pub count: u64,
}

/// Whole seconds between two times of many incidents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Durations {
    /// The median, rounded down; `None` if there are no incidents.
    pub median: Option<u64>,
    /// The longest; `None` if there are no incidents.
    pub longest: Option<u64>,
}

impl Durations {
    /// The median and the longest of these seconds.
    fn of(mut seconds: Vec<u64>) -> Self {
        let middle = seconds.len() / 2;
        if seconds.is_empty() {
            return Self::default();
        }
        let is_even = seconds.len().is_multiple_of(2);
        let (lower, upper, higher) = seconds.select_nth_unstable(middle);
        let upper = *upper;
        let longest = higher.iter().copied().max().unwrap_or(upper);
        let lower = if is_even {
            lower.iter().copied().max().unwrap_or(upper)
        } else {
            upper
        };
        Self {
            median: Some(u64::midpoint(lower, upper)),
            longest: Some(longest),
        }
    }
}

/// Metrics of the incidents of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentMetrics {
    /// Incidents by week, the oldest week first. Weeks without incidents count 0.
    pub by_week: Vec<WeekCount>,
    /// Time from the beginning of an incident to its first update.
    pub time_to_first_update: Durations,
    /// Time from the beginning of an incident to its resolution.
    pub time_to_resolve: Durations,
}

/// Collects the incidents of a range one by one. It stores two numbers per incident, because
/// medians are exact.
#[derive(Debug)]
pub struct IncidentTally {
    zone: TimeZone,
    weeks: BTreeMap<NaiveDate, u64>,
    to_first_update: Vec<u64>,
    to_resolve: Vec<u64>,
}

impl IncidentTally {
    /// A tally of the days of `range` in `zone`.
    #[must_use]
    pub fn new(range: DateRange, zone: TimeZone) -> Self {
        let weeks = range.first.iter_days().take_while(|day| *day <= range.last);
        Self {
            zone,
            weeks: weeks.map(|day| (monday_of(day), 0)).collect(),
            to_first_update: Vec::new(),
            to_resolve: Vec::new(),
        }
    }

    /// Adds an incident that began in the range.
    pub fn add(&mut self, incident: IncidentTimes) {
        let began = incident.occured_at;
        let week = monday_of(self.zone.date_of(began));
        *self.weeks.entry(week).or_default() += 1;
        let seconds = |end: DateTime<Utc>| u64::try_from((end - began).num_seconds()).unwrap_or(0);
        self.to_first_update
            .extend(incident.first_update_at.map(seconds));
        self.to_resolve.extend(incident.resolved_at.map(seconds));
    }

    /// The metrics of the added incidents.
    #[must_use]
    pub fn metrics(self) -> IncidentMetrics {
        IncidentMetrics {
            by_week: self
                .weeks
                .into_iter()
                .map(|(week, count)| WeekCount { week, count })
                .collect(),
            time_to_first_update: Durations::of(self.to_first_update),
            time_to_resolve: Durations::of(self.to_resolve),
        }
    }
}

fn monday_of(day: NaiveDate) -> NaiveDate {
    let since = Days::new(u64::from(day.weekday().num_days_from_monday()));
    day.checked_sub_days(since).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn incident(occured_at: &str) -> IncidentTimes {
        IncidentTimes {
            occured_at: at(occured_at),
            first_update_at: None,
            resolved_at: None,
        }
    }

    #[test]
    fn four_numbers_of_days_are_allowed() {
        for days in [7, 30, 90, 365] {
            assert_eq!(MetricsDays::parse(&days.to_string()).unwrap().get(), days);
        }
        for text in [
            "", "0", "8", "-7", "+7", "07", "366", "seven", "7.0", "65543",
        ] {
            let refused = MetricsDays::parse(text).unwrap_err();
            assert_eq!(refused, Invalid::field("days", "Must be 7, 30, 90 or 365"));
        }
        assert_eq!(MetricsDays::default().get(), 30);
    }

    #[test]
    fn range_ends_today() {
        let range = MetricsDays::parse("7").unwrap().range(date("2026-11-23"));
        assert_eq!(
            (range.first, range.last),
            (date("2026-11-17"), date("2026-11-23"))
        );
    }

    #[test]
    fn week_begins_on_monday_in_the_zone_of_the_page() {
        let range = MetricsDays::parse("7").unwrap().range(date("2026-11-24"));
        let mut tally = IncidentTally::new(range, "Asia/Tokyo".parse().unwrap());
        // Sunday in UTC, Monday in Tokyo.
        tally.add(incident("2026-11-22T15:00:00Z"));
        tally.add(incident("2026-11-22T14:59:59Z"));
        tally.add(incident("2026-11-23T02:00:00Z"));
        let week = |week: &str, count| WeekCount {
            week: date(week),
            count,
        };
        assert_eq!(
            tally.metrics().by_week,
            [week("2026-11-16", 1), week("2026-11-23", 2)]
        );
    }

    #[test]
    fn range_without_incidents_has_weeks_and_no_durations() {
        let range = MetricsDays::default().range(date("2026-11-23"));
        let metrics = IncidentTally::new(range, TimeZone::default()).metrics();
        assert_eq!(metrics.by_week.len(), 6);
        assert!(metrics.by_week.iter().all(|week| week.count == 0));
        assert_eq!(metrics.time_to_resolve, Durations::default());
    }

    #[test]
    fn times_are_counted_from_the_beginning_and_are_never_negative() {
        let range = MetricsDays::default().range(date("2026-11-23"));
        let mut tally = IncidentTally::new(range, TimeZone::default());
        tally.add(IncidentTimes {
            first_update_at: Some(at("2026-11-20T09:59:00Z")),
            resolved_at: Some(at("2026-11-20T11:00:00.999Z")),
            ..incident("2026-11-20T10:00:00Z")
        });
        tally.add(IncidentTimes {
            first_update_at: Some(at("2026-11-20T10:00:10Z")),
            ..incident("2026-11-20T10:00:00Z")
        });
        let metrics = tally.metrics();
        let durations = |median, longest| Durations {
            median: Some(median),
            longest: Some(longest),
        };
        assert_eq!(metrics.time_to_first_update, durations(5, 10));
        assert_eq!(metrics.time_to_resolve, durations(3600, 3600));
    }

    proptest! {
        #[test]
        fn median_is_the_middle_of_the_sorted_seconds(mut seconds in proptest::collection::vec(0_u64..1_000_000, 1..60)) {
            let found = Durations::of(seconds.clone());
            seconds.sort_unstable();
            let middle = seconds.len() / 2;
            let median = if seconds.len() % 2 == 1 {
                seconds[middle]
            } else {
                u64::midpoint(seconds[middle - 1], seconds[middle])
            };
            prop_assert_eq!(found.median, Some(median));
            prop_assert_eq!(found.longest, seconds.last().copied());
        }
    }
}
