//! The pages of the history as HTML. No script draws them, so they are complete without one.

mod details;
mod list;
mod text;

use allclear_application::public::history::{
    EntryDetails, EntryStatus, History, HistoryEntry, HistorySelection, PageOwner,
};
use allclear_domain::code::Code;
use allclear_domain::id::OrganisationId;
use allclear_domain::time_zone::TimeZone;
use maud::{Markup, html};

use super::frame::{self, frame};
use super::icon::Icon;
use super::status_style::StatusStyle;

/// Path of an organisation's status page.
pub(crate) fn base(organisation: &OrganisationId) -> String {
    format!("/status/{organisation}")
}

/// Path of a page of the history.
pub(crate) fn history_path(
    organisation: &OrganisationId,
    page: u32,
    component: Option<Code>,
) -> String {
    let page = (page > 1).then(|| format!("page={page}"));
    let component = component.map(|code| format!("component={code}"));
    let query: Vec<_> = page.into_iter().chain(component).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{}/history{mark}{}", base(organisation), query.join("&"))
}

/// Path of an incident or a maintenance.
pub(crate) fn entry_path(organisation: &OrganisationId, entry: &HistoryEntry) -> String {
    let kind = match entry.status {
        EntryStatus::Incident(_) => "incidents",
        EntryStatus::Maintenance(_) => "maintenances",
    };
    format!("{}/{kind}/{}", base(organisation), entry.code)
}

/// Label of a status.
pub(crate) fn label(status: EntryStatus) -> &'static str {
    style(status).label
}

fn style(status: EntryStatus) -> StatusStyle {
    match status {
        EntryStatus::Incident(status) => status.into(),
        EntryStatus::Maintenance(status) => status.into(),
    }
}

/// The page of some months.
pub(crate) fn page(history: &History, selection: HistorySelection) -> Markup {
    framed(
        &history.owner,
        &list::filter(history, selection),
        &list::months(history, selection),
    )
}

/// The page of an incident or a maintenance.
pub(crate) fn entry(details: &EntryDetails) -> Markup {
    framed(
        &details.owner,
        &Markup::default(),
        &details::details(details),
    )
}

/// The page for an unknown address.
pub(crate) fn unknown(organisation: Option<&OrganisationId>) -> Markup {
    let content = html! {
        div class="mx-auto grid max-w-md justify-items-center gap-4 py-12 text-center" {
            (Icon::SEARCH_X.svg("size-10 text-subtle"))
            h1 class="text-2xl font-semibold tracking-tight text-balance" { "There is no such page" }
            p class="text-muted" {
                "The address may have a typing mistake, or what it showed may have been deleted."
            }
            @match organisation {
                Some(organisation) => a href=(base(organisation)) class=(frame::button(frame::PRIMARY)) { "Go to the Status Page" },
                None => a href="/" class=(frame::button(frame::PRIMARY)) { "Back to Home" },
            }
        }
    };
    frame(&Markup::default(), &Markup::default(), &content)
}

/// A time zone as people write it.
fn zone_name(zone: TimeZone) -> String {
    let name = zone.to_string().replace('_', " ");
    name.strip_prefix("Etc/")
        .map_or(name.clone(), str::to_owned)
}

/// The frame with links to the other pages. The script replaces `live` after a change, and nothing else.
fn framed(owner: &PageOwner, fixed: &Markup, live: &Markup) -> Markup {
    let heading = html! {
        p class="text-2xl font-semibold tracking-tight text-balance wrap-anywhere sm:text-3xl" dir="auto" {
            a href=(base(&owner.id)) class="rounded-sm" { (owner.title) }
        }
    };
    let actions = html! {
        a href=(base(&owner.id)) class=(frame::button(frame::SECONDARY)) { "Status" }
        a href=(history_path(&owner.id, 1, None)) class=(frame::button(frame::SECONDARY)) { "History" }
    };
    let content = html! {
        (fixed)
        div class="grid gap-8" data-live="true" data-revision=(owner.revision)
            data-events={ "/api/v1/status/" (owner.id) "/events" } { (live) }
        p class="text-sm text-subtle" { "All times are in " (zone_name(owner.time_zone)) "." }
        p role="status" class="sr-only" data-announcement="true" {}
    };
    frame(&heading, &actions, &content)
}

#[cfg(test)]
mod tests;
