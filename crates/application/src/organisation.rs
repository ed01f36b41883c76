//! Organisations: the port that keeps them.

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Organisation;
use async_trait::async_trait;

use crate::error::Error;
use crate::transition::Written;

/// Keeps organisations.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait OrganisationStore: Send + Sync {
    /// An organisation; none where there is no such one.
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error>;

    /// Makes sure the organisation exists and, where a name is given, bears it. A changed name makes a revision without
    /// events, so that cached pages are read anew.
    async fn ensure(&self, id: &OrganisationId, name: Option<String>)
    -> Result<Written<()>, Error>;

    /// Removes the organisation with everything that belongs to it. Answers whether there was one.
    async fn delete(&self, id: &OrganisationId) -> Result<bool, Error>;
}
