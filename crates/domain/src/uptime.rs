//! Uptime of components: seconds of each status by day, and the percentage.
//!
//! The rule is that of Atlassian Statuspage: a major outage counts in full, a partial outage by 30
//! %, and a day has 86,400 seconds also if daylight saving time makes it longer or shorter.
//! Degraded performance does not count.

use chrono::{DateTime, Days, Months, NaiveDate, TimeDelta, Utc};
use serde::{Serialize, Serializer};

use crate::component::ComponentStatus;
use crate::status_period::StatusSpan;
use crate::time_zone::TimeZone;
use crate::validation::Invalid;

/// Days that the bars of a status page show, today included.
pub const BAR_DAYS: u64 = 90;
/// Most days of a range.
pub const MAX_DAYS: i64 = 366;
/// Most statuses of a component in an interval that its uptime is computed from: the newest. A
/// component that has more has changed its status every half hour for 90 days.
pub const MAX_SPANS: usize = 5_000;

/// Weighted seconds in tenths, so that 30 % of a second is a whole number.
const MAJOR_TENTHS: u64 = 10;
const PARTIAL_TENTHS: u64 = 3;
const DAY_TENTHS: u64 = 86_400 * 10;
/// Hundredths of a percent in 100 %.
const WHOLE: u64 = 10_000;
/// Larger than the rounding error of a mean, in hundredths of a percent.
const EPSILON: f64 = 1e-7;

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    /// The first day.
    pub first: NaiveDate,
    /// The last day, not before `first`.
    pub last: NaiveDate,
}

impl DateRange {
    /// The days of the bars: the last [`BAR_DAYS`] days, `today` included.
    #[must_use]
    pub fn of_bars(today: NaiveDate) -> Self {
        Self::of_last(BAR_DAYS, today)
    }

    /// The last `days` days, `today` included.
    #[must_use]
    pub fn of_last(days: u64, today: NaiveDate) -> Self {
        Self {
            first: days_until(days, today),
            last: today,
        }
    }

    /// How many days count for a component that starts on `start_date`, or before the range if that
    /// is `None`: those not before its start and not after `today`.
    #[must_use]
    pub fn counted_days(self, start_date: Option<NaiveDate>, today: NaiveDate) -> u32 {
        let first = self.first.max(start_date.unwrap_or(NaiveDate::MIN));
        let counted = self.last.min(today).signed_duration_since(first);
        u32::try_from(counted.num_days() + 1).unwrap_or(0)
    }

    /// The days of the calendar month that begins on `first`.
    #[must_use]
    pub fn of_month(first: NaiveDate) -> Self {
        let next = first.checked_add_months(Months::new(1));
        Self {
            first,
            last: next.and_then(|next| next.pred_opt()).unwrap_or(first),
        }
    }

    /// The requested range. An absent end is today; an absent start makes it [`BAR_DAYS`] days.
    ///
    /// # Errors
    /// [`Invalid`] at `to` if the range is reversed or longer than [`MAX_DAYS`] days.
    pub fn requested(
        from: Option<NaiveDate>,
        to: Option<NaiveDate>,
        today: NaiveDate,
    ) -> Result<Self, Invalid> {
        let last = to.unwrap_or(today);
        let first = from.unwrap_or_else(|| days_until(BAR_DAYS, last));
        let days = last.signed_duration_since(first).num_days() + 1;
        if days < 1 {
            return Err(Invalid::field("to", "Must not be before the first day"));
        }
        if days > MAX_DAYS {
            return Err(Invalid::field("to", "Must be at most 366 days"));
        }
        Ok(Self { first, last })
    }
}

fn days_until(days: u64, last: NaiveDate) -> NaiveDate {
    last.checked_sub_days(Days::new(days.saturating_sub(1)))
        .unwrap_or(NaiveDate::MIN)
}

/// Whole seconds of each status, other than operational.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusSeconds {
    /// Seconds of degraded performance.
    pub degraded: u64,
    /// Seconds of a partial outage.
    pub partial: u64,
    /// Seconds of a major outage.
    pub major: u64,
}

impl StatusSeconds {
    /// Tenths of the seconds that count as downtime.
    #[must_use]
    pub const fn downtime_tenths(self) -> u64 {
        self.major * MAJOR_TENTHS + self.partial * PARTIAL_TENTHS
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }

    fn plus(self, other: Self) -> Self {
        Self {
            degraded: self.degraded + other.degraded,
            partial: self.partial + other.partial,
            major: self.major + other.major,
        }
    }
}

/// A day with seconds of a status other than operational.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DowntimeDay {
    /// The day in the page's time zone.
    pub date: NaiveDate,
    /// The seconds, clipped to the day.
    pub seconds: StatusSeconds,
}

/// A percentage from 0 to 100 with two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentage {
    hundredths: u16,
}

impl Percentage {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is between 0 and 10,000"
    )]
    fn floored(hundredths: f64) -> Self {
        Self {
            hundredths: (hundredths + EPSILON).floor().clamp(0.0, 10_000.0) as u16,
        }
    }
}

/// As a number.
impl Serialize for Percentage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64((*self).into())
    }
}

impl From<Percentage> for f64 {
    fn from(percentage: Percentage) -> Self {
        Self::from(percentage.hundredths) / 100.0
    }
}

/// Uptime of a component over a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uptime {
    /// The days with seconds among those that count, oldest first.
    pub days: Vec<DowntimeDay>,
    /// Number of days that count: not before the component's start and not in the future.
    pub counted_days: u32,
}

impl Uptime {
    /// Seconds of all days.
    #[must_use]
    pub fn seconds(&self) -> StatusSeconds {
        self.days
            .iter()
            .fold(StatusSeconds::default(), |sum, day| sum.plus(day.seconds))
    }

    /// The percentage, rounded down; `None` if no day counts.
    #[must_use]
    pub fn percentage(&self) -> Option<Percentage> {
        let whole = u64::from(self.counted_days) * DAY_TENTHS;
        let lost = (self.seconds().downtime_tenths() * WHOLE)
            .checked_add(whole.checked_sub(1)?)?
            .checked_div(whole)?;
        let hundredths = u16::try_from(WHOLE.saturating_sub(lost)).ok()?;
        Some(Percentage { hundredths })
    }

    /// Hundredths of a percent, not rounded.
    #[expect(
        clippy::cast_precision_loss,
        reason = "tenths of the seconds of 366 days are far below 2^52"
    )]
    fn exact_hundredths(&self) -> Option<f64> {
        let whole = u64::from(self.counted_days) * DAY_TENTHS;
        (whole > 0).then(|| {
            let lost = self.seconds().downtime_tenths() as f64 / whole as f64;
            (1.0 - lost).max(0.0) * WHOLE as f64
        })
    }
}

/// Uptime of a group: the mean of the unrounded percentages of its components, rounded down; `None`
/// if none has a percentage.
#[must_use]
pub fn mean<'a>(components: impl IntoIterator<Item = &'a Uptime>) -> Option<Percentage> {
    let (count, sum) = components
        .into_iter()
        .filter_map(Uptime::exact_hundredths)
        .fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| Percentage::floored(sum / f64::from(count)))
}

/// The newest statuses of a component in an interval.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewestSpans {
    /// The statuses, the newest first.
    pub spans: Vec<StatusSpan>,
    /// The time from which on they are all; `None` if the interval has no others.
    pub known_since: Option<DateTime<Utc>>,
}

impl NewestSpans {
    /// Adds the status before those that were added; leaves it out if there are `most`.
    pub fn add(&mut self, earlier: StatusSpan, most: usize) {
        if self.spans.len() < most {
            self.spans.push(earlier);
        } else if self.known_since.is_none() {
            self.known_since = earlier.end_at;
        }
    }
}

/// The days of a range as instants, and the present.
#[derive(Debug, Clone)]
pub struct UptimeWindow {
    range: DateRange,
    /// Starts of the days, and the end of the last one.
    bounds: Vec<DateTime<Utc>>,
    today: NaiveDate,
    now: DateTime<Utc>,
}

impl UptimeWindow {
    /// The days of `range` in `zone`.
    #[must_use]
    pub fn new(range: DateRange, zone: TimeZone, now: DateTime<Utc>) -> Self {
        let bounds = range
            .first
            .iter_days()
            .take_while(|date| *date <= range.last)
            .chain(range.last.succ_opt())
            .map(|date| zone.start_of(date))
            .collect();
        Self {
            range,
            bounds,
            today: zone.date_of(now),
            now,
        }
    }

    /// The first instant of the window.
    #[must_use]
    pub fn start_at(&self) -> DateTime<Utc> {
        self.bounds.first().copied().unwrap_or(self.now)
    }

    /// The first instant after the window.
    #[must_use]
    pub fn end_at(&self) -> DateTime<Utc> {
        self.bounds.last().copied().unwrap_or(self.now)
    }

    /// The days of the window.
    #[must_use]
    pub const fn range(&self) -> DateRange {
        self.range
    }

    /// Whether all its days are in the future.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.start_at() > self.now
    }

    /// The first day that counts for a component that starts on `start_date`, and whose statuses
    /// are known since a time; `None` if all days count. A day counts if all of it is known. After
    /// a change of the zone, a start may be in the future; then it is today.
    #[must_use]
    pub fn counted_from(
        &self,
        start_date: Option<NaiveDate>,
        known_since: Option<DateTime<Utc>>,
    ) -> Option<NaiveDate> {
        let unknown = known_since.map_or(0, |since| {
            self.bounds.partition_point(|bound| *bound < since)
        });
        let start_date = start_date.map(|start| start.min(self.today));
        if unknown == 0 {
            return start_date;
        }
        start_date.max(self.range.first.iter_days().nth(unknown))
    }

    /// Uptime of a component that starts on `start_date`, or before the window if that is `None`.
    /// An open span ends now.
    #[must_use]
    pub fn uptime<'a>(
        &self,
        start_date: Option<NaiveDate>,
        spans: impl IntoIterator<Item = &'a StatusSpan>,
    ) -> Uptime {
        let mut millis = Vec::new();
        for span in spans {
            self.add(&mut millis, span);
        }
        let first = self.range.first.max(start_date.unwrap_or(NaiveDate::MIN));
        let days = self.range.first.iter_days().zip(millis);
        Uptime {
            days: days
                .filter(|(date, _)| *date >= first)
                .map(|(date, [degraded, partial, major])| DowntimeDay {
                    date,
                    seconds: StatusSeconds {
                        degraded: whole_seconds(degraded),
                        partial: whole_seconds(partial),
                        major: whole_seconds(major),
                    },
                })
                .filter(|day| !day.seconds.is_zero())
                .collect(),
            counted_days: self.range.counted_days(start_date, self.today),
        }
    }

    /// Adds the milliseconds of a span to those of each status by day. They are empty before the
    /// first span.
    fn add(&self, millis: &mut Vec<[i64; 3]>, span: &StatusSpan) {
        let kind = match span.status {
            ComponentStatus::Operational => return,
            ComponentStatus::Degraded => 0,
            ComponentStatus::PartialOutage => 1,
            ComponentStatus::MajorOutage => 2,
        };
        let end = span.end_at.unwrap_or(self.now).min(self.now);
        millis.resize(self.bounds.len().saturating_sub(1), [0; 3]);
        // The day that contains the start, or the first one.
        let first = self
            .bounds
            .partition_point(|bound| *bound <= span.start_at)
            .saturating_sub(1);
        for (day, bounds) in millis.iter_mut().zip(self.bounds.windows(2)).skip(first) {
            let &[day_start, day_end] = bounds else { break };
            if day_start >= end {
                break;
            }
            let inside = end.min(day_end) - span.start_at.max(day_start);
            day[kind] += inside.max(TimeDelta::zero()).num_milliseconds();
        }
    }
}

fn whole_seconds(millis: i64) -> u64 {
    u64::try_from(millis / 1000).unwrap_or(0)
}

#[cfg(test)]
mod tests;
