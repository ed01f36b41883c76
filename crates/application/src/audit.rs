//! The audit log: changes with their originators. Storage writes an item in the transaction of
//! its change.

pub mod state;

use std::sync::Arc;

use allclear_domain::audit::{Action, ActorType, TargetType};
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::Error;
use crate::page::{Listed, Page};

/// An item of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditItem {
    /// Identifier, a `UUIDv7`; greater than those of the organisation's earlier items.
    pub id: Uuid,
    /// When the change was made.
    pub created_at: DateTime<Utc>,
    /// Kind of the originator.
    pub actor_type: ActorType,
    /// Identifier of the originator at the identity provider; `None` if it is neither a person nor
    /// an API key.
    pub actor_id: Option<String>,
    /// Name of the originator at that time.
    pub actor_name: String,
    /// What was done.
    pub action: Action,
    /// Kind of the changed thing.
    pub target_type: TargetType,
    /// Identifier of the changed thing, which may have been deleted since.
    pub target_id: String,
    /// Name of the changed thing at that time; `None` for a subscriber, because the audit log
    /// contains no addresses.
    pub target_name: Option<String>,
    /// Address of the client; `None` if no request made the change.
    pub address: Option<String>,
    /// Identifier of the request; `None` if no request made the change.
    pub request_id: Option<String>,
    /// The thing before the change, as JSON; `None` for a create, or if there is nothing to show.
    pub before: Option<String>,
    /// The thing after the change, as JSON; `None` for a delete, or if there is nothing to show.
    pub after: Option<String>,
}

/// Which items are selected. An item must match every given field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Identifier of the originator.
    pub actor_id: Option<String>,
    /// What was done.
    pub action: Option<Action>,
    /// Identifier of the changed thing.
    pub target_id: Option<String>,
    /// Earliest time.
    pub from: Option<DateTime<Utc>>,
    /// Latest time.
    pub to: Option<DateTime<Utc>>,
}

/// The use cases of the audit log. No use case changes or deletes an item.
pub struct AuditLog {
    store: Arc<dyn AuditStore>,
}

impl AuditLog {
    /// The use cases over a store.
    #[must_use]
    pub fn new(store: Arc<dyn AuditStore>) -> Self {
        Self { store }
    }

    /// Returns a page of the selected items, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listed<AuditItem>, Error> {
        self.store.list(organisation, filter, page).await
    }
}

/// Storage of the audit log. Items are written by the storage ports, in the transaction of
/// the change.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// The items of an organisation that a filter selects.
    async fn list(
        &self,
        organisation: &OrganisationId,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listed<AuditItem>, Error>;

    /// Returns the time of the oldest item of all organisations; `None` if there are none.
    async fn oldest(&self) -> Result<Option<DateTime<Utc>>, Error>;

    /// Deletes items from before the given time, at most `limit`. Returns their number.
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error>;
}
