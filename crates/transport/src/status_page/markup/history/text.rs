//! Texts and times of the history.

use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use maud::{Markup, html};

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
