//! Whether work can be done.

use async_trait::async_trait;

use crate::error::Error;

/// Tells whether what every request needs is there.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Asks.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it is not.
    async fn ready(&self) -> Result<(), Error>;
}
