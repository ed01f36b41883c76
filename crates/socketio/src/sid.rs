//! Session identifiers.

use std::{fmt, str};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Serialize, Serializer};

const RANDOM_BYTES: usize = 18;
const TEXT_LENGTH: usize = 24;

/// An unguessable identifier: 144 random bits as 24 characters of URL-safe base64. The reference
/// server's have 120 bits; OWASP ASVS 5.0, 11.5.1 asks for 128.
///
/// The Engine.IO session and each of its sockets have one. The session's identifier is the
/// credential of the polling transport, so clients never see it as a socket's `sid` (Socket.IO
/// protocol v5, "Connection to a namespace").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sid([u8; TEXT_LENGTH]);

impl Sid {
    /// Creates a random identifier.
    #[must_use]
    pub(crate) fn random() -> Self {
        let mut text = [b'A'; TEXT_LENGTH];
        // 18 bytes are exactly 24 characters, so the slice always fits.
        let written = URL_SAFE_NO_PAD.encode_slice(rand::random::<[u8; RANDOM_BYTES]>(), &mut text);
        debug_assert_eq!(written.ok(), Some(TEXT_LENGTH));
        Self(text)
    }

    /// Parses an identifier; `None` if it is malformed.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; TEXT_LENGTH] = text.as_bytes().try_into().ok()?;
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        bytes.iter().all(plain).then_some(Self(bytes))
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Shows the first characters only, because the whole text is a credential and does not belong
/// in logs.
impl fmt::Debug for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sid({}…)", self.as_str().get(..6).unwrap_or_default())
    }
}

impl Serialize for Sid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_sid_can_be_parsed() {
        let sid = Sid::random();
        assert_eq!(Sid::parse(sid.as_str()), Some(sid));
        assert_ne!(Sid::random(), sid);
        const { assert!(RANDOM_BYTES * 8 >= 128) };
    }

    #[test]
    fn malformed_sid_is_none() {
        for text in [
            "",
            "short",
            "aaaaaaaaaaaaaaaaaaaaaaaaa",
            "aaaaaaaaaa aaaaaaaaaaaaa",
            "ääääääääääää",
        ] {
            assert_eq!(Sid::parse(text), None, "{text}");
        }
    }
}
