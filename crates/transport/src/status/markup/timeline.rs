//! The timeline of an incident or a maintenance, newest entry first.

use allclear_domain::incident::IncidentStatus;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::section::omitted;
use super::status_style::StatusStyle;
use super::text::{prose, time_with_distance};

/// An entry of a timeline.
pub(super) struct TimelineItem<'a> {
    pub(super) status: IncidentStatus,
    pub(super) message: &'a str,
    pub(super) display_at: DateTime<Utc>,
}

/// The timeline of `label`. `quiet` if the item is past, `truncated` if there are older entries.
pub(super) fn timeline<'a>(
    label: &str,
    entries: impl Iterator<Item = TimelineItem<'a>>,
    quiet: bool,
    truncated: bool,
    zone: TimeZone,
) -> Markup {
    let mut entries = entries.peekable();
    html! {
        @if entries.peek().is_some() {
            ol aria-label={ "Timeline of " (label) } class="grid grid-cols-1" {
                @for entry in entries {
                    li class="group relative grid grid-cols-1 gap-1 rounded-md pb-4 pl-6 last:pb-0" { (body(&entry, quiet, zone)) }
                }
            }
        }
        @if truncated { (omitted("Older updates are not shown.")) }
    }
}

fn body(entry: &TimelineItem<'_>, quiet: bool, zone: TimeZone) -> Markup {
    let style = StatusStyle::from(entry.status);
    let mark = if quiet {
        "bg-neutral-solid".to_owned()
    } else {
        format!("bg-{}-solid", style.tone)
    };
    html! {
        span aria-hidden="true" class="absolute top-3 -bottom-1.5 left-[5px] w-px bg-line group-last:hidden" {}
        span aria-hidden="true"
            class={ "absolute top-[5px] left-0 size-[11px] rounded-full border-2 border-surface " (mark) } {}
        p class="flex flex-wrap items-baseline gap-x-2" {
            span class={ "font-semibold " (if quiet { "text-muted" } else { "text-ink" }) } { (style.label) }
            (time_with_distance(None, Some(entry.display_at), zone))
        }
        (prose(entry.message, if quiet { " text-muted" } else { " text-ink" }))
    }
}
