//! The calendar months of a page of the public history.

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

use crate::time_zone::TimeZone;

/// Months on a page.
const MONTHS: u32 = 3;
/// The last page that may have entries, 200 years ago.
pub const LAST_PAGE: u32 = 800;

/// The months of a page, and the instants between which they lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryMonths {
    /// First day of each month, newest first.
    pub months: Vec<NaiveDate>,
    /// When the oldest month starts.
    pub start_at: DateTime<Utc>,
    /// When the newest month is over.
    pub end_at: DateTime<Utc>,
}

impl HistoryMonths {
    /// The months of a page. Page 1 begins with the present month of the zone. `None` for page 0
    /// and for pages without a history.
    #[must_use]
    pub fn of_page(page: u32, zone: TimeZone, now: DateTime<Utc>) -> Option<Self> {
        let months = months_of_page(page, MONTHS, zone.date_of(now))?;
        let after = months.first()?.checked_add_months(Months::new(1))?;
        Some(Self {
            start_at: zone.start_of(*months.last()?),
            end_at: zone.start_of(after),
            months,
        })
    }
}

/// The page with the month of a day that is not after `today`.
#[must_use]
pub fn page_of(day: NaiveDate, today: NaiveDate) -> u32 {
    let months = |date: NaiveDate| date.year() * 12 + date.month0().cast_signed();
    u32::try_from(months(today) - months(day)).unwrap_or(0) / MONTHS + 1
}

/// The first days of the calendar months of a page that has `count` of them, newest first. Page 1
/// begins with the month of `today`. `None` for page 0 and for pages without a history.
#[must_use]
pub fn months_of_page(page: u32, count: u32, today: NaiveDate) -> Option<Vec<NaiveDate>> {
    if !(1..=LAST_PAGE).contains(&page) {
        return None;
    }
    let newest = (page - 1) * count;
    if newest >= LAST_PAGE * MONTHS {
        return None;
    }
    let present = today.with_day(1)?;
    (newest..newest + count)
        .map(|ago| present.checked_sub_months(Months::new(ago)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uptime::DateRange;

    fn months(page: u32, zone: &str, now: &str) -> Option<HistoryMonths> {
        HistoryMonths::of_page(page, zone.parse().unwrap(), now.parse().unwrap())
    }

    #[test]
    fn page_has_three_months_of_the_zone() {
        let page = months(1, "Asia/Tokyo", "2026-03-31T20:00:00Z").unwrap();
        let dates: Vec<_> = page.months.iter().map(NaiveDate::to_string).collect();
        assert_eq!(dates, ["2026-04-01", "2026-03-01", "2026-02-01"]);
        assert_eq!(page.start_at.to_rfc3339(), "2026-01-31T15:00:00+00:00");
        assert_eq!(page.end_at.to_rfc3339(), "2026-04-30T15:00:00+00:00");
    }

    #[test]
    fn pages_touch_across_years() {
        let newer = months(1, "Europe/Berlin", "2026-02-10T00:00:00Z").unwrap();
        let older = months(2, "Europe/Berlin", "2026-02-10T00:00:00Z").unwrap();
        assert_eq!(older.end_at, newer.start_at);
        assert_eq!(older.months[0].to_string(), "2025-11-01");
    }

    #[test]
    fn pages_of_years_end_with_the_history() {
        let today = "2026-03-31".parse().unwrap();
        let year = months_of_page(2, 12, today).unwrap();
        assert_eq!((year[0].to_string(), year.len()), ("2025-03-01".into(), 12));
        assert!(months_of_page(200, 12, today).is_some());
        for page in [0, 201, LAST_PAGE, u32::MAX] {
            assert_eq!(months_of_page(page, 12, today), None);
        }
    }

    #[test]
    fn a_day_is_on_the_page_of_its_month() {
        for page in 1..=12 {
            let shown = months(page, "Etc/UTC", "2026-02-10T00:00:00Z").unwrap();
            for first in shown.months {
                let last = DateRange::of_month(first).last;
                let today = "2026-02-10".parse().unwrap();
                assert_eq!([first, last].map(|day| page_of(day, today)), [page; 2]);
            }
        }
    }

    #[test]
    fn page_outside_the_history_has_no_months() {
        for page in [0, LAST_PAGE + 1, u32::MAX] {
            assert_eq!(months(page, "Etc/UTC", "2026-02-10T00:00:00Z"), None);
        }
        assert!(months(LAST_PAGE, "Etc/UTC", "2026-02-10T00:00:00Z").is_some());
    }
}
