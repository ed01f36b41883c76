//! An incident or a maintenance with everything that belongs to it.

use allclear_application::link::status_page_path;
use allclear_application::status_page::history::{
    AffectedOverTime, DisplayedUpdate, HistoryDetails, HistoryStatus, NamedComponent,
    PublishedReview,
};
use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::markdown;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, Utc};
use maud::{Markup, PreEscaped, html};

use super::super::affected::{folded, unique_name};
use super::super::section::{nothing_here, omitted, section};
use super::super::status_style::StatusStyle;
use super::super::text::{exact_time, prose};
use super::style;
use super::text::duration;

/// The whole entry. Feeds of updates link to its parts by their codes.
pub(super) fn details(details: &HistoryDetails) -> Markup {
    let HistoryDetails { owner, entry, .. } = details;
    let style = style(entry.status);
    html! {
        article class="entry" {
            header id=(details.description_code) data-tone=(style.tone) {
                div class="heading" {
                    h1 dir="auto" { (entry.title) }
                    (style.badge())
                }
                (prose(&entry.summary))
                (times(details, owner.time_zone))
                @if !owner.channels.is_empty() && is_open(entry.status) {
                    // The status page's script opens the dialog of the incident that the fragment
                    // names.
                    a href={ (status_page_path(&owner.id)) "#" (entry.code) } class="button" data-script="needed" data-print="hidden" {
                        "Follow this incident"
                    }
                }
            }
            @if let Some(published) = &details.review {
                (section("review", "Review", &review(published, owner.time_zone)))
            }
            (section("updates", "Updates", &updates(details)))
            @if !details.components.is_empty() {
                (section("components", "Affected components", &components(details)))
            }
        }
    }
}

/// Whether it is an unresolved incident.
fn is_open(status: HistoryStatus) -> bool {
    matches!(status, HistoryStatus::Incident(status) if status != IncidentStatus::Resolved)
}

/// The text is the HTML of the sanitiser; its headings are below that of the section.
fn review(review: &PublishedReview, zone: TimeZone) -> Markup {
    html! {
        div class="card" id=(review.code) {
            p class="note" { "Published " (exact_time(review.published_at, zone)) }
            div class="review" dir="auto" { (PreEscaped(markdown::render_below(2, &review.body))) }
        }
    }
}

fn times(details: &HistoryDetails, zone: TimeZone) -> Markup {
    let entry = &details.entry;
    let (began, ended, unknown) = match entry.status {
        HistoryStatus::Incident(_) => ("Began", "Resolved", "Not yet"),
        HistoryStatus::Maintenance(_) => ("Starts", "Ends", "Not known"),
    };
    html! {
        dl class="times" {
            dt { (began) }
            dd { (exact_time(entry.start_at, zone)) }
            dt { (ended) }
            dd { (time_or(entry.end_at, zone, unknown)) }
            @if let Some(end) = entry.end_at {
                dt { "Duration" }
                dd { (duration(end - entry.start_at)) }
            }
        }
    }
}

fn time_or(time: Option<DateTime<Utc>>, zone: TimeZone, unknown: &str) -> Markup {
    html! {
        @match time {
            Some(time) => (exact_time(time, zone)),
            None => (unknown),
        }
    }
}

fn components(details: &HistoryDetails) -> Markup {
    let list = html! {
        ul class="card" {
            @for affected in &details.components { (component(affected, details.owner.time_zone)) }
        }
    };
    html! {
        (folded(details.components.len(), &list))
        @if details.components_truncated { (omitted("Further components are not shown.")) }
    }
}

fn component(affected: &AffectedOverTime, zone: TimeZone) -> Markup {
    let NamedComponent { name, group, .. } = &affected.component;
    let name = unique_name(name, group.as_deref(), affected.has_namesake);
    html! {
        li {
            div class="heading" {
                h3 dir="auto" { (name) }
                @if let Some(impact) = affected.impact { (StatusStyle::from(impact).quiet()) }
            }
            @if !affected.periods.is_empty() {
                ol class="periods" {
                    @for period in &affected.periods {
                        li {
                            span { (label(period.status)) ":" }
                            (exact_time(period.start_at, zone))
                            span { "–" }
                            (time_or(period.end_at, zone, "now"))
                        }
                    }
                }
            }
        }
    }
}

fn label(status: ComponentStatus) -> &'static str {
    StatusStyle::from(status).label
}

fn updates(details: &HistoryDetails) -> Markup {
    html! {
        @if details.updates.is_empty() { (nothing_here("No updates have been posted.")) }
        @else {
            ol class="timeline" {
                @for update in &details.updates {
                    (item(update, details.owner.time_zone))
                }
            }
        }
        @if details.updates_truncated { (omitted("Older updates are not shown.")) }
    }
}

fn item(update: &DisplayedUpdate, zone: TimeZone) -> Markup {
    let style = StatusStyle::from(update.status);
    html! {
        li id=(update.code) data-tone=(style.tone) {
            p {
                span { (style.label) }
                span class="note" { (exact_time(update.display_at, zone)) }
            }
            (prose(&update.message))
        }
    }
}
