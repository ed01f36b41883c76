//! The maintenances.

use allclear_application::link::{maintenance_path, status_page_path};
use allclear_application::status_page::maintenance::PublicMaintenance;
use allclear_application::status_page::size::PAST_SHOWN;
use allclear_application::status_page::{PublicOrganisation, Snapshot};
use allclear_domain::maintenance::MaintenanceStatus;
use maud::{Markup, html};

use super::affected::{UniqueNames, affected};
use super::section::{nothing_here, omitted, section, title_link};
use super::status_style::StatusStyle;
use super::text::{described_time, prose};
use super::timeline::{TimelineItem, timeline};

/// Whether the maintenance has ended or was cancelled.
pub(super) fn is_over(maintenance: &PublicMaintenance) -> bool {
    matches!(
        maintenance.status,
        MaintenanceStatus::Completed | MaintenanceStatus::Cancelled
    )
}

/// Scheduled and running maintenances first; past ones follow.
pub(super) fn list(snapshot: &Snapshot, names: &UniqueNames<'_>) -> Markup {
    let Snapshot {
        organisation,
        maintenances,
        ..
    } = snapshot;
    let (over, ahead): (Vec<_>, Vec<_>) = maintenances
        .iter()
        .partition(|maintenance| is_over(maintenance));
    section(
        "maintenance",
        "Scheduled Maintenance",
        &html! {
            @if maintenances.is_empty() { (nothing_here("No maintenance is scheduled.")) }
            @for (group, quiet) in [(&ahead, false), (&over, true)] {
                @if !group.is_empty() {
                    section class="card" {
                        @for maintenance in group { (item(organisation, maintenance, names, quiet)) }
                    }
                }
            }
            @if over.len() as u64 >= PAST_SHOWN {
                (omitted(&format!("Only the newest {PAST_SHOWN} past maintenances are shown.")))
            }
        },
    )
}

fn item(
    organisation: &PublicOrganisation,
    maintenance: &PublicMaintenance,
    names: &UniqueNames<'_>,
    quiet: bool,
) -> Markup {
    let style = StatusStyle::from(maintenance.status);
    let path = status_page_path(&organisation.id) + &maintenance_path(&maintenance.code);
    let entries = maintenance.timeline.iter().map(|entry| TimelineItem {
        status: entry.status,
        message: &entry.message,
        display_at: entry.display_at,
    });
    let components = maintenance.components.iter();
    let components = components.map(|link| (&link.component, None));
    html! {
        article class=[quiet.then_some("past")] data-tone=[(maintenance.status == MaintenanceStatus::InProgress).then_some(style.tone)] {
            header class="heading" {
                (title_link(&path, &maintenance.title))
                @if quiet { (style.quiet()) } @else { (style.badge()) }
            }
            dl class="times" {
                dt { "Starts:" }
                (described_time(Some(maintenance.start_at), organisation.time_zone))
                dt { "Ends:" }
                (described_time(maintenance.end_at, organisation.time_zone))
            }
            (prose(&maintenance.description))
            (timeline(&maintenance.title, entries, quiet, maintenance.timeline_truncated, organisation.time_zone))
            @if !quiet { (affected(&maintenance.title, names, components)) }
        }
    }
}
