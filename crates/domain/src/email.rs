//! Mail addresses: what is taken for one, and when two are the same.

use std::fmt;

use validator::{ValidateEmail, ValidationError};

/// The longest address taken, in characters (RFC 5321, section 4.5.3.1.3, less the angle brackets).
pub const EMAIL_MAX: usize = 254;

const REFUSAL: &str = "Invalid email address";

/// Refuses what the HTML standard's `<input type="email">` refuses, and anything over [`EMAIL_MAX`]. The part before
/// the `@` must be ASCII: some letters outside it, the Kelvin sign for one, would become ASCII ones in lower case, and so
/// somebody else's address.
///
/// # Errors
/// When the text is no such address.
pub fn email_address(text: &str) -> Result<(), ValidationError> {
    let fits = text.chars().count() <= EMAIL_MAX;
    let plain = text.rsplit_once('@').is_some_and(|(local, _)| local.is_ascii());
    if fits && plain && text.validate_email() {
        return Ok(());
    }
    Err(ValidationError::new("email").with_message(REFUSAL.into()))
}

/// An address in the form in which addresses are compared: lower case. Mail goes to the address as it was entered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmailKey(String);

impl EmailKey {
    /// The key of an address.
    #[must_use]
    pub fn of(address: &str) -> Self {
        Self(address.trim().to_lowercase())
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_is_what_a_browser_takes_for_one() {
        for good in ["a@b", "ann.o'neil+status@example.com", "x@exämple.com", &format!("a@{}", "b.".repeat(125) + "cd")]
        {
            assert!(email_address(good).is_ok(), "{good}");
        }
        for bad in ["", "ann", "ann@", "@b", "a b@c", "a@b\r\nBcc: c@d", "a@b\0", "\u{212A}ate@example.com", "a@b,c@d"]
        {
            assert!(email_address(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_address_has_at_most_254_characters() {
        let of_length = |length: usize| format!("a@{}bc", "b.".repeat((length - 4) / 2));
        assert!(email_address(&of_length(254)).is_ok());
        assert!(email_address(&of_length(256)).is_err());
    }

    proptest! {
        #[test]
        fn addresses_that_differ_in_case_are_the_same(address in "[a-zA-Z]{1,9}@[a-zA-Z]{1,9}") {
            prop_assert_eq!(EmailKey::of(&address), EmailKey::of(&address.to_uppercase()));
        }

        #[test]
        fn no_two_accepted_local_parts_become_one_but_by_ascii_case(one in "\\PC{1,6}", other in "[a-z]{1,6}") {
            let (a, b) = (format!("{one}@example.com"), format!("{other}@example.com"));
            if email_address(&a).is_ok() && EmailKey::of(&a) == EmailKey::of(&b) {
                prop_assert!(one.eq_ignore_ascii_case(&other));
            }
        }
    }
}
