//! Signature of tokens with Ed25519 (RFC 8032, RFC 8037), and publication of the keys (RFC 7517).

use std::collections::HashMap;

use allclear_application::caller::TokenError;
use allclear_application::error::Error;
use allclear_application::installation::SigningKey;
use allclear_application::secret::HmacKey;
use allclear_application::session::{TokenClaims, TokenIssuer};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, encode};

use super::claims::Claims;
use crate::jwt::bad;

/// The algorithm of the tokens.
pub const ALGORITHM: Algorithm = Algorithm::EdDSA;

/// Prefix of the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Token issuer of the built-in provider.
pub(crate) struct Signer {
    key: EncodingKey,
    header: Header,
    issuer: String,
    published: JwkSet,
    /// The keys that verify the tokens, by their names.
    verifying: HashMap<String, DecodingKey>,
    /// One for each key, the newest first.
    short_lived: Vec<ShortLivedKey>,
}

impl Signer {
    /// A signer that uses the first of these keys, the newest. Tokens name `public_url` as issuer
    /// and as authorised party.
    ///
    /// # Errors
    /// If a key is invalid.
    pub(crate) fn new(keys: &[SigningKey], public_url: &str) -> Result<Self, Error> {
        let newest = keys
            .first()
            .ok_or_else(|| Error::internal("there is no signing key"))?;
        let mut header = Header::new(ALGORITHM);
        header.kid = Some(newest.id.clone());
        let published: Vec<_> = keys.iter().map(published).collect::<Result<_, _>>()?;
        let verifying = keys.iter().zip(&published).map(|(key, published)| {
            let verifying = DecodingKey::from_jwk(published).map_err(Error::internal)?;
            Ok((key.id.clone(), verifying))
        });
        let verifying = verifying.collect::<Result<_, Error>>()?;
        let short_lived = keys.iter().map(ShortLivedKey::of);
        Ok(Self {
            key: encoding_key(&newest.private)?,
            header,
            issuer: public_url.trim_end_matches('/').to_owned(),
            published: JwkSet { keys: published },
            verifying,
            short_lived: short_lived.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the key with this name, which verifies tokens.
    ///
    /// # Errors
    /// [`TokenError::Bad`] if it is unknown.
    pub(crate) fn verifying_key(&self, name: &str) -> Result<&DecodingKey, TokenError> {
        let key = self.verifying.get(name);
        key.ok_or_else(|| bad("signed with a key that is not ours"))
    }

    /// The HMAC keys that are derived from the accepted keys, the newest first; at least one.
    pub(crate) fn short_lived(&self) -> &[ShortLivedKey] {
        &self.short_lived
    }

    /// Returns the name of the signing key.
    pub(crate) fn key_name(&self) -> &str {
        self.header.kid.as_deref().unwrap_or_default()
    }

    /// Returns the issuer in the tokens.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }
}

/// An HMAC key that is derived from a signing key.
pub(crate) struct ShortLivedKey {
    pub(crate) hmac_key: HmacKey,
    /// When the signing key was made.
    pub(crate) created_at: DateTime<Utc>,
}

impl ShortLivedKey {
    fn of(key: &SigningKey) -> Result<Self, Error> {
        let derived = HmacKey::new(&key.private)?.sign("short-lived signatures", &[]);
        Ok(Self {
            hmac_key: HmacKey::new(&URL_SAFE_NO_PAD.encode(derived))?,
            created_at: key.created_at,
        })
    }
}

impl TokenIssuer for Signer {
    fn issue(&self, claims: &TokenClaims) -> Result<String, Error> {
        let membership = claims.membership.as_ref();
        let claims = Claims {
            iss: self.issuer.clone(),
            sub: claims.user.to_string(),
            sid: claims.session.to_string(),
            iat: claims.issued_at.timestamp(),
            nbf: claims.issued_at.timestamp(),
            exp: claims.expires_at.timestamp(),
            azp: self.issuer.clone(),
            name: claims.name.clone(),
            org_id: membership.map(|found| found.organisation.to_string()),
            org_role: membership.map(|found| found.role.to_string()),
            org_name: membership.and_then(|found| found.organisation_name.clone()),
        };
        encode(&self.header, &claims, &self.key).map_err(Error::internal)
    }

    fn key_set(&self) -> Result<serde_json::Value, Error> {
        serde_json::to_value(&self.published).map_err(Error::internal)
    }
}

/// Returns a key's name: its thumbprint (RFC 7638).
pub(crate) fn key_id(private: &str) -> Result<String, Error> {
    let key =
        Jwk::from_encoding_key(&encoding_key(private)?, ALGORITHM).map_err(Error::internal)?;
    key.thumbprint(ThumbprintHash::SHA256)
        .map_err(Error::internal)
}

fn published(key: &SigningKey) -> Result<Jwk, Error> {
    let mut published =
        Jwk::from_encoding_key(&encoding_key(&key.private)?, ALGORITHM).map_err(Error::internal)?;
    published.common.key_id = Some(key.id.clone());
    published.common.public_key_use = Some(PublicKeyUse::Signature);
    Ok(published)
}

fn encoding_key(private: &str) -> Result<EncodingKey, Error> {
    let seed = URL_SAFE_NO_PAD.decode(private).map_err(Error::internal)?;
    Ok(EncodingKey::from_ed_der(
        &[PKCS8.as_slice(), &seed].concat(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_set_publishes_the_public_half_only() {
        // RFC 8037, appendix A.1 to A.3.
        let private = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A".to_owned();
        let id = key_id(&private).unwrap();
        assert_eq!(id, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        let key = SigningKey {
            id,
            private: private.clone(),
            created_at: chrono::DateTime::default(),
        };
        let published = Signer::new(&[key], "https://status.example.com/")
            .unwrap()
            .key_set()
            .unwrap();
        let found = &published["keys"][0];
        assert_eq!(found["x"], "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        assert_eq!(
            (&found["kty"], &found["alg"], &found["use"]),
            (&"OKP".into(), &"EdDSA".into(), &"sig".into())
        );
        assert!(!published.to_string().contains(&private));
    }
}
