//! Maintenances whose status the clock changes; the node that locks their organisation first publishes the change.

use std::collections::BTreeSet;

use allclear_application::error::Error;
use allclear_application::outbox::Commit;
use allclear_application::scheduler::MaintenanceSchedule;
use allclear_domain::event::Changed;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use crate::database::Database;
use crate::entity::maintenance::{Column, Entity};
use crate::error::broken;
use crate::maintenance::{maintenance, note_announced, of};

/// How many changes of an organisation one transaction publishes.
const BATCH: u64 = 100;

#[async_trait]
impl MaintenanceSchedule for Database {
    async fn next_change(&self) -> Result<Option<DateTime<Utc>>, Error> {
        next().into_tuple().one(self.read()).await.map_err(broken)
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error> {
        let found: Vec<String> = changing(now)
            .into_tuple()
            .all(self.read())
            .await
            .map_err(broken)?;
        // Made distinct here: told to do it, SQLite would walk through the organisations instead.
        let distinct: BTreeSet<_> = found.into_iter().collect();
        distinct
            .iter()
            .map(|id| OrganisationId::parse(id).map_err(Error::internal))
            .collect()
    }

    async fn announce(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Commit>, Error> {
        let committed = self.commit_as_of(organisation, now, move |scope| {
            Box::pin(async move {
                let due = due(scope.organisation, now);
                let due = due.all(scope.transaction).await.map_err(broken)?;
                let mut all = Changed::nothing(());
                for row in due {
                    let Changed {
                        state,
                        events,
                        notices,
                        ..
                    } = maintenance(row)?.announce(now);
                    note_announced(scope.transaction, &state, now).await?;
                    all.events.extend(events);
                    all.notices.extend(notices);
                }
                Ok(Some(all))
            })
        });
        Ok(committed.await?.and_then(|committed| committed.commit))
    }
}

/// The earliest change.
pub(crate) fn next() -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::NextChangeAt)
        .filter(Column::NextChangeAt.is_not_null())
        .order_by_asc(Column::NextChangeAt)
        .limit(1)
}

/// The organisations with due changes, each as often as it has one.
pub(crate) fn changing(now: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::OrganisationId)
        .filter(Column::NextChangeAt.lte(now))
}

/// An organisation's due changes, the oldest first.
pub(crate) fn due(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation)
        .filter(Column::NextChangeAt.lte(now))
        .order_by_asc(Column::NextChangeAt)
        .limit(BATCH)
}
