//! The storage port of sessions, and what it stores.

use allclear_domain::account::User;
use allclear_domain::id::{OrganisationId, PasskeyId, SessionId, UserId};
use allclear_domain::membership::Membership;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::password::PasswordHash;
use crate::second_factor::UsedCode;
use crate::secret::Digest;

/// A session to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its identifier.
    pub id: SessionId,
    /// The digest of its token.
    pub digest: Digest,
    /// When it began, with an authentication.
    pub created_at: DateTime<Utc>,
    /// Expiry; use of the session extends it.
    pub expires_at: DateTime<Utc>,
    /// Browser and operating system; `None` if they are unknown.
    pub device: Option<String>,
    /// Address of the client.
    pub address: Option<String>,
}

/// What a person has proved at a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInProof {
    /// The knowledge of the password.
    Password {
        /// The stored hash.
        hash: PasswordHash,
        /// The code that was entered as well; `None` if the account has no second factor.
        code: Option<UsedCode>,
    },
    /// The possession of a passkey.
    Passkey(PasskeyId),
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
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// Time of the last authentication of its person.
    pub authenticated_at: DateTime<Utc>,
    /// Time of its last use, not exact.
    pub used_at: DateTime<Utc>,
    /// Expiry; use of the session extends it.
    pub expires_at: DateTime<Utc>,
}

/// A session that asks for a change which only an admin of an organisation may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdminSession {
    /// The session.
    pub id: SessionId,
    /// The account, whose role the change depends on.
    pub user: UserId,
}

impl From<&Session> for AdminSession {
    fn from(session: &Session) -> Self {
        Self {
            id: session.id,
            user: session.user.id,
        }
    }
}

/// A session as its owner sees it in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// Its identifier.
    pub id: SessionId,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// Time of its last use, not exact.
    pub used_at: DateTime<Utc>,
    /// Browser and operating system; `None` if they are unknown.
    pub device: Option<String>,
    /// Address of the client at sign-in.
    pub address: Option<String>,
}

/// Current state of a token's bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// The person's name.
    pub name: String,
    /// Time of the last authentication in the session.
    pub authenticated_at: DateTime<Utc>,
    /// The person's membership in the requested organisation; `None` if there is none.
    pub membership: Option<Membership>,
}

/// Storage of sessions. An expired one does not exist.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Stores a session of an account. [`Error::Unauthenticated`] if the account has another
    /// password than the one that was entered, a second factor although none was used, or no
    /// longer the authenticator app, the recovery codes or the passkey that was used: such a
    /// change ends all sessions, also those that are being opened. An adapter MUST keep at most
    /// [`PER_ACCOUNT`](super::Sessions::PER_ACCOUNT) sessions of an account: those that were
    /// used last.
    async fn open(
        &self,
        user: UserId,
        proof: SignInProof,
        session: NewSession,
    ) -> Result<(), Error>;

    /// Returns the session whose token has this digest. `None` if there is none.
    async fn find(&self, digest: &Digest, now: DateTime<Utc>) -> Result<Option<Session>, Error>;

    /// Stores the last use of a session, and its new expiry.
    async fn touch(
        &self,
        id: SessionId,
        used_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Stores an authentication of a session's person, whether it used a second factor of the
    /// account, and the digest of the token that the session has from now on.
    /// [`Sessions::ENDED`](super::Sessions::ENDED).
    async fn authenticate(
        &self,
        id: SessionId,
        digest: Digest,
        second_factor: bool,
        now: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Stores the organisation of the last issued token.
    async fn activate(&self, id: SessionId, organisation: &OrganisationId) -> Result<(), Error>;

    /// Ends the session whose token has this digest, if there is one.
    async fn end(&self, digest: &Digest) -> Result<(), Error>;

    /// Returns the sessions of an account, the one that was used last first.
    async fn list(&self, user: UserId, now: DateTime<Utc>) -> Result<Vec<ListedSession>, Error>;

    /// Ends a session of an account, for the current session, which may be the same. Returns
    /// whether it existed. [`Sessions::ENDED`](super::Sessions::ENDED).
    async fn end_one(
        &self,
        user: UserId,
        id: SessionId,
        current_session: SessionId,
    ) -> Result<bool, Error>;

    /// Ends the sessions of an account except the current one. Returns their number.
    /// [`Sessions::ENDED`](super::Sessions::ENDED).
    async fn end_others(&self, user: UserId, current_session: SessionId) -> Result<u64, Error>;

    /// Returns the bearer of a session's tokens, with the membership in an organisation; `None` if
    /// the session does not exist. An adapter MUST read committed data, without a cache, so that a
    /// token is invalid as soon as its session or membership ends.
    async fn bearer(
        &self,
        session: SessionId,
        user: UserId,
        organisation: Option<OrganisationId>,
        now: DateTime<Utc>,
    ) -> Result<Option<Bearer>, Error>;
}
