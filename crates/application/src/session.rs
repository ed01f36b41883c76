//! Sessions of signed-in people, and their short-lived tokens.

mod port;
mod sign_in;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::Role;
use allclear_domain::permission::Permission;
use chrono::{DateTime, TimeDelta, Utc};

use crate::caller::TokenMembership;
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::secret::SecretToken;

pub use port::*;
pub use sign_in::SessionOpener;

/// The program and the machine from which a person signs in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Client {
    /// Browser and operating system; `None` if they are unknown.
    pub device: Option<String>,
    /// Address of the client.
    pub address: Option<IpAddr>,
    /// Device marks that the browser keeps; see [`SessionOpener`].
    pub marks: Vec<String>,
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
    pub membership: Option<TokenMembership>,
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
    /// The token as the client sends it: a signed JWT.
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
    /// The response to a request whose session has ended.
    ///
    /// The body of a request may arrive long after its session was checked. So a change of an
    /// account, and one that may give rights in an organisation ([`AdminSession`]), names the
    /// session that asks for it. Storage MUST check in the transaction of the change that this
    /// session still exists and is one of the account, and the end of the session MUST wait for the
    /// transaction. Otherwise a thief's request could change the account, or make an admin, after
    /// the owner's reset of the password.
    pub const ENDED: Error = Error::Unauthenticated("Please sign in");

    /// Lifetime of a session, however much it is used (OWASP ASVS 5.0, 7.3.2).
    pub const LIFETIME: TimeDelta = TimeDelta::days(30);
    /// Lifetime of an unused session (OWASP ASVS 5.0, 7.3.1).
    pub const IDLE: TimeDelta = TimeDelta::days(7);
    /// Maximum number of sessions of an account. Another one ends the session that was not used for
    /// the longest time.
    pub const PER_ACCOUNT: u64 = 50;
    /// How long an authentication is recent enough for sensitive changes (OWASP ASVS 5.0, 7.5.3).
    pub(crate) const RECENT: TimeDelta = TimeDelta::minutes(10);
    /// Maximum lifetime of a bearer token; it is invalid earlier if its session or membership ends.
    pub const TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(5);
    /// Minimum time between two writes of the last use of a session.
    const USE_INTERVAL: TimeDelta = TimeDelta::hours(1);

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
    pub(crate) fn fresh(clock: &dyn Clock, token: &SecretToken, client: &Client) -> NewSession {
        let created_at = clock.now();
        NewSession {
            id: SessionId(clock.id()),
            digest: token.digest(),
            created_at,
            expires_at: created_at + Self::IDLE,
            device: client.device.clone(),
            address: client.address.map(|address| address.to_string()),
        }
    }

    /// The session of a cookie's token; `None` if it does not exist.
    pub async fn find(&self, token: &SecretToken) -> Result<Option<Session>, Error> {
        self.store.find(&token.digest(), self.clock.now()).await
    }

    /// Records that a session is used, which prolongs it up to its absolute lifetime.
    pub async fn touch(&self, session: &Session) -> Result<(), Error> {
        let now = self.clock.now();
        if now - session.used_at < Self::USE_INTERVAL {
            return Ok(());
        }
        let end = (now + Self::IDLE).min(session.created_at + Self::LIFETIME);
        self.store.touch(session.id, now, end).await
    }

    /// Fails if the person of the session has not authenticated lately.
    ///
    /// # Errors
    /// [`Error::ReauthenticationRequired`].
    pub fn require_recent(&self, session: &Session) -> Result<(), Error> {
        require_recent(Some(session.authenticated_at), self.clock.now())
    }

    /// Returns the sessions of the session's account, the one that was used last first.
    pub async fn list(&self, session: &Session) -> Result<Vec<ListedSession>, Error> {
        self.store.list(session.user.id, self.clock.now()).await
    }

    /// Ends a session of the session's account. [`Error::NotFound`].
    pub async fn end(&self, session: &Session, id: SessionId) -> Result<(), Error> {
        let ended = self.store.end_one(session.user.id, id, session.id);
        if ended.await? {
            Ok(())
        } else {
            Err(Error::NotFound(Resource::Session))
        }
    }

    /// Ends the other sessions of the session's account. Returns their number.
    pub async fn end_others(&self, session: &Session) -> Result<u64, Error> {
        self.store.end_others(session.user.id, session.id).await
    }

    /// Ends the session of a cookie's token. Its bearer tokens become invalid.
    pub async fn sign_out(&self, token: &SecretToken) -> Result<(), Error> {
        self.store.end(&token.digest()).await
    }

    /// Returns the public keys that verify the tokens.
    pub fn key_set(&self) -> Result<serde_json::Value, Error> {
        self.issuer.key_set()
    }

    /// Issues a bearer token, with or without an organisation. [`Error::Forbidden`] if the account
    /// is not a member or the organisation does not exist.
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
                Some(found.into())
            }
        };
        let expires_at = (now + Self::TOKEN_LIFETIME).min(session.expires_at);
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

    /// Makes an organisation the one that the session continues with.
    ///
    /// # Errors
    /// Errors of the storage.
    pub async fn activate(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<(), Error> {
        if session.active_organisation.as_ref() == Some(organisation) {
            return Ok(());
        }
        self.store.activate(session.id, organisation).await
    }
}

/// Fails if an authentication is not recent enough for a sensitive change. An unknown time is
/// recent: the identity provider does not give it.
///
/// # Errors
/// [`Error::ReauthenticationRequired`].
pub fn require_recent(
    authenticated_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    if authenticated_at.is_some_and(|at| now - at > Sessions::RECENT) {
        return Err(Error::ReauthenticationRequired);
    }
    Ok(())
}

/// Fails with [`Error::Forbidden`] if the member is not an admin.
pub(crate) fn require_admin(role: Role) -> Result<(), Error> {
    if role.may(Permission::Administer) {
        Ok(())
    } else {
        Err(Error::Forbidden(Permission::Administer.refusal()))
    }
}

#[cfg(test)]
mod tests;
