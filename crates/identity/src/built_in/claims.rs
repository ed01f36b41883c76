//! Claims of the built-in provider's tokens.

use serde::{Deserialize, Serialize};

use crate::jwt::Registered;

/// The claims of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claims {
    /// Issuer (RFC 7519, section 4.1.1).
    pub(crate) iss: String,
    /// Identifier of the account.
    pub(crate) sub: String,
    /// The session it belongs to.
    pub(crate) sid: String,
    /// Time of issue, in seconds.
    pub(crate) iat: i64,
    /// Start of the validity, in seconds.
    pub(crate) nbf: i64,
    /// End of the validity, in seconds.
    pub(crate) exp: i64,
    /// The party to which it was issued: Allclear's web app.
    pub(crate) azp: String,
    /// The person's name.
    pub(crate) name: String,
    /// The token's organisation; `None` for a token without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) org_id: Option<String>,
    /// `admin`, `editor` or `viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) org_role: Option<String>,
    /// The organisation's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) org_name: Option<String>,
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
