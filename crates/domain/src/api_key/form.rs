//! The text of an API key: `ack_`, 32 random bytes in base 62, and a checksum.
//!
//! The checksum lets this server refuse, and secret scanners recognise, a text without asking
//! the database.

use std::fmt;
use std::str::FromStr;

const MARK: &str = "ack_";
/// Digits of 32 bytes in base 62.
const RANDOM_DIGITS: usize = 43;
/// Digits of 32 bits in base 62.
const CHECK_DIGITS: usize = 6;
const LENGTH: usize = MARK.len() + RANDOM_DIGITS + CHECK_DIGITS;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The text of an API key. Its possession is the proof, so it is never logged, and only its digest
/// is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyText(String);

/// The text does not have the form of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an API key")]
pub struct Malformed;

impl KeyText {
    /// The key of these random bytes.
    #[must_use]
    pub fn of(random: [u8; 32]) -> Self {
        let random = base62(&random, RANDOM_DIGITS);
        let check = checksum(&random);
        Self(format!("{MARK}{random}{check}"))
    }

    /// Whether a bearer token begins like an API key.
    #[must_use]
    pub fn is_meant(token: &str) -> bool {
        token.starts_with(MARK)
    }

    /// The key itself, which is secret.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The beginning, by which people recognise the key: 48 of its 256 random bits.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.0[..12]
    }
}

impl FromStr for KeyText {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let body = text.strip_prefix(MARK).ok_or(Malformed)?;
        if text.len() != LENGTH || !body.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Malformed);
        }
        let (random, check) = body.split_at(RANDOM_DIGITS);
        if checksum(random) == check {
            Ok(Self(text.to_owned()))
        } else {
            Err(Malformed)
        }
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyText(..)")
    }
}

/// The CRC-32 (IEEE 802.3) of these digits in base 62.
fn checksum(digits: &str) -> String {
    base62(
        &crc32fast::hash(digits.as_bytes()).to_be_bytes(),
        CHECK_DIGITS,
    )
}

/// A number, its greatest byte first, in base 62 with leading zeros.
fn base62(number: &[u8], length: usize) -> String {
    let mut number = number.to_vec();
    let mut digits = vec![DIGITS[0]; length];
    for digit in digits.iter_mut().rev() {
        // Long division by 62; the remainder is the next digit.
        let mut rest = 0_usize;
        for byte in &mut number {
            let value = rest << 8 | usize::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            rest = value % 62;
        }
        *digit = DIGITS[rest];
    }
    String::from_utf8_lossy(&digits).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn key_is_read_as_it_is_written(random in any::<[u8; 32]>()) {
            let key = KeyText::of(random);
            prop_assert_eq!(key.reveal().len(), 53);
            prop_assert_eq!(key.reveal().parse(), Ok(key));
        }

        #[test]
        fn key_with_another_character_is_malformed(random in any::<[u8; 32]>(), at in 0_usize..53, other in "[ -~]") {
            let key = KeyText::of(random).reveal().to_owned();
            let mut changed = key.clone();
            changed.replace_range(at..=at, &other);
            prop_assert_eq!(changed.parse::<KeyText>().is_ok(), changed == key);
        }
    }

    #[test]
    fn number_in_base_62_has_leading_zeros() {
        assert_eq!(base62(&[0, 61], 3), "00z");
        assert_eq!(base62(&[0, 62], 3), "010");
        let greatest = base62(&[0xff; 32], RANDOM_DIGITS);
        // 2^256 - 1, computed with arbitrary precision.
        assert_eq!(greatest, GREATEST);
        assert_eq!(base62(&[0; 32], RANDOM_DIGITS), "0".repeat(43));
    }

    #[test]
    fn checksum_is_the_crc_32_of_the_43_digits() {
        let digits = "0".repeat(43);
        // zlib.crc32(b"0" * 43) in Python, in base 62.
        assert_eq!(
            KeyText::of([0; 32]).reveal(),
            format!("ack_{digits}{ZEROS}")
        );
    }

    #[test]
    fn text_of_another_form_is_malformed() {
        let key = KeyText::of([1; 32]).reveal().to_owned();
        let long = format!("{key}0");
        let umlaut = key.replacen('0', "\u{e4}", 1);
        for text in ["", "ack_", &key[1..], &key[..52], &long, &umlaut, "acx_"] {
            assert_eq!(text.parse::<KeyText>(), Err(Malformed), "{text}");
        }
        assert!(!format!("{:?}", KeyText::of([1; 32])).contains(&key[4..]));
    }

    const GREATEST: &str = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1";
    const ZEROS: &str = "2CZclj";
}
