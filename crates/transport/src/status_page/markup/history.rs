//! The pages of the history as HTML. No script draws them, so they are complete without one.

mod calendar;
mod details;
mod filter;
mod list;
mod text;

use allclear_application::link::{incident_path, maintenance_path, status_page_path};
use allclear_application::status_page::history::{
    History, HistoryDetails, HistoryEntry, HistorySelection, HistoryStatus, PageOwner,
};
use allclear_application::status_page::uptime::{UptimePage, UptimeSelection};
use allclear_application::timestamp;
use allclear_domain::code::Code;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

pub(crate) use self::calendar::uptime_path;

use super::frame::{Home, frame};
use super::icon::search_x;
use super::status_style::StatusStyle;
use super::{link_button, subscribe};

/// Path of a page of the history.
pub(crate) fn history_path(
    organisation: &OrganisationId,
    page: u32,
    component: Option<Code>,
) -> String {
    paged(
        &format!("{}/history", status_page_path(organisation)),
        page,
        component,
    )
}

/// A path with what differs from its first page as the query.
fn paged(path: &str, page: u32, component: Option<Code>) -> String {
    let page = (page > 1).then(|| format!("page={page}"));
    let component = component.map(|code| format!("component={code}"));
    let query: Vec<_> = page.into_iter().chain(component).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{path}{mark}{}", query.join("&"))
}

/// Path of an incident or a maintenance.
pub(crate) fn entry_path(organisation: &OrganisationId, entry: &HistoryEntry) -> String {
    let path = match entry.status {
        HistoryStatus::Incident(_) => incident_path(entry.code),
        HistoryStatus::Maintenance(_) => maintenance_path(entry.code),
    };
    status_page_path(organisation) + &path
}

/// Label of a status.
pub(crate) fn label(status: HistoryStatus) -> &'static str {
    style(status).label
}

fn style(status: HistoryStatus) -> StatusStyle {
    match status {
        HistoryStatus::Incident(status) => status.into(),
        HistoryStatus::Maintenance(status) => status.into(),
    }
}

/// The page of some months.
pub(crate) fn page(history: &History, selection: HistorySelection) -> Markup {
    let owner = &history.owner;
    let path = history_path(&owner.id, 1, None);
    let filter = filter::filter("History", &path, &history.components, selection.component);
    let valid_until = history
        .entries
        .iter()
        .filter_map(HistoryEntry::changes_at)
        .min();
    framed(
        owner,
        Some("History"),
        &filter,
        &list::months(history, selection),
        valid_until,
    )
}

/// The page of the uptime by month.
pub(crate) fn uptime(page: &UptimePage, selection: UptimeSelection) -> Markup {
    let owner = &page.owner;
    let path = uptime_path(&owner.id, 1, None);
    let filter = filter::filter("Uptime", &path, &page.components, selection.component);
    let calendars = calendar::calendars(page, selection);
    framed(owner, Some("Uptime"), &filter, &calendars, page.valid_until)
}

/// The page of an incident or a maintenance.
pub(crate) fn entry(details: &HistoryDetails) -> Markup {
    framed(
        &details.owner,
        None,
        &Markup::default(),
        &details::details(details),
        details.entry.changes_at(),
    )
}

/// The page for an unknown address.
pub(crate) fn unknown(organisation: Option<&OrganisationId>) -> Markup {
    let content = html! {
        div class="absent" {
            (search_x())
            h1 { "There is no such page" }
            p {
                "The address may have a typing mistake, or what it showed may have been deleted."
            }
            @match organisation {
                Some(organisation) => a href=(status_page_path(organisation)) class="primary" { "Go to the Status Page" },
                None => a href="/" class="primary" { "Back to Home" },
            }
        }
    };
    let nothing = Markup::default();
    frame(Home::Root, &nothing, &nothing, &content)
}

/// The frame with links to the pages, of which `current` is this one. The script replaces `live`
/// after a change and at `valid_until`. It says above it if the page may be out of date.
fn framed(
    owner: &PageOwner,
    current: Option<&str>,
    fixed: &Markup,
    live: &Markup,
    valid_until: Option<DateTime<Utc>>,
) -> Markup {
    let until = valid_until.as_ref().map(timestamp::text);
    let heading = html! {
        p class="title" dir="auto" { a href=(status_page_path(&owner.id)) { (owner.title) } }
    };
    let actions = html! {
        (pages(&owner.id, current))
        (subscribe::links(owner))
    };
    let content = html! {
        (fixed)
        p class="note" {
            "All times are in " (owner.time_zone.label()) span data-loss="true" {}
        }
        div data-live="true" data-revision=(owner.revision) data-until=[until]
            data-events={ "/api/v1/status/" (owner.id) "/events" } { (live) }
        p role="status" data-announcement="true" {}
        @if let Some(support) = &owner.support_url {
            p class="links" { (link_button(support, "Get support")) }
        }
    };
    let home = Home::of(owner.domain.is_some());
    frame(home, &heading, &actions, &content)
}

/// The links to the pages about everything.
fn pages(organisation: &OrganisationId, current: Option<&str>) -> Markup {
    let links = [
        (status_page_path(organisation), "Status"),
        (history_path(organisation, 1, None), "History"),
        (uptime_path(organisation, 1, None), "Uptime"),
    ];
    html! {
        nav aria-label="Pages" {
            @for (path, name) in &links {
                a href=(path) class="button" aria-current=[(current == Some(*name)).then_some("page")] { (name) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
