//! Texts and times on the page.

use std::sync::LazyLock;

use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, html};
use regex::Regex;

/// Text that people wrote, with its line breaks; nothing if it is empty. Web addresses become links.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @if !text.is_empty() {
            p dir="auto" { (linked(text)) }
        }
    }
}

/// A web address, without the punctuation that follows it. The script of the page has the same pattern: `page-parts.tsx`.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)https?://(?:[^\s()]|\([^\s()]*\))*(?:[^\s()<>"'.,:;!?\]}]|\([^\s()]*\))"#)
        .ok()
});

fn linked(text: &str) -> Markup {
    let links = ADDRESS.iter().flat_map(|address| address.find_iter(text));
    let mut end = 0;
    html! {
        @for link in links {
            (&text[std::mem::replace(&mut end, link.end())..link.start()])
            a href=(link.as_str()) rel="nofollow noopener" { (link.as_str()) }
        }
        (&text[end..])
    }
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
    fn web_addresses_become_links_and_nothing_else() {
        let text = "See https://status.example/a?b=1&c=2, http://x.example. (HTTPS://x.example/A_(b)#c) \
            Not javascript://alert(1), ftp://x.example or <b>a@example.com</b>";
        assert_eq!(
            linked(text).0,
            "See <a href=\"https://status.example/a?b=1&amp;c=2\" rel=\"nofollow noopener\">https://status.example/a?b=1&amp;c=2</a>, \
             <a href=\"http://x.example\" rel=\"nofollow noopener\">http://x.example</a>. \
             (<a href=\"HTTPS://x.example/A_(b)#c\" rel=\"nofollow noopener\">HTTPS://x.example/A_(b)#c</a>) \
             Not javascript://alert(1), ftp://x.example or &lt;b&gt;a@example.com&lt;/b&gt;"
        );
    }

    #[test]
    fn quote_ends_no_attribute() {
        let link = linked("https://x.example/\"onmouseover=alert(1)").0;
        assert!(!link.contains("\"onmouseover"), "{link}");
    }
}
