//! Rules every text from a person keeps. A character is a Unicode scalar value.

use std::borrow::Cow;

use validator::ValidationError;

/// The longest name or title, in characters.
pub const NAME_MAX: u64 = 200;
/// The longest description or message, in characters.
pub const DESCRIPTION_MAX: u64 = 10_000;

/// A text as it is kept: white space at both ends is gone.
#[must_use]
pub fn trimmed(text: &str) -> String {
    text.trim().to_owned()
}

/// Refuses a NUL: PostgreSQL cannot store one, and no person types one.
///
/// # Errors
/// When the text holds U+0000.
pub fn no_nul(text: &str) -> Result<(), ValidationError> {
    if text.contains('\0') {
        Err(refusal("nul", "Must not contain a NUL character"))
    } else {
        Ok(())
    }
}

/// Refuses a name or title of more than [`NAME_MAX`] characters.
///
/// # Errors
/// When the text is longer.
pub fn name_length(text: &str) -> Result<(), ValidationError> {
    at_most(text, NAME_MAX)
}

/// Refuses a description or message of more than [`DESCRIPTION_MAX`] characters.
///
/// # Errors
/// When the text is longer.
pub fn description_length(text: &str) -> Result<(), ValidationError> {
    at_most(text, DESCRIPTION_MAX)
}

fn at_most(text: &str, limit: u64) -> Result<(), ValidationError> {
    if text.chars().count() as u64 > limit {
        return Err(refusal(
            "length",
            format!("Must be at most {limit} characters"),
        ));
    }
    Ok(())
}

fn refusal(code: &'static str, message: impl Into<Cow<'static, str>>) -> ValidationError {
    ValidationError::new(code).with_message(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn length_counts_characters_not_bytes(text in "\\PC{0,210}") {
            prop_assert_eq!(name_length(&text).is_ok(), text.chars().count() <= 200);
        }

        #[test]
        fn trimming_twice_is_trimming_once(text in "\\PC*") {
            prop_assert_eq!(trimmed(&trimmed(&text)), trimmed(&text));
        }
    }

    #[test]
    fn nul_is_refused() {
        assert!(no_nul("a\0b").is_err());
        assert!(no_nul("plain").is_ok());
    }
}
