//! Secrets of session cookies and of the links in mails.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// A token of 256 random bits, base64url (RFC 4648, section 5). Its possession is the proof, so
/// only its [`Digest`] is stored, and it is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretToken(String);

impl SecretToken {
    /// Generates a token.
    #[must_use]
    pub fn generate() -> Self {
        Self(URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()))
    }

    /// A token from a request, which may be invalid.
    #[must_use]
    pub const fn presented(text: String) -> Self {
        Self(text)
    }

    /// The token, for the cookie or the link.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the digest, which is stored. The time of a look-up by digest reveals nothing
    /// about a guess.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl fmt::Debug for SecretToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretToken(..)")
    }
}

/// The SHA-256 of a secret, base64url: of a [`SecretToken`], an API key, a recovery code, a
/// challenge or a stored password hash. Each contains at least 120 random bits, so one fast round
/// is enough (OWASP ASVS 5.0, 11.4.1 and 11.5.1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Digest(String);

impl Digest {
    /// The digest of a secret, which must contain at least 120 random bits.
    #[must_use]
    pub(crate) fn of(secret: &str) -> Self {
        Self(URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes())))
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// HMAC-SHA-256 key of 256 random bits (RFC 2104). It signs codes that are not stored.
#[derive(Clone)]
pub struct HmacKey(Hmac<Sha256>);

impl HmacKey {
    /// Makes the key of a secret text.
    ///
    /// # Errors
    /// [`Error::Internal`] when the key cannot be one.
    pub fn new(secret: &str) -> Result<Self, Error> {
        Hmac::new_from_slice(secret.as_bytes())
            .map(Self)
            .map_err(Error::internal)
    }

    /// The signature of these parts, in this order. A signature for one purpose is not valid
    /// for another.
    #[must_use]
    pub fn sign(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        self.over(purpose, parts).finalize().into_bytes().into()
    }

    /// Whether this is the signature of these parts. The comparison takes the same time for every
    /// wrong signature.
    #[must_use]
    pub fn verify(&self, purpose: &str, parts: &[&[u8]], signature: &[u8]) -> bool {
        self.over(purpose, parts).verify_slice(signature).is_ok()
    }

    /// A value as a token that everybody can read and only this installation can make, for
    /// a cookie.
    pub(crate) fn seal(&self, purpose: &str, value: &impl Serialize) -> SecretToken {
        // What is sealed consists of texts and numbers, which can always be written.
        let json = serde_json::to_vec(value).unwrap_or_default();
        let signature = self.sign(purpose, &[&json]);
        SecretToken::presented(format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(json),
            URL_SAFE_NO_PAD.encode(signature)
        ))
    }

    /// The value of a token. `None` if this installation did not seal it for this purpose.
    pub(crate) fn open<T: DeserializeOwned>(
        &self,
        purpose: &str,
        token: &SecretToken,
    ) -> Option<T> {
        let (json, signature) = token.reveal().split_once('.')?;
        let json = URL_SAFE_NO_PAD.decode(json).ok()?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        if !self.verify(purpose, &[&json], &signature) {
            return None;
        }
        serde_json::from_slice(&json).ok()
    }

    fn over(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for part in [&[purpose.as_bytes()], parts].concat() {
            // With each part's length, so that no two lists of parts are the same text.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

/// Signs what lives for minutes. Its keys are replaced together with those of access tokens, so
/// signatures that others make with the keys of a stolen backup are refused some minutes later.
pub trait ShortLivedSigner: Send + Sync {
    /// The signature of these parts, which every node accepts. A signature for one purpose is not
    /// valid for another.
    fn sign(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32];

    /// Whether a key that is still accepted has made this signature.
    fn verify(&self, purpose: &str, parts: &[&[u8]], signature: &[u8]) -> bool;
}

#[cfg(test)]
impl ShortLivedSigner for HmacKey {
    fn sign(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        Self::sign(self, purpose, parts)
    }

    fn verify(&self, purpose: &str, parts: &[&[u8]], signature: &[u8]) -> bool {
        Self::verify(self, purpose, parts, signature)
    }
}

impl fmt::Debug for HmacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HmacKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_valid_for_one_key_one_purpose_and_one_list_of_parts() {
        let hmac_key = HmacKey::new("key").unwrap();
        let signature = hmac_key.sign("a", &[b"bc", b"d"]);
        assert_eq!(
            HmacKey::new("key").unwrap().sign("a", &[b"bc", b"d"]),
            signature
        );
        assert!(hmac_key.verify("a", &[b"bc", b"d"], &signature));
        assert!(!hmac_key.verify("a", &[b"b", b"cd"], &signature));
        assert!(!hmac_key.verify("a", &[b"bc", b"d"], &signature[..31]));
        for other in [
            HmacKey::new("other").unwrap().sign("a", &[b"bc", b"d"]),
            hmac_key.sign("b", &[b"bc", b"d"]),
            hmac_key.sign("a", &[b"b", b"cd"]),
            hmac_key.sign("ab", &[b"c", b"d"]),
            hmac_key.sign("a", &[b"bc"]),
        ] {
            assert_ne!(other, signature);
        }
    }

    #[test]
    fn every_token_is_another_one_of_256_bits() {
        let (one, other) = (SecretToken::generate(), SecretToken::generate());
        assert_ne!(one, other);
        assert_eq!(URL_SAFE_NO_PAD.decode(one.reveal()).unwrap().len(), 32);
        assert_eq!(
            SecretToken::presented(one.reveal().to_owned()).digest(),
            one.digest()
        );
    }

    #[test]
    fn neither_digest_nor_log_contains_the_token() {
        let token = SecretToken::generate();
        assert!(!format!("{token:?} {:?}", token.digest()).contains(token.reveal()));
    }
}
