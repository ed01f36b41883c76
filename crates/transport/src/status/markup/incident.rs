//! The incidents.

use allclear_application::public::PublicOrganisation;
use allclear_application::public::incident::PublicIncident;
use allclear_application::public::size::PAST_SHOWN;
use allclear_domain::incident::IncidentStatus;
use maud::{Markup, html};

use super::section::{nothing_here, omitted, section, title_link};
use super::status_style::StatusStyle;
use super::text::{prose, time_with_distance};
use super::timeline::{TimelineItem, timeline};

/// Whether the incident is unresolved.
pub(super) fn is_unresolved(incident: &PublicIncident) -> bool {
    incident.status != IncidentStatus::Resolved
}

/// Unresolved incidents first, each in its own card; past incidents in one card.
pub(super) fn list(organisation: &PublicOrganisation, incidents: &[PublicIncident]) -> Markup {
    let (ongoing, over): (Vec<_>, Vec<_>) = incidents
        .iter()
        .partition(|incident| is_unresolved(incident));
    section(
        "incidents",
        "Incidents",
        "xl:col-start-2 xl:row-span-2 xl:row-start-1",
        &html! {
            @if incidents.is_empty() { (nothing_here("No incidents in the last 14 days.")) }
            @for incident in ongoing { (active(organisation, incident)) }
            @if !over.is_empty() {
                section class="min-w-0 rounded-lg border border-line bg-surface shadow-low divide-y divide-line" {
                    @for incident in &over { (past(organisation, incident)) }
                }
            }
            @if over.len() as u64 >= PAST_SHOWN {
                (omitted(&format!("Only the newest {PAST_SHOWN} past incidents are shown.")))
            }
        },
    )
}

/// The most prominent element of the page.
fn active(organisation: &PublicOrganisation, incident: &PublicIncident) -> Markup {
    let style = StatusStyle::from(incident.status);
    html! {
        article data-tone=(style.tone) class={
            "relative min-w-0 rounded-lg border bg-surface shadow-low print:break-inside-avoid border-" (style.tone) "-line"
        } {
            header class={ "tinted grid grid-cols-1 gap-1 rounded-t-lg border-b px-4 py-3 sm:px-5 border-" (style.tone) "-line" } {
                div class="flex w-full flex-wrap items-start justify-between gap-x-4 gap-y-2" {
                    h3 dir="auto" class="min-w-0 flex-1 basis-56 text-lg font-semibold wrap-anywhere text-ink" { (title(organisation, incident)) }
                    (style.badge(" bg-surface!"))
                }
                (time_with_distance(Some("Created"), Some(incident.created_at), organisation.time_zone))
            }
            div class="grid grid-cols-1 gap-4 px-4 py-4 sm:px-5" {
                (prose(&incident.description, ""))
                (affected(&incident.title, incident.components.iter().map(|link| {
                    (link.component.name.as_str(), Some(link.status.into()))
                })))
                (timeline(&incident.title, entries(incident), false, incident.timeline_truncated, organisation.time_zone))
            }
        }
    }
}

fn past(organisation: &PublicOrganisation, incident: &PublicIncident) -> Markup {
    html! {
        article class="relative grid min-w-0 grid-cols-1 gap-3 px-4 py-4 first:rounded-t-lg last:rounded-b-lg sm:px-5 print:break-inside-avoid" {
            header {
                div class="flex flex-wrap items-start justify-between gap-x-4" {
                    h3 dir="auto" class="min-w-0 flex-1 basis-48 font-medium wrap-anywhere text-ink" { (title(organisation, incident)) }
                    (StatusStyle::from(incident.status).quiet())
                }
                (time_with_distance(Some("Created"), Some(incident.created_at), organisation.time_zone))
            }
            (prose(&incident.description, " text-muted"))
            (timeline(&incident.title, entries(incident), true, incident.timeline_truncated, organisation.time_zone))
        }
    }
}

fn title(organisation: &PublicOrganisation, incident: &PublicIncident) -> Markup {
    let path = format!("/status/{}/incidents/{}", organisation.id, incident.code);
    title_link(&path, &incident.title)
}

fn entries(incident: &PublicIncident) -> impl Iterator<Item = TimelineItem<'_>> {
    incident.timeline.iter().map(|entry| TimelineItem {
        status: entry.status,
        message: &entry.message,
        display_at: entry.display_at,
    })
}

/// The names of affected components, each with its impact if it has one.
pub(super) fn affected<'a>(
    title: &str,
    components: impl Iterator<Item = (&'a str, Option<StatusStyle>)>,
) -> Markup {
    let mut components = components.peekable();
    if components.peek().is_none() {
        return Markup::default();
    }
    html! {
        ul aria-label={ "Components affected by " (title) } class="flex flex-wrap gap-2" {
            @for (name, impact) in components {
                li data-tone=[impact.map(|style| style.tone)]
                    class="inline-flex min-w-0 flex-wrap items-center gap-x-2 rounded-md border border-line bg-raised px-2 py-1 text-sm" {
                    @if let Some(style) = impact { (style.icon.svg(&format!("size-3.5 shrink-0 text-{}", style.tone))) }
                    span dir="auto" class="min-w-0 font-medium wrap-anywhere text-ink" { (name) }
                    @if let Some(style) = impact { span class={ "text-" (style.tone) } { (style.label) } }
                }
            }
        }
    }
}
