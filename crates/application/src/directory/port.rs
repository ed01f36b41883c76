//! What the directory works with: what tokens say, what is known, and the ports that keep and ask for it.

use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::transition::Written;

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
pub struct Claimed {
    /// Its bearer's.
    pub user: Option<String>,
    /// Its organisation's.
    pub organisation: Option<String>,
    /// What to call the organisation where its name cannot be known.
    pub otherwise: Option<String>,
}

/// Something that tokens stand for and that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
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

/// A name, and the moment at which it was so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The name.
    pub name: String,
    /// [`Known::NEVER`] where nobody has told it: it stands in for one.
    pub as_of: DateTime<Utc>,
}

impl Known {
    /// Before everything a provider tells.
    pub const NEVER: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Whether somebody has told it.
    pub(super) fn is_told(&self) -> bool {
        self.as_of > Self::NEVER
    }

    /// Whether a token issued then brings news.
    pub(super) fn is_older(&self, name: &str, as_of: DateTime<Utc>) -> bool {
        self.name != name && self.as_of < as_of
    }
}

/// What stands behind a token at this moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Its session, its bearer's access or membership, or its organisation has ended.
    pub ended: bool,
    /// Its bearer's name.
    pub user: Option<Known>,
    /// Its organisation's name, where the organisation exists here.
    pub organisation: Option<Known>,
}

/// Keeps what the provider tells.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DirectoryStore: Send + Sync {
    /// What stands behind a token. An adapter MUST answer from what is committed, without a cache.
    async fn standing(&self, credential: &Credential) -> Result<Standing, Error>;

    /// A user bears this name, unless newer news are known.
    async fn name_user(&self, user: &str, known: Known) -> Result<(), Error>;

    /// Makes sure the organisation exists and bears this name, unless newer news are known or it was deleted.
    async fn name_organisation(
        &self,
        id: &OrganisationId,
        known: Known,
    ) -> Result<Written<()>, Error>;

    /// Something has ended. It is remembered for longer than the tokens live that it concerns.
    async fn end(&self, ending: &Ending, at: DateTime<Utc>) -> Result<(), Error>;

    /// Removes the organisation with everything that belongs to it, and never lets it come back.
    async fn delete_organisation(
        &self,
        id: &OrganisationId,
        at: DateTime<Utc>,
    ) -> Result<(), Error>;

    /// Whether this message was heard not long ago.
    async fn is_handled(&self, message: &str) -> Result<bool, Error>;

    /// This message was heard.
    async fn mark_handled(&self, message: &str, at: DateTime<Utc>) -> Result<(), Error>;
}

/// The provider's own API, asked for names that nobody has told.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Profiles: Send + Sync {
    /// A user's name; none where there is no such user or it has no name.
    async fn user(&self, id: &str) -> Result<Option<String>, Error>;

    /// An organisation's name; none where there is no such one.
    async fn organisation(&self, id: &OrganisationId) -> Result<Option<String>, Error>;
}
