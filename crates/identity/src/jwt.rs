//! Strict verification of JSON Web Tokens (RFC 7519, RFC 8725): a fixed algorithm, a known key, the
//! exact issuer and authorised party, and times by the injected clock.

use std::sync::Arc;

use allclear_application::caller::TokenError;
use allclear_application::clock::Clock;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde::de::DeserializeOwned;

/// Tolerated difference of clocks, in seconds.
const LEEWAY: i64 = 5;
/// Maximum length of a token, in bytes; those of the built-in provider have about 700.
const MAX_LENGTH: usize = 8192;

/// The claims that are checked in every provider's tokens.
pub(crate) trait Registered {
    /// `iss`.
    fn issuer(&self) -> &str;
    /// `azp`; `None` if the token does not have it.
    fn authorised_party(&self) -> Option<&str>;
    /// `iat`, in seconds.
    fn issued_at(&self) -> i64;
    /// `nbf`, in seconds.
    fn not_before(&self) -> i64;
    /// `exp`, in seconds.
    fn expires_at(&self) -> i64;
}

/// Rules for a provider's tokens.
pub(crate) struct Rules {
    /// The accepted algorithm, whatever a token's header says (RFC 8725, section 3.1).
    pub(crate) algorithm: Algorithm,
    /// The exact issuer.
    pub(crate) issuer: String,
    /// The accepted authorised parties.
    pub(crate) authorised_parties: Vec<String>,
    /// Source of the current time.
    pub(crate) clock: Arc<dyn Clock>,
}

impl Rules {
    /// Returns the name of the key in a token's header.
    ///
    /// # Errors
    /// [`TokenError::Bad`].
    pub(crate) fn key_of(&self, token: &str) -> Result<String, TokenError> {
        if token.len() > MAX_LENGTH {
            return Err(bad("too long"));
        }
        let header = decode_header(token).map_err(|error| bad(&error.to_string()))?;
        self.key_name(&header)
    }

    /// Verifies a token, whose header was checked, with its key and returns its claims.
    ///
    /// # Errors
    /// [`TokenError::Bad`], with the reason for the log.
    pub(crate) fn check<C: DeserializeOwned + Registered>(
        &self,
        token: &str,
        key: &DecodingKey,
    ) -> Result<C, TokenError> {
        let decoded =
            decode::<C>(token, key, &self.validation()).map_err(|error| bad(&error.to_string()))?;
        self.check_claims(&decoded.claims)?;
        Ok(decoded.claims)
    }

    /// Returns the name of the key from a checked header. A key in the token itself proves nothing
    /// (RFC 8725, section 3.10), and unknown critical extensions must be rejected (RFC 7515,
    /// section 4.1.11).
    ///
    /// # Errors
    /// [`TokenError::Bad`].
    fn key_name(&self, header: &Header) -> Result<String, TokenError> {
        if header.alg != self.algorithm {
            return Err(bad("another algorithm"));
        }
        let foreign = header.jku.is_some()
            || header.jwk.is_some()
            || header.x5u.is_some()
            || header.x5c.is_some();
        if foreign || header.crit.is_some() {
            return Err(bad("a header that is not taken"));
        }
        if header
            .typ
            .as_deref()
            .is_some_and(|kind| !kind.eq_ignore_ascii_case("JWT"))
        {
            return Err(bad("another type of token"));
        }
        header.kid.clone().ok_or_else(|| bad("no key named"))
    }

    /// Checks by the library. The times are checked here, by the injected clock.
    fn validation(&self) -> Validation {
        let mut validation = Validation::new(self.algorithm);
        validation.set_issuer(&[&self.issuer]);
        validation.set_required_spec_claims(&["exp", "nbf", "iss", "sub"]);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation
    }

    fn check_claims(&self, claims: &impl Registered) -> Result<(), TokenError> {
        let now = self.clock.now().timestamp();
        if claims.issuer() != self.issuer {
            return Err(bad("another issuer"));
        }
        let Some(party) = claims.authorised_party() else {
            return Err(bad("no authorised party"));
        };
        if !self.authorised_parties.iter().any(|known| known == party) {
            return Err(bad("issued to another party"));
        }
        if claims.expires_at().saturating_add(LEEWAY) <= now {
            return Err(bad("expired"));
        }
        if claims.not_before().saturating_sub(LEEWAY) > now {
            return Err(bad("not valid yet"));
        }
        if claims.issued_at().saturating_sub(LEEWAY) > now {
            return Err(bad("issued in the future"));
        }
        Ok(())
    }
}

/// The error for an invalid token.
pub(crate) fn bad(reason: &str) -> TokenError {
    TokenError::Bad(reason.to_owned())
}

#[cfg(test)]
mod tests;
