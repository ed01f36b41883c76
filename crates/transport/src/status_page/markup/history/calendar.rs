//! The uptime of components as month calendars.

use allclear_application::link::status_page_path;
use allclear_application::status_page::uptime::{
    CalendarMonth, ComponentCalendar, UptimePage, UptimeSelection,
};
use allclear_domain::code::Code;
use allclear_domain::history::page_of;
use allclear_domain::id::OrganisationId;
use allclear_domain::uptime::{DowntimeDay, mean};
use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};

use super::super::section::{nothing_here, title_link};
use super::super::uptime::{WEIGHTS, downtime, level_of, percentage};
use super::{history_path, paged};

const WEEKDAYS: [(&str, &str); 7] = [
    ("Mo", "Monday"),
    ("Tu", "Tuesday"),
    ("We", "Wednesday"),
    ("Th", "Thursday"),
    ("Fr", "Friday"),
    ("Sa", "Saturday"),
    ("Su", "Sunday"),
];
/// Names of the classes of days, by the weighted seconds of their downtime.
const LEGEND: [(&str, &str); 6] = [
    ("day", "No downtime"),
    ("day level-1", "Under 20 min of downtime"),
    ("day level-2", "20 to 33 min"),
    ("day level-3", "33 to 60 min"),
    ("day level-4", "60 min or more"),
    ("day none", "No data"),
];

/// Path of a page of uptime.
pub(crate) fn uptime_path(
    organisation: &OrganisationId,
    page: u32,
    component: Option<Code>,
) -> String {
    paged(
        &format!("{}/uptime", status_page_path(organisation)),
        page,
        component,
    )
}

/// The calendars, and links to the other pages.
pub(super) fn calendars(page: &UptimePage, selection: UptimeSelection) -> Markup {
    let has_groups = page
        .calendars
        .iter()
        .any(|calendar| calendar.component.group.is_some());
    let ungrouped = if has_groups {
        "Other components"
    } else {
        "Components"
    };
    let groups = page
        .calendars
        .chunk_by(|a, b| a.component.group == b.component.group);
    let empty = if page.components.is_empty() {
        "No component shows its uptime."
    } else {
        "There are no further components."
    };
    html! {
        @if page.calendars.is_empty() { (nothing_here(empty)) }
        @for calendars in groups {
            section class="section" {
                h2 dir="auto" {
                    (calendars[0].component.group.as_deref().unwrap_or(ungrouped))
                }
                (means(page, calendars))
                @for calendar in calendars { (component(page, calendar)) }
            }
        }
        @if !page.calendars.is_empty() { (legend()) }
        (paging(page, selection))
    }
}

/// The uptime of a group in each month. Nothing if it is that of one component, or if other pages
/// have some of its components.
fn means(page: &UptimePage, calendars: &[ComponentCalendar]) -> Markup {
    let group = &calendars[0].component.group;
    let members = page.components.iter().filter(|it| it.group == *group);
    if group.is_none() || calendars.len() == 1 || calendars.len() < members.count() {
        return Markup::default();
    }
    let months = calendars[0]
        .months
        .iter()
        .enumerate()
        .map(|(place, month)| {
            let months = calendars.iter().filter_map(|it| it.months.get(place));
            let uptime = mean(months.map(|month| &month.uptime));
            format!(
                "{}: {}",
                month.days.first.format("%B %Y"),
                percentage(uptime)
            )
        });
    html! { p class="note" { (months.collect::<Vec<_>>().join(" · ")) } }
}

fn component(page: &UptimePage, calendar: &ComponentCalendar) -> Markup {
    let code = calendar.component.code;
    html! {
        section class="section" {
            (title_link(&uptime_path(&page.owner.id, 1, Some(code)), &calendar.component.name))
            @if calendar.months.is_empty() { (nothing_here("The history does not go back this far.")) }
            div class="calendars" {
                @for month in &calendar.months { (render_month(page, calendar, month)) }
            }
        }
    }
}

fn render_month(page: &UptimePage, calendar: &ComponentCalendar, month: &CalendarMonth) -> Markup {
    let first = month.days.first;
    let blanks = first.weekday().num_days_from_monday();
    let days: Vec<_> = (0..blanks)
        .map(|_| None)
        .chain(
            first
                .iter_days()
                .take_while(|date| *date <= month.days.last)
                .map(Some),
        )
        .collect();
    let class = |date: NaiveDate| {
        if calendar.start_date.is_some_and(|start| date < start) {
            return Some("none".to_owned());
        }
        if date > page.today {
            return Some("later".to_owned());
        }
        day_of(month, date).map(|day| format!("level-{}", level_of(day.seconds)))
    };
    html! {
        div class="month" {
            table {
                caption {
                    span { (first.format("%B %Y")) } " "
                    span { (percentage(month.uptime.percentage())) }
                }
                thead { tr { @for (short, long) in WEEKDAYS { th scope="col" abbr=(long) { (short) } } } }
                tbody {
                    @for week in days.chunks(7) {
                        tr {
                            @for date in week {
                                @match date {
                                    Some(date) => td class=[class(*date)] { (date.day()) },
                                    None => td {},
                                }
                            }
                        }
                    }
                }
            }
            @if !month.uptime.days.is_empty() {
                ul { @for day in &month.uptime.days { li { (text(page, calendar, day)) } } }
            }
        }
    }
}

fn day_of(month: &CalendarMonth, date: NaiveDate) -> Option<&DowntimeDay> {
    let days = &month.uptime.days;
    let found = days.binary_search_by_key(&date, |day| day.date).ok()?;
    days.get(found)
}

/// The downtime of a day, and a link to what happened.
fn text(page: &UptimePage, calendar: &ComponentCalendar, day: &DowntimeDay) -> Markup {
    let history_page = page_of(day.date, page.today);
    let path = history_path(&page.owner.id, history_page, Some(calendar.component.code));
    html! {
        a href={ (path) "#" (day.date.format("%Y-%m")) } {
            (day.date.format("%b %-d"))
        }
        ": " (downtime(day.seconds))
    }
}

fn legend() -> Markup {
    html! {
        div class="note" {
            ul class="legend" aria-label="Downtime of a day" {
                @for (class, name) in LEGEND { li { span class=(class) aria-hidden="true" {} (name) } }
            }
            p { (WEIGHTS) " Days without data and days ahead do not count." }
        }
    }
}

fn paging(
    page: &UptimePage,
    UptimeSelection {
        page: number,
        component,
    }: UptimeSelection,
) -> Markup {
    let path = |number| uptime_path(&page.owner.id, number, component);
    let is_empty = page
        .calendars
        .iter()
        .all(|calendar| calendar.months.is_empty());
    let before = if is_empty {
        1
    } else {
        number.saturating_sub(1)
    };
    let (label, previous, next) = if component.is_some() {
        ("Months", "Newer", "Older")
    } else {
        ("Components", "Previous", "Next")
    };
    html! {
        @if number > 1 || page.has_next {
            nav aria-label=(label) data-print="hidden" {
                div { @if number > 1 { a href=(path(before)) rel="prev" class="button" { (previous) } } }
                div { @if page.has_next { a href=(path(number + 1)) rel="next" class="button" { (next) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
