//! Texts and times on the page.

use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, html};

/// A time zone as people write it.
pub(super) fn zone_name(zone: TimeZone) -> String {
    let name = zone.to_string().replace('_', " ");
    name.strip_prefix("Etc/")
        .map_or(name.clone(), str::to_owned)
}

/// Text that people wrote, with its line breaks; nothing if it is empty.
pub(super) fn prose(text: &str, class: &str) -> Markup {
    html! {
        @if !text.is_empty() {
            p dir="auto" class={ "max-w-prose wrap-anywhere whitespace-pre-line" (class) } { (text) }
        }
    }
}

/// A time in the zone of the page, because the server does not know that of the viewer; the script shows local time.
pub(super) fn local_time(value: Option<DateTime<Utc>>, zone: TimeZone) -> Markup {
    let Some(value) = value else {
        return html! { span { "---" } };
    };
    let machine = value.to_rfc3339_opts(SecondsFormat::Millis, true);
    html! {
        time datetime=(machine) title=(machine) class="whitespace-nowrap" {
            (zone.local_time(value).format("%b %d, %Y %I:%M:%S %p"))
            @if zone == TimeZone::default() { " UTC" }
        }
    }
}

/// A time with a place for its distance from now, which the script fills in.
pub(super) fn time_with_distance(
    label: Option<&str>,
    value: Option<DateTime<Utc>>,
    zone: TimeZone,
) -> Markup {
    html! {
        span class="time text-sm text-subtle" {
            span class="whitespace-nowrap" {
                @if let Some(label) = label { span class="text-muted" { (label) " " } }
                (local_time(value, zone))
            }
            @if value.is_some() { span data-print="hidden" class="time-distance" {} }
        }
    }
}
