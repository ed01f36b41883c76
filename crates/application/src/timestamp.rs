//! Times in JSON: UTC, RFC 3339, always with milliseconds.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

/// Returns the text of a time.
#[must_use]
pub fn text(moment: &DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// For `#[serde(serialize_with)]`.
///
/// # Errors
/// The serializer's error.
pub fn serialize<S: Serializer>(moment: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(moment))
}

/// For `#[serde(serialize_with)]` on an optional time.
///
/// # Errors
/// The serializer's error.
pub fn serialize_option<S: Serializer>(
    moment: &Option<DateTime<Utc>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    moment.as_ref().map(text).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_second_still_shows_its_milliseconds() {
        assert_eq!(
            text(&DateTime::from_timestamp(0, 0).unwrap()),
            "1970-01-01T00:00:00.000Z"
        );
    }
}
