//! Callers of the API: the identity port.

use allclear_domain::id::{ApiKeyId, OrganisationId, SessionId, UserId};
use allclear_domain::membership::Membership;
pub use allclear_domain::membership::Role;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::session::AdminSession;

/// A signed-in person or an API key, from a verified token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token's subject: the identifier of the user or the API key.
    pub subject: String,
    /// Whose limits the caller uses: the user's, or those of all API keys of the account that
    /// founded the organisation. If the founder is unknown, the keys of the organisation have
    /// limits of their own.
    pub account: String,
    /// The name of the user or the API key; `None` if the provider does not give it.
    pub name: Option<String>,
    /// The session the token belongs to; `None` for an API key.
    pub session: Option<TokenSession>,
    /// Time of the last authentication; `None` if the provider does not give it.
    pub authenticated_at: Option<DateTime<Utc>>,
    /// The API key; `None` for a person.
    pub api_key: Option<ApiKeyId>,
    /// The organisation the token is for; `None` for a user without one.
    pub membership: Option<TokenMembership>,
    /// When the token ends; `None` for an API key that does not expire.
    pub expires_at: Option<DateTime<Utc>>,
}

impl Caller {
    /// The session for a change which only an admin may make, and which needs the session until it
    /// is stored. `None` if the storage does not have the session.
    #[must_use]
    pub const fn admin_session(&self) -> Option<AdminSession> {
        match self.session {
            Some(TokenSession::BuiltIn { id, user }) => Some(AdminSession { id, user }),
            Some(TokenSession::Hosted(_)) | None => None,
        }
    }
}

/// The session of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSession {
    /// A session of the built-in provider. The storage has it.
    BuiltIn {
        /// The session.
        id: SessionId,
        /// Its account.
        user: UserId,
    },
    /// A session of a hosted provider, with its identifier there.
    Hosted(String),
}

/// The organisation a token is for, with the role of its bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenMembership {
    /// The organisation.
    pub organisation: OrganisationId,
    /// Its name; `None` if the provider does not give it.
    pub organisation_name: Option<String>,
    /// The bearer's role in it.
    pub role: Role,
}

impl From<Membership> for TokenMembership {
    fn from(membership: Membership) -> Self {
        Self {
            organisation: membership.organisation,
            organisation_name: Some(membership.name),
            role: membership.role,
        }
    }
}

/// Why a token does not make its bearer a [`Caller`].
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The token is malformed, expired, revoked or from another issuer. The reason is for the log.
    #[error("bad token: {0}")]
    Bad(String),
    /// The token is an API key that has expired.
    #[error("expired API key")]
    KeyExpired,
    /// The token cannot be checked now; a retry may work.
    #[error("tokens cannot be verified now")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl TokenError {
    /// Why the token is refused, for the log; `None` if it cannot be checked now.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Bad(reason) => Some(reason),
            Self::KeyExpired => Some("expired API key"),
            Self::Unavailable(_) => None,
        }
    }
}

/// While the storage fails, tokens cannot be verified.
impl From<Error> for TokenError {
    fn from(error: Error) -> Self {
        match error {
            Error::Unavailable(cause) | Error::Internal(cause) => Self::Unavailable(cause),
            error => Self::Unavailable(error.into()),
        }
    }
}

/// Verifies tokens. Only adapters know which identity provider is in use.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait TokenVerifier: Send + Sync {
    /// Checks a bearer token (RFC 6750) and returns its bearer.
    ///
    /// # Errors
    /// [`TokenError`].
    async fn verify(&self, token: &str) -> Result<Caller, TokenError>;
}
