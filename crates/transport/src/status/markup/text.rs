//! Texts and times on the page.

use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, html};

/// Text that people wrote, with its line breaks; nothing if it is empty.
pub(super) fn prose(text: &str, class: &str) -> Markup {
    html! {
        @if !text.is_empty() {
            p dir="auto" class={ "max-w-prose wrap-anywhere whitespace-pre-line" (class) } { (text) }
        }
    }
}

/// A time. In UTC, because the server does not know the viewer's time zone; the script shows local time.
pub(super) fn local_time(value: Option<DateTime<Utc>>) -> Markup {
    let Some(value) = value else {
        return html! { span { "---" } };
    };
    let machine = value.to_rfc3339_opts(SecondsFormat::Millis, true);
    html! {
        time datetime=(machine) title=(machine) class="whitespace-nowrap" {
            (value.format("%b %d, %Y %I:%M:%S %p UTC"))
        }
    }
}

/// A time with a place for its distance from now, which the script fills in.
pub(super) fn time_with_distance(label: Option<&str>, value: Option<DateTime<Utc>>) -> Markup {
    html! {
        span class="time text-sm text-subtle" {
            span class="whitespace-nowrap" {
                @if let Some(label) = label { span class="text-muted" { (label) " " } }
                (local_time(value))
            }
            @if value.is_some() { span data-print="hidden" class="time-distance" {} }
        }
    }
}
