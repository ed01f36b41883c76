//! Organisations: the storage port.

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Organisation;
use async_trait::async_trait;

use crate::error::Error;
use crate::transition::Committed;

/// Storage of organisations.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait OrganisationStore: Send + Sync {
    /// Returns an organisation. `None` if it does not exist.
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error>;

    /// Ensures that the organisation exists and has the name, if one is given. A changed name makes a revision without events, so
    /// that cached pages are read again.
    async fn ensure(
        &self,
        id: &OrganisationId,
        name: Option<String>,
    ) -> Result<Committed<()>, Error>;

    /// Removes the organisation with everything that belongs to it. Returns whether it existed.
    async fn delete(&self, id: &OrganisationId) -> Result<bool, Error>;
}
