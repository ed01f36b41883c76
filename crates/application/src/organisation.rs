//! Organisations: the port that keeps them.

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Organisation;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;

/// Keeps organisations.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait OrganisationStore: Send + Sync {
    /// An organisation; none where there is no such one.
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error>;

    /// Makes sure the organisation exists and, where a name is given, bears it. A changed name adds a revision, so that
    /// cached pages are read anew.
    async fn ensure<'a>(&self, id: &OrganisationId, name: Option<&'a str>, now: DateTime<Utc>) -> Result<(), Error>;

    /// Removes the organisation with everything that belongs to it. Answers whether there was one.
    async fn delete(&self, id: &OrganisationId) -> Result<bool, Error>;
}
