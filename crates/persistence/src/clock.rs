//! The clock that all nodes of a database share.

use allclear_application::clock::SharedClock;
use allclear_application::delivery::DeliveryQueue;
use allclear_application::error::Error;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::DbBackend;

use crate::database::Database;

#[async_trait]
impl SharedClock for Database {
    async fn shared_time(&self) -> Result<DateTime<Utc>, Error> {
        match self.read().backend() {
            // SQLite has one node.
            DbBackend::Sqlite => Ok(self.clock.now()),
            _ => DeliveryQueue::now(self).await,
        }
    }
}
