//! An incident or a maintenance with everything that belongs to it.

use allclear_application::public::history::{
    AffectedOverTime, DisplayedUpdate, EntryDetails, EntryStatus, PublishedReview,
};
use allclear_domain::component::ComponentStatus;
use allclear_domain::markdown;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, Utc};
use maud::{Markup, PreEscaped, html};

use super::super::section::{nothing_here, omitted, section};
use super::super::status_style::StatusStyle;
use super::style;
use super::text::{duration, linked_prose, zoned_time};

/// The whole entry.
pub(super) fn details(details: &EntryDetails) -> Markup {
    let EntryDetails { owner, entry, .. } = details;
    let style = style(entry.status);
    html! {
        article class="grid min-w-0 grid-cols-1 gap-8" {
            header data-tone=(style.tone) class={
                "tinted grid grid-cols-1 gap-3 rounded-xl border px-4 py-5 shadow-low sm:px-6 border-" (style.tone) "-line"
            } {
                div class="flex flex-wrap items-start justify-between gap-x-4 gap-y-2" {
                    h1 dir="auto" class="min-w-0 flex-1 basis-56 text-2xl font-semibold tracking-tight wrap-anywhere text-ink" { (entry.title) }
                    (style.badge(" bg-surface!"))
                }
                (linked_prose(&entry.summary, "text-ink"))
                (times(details, owner.time_zone))
            }
            @if let Some(published) = &details.review {
                (section("review", "Review", "", &review(published, owner.time_zone)))
            }
            @if !details.components.is_empty() {
                (section("components", "Affected components", "", &components(details)))
            }
            (section("updates", "Updates", "", &updates(details)))
        }
    }
}

/// The text is the HTML of the sanitiser; its headings are below that of the section.
fn review(review: &PublishedReview, zone: TimeZone) -> Markup {
    html! {
        div class="grid min-w-0 grid-cols-1 gap-3 rounded-lg border border-line bg-surface px-4 py-4 shadow-low sm:px-5" {
            p class="text-sm text-subtle" { "Published " (zoned_time(review.published_at, zone)) }
            div class="review" dir="auto" { (PreEscaped(markdown::render_below(2, &review.body))) }
        }
    }
}

fn times(details: &EntryDetails, zone: TimeZone) -> Markup {
    let entry = &details.entry;
    let (began, ended, unknown) = match entry.status {
        EntryStatus::Incident(_) => ("Began", "Resolved", "Not yet"),
        EntryStatus::Maintenance(_) => ("Starts", "Ends", "Not known"),
    };
    html! {
        dl class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm" {
            dt class="text-muted" { (began) }
            dd { (zoned_time(entry.start_at, zone)) }
            dt class="text-muted" { (ended) }
            dd { (time_or(entry.end_at, zone, unknown)) }
            @if let Some(end) = entry.end_at {
                dt class="text-muted" { "Duration" }
                dd { (duration(end - entry.start_at)) }
            }
        }
    }
}

fn time_or(time: Option<DateTime<Utc>>, zone: TimeZone, unknown: &str) -> Markup {
    html! {
        @match time {
            Some(time) => (zoned_time(time, zone)),
            None => (unknown),
        }
    }
}

fn components(details: &EntryDetails) -> Markup {
    html! {
        ul class="divide-y divide-line rounded-lg border border-line bg-surface shadow-low" {
            @for affected in &details.components { (component(affected, details.owner.time_zone)) }
        }
        @if details.components_truncated { (omitted("Further components are not shown.")) }
    }
}

fn component(affected: &AffectedOverTime, zone: TimeZone) -> Markup {
    html! {
        li class="grid min-w-0 grid-cols-1 gap-1 px-4 py-3 sm:px-5 print:break-inside-avoid" {
            div class="flex flex-wrap items-start justify-between gap-x-4" {
                h3 dir="auto" class="min-w-0 flex-1 basis-48 font-medium wrap-anywhere text-ink" { (affected.component.name) }
                @if let Some(impact) = affected.impact { (StatusStyle::from(impact).quiet()) }
            }
            @if !affected.periods.is_empty() {
                ol class="grid gap-1 text-sm text-subtle" {
                    @for period in &affected.periods {
                        li class="flex flex-wrap gap-x-1" {
                            span class="text-muted" { (label(period.status)) ":" }
                            (zoned_time(period.start_at, zone))
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

fn updates(details: &EntryDetails) -> Markup {
    html! {
        @if details.updates.is_empty() { (nothing_here("No updates have been posted.")) }
        @else {
            ol class="grid grid-cols-1" {
                @for update in &details.updates {
                    li class="group relative grid grid-cols-1 gap-1 pb-6 pl-6 last:pb-0 print:break-inside-avoid" { (body(update, details.owner.time_zone)) }
                }
            }
        }
        @if details.updates_truncated { (omitted("Older updates are not shown.")) }
    }
}

fn body(update: &DisplayedUpdate, zone: TimeZone) -> Markup {
    let style = StatusStyle::from(update.status);
    html! {
        span aria-hidden="true" class="absolute top-3 -bottom-1.5 left-[5px] w-px bg-line group-last:hidden" {}
        span aria-hidden="true"
            class={ "absolute top-[5px] left-0 size-[11px] rounded-full border-2 border-surface bg-" (style.tone) "-solid" } {}
        p class="flex flex-wrap items-baseline gap-x-2" {
            span class="font-semibold text-ink" { (style.label) }
            span class="text-sm text-subtle" { (zoned_time(update.display_at, zone)) }
        }
        (linked_prose(&update.message, "text-ink"))
    }
}
