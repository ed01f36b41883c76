//! The audit log: changes with their originators. Storage writes an item in the transaction of its change.

use allclear_domain::audit::{Action, ActorType, TargetType};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::error::Error;

/// How long items are kept.
pub const KEPT: TimeDelta = TimeDelta::days(365);

/// An item of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditItem {
    /// Identifier, a `UUIDv7`; greater than those of the organisation's earlier items.
    pub id: Uuid,
    /// When the change was made.
    pub created_at: DateTime<Utc>,
    /// Kind of the originator.
    pub actor_type: ActorType,
    /// Identifier of the originator at the identity provider; `None` if it is not a person.
    pub actor_id: Option<String>,
    /// Name of the originator at that time.
    pub actor_name: String,
    /// What was done.
    pub action: Action,
    /// Kind of the changed thing.
    pub target_type: TargetType,
    /// Identifier of the changed thing, which may be deleted since.
    pub target_id: String,
    /// Name of the changed thing at that time; `None` for a subscriber, because the audit log contains no addresses.
    pub target_name: Option<String>,
    /// Identifier of the request; `None` if no request made the change.
    pub request_id: Option<String>,
}

/// Storage of the audit log. Items are written by the storage ports, in the transaction of the change.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// Deletes items from before the given time, at most `limit`. Returns their number.
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error>;
}
