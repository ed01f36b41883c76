//! Mails to operators: what causes them, and their queue.

mod digest;
#[cfg(test)]
mod query_plan_tests;
mod queue;
mod reminder;

use allclear_application::delivery::DeliveryQueue;
use allclear_application::error::Error;
use allclear_application::operator_mail::{ClaimedMails, OperatorMailStore};
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::audit::NoAuditItem;
use crate::database::Database;

pub(crate) use self::reminder::restart_count;

#[async_trait]
impl OperatorMailStore for Database {
    async fn database_time(&self) -> Result<DateTime<Utc>, Error> {
        DeliveryQueue::database_time(self).await
    }

    async fn queue_reminders(&self, now: DateTime<Utc>) -> Result<u64, Error> {
        let mut count = 0;
        // Without due reminders, no write is made.
        for due in reminder::due(self.read(), now).await? {
            let clock = self.clock.clone();
            let organisation = due.organisation_id.clone();
            let queued = self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
                Box::pin(async move { reminder::queue(transaction, &*clock, &due, now).await })
            });
            match queued.await {
                Ok(is_queued) => count += u64::from(is_queued),
                Err(error @ Error::Unavailable(_)) => return Err(error),
                // It must not hold back those of other organisations.
                Err(error) => tracing::warn!(
                    organisation,
                    error = &error as &dyn std::error::Error,
                    "a reminder of an open incident could not be queued; trying again"
                ),
            }
        }
        Ok(count)
    }

    async fn queue_digests(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error> {
        let mut queued = Vec::new();
        for organisation in digest::due(self.read(), now).await? {
            let clock = self.clock.clone();
            let id = organisation.clone();
            let is_queued = self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
                Box::pin(async move { digest::queue(transaction, &*clock, &id, now).await })
            });
            match is_queued.await {
                Ok(true) => queued.push(organisation),
                Ok(false) => {}
                Err(error @ Error::Unavailable(_)) => return Err(error),
                // It must not hold back those of other organisations.
                Err(error) => tracing::warn!(
                    organisation = organisation.as_str(),
                    error = &error as &dyn std::error::Error,
                    "a digest of failing subscriptions could not be queued; trying again"
                ),
            }
        }
        Ok(queued)
    }

    async fn claim_mails(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u64,
    ) -> Result<ClaimedMails, Error> {
        if !queue::is_due(self.read(), now).await? {
            return Ok(ClaimedMails::default());
        }
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(queue::claim(transaction, now, until, limit))
        })
        .await
    }

    async fn remove_mail(&self, id: Uuid) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(queue::remove(transaction, id))
        })
        .await
    }

    async fn retry_mail(
        &self,
        id: Uuid,
        attempt: u32,
        at: DateTime<Utc>,
        is_unconfirmed: bool,
    ) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(queue::retry(transaction, id, attempt, at, is_unconfirmed))
        })
        .await
    }
}
