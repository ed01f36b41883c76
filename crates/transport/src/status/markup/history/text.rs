//! Texts and times of the history.

use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use linkify::{LinkFinder, LinkKind};
use maud::{Markup, html};

/// Text that people wrote, with its line breaks; nothing if it is empty. Web addresses become links.
pub(super) fn linked_prose(text: &str) -> Markup {
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

/// A time in the zone of the page.
pub(super) fn zoned_time(time: DateTime<Utc>, zone: TimeZone) -> Markup {
    html! {
        time datetime=(time.to_rfc3339_opts(SecondsFormat::Millis, true)) {
            (zone.local_time(time).format("%b %d, %Y %I:%M:%S %p"))
        }
    }
}

/// A length of time in its two largest units.
pub(super) fn duration(length: TimeDelta) -> String {
    let (days, hours, minutes) = (
        length.num_days(),
        length.num_hours() % 24,
        length.num_minutes() % 60,
    );
    let parts: Vec<_> = [(days, "day"), (hours, "hour"), (minutes, "minute")]
        .into_iter()
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() {
        return "Less than a minute".to_owned();
    }
    parts.join(" ")
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

    #[test]
    fn time_is_in_the_zone_of_the_page() {
        let time = "2026-07-01T21:05:09.250Z".parse().unwrap();
        assert_eq!(
            zoned_time(time, "Asia/Kolkata".parse().unwrap()).0,
            "<time datetime=\"2026-07-01T21:05:09.250Z\">Jul 02, 2026 02:35:09 AM</time>"
        );
    }

    #[test]
    fn duration_has_two_units() {
        let rows = [
            (0, "Less than a minute"),
            (59, "Less than a minute"),
            (60, "1 minute"),
            (3_600 * 2 + 60 * 5 + 7, "2 hours 5 minutes"),
            (86_400 + 60, "1 day"),
            (86_400 * 3 + 3_600, "3 days 1 hour"),
        ];
        for (seconds, text) in rows {
            assert_eq!(duration(TimeDelta::seconds(seconds)), text);
        }
    }
}
