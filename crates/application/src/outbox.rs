//! The outbox port, for committed events.

use allclear_domain::event::EventKind;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::Error;
use crate::write_kind::WriteKind;

/// An event in its public form: what sockets and event streams carry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PublicEvent {
    /// The event's name: `component-update`. A text, because a newer node may publish events that
    /// this node does not know.
    pub name: String,
    /// Its arguments, a JSON array.
    pub args: Box<RawValue>,
}

impl PublicEvent {
    /// An event with its arguments, a tuple or a slice.
    ///
    /// # Errors
    /// [`Error::Internal`] when the arguments cannot be written as JSON.
    pub fn new(kind: EventKind, args: &impl Serialize) -> Result<Self, Error> {
        let args = serde_json::value::to_raw_value(args).map_err(Error::internal)?;
        Ok(Self {
            name: kind.as_str().to_owned(),
            args,
        })
    }

    /// The kind of the event; `None` if this node does not know it.
    #[must_use]
    pub fn kind(&self) -> Option<EventKind> {
        self.name.parse().ok()
    }
}

/// The events of one transaction of one organisation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Commit {
    /// The organisation.
    pub organisation: OrganisationId,
    /// The revision the transaction made.
    pub revision: Revision,
    /// What happened, in order; at least one event.
    pub events: Vec<PublicEvent>,
    /// Whether messages to subscribers may be due because of it. `false` for a commit that was read
    /// from the outbox.
    #[serde(default = "unknown")]
    pub may_have_messages: bool,
    /// Size of the notices that it stored, in bytes. 0 for a commit that was read from the outbox.
    #[serde(default)]
    pub notice_bytes: usize,
    /// The limits for which it counts; `None` if it counts for none, and for a commit that was read
    /// from the outbox.
    #[serde(default)]
    pub counts_as: Option<WriteKind>,
    /// Number of events that the clock will publish because of it. 0 for a commit that was read
    /// from the outbox.
    #[serde(default)]
    pub scheduled_events: usize,
    /// Number of impacts that it added to the histories of components without an event of each
    /// component. 0 for a commit that was read from the outbox.
    #[serde(default)]
    pub past_impacts: usize,
}

/// What a node means that does not say whether messages may be due.
const fn unknown() -> bool {
    true
}

impl Commit {
    /// Whether one of its events is of such a kind. An event of an unknown kind counts as one.
    pub(crate) fn has_event(&self, is_wanted: impl Fn(EventKind) -> bool) -> bool {
        let mut events = self.events.iter();
        events.any(|event| event.kind().is_none_or(&is_wanted))
    }

    /// A commit of a person for tests, with one event of each kind, whose argument is the revision.
    ///
    /// # Panics
    /// If the organisation's identifier is invalid.
    #[cfg(any(test, feature = "mock"))]
    #[must_use]
    #[expect(clippy::expect_used, reason = "only tests call it")]
    pub fn example(organisation: &str, revision: i64, events: &[EventKind]) -> Self {
        let events = events
            .iter()
            .filter_map(|kind| PublicEvent::new(*kind, &[revision]).ok());
        Self {
            organisation: OrganisationId::parse(organisation).expect("an identifier"),
            revision: Revision(revision),
            events: events.collect(),
            may_have_messages: false,
            notice_bytes: 0,
            counts_as: Some(WriteKind::Person),
            scheduled_events: 0,
            past_impacts: 0,
        }
    }
}

/// What a reader of the outbox finds after a revision.
#[derive(Debug, Clone)]
pub enum Backlog {
    /// The commits after it, oldest first, at most as many as requested; fewer if they are large,
    /// and empty only if there are none.
    Commits(Vec<Commit>),
    /// Commits after it were pruned: the reader has to read the present state.
    TooOld,
}

/// Reads committed events and removes old ones. They are written by the storage ports, in the
/// transaction of the state they belong to.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// The commits of an organisation after a revision, oldest first, at most `limit`. An adapter
    /// MUST return them without a gap, or [`Backlog::TooOld`]. It SHOULD return fewer if they would
    /// need much memory.
    async fn after(
        &self,
        organisation: &OrganisationId,
        revision: Revision,
        limit: u64,
    ) -> Result<Backlog, Error>;

    /// The commits of an organisation after a revision up to another one, oldest first. `None` if
    /// they have more than `bytes` together, or if one of them was pruned. An adapter SHOULD find
    /// that out before it reads them: anybody may ask for any revisions.
    async fn between(
        &self,
        organisation: &OrganisationId,
        after: Revision,
        to: Revision,
        bytes: usize,
    ) -> Result<Option<Vec<Commit>>, Error>;

    /// Deletes commits older than `before`, each organisation's oldest first, about `limit` of them
    /// at most. Returns the number of deleted commits. An adapter MUST NOT leave a commit older
    /// than one it has deleted.
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error>;

    /// The newest revision of each of these organisations that exists.
    async fn revisions(
        &self,
        organisations: &[OrganisationId],
    ) -> Result<Vec<(OrganisationId, Revision)>, Error>;
}
