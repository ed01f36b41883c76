//! Content of tokens, and the ports of the directory.

use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::transition::Committed;

/// What a token that was verified says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Its session.
    pub session: String,
    /// Its bearer.
    pub user: String,
    /// The organisation it is for.
    pub organisation: Option<OrganisationId>,
    /// When it was issued.
    pub issued_at: DateTime<Utc>,
}

/// Names that a token brings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimedNames {
    /// Its bearer's.
    pub user: Option<String>,
    /// Its organisation's.
    pub organisation: Option<String>,
    /// What to call the organisation where its name cannot be known.
    pub otherwise: Option<String>,
}

/// What has ended, so that tokens for it are revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revocation {
    /// A session, for good.
    Session(String),
    /// A user's access: tokens issued before are worth nothing.
    User(String),
    /// A membership: tokens issued before are worth nothing for the organisation.
    Membership {
        /// Where.
        organisation: OrganisationId,
        /// Whose.
        user: String,
    },
}

/// A name and the time it was valid at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRecord {
    /// The name.
    pub name: String,
    /// [`NameRecord::NEVER`] if the name is unknown and this is a placeholder.
    pub as_of: DateTime<Utc>,
}

impl NameRecord {
    /// Before every event of a provider.
    pub const NEVER: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Whether the name is known, and not a placeholder.
    pub(super) fn is_known(&self) -> bool {
        self.as_of > Self::NEVER
    }

    /// Whether a token issued at that time has a newer name.
    pub(super) fn is_older(&self, name: &str, as_of: DateTime<Utc>) -> bool {
        self.name != name && self.as_of < as_of
    }
}

/// What a token stands for at this moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenStatus {
    /// Its session, its bearer's access or membership, or its organisation has ended.
    pub revoked: bool,
    /// Its bearer's name.
    pub user: Option<NameRecord>,
    /// Its organisation's name, where the organisation exists here.
    pub organisation: Option<NameRecord>,
}

/// Storage of what the provider says.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DirectoryStore: Send + Sync {
    /// The status of a token. An adapter MUST read what is committed, without a cache.
    async fn token_status(&self, credential: &Credential) -> Result<TokenStatus, Error>;

    /// Stores the name of a user, unless a newer one is known.
    async fn name_user(&self, user: &str, known: NameRecord) -> Result<(), Error>;

    /// Ensures that the organisation exists and has this name, unless a newer one is known or it was deleted.
    async fn name_organisation(
        &self,
        id: &OrganisationId,
        known: NameRecord,
    ) -> Result<Committed<()>, Error>;

    /// Revokes tokens. It is remembered for longer than the tokens are valid.
    async fn revoke(&self, revocation: &Revocation, at: DateTime<Utc>) -> Result<(), Error>;

    /// Removes the organisation with everything that belongs to it, and never lets it come back.
    async fn delete_organisation(
        &self,
        id: &OrganisationId,
        at: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Whether this message was handled recently.
    async fn is_handled(&self, message: &str) -> Result<bool, Error>;

    /// Notes that this message was handled.
    async fn mark_handled(&self, message: &str, at: DateTime<Utc>) -> Result<(), Error>;
}

/// The API of the provider, requested for unknown names.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Profiles: Send + Sync {
    /// A user's name; `None` if the user does not exist or has no name.
    async fn user(&self, id: &str) -> Result<Option<String>, Error>;

    /// An organisation's name; `None` if it does not exist.
    async fn organisation(&self, id: &OrganisationId) -> Result<Option<String>, Error>;
}
