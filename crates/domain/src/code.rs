//! Public codes: short names of things for addresses that people share.

use std::fmt;
use std::str::{self, FromStr};

use sha2::{Digest, Sha256};

/// Digits of a code, in the order of their values.
const DIGITS: [u8; 36] = *b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A public code: 12 characters `0-9a-z`. It is made from the identifier of its thing by SHA-256
/// (FIPS 180-4), so it never changes, and two codes differ as surely as 62 random bits do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code([u8; Self::LENGTH]);

impl Code {
    /// Length of a code, in characters.
    pub const LENGTH: usize = 12;

    /// The code of the thing with this identifier.
    #[must_use]
    pub fn of(identifier: &[u8]) -> Self {
        let hash = Sha256::digest(identifier);
        let mut characters = [0; Self::LENGTH];
        for (character, bytes) in characters.iter_mut().zip(hash.chunks_exact(2)) {
            // 36 does not divide 65,536: the first digits are more frequent by one in 1,820.
            let value = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
            *character = DIGITS[value % DIGITS.len()];
        }
        Self(characters)
    }

    /// The code as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}

impl FromStr for Code {
    type Err = NotACode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let characters: [u8; Self::LENGTH] = text.as_bytes().try_into().map_err(|_| NotACode)?;
        if characters
            .iter()
            .all(|character| DIGITS.contains(character))
        {
            Ok(Self(characters))
        } else {
            Err(NotACode)
        }
    }
}

/// The number of the thing with this identifier in the entries of feeds, whose form has numbers
/// instead of codes. It is made from the identifier as a code is, so it never changes. It has at
/// most 53 bits: programs that hold numbers as floating point read it exactly.
#[must_use]
pub(crate) fn feed_number(identifier: &[u8]) -> u64 {
    let hash = Sha256::new()
        .chain_update(b"feed")
        .chain_update(identifier)
        .finalize();
    let first = hash
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    first >> 11
}

/// A text that cannot be a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a code")]
pub struct NotACode;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn code_has_the_public_form_and_is_parsed_again(identifier: [u8; 16]) {
            let code = Code::of(&identifier);
            prop_assert_eq!(code.as_str().len(), 12);
            prop_assert_eq!(code.as_str().parse(), Ok(code));
        }
    }

    #[test]
    fn feed_number_never_changes_and_is_exact_as_floating_point() {
        assert_eq!(feed_number(b"org_1"), 7_307_702_034_387_444);
        assert!(feed_number(b"org_1") < 1 << 53);
        assert_ne!(feed_number(b"org_1"), feed_number(b"org_2"));
    }

    #[test]
    fn code_of_an_identifier_never_changes() {
        assert_eq!(Code::of(b"org_1").as_str(), "b98zfbywl5tq");
        assert_ne!(Code::of(b"org_1"), Code::of(b"org_2"));
    }

    #[test]
    fn text_of_another_form_is_not_a_code() {
        for text in [
            "",
            "0123456789a",
            "0123456789abc",
            "0123456789aB",
            "0123456789a-",
            "ééééää",
        ] {
            assert_eq!(text.parse::<Code>(), Err(NotACode), "{text}");
        }
    }
}
