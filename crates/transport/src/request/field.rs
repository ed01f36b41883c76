//! Fields of JSON bodies, parsed so that an error response names every invalid field.

use std::str::FromStr;

use allclear_domain::text::trimmed;
use allclear_domain::validation::{FieldError, Invalid};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Message for a value that is not one of the choices.
pub(crate) const CHOICE_MESSAGE: &str = "Select Any One";
/// Message for what is neither true nor false.
pub(crate) const BOOLEAN_MESSAGE: &str = "Must be true or false";

/// A field of a JSON body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum FieldInput<T> {
    /// The field is absent.
    #[default]
    Absent,
    /// The field is null.
    Null,
    /// The value has the wrong type.
    Wrong,
    /// The value.
    Given(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for FieldInput<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Null);
        }
        Ok(serde_json::from_value(value).map_or(Self::Wrong, Self::Given))
    }
}

impl<T> FieldInput<T> {
    /// The value of a required field; adds an error if it is missing or wrong.
    pub(crate) fn required(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        if let Self::Given(value) = self {
            return Some(value);
        }
        invalid.add(FieldError::new(field, message));
        None
    }

    /// The value of an optional field; adds an error if it is null or wrong.
    pub(crate) fn optional(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        if self.is_absent() {
            None
        } else {
            self.required(field, message, invalid)
        }
    }

    /// The value of a field that may be absent or null; adds an error if it is wrong.
    pub(crate) fn nullable(self, field: &str, message: &str, invalid: &mut Invalid) -> Option<T> {
        match self {
            Self::Null => None,
            given => given.optional(field, message, invalid),
        }
    }

    /// Whether the field is absent.
    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// Text that is trimmed at both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(trimmed(&text)))
    }
}

/// A text that the domain type parses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parsed<T>(pub T);

impl<'de, T: FromStr> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map(Self)
            .map_err(|_| serde::de::Error::custom("not a valid value"))
    }
}

/// A time: RFC 3339, or the 16 characters of `<input type="datetime-local">` in UTC. Truncated to
/// whole milliseconds, the stored precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp(pub DateTime<Utc>);

impl Timestamp {
    /// Smallest accepted year. An earlier one is mistyped, such as 0026.
    const FIRST_YEAR: i32 = 1970;
    /// Largest accepted year: the databases sort years of four digits, and a time that follows this
    /// one needs four digits too.
    const LAST_YEAR: i32 = 9998;

    /// Parses RFC 3339, also without seconds, without an offset or without a time: what is missing
    /// is zero.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let time = DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_rfc3339(&completed(text)))
            .ok()?;
        // This also turns a leap second into the following second.
        let time = DateTime::from_timestamp_millis(time.timestamp_millis())?;
        (Self::FIRST_YEAR..=Self::LAST_YEAR)
            .contains(&time.year())
            .then_some(Self(time))
    }
}

/// A day in the form `2026-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Date(pub NaiveDate);

impl Date {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        const FORM: &str = "%Y-%m-%d";
        let date = NaiveDate::parse_from_str(text, FORM).ok()?;
        let is_exact = text.len() == 10 && date.format(FORM).to_string() == text;
        (is_exact && (1..=Timestamp::LAST_YEAR).contains(&date.year())).then_some(Self(date))
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a valid day"))
    }
}

/// The bound of a range that a text names: the one of a day, or a time. `None` after adding an error
/// if the text is neither.
pub(crate) fn day_or_time<T>(
    field: &str,
    text: &str,
    of_day: impl FnOnce(NaiveDate) -> T,
    of_time: impl FnOnce(DateTime<Utc>) -> T,
    invalid: &mut Invalid,
) -> Option<T> {
    let bound = Date::parse(text)
        .map(|day| of_day(day.0))
        .or_else(|| Timestamp::parse(text).map(|time| of_time(time.0)));
    if bound.is_none() {
        invalid.add(FieldError::new(field, "Must be a time or a date"));
    }
    bound
}

/// A time of ISO 8601 with the parts that RFC 3339 requires: `2026-01-31T09:30` becomes
/// `2026-01-31T09:30:00Z`.
fn completed(text: &str) -> String {
    let (day, time) = text.split_once('T').unwrap_or((text, "00:00"));
    let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = time.split_at(end);
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    let offset = if offset.is_empty() { "Z" } else { offset };
    format!("{day}T{clock}{seconds}{offset}")
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a valid time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Form {
        #[serde(default)]
        name: FieldInput<Text>,
    }

    fn name(json: &str) -> FieldInput<Text> {
        serde_json::from_str::<Form>(json).unwrap().name
    }

    #[test]
    fn field_is_absent_null_wrong_or_given() {
        assert_eq!(name("{}"), FieldInput::Absent);
        assert_eq!(name(r#"{"name": null}"#), FieldInput::Null);
        assert_eq!(name(r#"{"name": [1]}"#), FieldInput::Wrong);
        assert_eq!(
            name(r#"{"name": "  API "}"#),
            FieldInput::Given(Text("API".into()))
        );
    }

    #[test]
    fn only_required_fields_may_not_be_absent() {
        let mut invalid = Invalid::default();
        assert_eq!(
            name("{}").optional("name", "Name is required", &mut invalid),
            None
        );
        assert_eq!(invalid, Invalid::default());
        assert_eq!(
            name("{}").required("name", "Name is required", &mut invalid),
            None
        );
        assert_eq!(
            name(r#"{"name": null}"#).optional("name", "Name is required", &mut invalid),
            None
        );
        assert_eq!(invalid, Invalid::field("name", "Name is required"));
    }

    #[test]
    fn time_is_parsed_also_without_its_last_parts_and_truncated_to_milliseconds() {
        let rows = [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00+00:00"),
            (
                "2026-01-31T09:30:00.123456Z",
                "2026-01-31T09:30:00.123+00:00",
            ),
            ("2026-01-31T09:30:00+02:00", "2026-01-31T07:30:00+00:00"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00+00:00"),
            ("2026-01-31T09:30", "2026-01-31T09:30:00+00:00"),
            ("2026-01-31T09:30:05", "2026-01-31T09:30:05+00:00"),
            ("2026-01-31T09:30:05.5", "2026-01-31T09:30:05.500+00:00"),
            ("2026-01-31T09:30Z", "2026-01-31T09:30:00+00:00"),
            ("2026-01-31T09:30-05:00", "2026-01-31T14:30:00+00:00"),
            ("2026-01-31", "2026-01-31T00:00:00+00:00"),
        ];
        for (text, expected) in rows {
            assert_eq!(
                Timestamp::parse(text)
                    .map(|read| read.0.to_rfc3339())
                    .as_deref(),
                Some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_times_are_refused() {
        let bad = [
            "",
            "yesterday",
            "2026-01",
            "2026-1-31",
            "2026-01-31T",
            "2026-01-31T09",
            "2026-02-30T09:30",
            "2026-01-31T24:00",
            "2026-1-31T009:30",
            "+026-01-31T09:30",
            "2026-01-31T09:30:",
            "2026-01-31T09:30:0",
            "2026-01-31T9:30:00",
            "2026-01-31 09:30",
            "9999-12-31T23:59:59Z",
            "0026-01-01T00:00:00Z",
        ];
        for text in bad {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn day_is_parsed_in_one_form() {
        let date = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
        assert_eq!(Date::parse("2026-01-31"), Some(Date(date)));
        for bad in [
            "",
            "2026-1-31",
            "2026-02-30",
            "2026-01-31T00:00",
            "+026-01-31",
            "0000-01-01",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn bound_is_a_day_or_a_time() {
        let mut invalid = Invalid::default();
        let mut bound = |text: &str| {
            let (day, time) = (|_: NaiveDate| "day", |_: DateTime<Utc>| "time");
            day_or_time("from", text, day, time, &mut invalid)
        };
        assert_eq!(bound("2026-01-31"), Some("day"));
        assert_eq!(bound("2026-01-31T09:30"), Some("time"));
        assert_eq!(bound("soon"), None);
        assert_eq!(invalid, Invalid::field("from", "Must be a time or a date"));
    }
}
