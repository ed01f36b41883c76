//! The public uptime page: calendar months of components.

use allclear_domain::code::Code;
use allclear_domain::history::months_of_page;
use allclear_domain::status_period::StatusSpan;
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{DateRange, Uptime, UptimeWindow};
use chrono::{DateTime, NaiveDate, Utc};

use crate::status_page::history::{NamedComponent, PageOwner};

/// Components on a page that shows all of them.
pub const COMPONENTS_OF_PAGE: u32 = 20;
/// Months of each component on a page that shows all of them.
const RECENT_MONTHS: u32 = 3;
/// Months on a page that shows one component.
const MONTHS_OF_COMPONENT: u32 = 12;

/// The part of the uptime that a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UptimeSelection {
    /// Number of the page, from 1: of months if a component is chosen, otherwise of components.
    pub page: u32,
    /// Code of the component whose months are shown; `None` for all components.
    pub component: Option<Code>,
}

impl UptimeSelection {
    /// The months of this page, oldest first, at `now`.
    #[must_use]
    pub fn months(self, zone: TimeZone, now: DateTime<Utc>) -> CalendarMonths {
        let today = zone.date_of(now);
        let (page, count) = if self.component.is_some() {
            (self.page, MONTHS_OF_COMPONENT)
        } else {
            (1, RECENT_MONTHS)
        };
        let mut first_days = months_of_page(page, count, today).unwrap_or_default();
        first_days.reverse();
        CalendarMonths {
            windows: first_days
                .into_iter()
                .map(|first| UptimeWindow::new(DateRange::of_month(first), zone, now))
                .collect(),
            today,
        }
    }
}

/// The months of a page as intervals of time.
#[derive(Debug, Clone)]
pub struct CalendarMonths {
    /// The months, oldest first; none on a page too far back.
    windows: Vec<UptimeWindow>,
    today: NaiveDate,
}

impl CalendarMonths {
    /// The first instant of these months, and the first one after them; `None` without months.
    #[must_use]
    pub fn interval(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let (first, last) = (self.windows.first()?, self.windows.last()?);
        Some((first.start_at(), last.end_at()))
    }

    /// The first day of these months; `None` without months.
    #[must_use]
    pub fn first_day(&self) -> Option<NaiveDate> {
        self.windows.first().map(|window| window.range().first)
    }

    /// The first day of these months that counts for a component; see
    /// [`UptimeWindow::counted_from`].
    #[must_use]
    pub fn counted_from(
        &self,
        start_date: Option<NaiveDate>,
        known_since: Option<DateTime<Utc>>,
    ) -> Option<NaiveDate> {
        let windows = self.windows.iter();
        windows.fold(start_date, |start_date, window| {
            window.counted_from(start_date, known_since)
        })
    }

    /// The uptime of a component in each of these months.
    #[must_use]
    pub fn of_component(
        &self,
        start_date: Option<NaiveDate>,
        spans: &[StatusSpan],
    ) -> Vec<CalendarMonth> {
        self.windows
            .iter()
            .map(|window| CalendarMonth {
                days: window.range(),
                uptime: window.uptime(start_date, spans),
            })
            .collect()
    }

    /// Whether the present month is among these.
    #[must_use]
    pub fn includes_today(&self) -> bool {
        self.windows
            .last()
            .is_some_and(|window| window.range().last >= self.today)
    }
}

/// A month of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarMonth {
    /// Its days.
    pub days: DateRange,
    /// The uptime in these days.
    pub uptime: Uptime,
}

/// The months of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentCalendar {
    /// The component.
    pub component: NamedComponent,
    /// The first day that counts; `None` if all days count.
    pub start_date: Option<NaiveDate>,
    /// Its months, oldest first.
    pub months: Vec<CalendarMonth>,
}

/// A page of uptime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UptimePage {
    /// The organisation.
    pub owner: PageOwner,
    /// The components to choose from, in the order of the status page.
    pub components: Vec<NamedComponent>,
    /// The shown ones, in the same order.
    pub calendars: Vec<ComponentCalendar>,
    /// Today in the zone of the page.
    pub today: NaiveDate,
    /// Whether a further page has components, or older months with data.
    pub has_next: bool,
    /// Time at which the clock alone changes the page; `None` if it never does.
    pub valid_until: Option<DateTime<Utc>>,
}
