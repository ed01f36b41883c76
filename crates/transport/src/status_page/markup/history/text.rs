//! Texts of the history.

use chrono::TimeDelta;

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
