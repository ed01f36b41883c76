//! Whether work can be done.

use std::sync::Arc;

use async_trait::async_trait;

use crate::error::Error;

/// Why the process cannot work now. The texts reveal nothing about the installation; the causes are
/// for the log.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotReady {
    /// Reads fail.
    #[error("the database does not respond")]
    Unavailable(#[source] Arc<Error>),
    /// Writes fail: another process locks the database, or it is read-only.
    #[error("the database cannot be written to")]
    NotWritable(#[source] Arc<Error>),
    /// The disk of the database has no space left.
    #[error("the disk of the database is full")]
    DiskFull,
    /// The path of the database leads to another file than the opened one, or to none.
    #[error("the database file was replaced or removed")]
    Replaced,
}

/// Checks whether the resources that every request needs are available.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Runs the checks.
    ///
    /// # Errors
    /// [`NotReady`]: the first check that fails.
    async fn ready(&self) -> Result<(), NotReady>;
}
