//! Claims of the built-in provider's tokens.

use serde::{Deserialize, Serialize};

use crate::jwt::Registered;

/// The claims of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Issuer (RFC 7519, section 4.1.1).
    pub iss: String,
    /// Identifier of the account.
    pub sub: String,
    /// The session it belongs to.
    pub sid: String,
    /// Time of issue, in seconds.
    pub iat: i64,
    /// Start of the validity, in seconds.
    pub nbf: i64,
    /// End of the validity, in seconds.
    pub exp: i64,
    /// The party to which it was issued: Allclear's web app.
    pub azp: String,
    /// The person's name.
    pub name: String,
    /// The token's organisation; `None` for a token without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_id: Option<String>,
    /// `admin`, `editor` or `viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_role: Option<String>,
    /// The organisation's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_name: Option<String>,
}

impl Registered for Claims {
    fn issuer(&self) -> &str {
        &self.iss
    }

    fn authorised_party(&self) -> Option<&str> {
        Some(&self.azp)
    }

    fn issued_at(&self) -> i64 {
        self.iat
    }

    fn not_before(&self) -> i64 {
        self.nbf
    }

    fn expires_at(&self) -> i64 {
        self.exp
    }
}
