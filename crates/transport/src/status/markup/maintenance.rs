//! The maintenances.

use allclear_application::public::PublicOrganisation;
use allclear_application::public::maintenance::PublicMaintenance;
use allclear_application::public::size::PAST_SHOWN;
use allclear_domain::maintenance::MaintenanceStatus;
use maud::{Markup, html};

use super::incident::affected;
use super::section::{nothing_here, omitted, section, title_link};
use super::status_style::StatusStyle;
use super::text::{prose, time_with_distance};
use super::timeline::{TimelineItem, timeline};

fn is_over(maintenance: &PublicMaintenance) -> bool {
    matches!(
        maintenance.status,
        MaintenanceStatus::Completed | MaintenanceStatus::Cancelled
    )
}

/// Scheduled and running maintenances first; past ones follow.
pub(super) fn list(
    organisation: &PublicOrganisation,
    maintenances: &[PublicMaintenance],
) -> Markup {
    let (over, ahead): (Vec<_>, Vec<_>) = maintenances
        .iter()
        .partition(|maintenance| is_over(maintenance));
    section(
        "maintenance",
        "Scheduled Maintenance",
        "xl:col-start-1",
        &html! {
            @if maintenances.is_empty() { (nothing_here("No maintenance is scheduled.")) }
            @for (group, quiet) in [(&ahead, false), (&over, true)] {
                @if !group.is_empty() {
                    section class="min-w-0 rounded-lg border border-line bg-surface shadow-low divide-y divide-line" {
                        @for maintenance in group { (item(organisation, maintenance, quiet)) }
                    }
                }
            }
            @if over.len() as u64 >= PAST_SHOWN {
                (omitted(&format!("Only the newest {PAST_SHOWN} past maintenances are shown.")))
            }
        },
    )
}

fn item(organisation: &PublicOrganisation, maintenance: &PublicMaintenance, quiet: bool) -> Markup {
    let style = StatusStyle::from(maintenance.status);
    let path = format!(
        "/status/{}/maintenances/{}",
        organisation.id, maintenance.code
    );
    let entries = maintenance.timeline.iter().map(|entry| TimelineItem {
        status: entry.status,
        message: &entry.message,
        display_at: entry.display_at,
    });
    html! {
        article class="relative grid min-w-0 grid-cols-1 gap-3 px-4 py-4 first:rounded-t-lg last:rounded-b-lg sm:px-5 print:break-inside-avoid" {
            @if maintenance.status == MaintenanceStatus::InProgress {
                span aria-hidden="true" class={ "absolute inset-y-0 left-0 w-1 rounded-l-[inherit] bg-" (style.tone) "-solid" } {}
            }
            header class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1" {
                h3 dir="auto" class={
                    "min-w-0 flex-1 basis-48 wrap-anywhere text-ink " (if quiet { "font-medium" } else { "font-semibold" })
                } { (title_link(&path, &maintenance.title)) }
                @if quiet { (style.quiet()) } @else { (style.badge("")) }
            }
            dl class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-sm" {
                dt class="text-muted" { "Starts:" }
                dd { (time_with_distance(None, Some(maintenance.start_at), organisation.time_zone)) }
                dt class="text-muted" { "Ends:" }
                dd { (time_with_distance(None, maintenance.end_at, organisation.time_zone)) }
            }
            (prose(&maintenance.description, if quiet { " text-muted" } else { " text-ink" }))
            @if !quiet {
                (affected(&maintenance.title, maintenance.components.iter().map(|link| {
                    (link.component.name.as_str(), None)
                })))
            }
            (timeline(&maintenance.title, entries, quiet, maintenance.timeline_truncated, organisation.time_zone))
        }
    }
}
