//! Time zones: which day an instant belongs to, and when a day starts.

use std::fmt;
use std::str::FromStr;

use chrono::{
    DateTime, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _, Utc,
};
use chrono_tz::{GapInfo, Tz};

/// A time zone of the IANA database. The default is `Etc/UTC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

/// A text that is not a name of the IANA database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Unknown time zone")]
pub struct UnknownTimeZone;

impl TimeZone {
    /// The zone as people write it: "America/New York", "UTC".
    #[must_use]
    pub fn label(self) -> String {
        let name = self.0.name();
        name.strip_prefix("Etc/").unwrap_or(name).replace('_', " ")
    }

    /// The name in the IANA database; `Etc/UTC` for every name of UTC.
    #[must_use]
    pub fn canonical_name(self) -> &'static str {
        let zone = match self.0 {
            Tz::UTC
            | Tz::UCT
            | Tz::Universal
            | Tz::Zulu
            | Tz::Etc__UCT
            | Tz::Etc__Universal
            | Tz::Etc__Zulu => Tz::Etc__UTC,
            other => other,
        };
        zone.name()
    }

    /// The date and time that clocks in this zone show at an instant.
    #[must_use]
    pub fn local_time(self, instant: DateTime<Utc>) -> NaiveDateTime {
        instant.with_timezone(&self.0).naive_local()
    }

    /// The day of an instant in this zone.
    #[must_use]
    pub fn date_of(self, instant: DateTime<Utc>) -> NaiveDate {
        instant.with_timezone(&self.0).date_naive()
    }

    /// The last day of a span in this zone. A span that ends at midnight does not reach the day
    /// that begins then.
    #[must_use]
    pub fn last_date_of(self, start: DateTime<Utc>, end: DateTime<Utc>) -> NaiveDate {
        self.date_of(start.max(end - TimeDelta::milliseconds(1)))
    }

    /// An instant as clocks in this zone show it, by a pattern of `strftime`.
    #[must_use]
    pub fn format(self, instant: DateTime<Utc>, pattern: &str) -> String {
        instant.with_timezone(&self.0).format(pattern).to_string()
    }

    /// An instant in the form of RFC 3339 with three digits for the fraction and the zone's offset
    /// at that instant; `Z` if the zone calls itself UTC.
    #[must_use]
    pub fn timestamp(self, instant: DateTime<Utc>) -> String {
        self.with_offset(instant, "%Y-%m-%dT%H:%M:%S%.3f")
    }

    /// [`Self::timestamp`] in whole seconds.
    #[must_use]
    pub fn timestamp_in_seconds(self, instant: DateTime<Utc>) -> String {
        self.with_offset(instant, "%Y-%m-%dT%H:%M:%S")
    }

    fn with_offset(self, instant: DateTime<Utc>, pattern: &str) -> String {
        let time = instant.with_timezone(&self.0);
        let offset = match time.format("%Z").to_string().as_str() {
            "UTC" => "Z".to_owned(),
            _ => time.format("%:z").to_string(),
        };
        format!("{}{offset}", time.format(pattern))
    }

    /// The first instant of a day in this zone. A day whose midnight is skipped starts after the
    /// gap; one whose midnight comes twice starts at the first.
    #[must_use]
    pub fn start_of(self, date: NaiveDate) -> DateTime<Utc> {
        let midnight = date.and_time(NaiveTime::MIN);
        match self.0.from_local_datetime(&midnight) {
            LocalResult::Single(start) | LocalResult::Ambiguous(start, _) => {
                start.with_timezone(&Utc)
            }
            LocalResult::None => GapInfo::new(&midnight, &self.0)
                .and_then(|gap| gap.end)
                .map_or_else(|| midnight.and_utc(), |end| end.with_timezone(&Utc)),
        }
    }
}

impl Default for TimeZone {
    fn default() -> Self {
        Self(Tz::Etc__UTC)
    }
}

impl FromStr for TimeZone {
    type Err = UnknownTimeZone;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.parse().map(Self).map_err(|_| UnknownTimeZone)
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn zone(name: &str) -> TimeZone {
        name.parse().unwrap()
    }

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn zone_is_written_as_it_is_read() {
        for name in ["Etc/UTC", "America/Argentina/Ushuaia", "Asia/Kolkata"] {
            assert_eq!(zone(name).to_string(), name);
        }
        assert_eq!(TimeZone::default().to_string(), "Etc/UTC");
    }

    #[test]
    fn label_has_spaces_and_no_prefix() {
        assert_eq!(zone("America/New_York").label(), "America/New York");
        assert_eq!(zone("Etc/UTC").label(), "UTC");
    }

    #[test]
    fn every_name_of_utc_has_one_canonical_name() {
        for name in ["Etc/UTC", "UTC", "Zulu", "Universal", "UCT", "Etc/Zulu"] {
            assert_eq!(zone(name).canonical_name(), "Etc/UTC", "{name}");
        }
        for name in ["Etc/GMT", "Europe/London", "America/New_York"] {
            assert_eq!(zone(name).canonical_name(), name);
        }
    }

    #[test]
    fn timestamp_has_the_offset_of_its_instant() {
        let rows = [
            (
                "Etc/UTC",
                "2026-03-05T16:22:41.507Z",
                "2026-03-05T16:22:41.507Z",
            ),
            ("UTC", "2026-03-05T16:22:41Z", "2026-03-05T16:22:41.000Z"),
            (
                "America/Denver",
                "2026-03-05T16:22:41.507Z",
                "2026-03-05T09:22:41.507-07:00",
            ),
            (
                "America/Denver",
                "2026-03-20T08:00:00Z",
                "2026-03-20T02:00:00.000-06:00",
            ),
            (
                "Europe/London",
                "2026-01-20T08:00:00Z",
                "2026-01-20T08:00:00.000+00:00",
            ),
            (
                "Asia/Kathmandu",
                "2026-01-20T08:00:00.001999Z",
                "2026-01-20T13:45:00.001+05:45",
            ),
        ];
        for (name, instant, expected) in rows {
            assert_eq!(zone(name).timestamp(at(instant)), expected);
        }
        assert_eq!(
            zone("Europe/Zurich").timestamp_in_seconds(at("2026-07-01T00:00:00.999Z")),
            "2026-07-01T02:00:00+02:00"
        );
    }

    #[test]
    fn unknown_zone_is_refused() {
        for name in [
            "",
            "Mars/Olympus",
            "europe/berlin",
            "Europe/Berlin ",
            "+02:00",
        ] {
            let refused = name.parse::<TimeZone>().unwrap_err();
            assert_eq!(refused.to_string(), "Unknown time zone", "{name:?}");
        }
    }

    #[test]
    fn day_starts_at_midnight_of_its_zone() {
        let berlin = zone("Europe/Berlin");
        assert_eq!(
            berlin.start_of(date("2026-03-29")),
            at("2026-03-28T23:00:00Z")
        );
        assert_eq!(
            berlin.start_of(date("2026-03-30")),
            at("2026-03-29T22:00:00Z")
        );
        assert_eq!(
            berlin.date_of(at("2026-03-28T23:00:00Z")),
            date("2026-03-29")
        );
    }

    #[test]
    fn span_until_midnight_ends_on_the_day_before() {
        let berlin = zone("Europe/Berlin");
        let midnight = at("2026-06-01T22:00:00Z");
        for (start, end, last) in [
            (midnight - TimeDelta::hours(2), midnight, "2026-06-01"),
            (midnight, midnight, "2026-06-02"),
            (midnight, at("2026-06-01T22:00:00.001Z"), "2026-06-02"),
        ] {
            assert_eq!(berlin.last_date_of(start, end), date(last));
        }
    }

    #[test]
    fn day_without_midnight_starts_after_the_gap() {
        let cairo = zone("Africa/Cairo");
        assert_eq!(
            cairo.start_of(date("2026-04-24")),
            at("2026-04-23T22:00:00Z")
        );
        assert_eq!(
            cairo.date_of(at("2026-04-23T21:59:59Z")),
            date("2026-04-23")
        );
    }

    #[test]
    fn day_with_two_midnights_starts_at_the_first() {
        let havana = zone("America/Havana");
        assert_eq!(
            havana.start_of(date("2026-11-01")),
            at("2026-11-01T04:00:00Z")
        );
        assert_eq!(
            havana.start_of(date("2026-11-02")),
            at("2026-11-02T05:00:00Z")
        );
    }

    #[test]
    fn skipped_day_is_empty() {
        let apia = zone("Pacific/Apia");
        assert_eq!(
            apia.start_of(date("2011-12-30")),
            apia.start_of(date("2011-12-31"))
        );
    }

    proptest! {
        #[test]
        fn day_begins_at_its_start_and_not_before(
            zone in proptest::sample::select(chrono_tz::TZ_VARIANTS.to_vec()).prop_map(TimeZone),
            day in 0..6_000_i64,
        ) {
            let day = date("2012-01-01") + TimeDelta::days(day);
            let start = zone.start_of(day);
            prop_assert_eq!(zone.date_of(start), day);
            prop_assert!(zone.date_of(start - TimeDelta::milliseconds(1)) < day);
        }
    }
}
