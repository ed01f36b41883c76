//! Passkeys: credentials of WebAuthn, with which people sign in.

use chrono::{DateTime, Utc};
use validator::Validate;

use crate::id::PasskeyId;
use crate::text;

/// A passkey of an account, without its public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Its identifier.
    pub id: PasskeyId,
    /// The name that its owner gave it.
    pub name: String,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When it was last used; `None` if it never was.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl Passkey {
    /// How many passkeys an account may have.
    pub const MAX_COUNT: u64 = 20;
}

/// What the owner of a passkey enters, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct PasskeyDraft {
    /// 1 to 200 characters.
    #[validate(custom(function = text::short_name))]
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_of_at_most_200_characters() {
        let is_valid = |name: &str| PasskeyDraft { name: name.into() }.validate().is_ok();
        assert!(is_valid("Ann's phone"));
        assert!(is_valid(&"x".repeat(200)));
        for wrong in ["", &"x".repeat(201), "two\nlines", "\u{202E}evil"] {
            assert!(!is_valid(wrong), "{wrong}");
        }
    }
}
