//! The incidents.

use allclear_application::link::{incident_path, status_page_path};
use allclear_application::status_page::incident::PublicIncident;
use allclear_application::status_page::size::PAST_SHOWN;
use allclear_application::status_page::{PublicOrganisation, Snapshot};
use allclear_domain::incident::IncidentStatus;
use maud::{Markup, html};

use super::affected::{UniqueNames, affected};
use super::section::{nothing_here, omitted, section, title_link};
use super::status_style::StatusStyle;
use super::subscribe::follow_button;
use super::text::{prose, time_with_distance};
use super::timeline::{TimelineItem, timeline};

/// Whether the incident is unresolved.
pub(super) fn is_unresolved(incident: &PublicIncident) -> bool {
    incident.status != IncidentStatus::Resolved
}

/// Unresolved incidents first, each in its own card; past incidents in one card.
pub(super) fn list(snapshot: &Snapshot, names: &UniqueNames<'_>) -> Markup {
    let Snapshot {
        organisation,
        incidents,
        ..
    } = snapshot;
    let (ongoing, over): (Vec<_>, Vec<_>) = incidents
        .iter()
        .partition(|incident| is_unresolved(incident));
    section(
        "incidents",
        "Incidents",
        &html! {
            @if incidents.is_empty() { (nothing_here("No incidents in the last 14 days.")) }
            @for incident in ongoing { (active(organisation, incident, names)) }
            @if !over.is_empty() {
                section class="card" {
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
fn active(
    organisation: &PublicOrganisation,
    incident: &PublicIncident,
    names: &UniqueNames<'_>,
) -> Markup {
    let style = StatusStyle::from(incident.status);
    let components = incident.components.iter();
    let components = components.map(|link| (&link.component, Some(link.status)));
    html! {
        article class="incident" data-tone=(style.tone) {
            header {
                div class="heading" { (title(organisation, incident)) (style.badge()) }
                (time_with_distance(Some("Created"), Some(incident.created_at), organisation.time_zone))
            }
            div {
                (prose(&incident.description))
                (timeline(&incident.title, entries(incident), false, incident.timeline_truncated, organisation.time_zone))
                (affected(&incident.title, names, components))
                (follow_button(organisation, incident))
            }
        }
    }
}

fn past(organisation: &PublicOrganisation, incident: &PublicIncident) -> Markup {
    html! {
        article class="past" {
            header {
                div class="heading" { (title(organisation, incident)) (StatusStyle::from(incident.status).quiet()) }
                (time_with_distance(Some("Created"), Some(incident.created_at), organisation.time_zone))
            }
            (prose(&incident.description))
            (timeline(&incident.title, entries(incident), true, incident.timeline_truncated, organisation.time_zone))
        }
    }
}

fn title(organisation: &PublicOrganisation, incident: &PublicIncident) -> Markup {
    let path = status_page_path(&organisation.id) + &incident_path(&incident.code);
    title_link(&path, &incident.title)
}

fn entries(incident: &PublicIncident) -> impl Iterator<Item = TimelineItem<'_>> {
    incident.timeline.iter().map(|entry| TimelineItem {
        status: entry.status,
        message: &entry.message,
        display_at: entry.display_at,
    })
}
