//! What was committed and has to be told: the outbox port.

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::Error;

/// An event in its public form: what sockets and event streams carry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PublicEvent {
    /// The event's name: `component-update`.
    pub name: String,
    /// Its arguments, a JSON array.
    pub args: Box<RawValue>,
}

impl PublicEvent {
    /// An event with its arguments, a tuple or a slice.
    ///
    /// # Errors
    /// [`Error::Internal`] when the arguments cannot be written as JSON.
    pub fn new(name: &str, args: &impl Serialize) -> Result<Self, Error> {
        let args = serde_json::value::to_raw_value(args).map_err(Error::internal)?;
        Ok(Self { name: name.to_owned(), args })
    }
}

/// The events of one transaction of one organisation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Commit {
    /// Whose.
    pub organisation: String,
    /// The revision the transaction made.
    pub revision: i64,
    /// What happened, in order; empty where only the organisation's name changed.
    pub events: Vec<PublicEvent>,
}

impl Commit {
    /// The revision the transaction made.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        Revision(self.revision)
    }
}

/// What a reader of the outbox finds after a revision.
#[derive(Debug, Clone)]
pub enum Backlog {
    /// Every commit after it, oldest first, at most as many as asked for.
    Commits(Vec<Commit>),
    /// Commits after it were pruned: the reader has to start anew from the present state.
    TooOld,
}

/// Reads committed events. They are written by the storage ports, in the transaction of the state they belong to.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// The commits of an organisation after a revision, oldest first, at most `limit`. An adapter MUST answer them
    /// without a gap, and [`Backlog::TooOld`] where it cannot.
    async fn after(&self, organisation: &OrganisationId, revision: Revision, limit: u64) -> Result<Backlog, Error>;

    /// The newest revision of each of these organisations that exists.
    async fn revisions(&self, organisations: &[OrganisationId]) -> Result<Vec<(OrganisationId, Revision)>, Error>;
}
