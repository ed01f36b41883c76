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
            ol aria-label={ "Timeline of " (label) } class="timeline" {
                @for entry in entries { (item(&entry, quiet, zone)) }
            }
        }
        @if truncated { (omitted("Older updates are not shown.")) }
    }
}

fn item(entry: &TimelineItem<'_>, quiet: bool, zone: TimeZone) -> Markup {
    let style = StatusStyle::from(entry.status);
    html! {
        li data-tone=[(!quiet).then_some(style.tone)] {
            p {
                span { (style.label) }
                (time_with_distance(None, Some(entry.display_at), zone))
            }
            (prose(entry.message))
        }
    }
}
