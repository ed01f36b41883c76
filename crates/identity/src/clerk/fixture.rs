//! Fixtures of the tests of Clerk.

use base64::Engine;
use jsonwebtoken::{Header, encode};
use serde_json::{Value, json};

use super::application_keys::{BASE64, PublishableKey};
use super::verifier::ALGORITHM;
use crate::fixture::{name, now, signing};

/// The publishable key of the tests' application; its Frontend API is at `clerk.example.com`.
pub(crate) fn application() -> PublishableKey {
    PublishableKey::parse(&format!("pk_test_{}", BASE64.encode("clerk.example.com$"))).unwrap()
}

/// The claims of a token of version 2, issued now for a minute.
pub(crate) fn claims() -> Value {
    let now = now().timestamp();
    json!({
        "iss": "https://clerk.example.com", "sub": "user_1", "sid": "sess_1", "azp": "https://status.example.com",
        "iat": now, "nbf": now - 10, "exp": now + 60, "jti": "a", "fva": [7, -1], "sts": "active", "v": 2,
        "fea": "o:pages", "o": {"id": "org_1", "rol": "admin", "slg": "acme", "per": "read", "fpm": "1"},
    })
}

/// The claims, signed with one of [`KEYS`](crate::fixture::KEYS).
pub(crate) fn signed(which: usize, claims: &Value) -> String {
    let mut header = Header::new(ALGORITHM);
    header.kid = Some(name(which));
    encode(&header, claims, &signing(which)).unwrap()
}
