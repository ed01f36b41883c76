//! Passwords as people enter them, and the rules for new ones.

mod common;

use std::fmt;

use serde::{Serialize, Serializer};
use validator::ValidationError;

use crate::email::Mailbox;
use crate::text;
use crate::validation::Invalid;

/// A password as entered. It is never trimmed, displayed or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// The fewest characters of a new password (OWASP ASVS 5.0, 6.2.1 asks for 8).
    pub(crate) const MIN_LENGTH: usize = 10;
    /// The most characters of a password (OWASP ASVS 5.0, 6.2.9 asks for at least 64).
    pub const MAX_LENGTH: usize = 256;

    /// A password as entered.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Input of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Checks that a new password contains neither the name nor the mail address of its person.
    ///
    /// # Errors
    /// [`Invalid`] at `field`.
    pub fn check_personal(&self, field: &str, name: &str, email: &str) -> Result<(), Invalid> {
        if Person::new(name, email).is_in(&self.0) {
            return Err(Invalid::field(
                field,
                "Must not contain your name or mail address",
            ));
        }
        Ok(())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// The validator stores rejected values in its errors as JSON; a password must not be stored.
impl Serialize for Password {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// Every character is allowed, and no class of characters is required (OWASP ASVS 5.0, 6.2.5).
pub(super) fn new_password(password: &Password) -> Result<(), ValidationError> {
    if password.0.chars().count() < Password::MIN_LENGTH {
        let message = format!("Must be at least {} characters", Password::MIN_LENGTH);
        return Err(ValidationError::new("length").with_message(message.into()));
    }
    given_password(password)?;
    if common::contains(&password.0) {
        let message = "This is one of the most common passwords. Choose another one";
        return Err(ValidationError::new("common").with_message(message.into()));
    }
    Ok(())
}

/// The maximum length bounds the work of hashing.
pub(super) fn given_password(password: &Password) -> Result<(), ValidationError> {
    if password.0.is_empty() {
        return Err(ValidationError::new("length").with_message("Password is required".into()));
    }
    text::at_most(&password.0, Password::MAX_LENGTH)?;
    text::no_nul(&password.0)
}

/// The words that name a person: the name and its words, the mail address and the part before
/// the `@`.
struct Person(Vec<String>);

impl Person {
    /// Minimum length of a word that counts inside other words, too. A shorter one counts only as a
    /// word of its own: `ann` is not in `channel`.
    const INSIDE: usize = 4;
    /// Minimum length of a word that counts.
    const MIN: usize = 3;

    fn new(name: &str, email: &str) -> Self {
        let mailbox = Mailbox::of(email);
        let local = mailbox.as_str().split('@').next().unwrap_or_default();
        let words = [name, email, mailbox.as_str(), local]
            .into_iter()
            .chain(name.split_whitespace());
        let words = words
            .map(folded)
            .filter(|word| word.chars().count() >= Self::MIN);
        Self(words.collect())
    }

    fn is_in(&self, password: &str) -> bool {
        let whole = folded(password);
        let lower = password.to_lowercase();
        let parts: Vec<&str> = lower.split(|c: char| !c.is_alphabetic()).collect();
        self.0.iter().any(|word| {
            let inside = word.chars().count() >= Self::INSIDE && whole.contains(word.as_str());
            inside || whole == *word || parts.contains(&word.as_str())
        })
    }
}

/// Lower case, without spaces and punctuation.
fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_personal(password: &str, name: &str, email: &str) -> bool {
        let checked = Password::new(password.into()).check_personal("password", name, email);
        if let Err(invalid) = &checked {
            let expected = Invalid::field("password", "Must not contain your name or mail address");
            assert_eq!(*invalid, expected);
        }
        checked.is_err()
    }

    #[test]
    fn name_and_address_in_a_password_are_found_in_any_case_and_punctuation() {
        for password in [
            "Ada Lovelace",
            "adalovelace1843",
            "my-LOVELACE-password",
            "a.d.a.l.o.v.e.l.a.c.e",
            "countess@engines.example",
            "the COUNTESS of 1815",
            "ada 1234567890",
            "1843ADA1843",
        ] {
            assert!(
                is_personal(password, "Ada Lovelace", "Countess@Engines.example"),
                "{password}"
            );
        }
    }

    #[test]
    fn short_names_are_not_found_inside_of_other_words() {
        assert!(!is_personal("a channel of words", "Ann", "ann@example.com"));
        assert!(!is_personal(
            "gadamer and dadaism",
            "Ada",
            "ada@example.com"
        ));
        assert!(is_personal("ann-ann-ann", "Ann", "ann@example.com"));
    }

    #[test]
    fn names_of_one_or_two_letters_and_domains_do_not_count() {
        assert!(!is_personal("of example.com and jo", "Jo", "j@example.com"));
        assert!(!is_personal("any words at all", "", ""));
    }
}
