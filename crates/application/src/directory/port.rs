//! Content of tokens, and the directory's ports.

use allclear_domain::id::OrganisationId;
use allclear_domain::membership::Role;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::transition::Committed;

/// Content of a verified token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Identifier of the session at the provider.
    pub session: String,
    /// Identifier of the user at the provider.
    pub user: String,
    /// The token's organisation; `None` for a token without one.
    pub organisation: Option<OrganisationId>,
    /// When it was issued.
    pub issued_at: DateTime<Utc>,
}

/// Names that a token brings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimedNames {
    /// Name of the bearer.
    pub user: Option<String>,
    /// Name of the organisation.
    pub organisation: Option<String>,
    /// Name of the organisation if its real name is not available.
    pub otherwise: Option<String>,
}

/// A revocation of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revocation {
    /// A session, permanently.
    Session(String),
    /// A user's access: tokens issued before are invalid.
    User(String),
    /// A membership: tokens issued before are invalid for the organisation.
    Membership {
        /// Identifier of the organisation.
        organisation: OrganisationId,
        /// Identifier of the user.
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
    /// The time of a placeholder, before every event.
    pub const NEVER: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Whether the name is not a placeholder.
    pub(super) fn is_known(&self) -> bool {
        self.as_of > Self::NEVER
    }

    /// This name if it is another one than the known one, and newer.
    pub(super) fn newer_than(self, known: Option<&Self>) -> Option<Self> {
        known
            .is_none_or(|known| known.name != self.name && known.as_of < self.as_of)
            .then_some(self)
    }
}

/// Current state of a token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenStatus {
    /// Whether the session, the bearer's access or membership, or the organisation has ended.
    pub revoked: bool,
    /// Name of the bearer.
    pub user: Option<NameRecord>,
    /// Name of the organisation; `None` if the organisation does not exist.
    pub organisation: Option<NameRecord>,
}

/// A member of an organisation, as the provider reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// Identifier of the organisation.
    pub organisation: OrganisationId,
    /// Identifier of the user.
    pub user: String,
    /// Role of the user in the organisation.
    pub role: Role,
    /// What happened to the membership.
    pub change: MemberChange,
    /// When it happened.
    pub as_of: DateTime<Utc>,
}

/// What happened to a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    /// The user became a member.
    Joined,
    /// The membership changed; perhaps not its role.
    Updated,
}

/// Storage of the directory.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DirectoryStore: Send + Sync {
    /// Returns the status of a token. An adapter MUST read committed data, without a cache.
    async fn token_status(&self, credential: &Credential) -> Result<TokenStatus, Error>;

    /// Stores the name of a user, unless a newer one is known.
    async fn name_user(&self, user: &str, known: NameRecord) -> Result<(), Error>;

    /// Ensures that the organisation exists and has this name, unless a newer name is known or the
    /// organisation was deleted.
    async fn name_organisation(
        &self,
        id: &OrganisationId,
        known: NameRecord,
    ) -> Result<Committed<()>, Error>;

    /// Records in the audit log that a user joined an organisation or has another role. Late and
    /// repeated reports, and updates that leave the role, change nothing.
    async fn record_member(&self, member: &MemberRecord) -> Result<(), Error>;

    /// Revokes tokens. The revocation is stored for longer than the tokens are valid. The removal
    /// of a member is noted in the audit log.
    async fn revoke(&self, revocation: &Revocation, at: DateTime<Utc>) -> Result<(), Error>;

    /// Removes the organisation with everything that belongs to it. Its identifier cannot be
    /// used again. The removal takes several transactions, so the caller MUST await its end.
    async fn delete_organisation(
        &self,
        id: &OrganisationId,
        at: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Whether this message was handled recently.
    async fn is_handled(&self, message: &str) -> Result<bool, Error>;

    /// Records that this message was handled.
    async fn mark_handled(&self, message: &str, at: DateTime<Utc>) -> Result<(), Error>;
}

/// The API of the provider, requested for unknown names, and for addresses.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Profiles: Send + Sync {
    /// A user's name; `None` if the user does not exist or has no name.
    async fn user(&self, id: &str) -> Result<Option<String>, Error>;

    /// A user's primary mail address; `None` if the user does not exist or has not verified one.
    async fn address(&self, id: &str) -> Result<Option<String>, Error>;

    /// An organisation's name; `None` if it does not exist.
    async fn organisation(&self, id: &OrganisationId) -> Result<Option<String>, Error>;
}
