//! Recovery codes: each replaces a second factor once.

use std::fmt;

use crate::secret::{Digest, SecretToken};

/// The characters of codes; each stands for five bits. `i`, `l`, `o` and `u` are left out, because
/// people confuse them with others.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Length of a code: 150 random bits (OWASP ASVS 5.0, 11.5.1), so one fast round is enough for the
/// digest (6.5.2).
const LENGTH: usize = 30;
/// Length of older codes, which stay valid.
const OLDER_LENGTH: usize = 24;
/// Length of a group of characters.
const GROUP_LENGTH: usize = 6;

/// A recovery code. Its possession is the proof, so only its digest is stored, and it is
/// never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    /// Number of codes of an account.
    pub const COUNT: usize = 10;

    /// The codes of an account.
    pub(crate) fn generate() -> Vec<Self> {
        (0..Self::COUNT).map(|_| Self::random()).collect()
    }

    fn random() -> Self {
        let random = rand::random::<[u8; LENGTH]>();
        let characters = random.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        Self(characters.into_iter().collect())
    }

    /// A code as a person entered it; `None` if the text does not have the form of a code.
    pub(super) fn entered(text: &str) -> Option<Self> {
        let spaced = |character: &char| !character.is_whitespace() && *character != '-';
        let code: String = text
            .chars()
            .filter(spaced)
            .map(|character| match character.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                other => other,
            })
            .collect();
        let is_long = [LENGTH, OLDER_LENGTH].contains(&code.len());
        let is_code = is_long && code.bytes().all(|byte| ALPHABET.contains(&byte));
        is_code.then_some(Self(code))
    }

    /// The code in groups, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> String {
        let groups = self.0.as_bytes().chunks(GROUP_LENGTH);
        let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
        groups.join("-")
    }

    /// The digest, which is stored.
    pub(crate) fn digest(&self) -> Digest {
        SecretToken::presented(self.0.clone()).digest()
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_write_it() {
        let code = RecoveryCode("0123456789abcdefghjkmn10pqrstv".into());
        assert_eq!(code.reveal(), "012345-6789ab-cdefgh-jkmn10-pqrstv");
        for entered in [
            "012345-6789ab-cdefgh-jkmn10-pqrstv",
            " 012345 6789AB CDEFGH JKMNIO PQRSTV ",
            "o12345-6789ab-cdefghjkmnl0-pqrstv",
        ] {
            assert_eq!(
                RecoveryCode::entered(entered),
                Some(code.clone()),
                "{entered}"
            );
        }
        let older = "012345-6789ab-cdefgh-jkmn10";
        assert_eq!(RecoveryCode::entered(older).unwrap().reveal(), older);
        for other in [
            "",
            "123456",
            "012345-6789ab-cdefgh-jkmn1",
            "012345-6789ab-cdefgh-jkmn10-pqrst",
            "u".repeat(30).as_str(),
        ] {
            assert_eq!(RecoveryCode::entered(other), None, "{other}");
        }
    }

    #[test]
    fn codes_differ_and_are_not_shown_when_debugged() {
        let codes = RecoveryCode::generate();
        assert_eq!(codes.len(), RecoveryCode::COUNT);
        for (index, code) in codes.iter().enumerate() {
            assert!(!codes[..index].contains(code));
            assert_eq!(RecoveryCode::entered(&code.reveal()).as_ref(), Some(code));
            assert!(!format!("{code:?} {:?}", code.digest()).contains(&code.0));
        }
    }
}
