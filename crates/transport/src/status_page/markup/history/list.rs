//! The history by month.

use allclear_application::status_page::history::{
    ENTRIES_SHOWN, History, HistoryEntry, HistorySelection, HistoryStatus,
};
use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};

use super::super::section::{nothing_here, omitted, title_link};
use super::super::text::exact_time;
use super::{entry_path, history_path, style};

/// The months with their entries, and links to older and newer ones.
pub(super) fn months(history: &History, selection: HistorySelection) -> Markup {
    let months = history.months.as_ref().map_or(&[][..], |page| &page.months);
    html! {
        @if months.is_empty() { (nothing_here("The history does not go back this far.")) }
        @for month in months { (section(history, *month)) }
        @if history.complete_since.is_some() {
            (omitted(&format!("Only the newest {ENTRIES_SHOWN} incidents and maintenances of these months are shown.")))
        }
        (paging(history, selection))
    }
}

fn section(history: &History, month: NaiveDate) -> Markup {
    let zone = history.owner.time_zone;
    let entries: Vec<_> = history
        .entries
        .iter()
        .filter(|entry| zone.date_of(entry.start_at).with_day(1) == Some(month))
        .collect();
    let cut = history
        .complete_since
        .map(|since| zone.date_of(since).with_day(1));
    let nothing = if cut.is_some_and(|cut| Some(month) < cut) {
        "The incidents and maintenances of this month are not shown."
    } else {
        "No incidents or maintenances in this month."
    };
    let id = month.format("%Y-%m").to_string();
    html! {
        section aria-labelledby=(id) class="section" {
            h2 id=(id) { (month.format("%B %Y")) }
            @if entries.is_empty() {
                (nothing_here(nothing))
            } @else {
                ul class="card" {
                    @for entry in entries { (item(history, entry)) }
                }
            }
        }
    }
}

fn item(history: &History, entry: &HistoryEntry) -> Markup {
    let zone = history.owner.time_zone;
    let kind = match entry.status {
        HistoryStatus::Incident(_) => "Incident",
        HistoryStatus::Maintenance(_) => "Maintenance",
    };
    html! {
        li {
            div class="heading" {
                (title_link(&entry_path(&history.owner.id, entry), &entry.title))
                (style(entry.status).quiet())
            }
            p class="note" {
                span { (kind) " ·" }
                (exact_time(entry.start_at, zone))
                @if let Some(end) = entry.end_at { span { "–" } (exact_time(end, zone)) }
            }
            // An address at the end of a shortened text would lead elsewhere.
            @if !entry.summary.is_empty() {
                p dir="auto" { (entry.summary) }
            }
        }
    }
}

fn paging(history: &History, HistorySelection { page, component }: HistorySelection) -> Markup {
    let path = |page| history_path(&history.owner.id, page, component);
    let newer = if history.months.is_none() {
        1
    } else {
        page - 1
    };
    html! {
        @if page > 1 || history.has_older {
            nav aria-label="Months" data-print="hidden" {
                div { @if page > 1 { a href=(path(newer)) rel="prev" class="button" { "Newer" } } }
                div { @if history.has_older { a href=(path(page + 1)) rel="next" class="button" { "Older" } } }
            }
        }
    }
}
