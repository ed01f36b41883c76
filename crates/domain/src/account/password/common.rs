//! The most common passwords that are long enough, as
//! `docs/decisions/common-passwords-are-embedded.md` describes.

use sha2::{Digest, Sha256};

/// Number of bytes that are kept of a hash. One in ten million other passwords counts as a common
/// one by mistake.
const PREFIX: usize = 5;

/// Sorted prefixes of the SHA-256 of each password in lower case.
static PREFIXES: &[u8] = include_bytes!("common.bin");

/// Whether a password is one of the most common ones, in any case.
pub(super) fn contains(password: &str) -> bool {
    let hash = Sha256::digest(password.to_lowercase().as_bytes());
    let (prefixes, _) = PREFIXES.as_chunks::<PREFIX>();
    prefixes
        .binary_search_by(|known| known.as_slice().cmp(&hash[..PREFIX]))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_sorted_and_without_repetition() {
        let (prefixes, rest) = PREFIXES.as_chunks::<PREFIX>();
        assert!(rest.is_empty());
        assert!(prefixes.is_sorted_by(|one, next| one < next));
        // The 100,000 of the source, without those that differ in case only.
        assert_eq!(prefixes.len(), 98_861);
    }

    #[test]
    fn common_passwords_are_found_in_any_case() {
        for password in ["1234567890", "qwertyuiop", "PASSWORD123", "Liverpool1892"] {
            assert!(contains(password), "{password}");
        }
    }

    #[test]
    fn other_passwords_are_not_found() {
        for password in ["correct horse battery", "a few words of mine", ""] {
            assert!(!contains(password), "{password}");
        }
    }
}
