//! Sessions of signed-in people, and their short-lived tokens.

use std::fmt;
use std::sync::Arc;

use allclear_domain::account::User;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::{Belonging, Role};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::caller::Membership;
use crate::clock::Clock;
use crate::error::Error;
use crate::secret::{Digest, SecretToken};

/// A session to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its identifier.
    pub id: SessionId,
    /// The digest of its token.
    pub digest: Digest,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// Expiry; use of the session extends it.
    pub expires_at: DateTime<Utc>,
}

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its identifier.
    pub id: SessionId,
    /// The account.
    pub user: User,
    /// The organisation of the last issued token.
    pub active_organisation: Option<OrganisationId>,
    /// Expiry; use of the session extends it.
    pub expires_at: DateTime<Utc>,
}

/// Current state of a token's bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// The person's name.
    pub name: String,
    /// The person's membership in the requested organisation; `None` if there is none.
    pub membership: Option<Belonging>,
}

/// Storage of sessions. An expired one does not exist.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Stores a session of an account.
    async fn open(&self, user: UserId, session: NewSession) -> Result<(), Error>;

    /// Returns the session whose token has this digest. `None` if there is none.
    async fn find(&self, digest: &Digest, now: DateTime<Utc>) -> Result<Option<Session>, Error>;

    /// Sets the expiry of a session.
    async fn extend(&self, id: SessionId, expires_at: DateTime<Utc>) -> Result<(), Error>;

    /// Stores the organisation of the last issued token.
    async fn activate(&self, id: SessionId, organisation: &OrganisationId) -> Result<(), Error>;

    /// Ends the session whose token has this digest, if there is one.
    async fn end(&self, digest: &Digest) -> Result<(), Error>;

    /// Returns the bearer of a session's tokens, with the membership in an organisation; `None` if the session does not exist. An
    /// adapter MUST read committed data, without a cache, so that a token is invalid as soon as its session or membership ends.
    async fn bearer(
        &self,
        session: SessionId,
        user: UserId,
        organisation: Option<OrganisationId>,
        now: DateTime<Utc>,
    ) -> Result<Option<Bearer>, Error>;
}

/// Content of a bearer token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenClaims {
    /// The account.
    pub user: UserId,
    /// The person's name.
    pub name: String,
    /// The session of the token.
    pub session: SessionId,
    /// The token's organisation; `None` for a token without one.
    pub membership: Option<Membership>,
    /// Start of its validity.
    pub issued_at: DateTime<Utc>,
    /// End of its validity.
    pub expires_at: DateTime<Utc>,
}

/// Makes bearer tokens (RFC 6750, RFC 7519).
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait TokenIssuer: Send + Sync {
    /// Signs a token with these claims and its issuer.
    ///
    /// # Errors
    /// [`Error::Internal`].
    fn issue(&self, claims: &TokenClaims) -> Result<String, Error>;

    /// Returns the public keys that verify the tokens, as a JWK set (RFC 7517, section 5).
    ///
    /// # Errors
    /// [`Error::Internal`].
    fn key_set(&self) -> Result<serde_json::Value, Error>;
}

/// A bearer token. It is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token.
    pub token: String,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedToken")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// The use cases of sessions.
pub struct Sessions {
    store: Arc<dyn SessionStore>,
    issuer: Arc<dyn TokenIssuer>,
    clock: Arc<dyn Clock>,
}

impl Sessions {
    /// Lifetime of an unused session.
    pub const LIFE: TimeDelta = TimeDelta::days(30);
    /// Maximum lifetime of a bearer token; it is invalid earlier if its session or membership ends.
    pub const TOKEN_LIFE: TimeDelta = TimeDelta::minutes(5);
    /// Minimum time between two extensions of a session, because each one is a write.
    const EXTENSION: TimeDelta = TimeDelta::days(1);

    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn SessionStore>,
        issuer: Arc<dyn TokenIssuer>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            issuer,
            clock,
        }
    }

    /// A session that begins now.
    pub(crate) fn fresh(clock: &dyn Clock, token: &SecretToken) -> NewSession {
        let created_at = clock.now();
        let expires_at = created_at + Self::LIFE;
        NewSession {
            id: SessionId(clock.id()),
            digest: token.digest(),
            created_at,
            expires_at,
        }
    }

    /// The session of a cookie's token; `None` if it does not exist.
    pub async fn find(&self, token: &SecretToken) -> Result<Option<Session>, Error> {
        self.store.find(&token.digest(), self.clock.now()).await
    }

    /// Extends a session that is used. Returns the new expiry for the cookie; `None` if the session was not extended.
    pub async fn extend(&self, session: &Session) -> Result<Option<DateTime<Utc>>, Error> {
        let end = self.clock.now() + Self::LIFE;
        if end - session.expires_at < Self::EXTENSION {
            return Ok(None);
        }
        self.store.extend(session.id, end).await?;
        Ok(Some(end))
    }

    /// Ends the session of a cookie's token. Its bearer tokens become invalid.
    pub async fn sign_out(&self, token: &SecretToken) -> Result<(), Error> {
        self.store.end(&token.digest()).await
    }

    /// Returns the public keys that verify the tokens.
    pub fn key_set(&self) -> Result<serde_json::Value, Error> {
        self.issuer.key_set()
    }

    /// Issues a bearer token, with or without an organisation, and stores the organisation in the session. [`Error::Forbidden`]
    /// if the account is not a member or the organisation does not exist.
    pub async fn token(
        &self,
        session: &Session,
        organisation: Option<&OrganisationId>,
    ) -> Result<IssuedToken, Error> {
        let now = self.clock.now();
        let membership = match organisation {
            None => None,
            Some(organisation) => {
                let bearer = self
                    .store
                    .bearer(session.id, session.user.id, Some(organisation.clone()), now)
                    .await?;
                let found = bearer
                    .and_then(|bearer| bearer.membership)
                    .ok_or(Error::Forbidden("Not a member of this organisation"))?;
                if session.active_organisation.as_ref() != Some(organisation) {
                    self.store.activate(session.id, organisation).await?;
                }
                Some(membership(found))
            }
        };
        let expires_at = (now + Self::TOKEN_LIFE).min(session.expires_at);
        let (user, name) = (session.user.id, session.user.name.clone());
        let claims = TokenClaims {
            user,
            name,
            session: session.id,
            membership,
            issued_at: now,
            expires_at,
        };
        Ok(IssuedToken {
            token: self.issuer.issue(&claims)?,
            expires_at,
        })
    }
}

fn membership(
    Belonging {
        organisation,
        name,
        role,
    }: Belonging,
) -> Membership {
    Membership {
        organisation,
        organisation_name: Some(name),
        role,
    }
}

/// Fails with [`Error::Forbidden`] if the member is not an admin.
pub(crate) fn require_admin(role: Role) -> Result<(), Error> {
    if role == Role::Admin {
        Ok(())
    } else {
        Err(Error::Forbidden("Only an admin may do this"))
    }
}

#[cfg(test)]
mod tests;
