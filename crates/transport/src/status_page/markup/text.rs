//! Texts and times on the page.

use allclear_domain::time_zone::TimeZone;
use allclear_domain::web_address;
use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, PreEscaped, html};

/// Text that people wrote, with its line breaks; nothing if it is empty. Web addresses
/// become links.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @if !text.is_empty() {
            p dir="auto" { (PreEscaped(web_address::to_html(text))) }
        }
    }
}

/// A time in the zone of the page, because the server does not know that of the viewer; the script
/// shows local time.
pub(super) fn local_time(value: Option<DateTime<Utc>>, zone: TimeZone) -> Markup {
    value.map_or_else(
        || html! { span { "---" } },
        |value| time(value, zone, SecondsFormat::Secs),
    )
}

/// A time in the zone of the page, with milliseconds in `datetime`: the script compares the time of
/// the drawing with that of later states.
pub(super) fn exact_time(value: DateTime<Utc>, zone: TimeZone) -> Markup {
    time(value, zone, SecondsFormat::Millis)
}

fn time(value: DateTime<Utc>, zone: TimeZone, format: SecondsFormat) -> Markup {
    html! {
        time datetime=(value.to_rfc3339_opts(format, true)) {
            (zone.local_time(value).format("%b %d, %Y %I:%M:%S %p"))
        }
    }
}

/// A time, beside which the script writes its distance from now.
pub(super) fn time_with_distance(
    label: Option<&str>,
    value: Option<DateTime<Utc>>,
    zone: TimeZone,
) -> Markup {
    let time = local_time(value, zone);
    html! {
        span class="time" {
            @if let Some(label) = label { span { (label) " " (time) } } @else { (time) }
        }
    }
}

/// Such a time as a description in a list.
pub(super) fn described_time(value: Option<DateTime<Utc>>, zone: TimeZone) -> Markup {
    html! { dd class="time" { (local_time(value, zone)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_in_the_zone_of_the_page() {
        let time = "2026-07-01T21:05:09.250Z".parse().unwrap();
        assert_eq!(
            exact_time(time, "Asia/Kolkata".parse().unwrap()).0,
            "<time datetime=\"2026-07-01T21:05:09.250Z\">Jul 02, 2026 02:35:09 AM</time>"
        );
    }
}
