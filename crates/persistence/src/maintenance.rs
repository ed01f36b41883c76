//! Maintenances and their updates.

pub(crate) mod public;
#[cfg(test)]
mod query_plan_tests;
mod schedule;
mod timeline;
pub mod update;

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore, UpdateTransition};
use allclear_application::outbox::Commit;
use allclear_application::page::{Listed, Page};
use allclear_application::public::maintenance::MaintenanceTimelineEntry;
use allclear_application::public::size::{Budget, LIST_TIMELINE_BYTES};
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_domain::event::Changed;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance::Maintenance;
use allclear_domain::maintenance_update::MaintenanceUpdate;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait,
    IntoActiveModel, QueryFilter, Select,
};

use crate::commit::{Lock, Scope};
use crate::database::Database;
use crate::entity::maintenance::{Column, Entity, Model};
use crate::error::{broken, parse_stored};
use crate::page;
use crate::timeline::{AT_ONCE, Timeline};

/// `shown_until` of a maintenance with an unknown end: the last year of four digits. So one range of the index holds everything
/// that is shown.
const UNTIL_IT_IS_OVER: DateTime<Utc> = match DateTime::from_timestamp(253_402_300_799, 0) {
    Some(moment) => moment,
    None => DateTime::<Utc>::MAX_UTC,
};

#[async_trait]
impl MaintenanceStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<MaintenanceReport>, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let maintenances = of(&organisation);
                let Listed { items, next } =
                    page::read(transaction, maintenances, page, Column::Id, |row| row.id).await?;
                let items = reports(transaction, items, LIST_TIMELINE_BYTES, now).await?;
                Ok(Listed { items, next })
            })
        })
        .await
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<Option<MaintenanceReport>, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let row = find(transaction, &organisation, id).await?;
                let rows = Vec::from_iter(row);
                Ok(reports(transaction, rows, LIST_TIMELINE_BYTES, now)
                    .await?
                    .pop())
            })
        })
        .await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Maintenance>,
    ) -> Result<Committed<MaintenanceReport>, Error> {
        let committed = self.commit(organisation, move |scope| {
            Box::pin(async move {
                let mut created = create(scope.stamp)?;
                created.state.version = scope.stamp.revision;
                let row = row(scope, &created.state).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(scope.transaction)
                    .await
                    .map_err(broken)?;
                Ok(Some(created.map(|maintenance| {
                    reported(maintenance, Timeline::default(), scope.stamp.clock)
                })))
            })
        });
        committed.await?.ok_or(Error::NotFound("Organisation"))
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        rule: Transition<Maintenance>,
    ) -> Result<Option<Committed<MaintenanceReport>>, Error> {
        self.commit(organisation, move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let mut changed = rule(maintenance(before)?, scope.stamp)?;
                if !changed.is_nothing() {
                    changed.state.version = scope.stamp.revision;
                    let row = row(scope, &changed.state).into_active_model().reset_all();
                    Entity::update(row)
                        .exec(scope.transaction)
                        .await
                        .map_err(broken)?;
                }
                let mut timelines = timeline::of(scope.transaction, &[id.0]).await?;
                let timeline = timelines.remove(&id.0).unwrap_or_default();
                Ok(Some(changed.map(|maintenance| {
                    reported(maintenance, timeline, scope.stamp.clock)
                })))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        deletion: Changed<()>,
    ) -> Result<Option<Committed<()>>, Error> {
        self.commit(organisation, move |scope| {
            Box::pin(async move {
                let row = Entity::delete_many()
                    .filter(Column::OrganisationId.eq(scope.organisation.as_str()))
                    .filter(Column::Id.eq(id.0));
                let deleted = row.exec(scope.transaction).await.map_err(broken)?;
                Ok((deleted.rows_affected > 0).then_some(deletion))
            })
        })
        .await
    }

    async fn list_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Option<Listed<MaintenanceUpdate>>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                match find(transaction, &organisation, maintenance).await? {
                    Some(_) => update::list(transaction, maintenance, page).await.map(Some),
                    None => Ok(None),
                }
            })
        })
        .await
    }

    async fn find_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<Option<MaintenanceUpdate>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                match find(transaction, &organisation, maintenance).await? {
                    Some(_) => update::find(transaction, maintenance, id).await,
                    None => Ok(None),
                }
            })
        })
        .await
    }

    async fn insert_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        rule: UpdateTransition<Option<MaintenanceUpdate>, MaintenanceUpdate>,
    ) -> Result<Option<Committed<MaintenanceUpdate>>, Error> {
        self.commit(organisation, move |scope| {
            Box::pin(update::insert(scope, maintenance, rule))
        })
        .await
    }

    async fn change_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        rule: UpdateTransition<MaintenanceUpdate>,
    ) -> Result<Option<Committed<MaintenanceUpdate>>, Error> {
        self.commit(organisation, move |scope| {
            Box::pin(update::change(scope, maintenance, id, rule))
        })
        .await
    }

    async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        ids: Vec<MaintenanceUpdateId>,
        rule: UpdateTransition<Vec<MaintenanceUpdateId>>,
    ) -> Result<Option<Committed<Vec<MaintenanceUpdateId>>>, Error> {
        self.commit(organisation, move |scope| {
            Box::pin(update::delete(scope, maintenance, ids, rule))
        })
        .await
    }

    async fn next_change(&self) -> Result<Option<DateTime<Utc>>, Error> {
        let next = schedule::next().into_tuple();
        next.one(self.read()).await.map_err(broken)
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error> {
        schedule::organisations_due(self.read(), now).await
    }

    async fn announce(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Commit>, Error> {
        let committed = self.commit_with(organisation, Lock::ReadAsOf(now), move |scope| {
            Box::pin(schedule::announce(scope, now))
        });
        Ok(committed.await?.and_then(|committed| committed.commit))
    }
}

/// The maintenances of an organisation. Every query of maintenances begins here.
pub(crate) fn of(organisation: &OrganisationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

/// The row of a maintenance of an organisation.
pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: MaintenanceId,
) -> Result<Option<Model>, Error> {
    of(organisation)
        .filter(Column::Id.eq(id.0))
        .one(connection)
        .await
        .map_err(broken)
}

/// Maintenances with their timelines, which share `room` bytes.
async fn reports(
    transaction: &DatabaseTransaction,
    rows: Vec<Model>,
    room: usize,
    now: DateTime<Utc>,
) -> Result<Vec<MaintenanceReport>, Error> {
    let mut budget = Budget::new(room);
    let mut reports = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some: Vec<Model> = rows.by_ref().take(AT_ONCE).collect();
        let is_read = !budget.is_spent();
        let ids: Vec<_> = some.iter().map(|row| row.id).collect();
        let mut timelines = if is_read {
            timeline::of(transaction, &ids).await?
        } else {
            HashMap::new()
        };
        for row in some {
            let mut timeline = if is_read {
                timelines.remove(&row.id).unwrap_or_default()
            } else {
                Timeline::unread()
            };
            timeline.fit(&mut budget)?;
            reports.push(reported(maintenance(row)?, timeline, now));
        }
    }
    Ok(reports)
}

fn reported(
    maintenance: Maintenance,
    timeline: Timeline<MaintenanceTimelineEntry>,
    now: DateTime<Utc>,
) -> MaintenanceReport {
    MaintenanceReport {
        maintenance,
        timeline: timeline.entries,
        timeline_truncated: timeline.truncated,
        read_at: now,
    }
}

fn row(scope: Scope<'_>, state: &Maintenance) -> Model {
    Model {
        id: state.id.0,
        organisation_id: scope.organisation.as_str().to_owned(),
        code: state.id.code().to_string(),
        title: state.title.clone(),
        description: state.description.clone(),
        start_at: state.start_at,
        end_at: state.end_at,
        cancelled_at: state.cancelled_at,
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
        announced_status: state.announced.to_string(),
        next_change_at: state.next_change(scope.stamp.clock),
        shown_until: state.shown_until().unwrap_or(UNTIL_IT_IS_OVER),
        notify: state.notify,
    }
}

pub(crate) fn maintenance(row: Model) -> Result<Maintenance, Error> {
    Ok(Maintenance {
        id: MaintenanceId(row.id),
        title: row.title,
        description: row.description,
        start_at: row.start_at,
        end_at: row.end_at,
        cancelled_at: row.cancelled_at,
        announced: parse_stored(&row.announced_status)?,
        notify: row.notify,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: Revision(row.version),
    })
}
