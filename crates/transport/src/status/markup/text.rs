//! Texts and times on the page.

use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, SecondsFormat, Utc};
use linkify::{LinkFinder, LinkKind};
use maud::{Markup, html};

/// A time zone as people write it.
pub(super) fn zone_name(zone: TimeZone) -> String {
    let name = zone.to_string().replace('_', " ");
    name.strip_prefix("Etc/")
        .map_or(name.clone(), str::to_owned)
}

/// Text that people wrote, with its line breaks; nothing if it is empty. Web addresses become links.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @if !text.is_empty() {
            p dir="auto" { (linked(text)) }
        }
    }
}

fn linked(text: &str) -> Markup {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    html! {
        @for span in finder.spans(text) {
            @if span.kind().is_some() && is_web_address(span.as_str()) {
                a href=(span.as_str()) rel="nofollow noopener" { (span.as_str()) }
            } @else {
                (span.as_str())
            }
        }
    }
}

fn is_web_address(link: &str) -> bool {
    let scheme = link.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
    })
}

/// A time in the zone of the page, because the server does not know that of the viewer; the script shows local time.
pub(super) fn local_time(value: Option<DateTime<Utc>>, zone: TimeZone) -> Markup {
    value.map_or_else(
        || html! { span { "---" } },
        |value| time(value, zone, SecondsFormat::Secs),
    )
}

/// The same with milliseconds: the script compares the time of the drawing with that of later states.
pub(super) fn exact_time(value: DateTime<Utc>, zone: TimeZone) -> Markup {
    time(value, zone, SecondsFormat::Millis)
}

fn time(value: DateTime<Utc>, zone: TimeZone, format: SecondsFormat) -> Markup {
    html! {
        time datetime=(value.to_rfc3339_opts(format, true)) {
            (zone.local_time(value).format("%b %d, %Y %I:%M:%S %p"))
            @if zone == TimeZone::default() { " UTC" }
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
            @if let Some(label) = label { span { span { (label) " " } (time) } } @else { (time) }
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
    fn web_addresses_become_links_and_nothing_else() {
        let text = "See https://status.example/a?b=1&c=2, http://x.example. \
            Not javascript://alert(1), ftp://x.example or <b>a@example.com</b>";
        assert_eq!(
            linked(text).0,
            "See <a href=\"https://status.example/a?b=1&amp;c=2\" rel=\"nofollow noopener\">https://status.example/a?b=1&amp;c=2</a>, \
             <a href=\"http://x.example\" rel=\"nofollow noopener\">http://x.example</a>. \
             Not javascript://alert(1), ftp://x.example or &lt;b&gt;a@example.com&lt;/b&gt;"
        );
    }

    #[test]
    fn quote_ends_no_attribute() {
        let link = linked("https://x.example/\"onmouseover=alert(1)").0;
        assert!(!link.contains("\"onmouseover"), "{link}");
    }
}
