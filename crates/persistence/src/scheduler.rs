//! What the clock changes: due maintenances, claimed by whoever locks their organisation first.

use std::collections::BTreeSet;
use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::outbox::Commit;
use allclear_application::scheduler::MaintenanceSchedule;
use allclear_domain::id::OrganisationId;
use allclear_domain::notice::MaintenanceChange;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use crate::database::Database;
use crate::entity::maintenance::{Column, Entity};
use crate::error::broken;
use crate::maintenance::{maintenance, note_announced, of};
use crate::notice::NoticeWriter;
use crate::organisation::lock_for_commit;
use crate::outbox;

/// How many changes of an organisation one transaction tells.
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
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let due = due(&organisation, now)
                    .all(transaction)
                    .await
                    .map_err(broken)?;
                let mut events = Vec::with_capacity(due.len());
                let occasion = NoticeWriter {
                    transaction,
                    locked: &locked,
                    clock: &*clock,
                    now,
                };
                for (part, row) in (0..).zip(due) {
                    let announced = row.announced_status.parse().map_err(Error::internal)?;
                    let state = maintenance(row);
                    events.extend(state.announce(announced, now));
                    let change =
                        MaintenanceChange::of(Some((&state, announced)), &state, false, now);
                    occasion.maintenance(part, change, &state, None).await?;
                    note_announced(transaction, &state, now).await?;
                }
                if events.is_empty() {
                    return Ok(None);
                }
                outbox::append_at(transaction, locked, &events, now)
                    .await
                    .map(Some)
            })
        })
        .await
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
