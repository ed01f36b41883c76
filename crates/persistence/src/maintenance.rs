//! Maintenances and their [updates](update).

#[cfg(test)]
mod plan;
mod timeline;
pub mod update;

use std::cmp::Reverse;
use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore};
use allclear_application::page::{Listed, Page};
use allclear_application::public::maintenance::{MaintenanceEntry, PublicMaintenance};
use allclear_application::rule::{Rule, Written};
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{MaintenanceId, OrganisationId};
use allclear_domain::maintenance::Maintenance;
use allclear_domain::notice::MaintenanceChange;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction,
    EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, Select,
};

use crate::database::Database;
use crate::entity::maintenance::{ActiveModel, Column, Entity, Model};
use crate::error::broken;
use crate::notice::Occasion;
use crate::organisation::lock;
use crate::outbox;

/// A maintenance whose end nobody knows stays on the page as long as there are years of four digits: then one range holds
/// everything that is shown.
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
                let mut query = of(&organisation).order_by_desc(Column::Id);
                if let Some(before) = page.before {
                    query = query.filter(Column::Id.lt(before));
                }
                let reports = reports(
                    transaction,
                    query.limit(page.limit.map(|limit| limit + 1)),
                    now,
                )
                .await?;
                Ok(Listed::cut(reports, page, |report| report.maintenance.id.0))
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
                Ok(reports(
                    transaction,
                    of(&organisation).filter(Column::Id.eq(id.0)),
                    now,
                )
                .await?
                .pop())
            })
        })
        .await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        created: Changed<Maintenance>,
    ) -> Result<Written<MaintenanceReport>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let locked = lock(transaction, &organisation)
                    .await?
                    .ok_or(Error::NotFound("Organisation"))?;
                let Changed { mut state, events } = created;
                state.version = Revision(locked.revision).next();
                let now = clock.now();
                let row = row(&organisation, &state, now).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(transaction)
                    .await
                    .map_err(broken)?;
                let occasion = Occasion {
                    transaction,
                    locked: &locked,
                    clock: &*clock,
                    now,
                };
                occasion
                    .maintenance(
                        0,
                        MaintenanceChange::of(None, &state, false, now),
                        &state,
                        None,
                    )
                    .await?;
                let commit = outbox::append(transaction, locked, &events, now).await?;
                let report = MaintenanceReport {
                    maintenance: state,
                    timeline: Vec::new(),
                    read_at: now,
                };
                Ok(Written {
                    state: report,
                    commit: Some(commit),
                })
            })
        })
        .await
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        rule: Rule<Maintenance>,
    ) -> Result<Option<Written<MaintenanceReport>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock(transaction, &organisation).await? else {
                    return Ok(None);
                };
                let Some(before) = find(transaction, &organisation, id).await? else {
                    return Ok(None);
                };
                let told = before.announced_status.parse().map_err(Error::internal)?;
                let before = maintenance(before);
                let Changed { mut state, events } = rule(before.clone())?;
                let now = clock.now();
                let mut commit = None;
                if !events.is_empty() {
                    state.version = Revision(locked.revision).next();
                    let row = row(&organisation, &state, now)
                        .into_active_model()
                        .reset_all();
                    Entity::update(row)
                        .exec(transaction)
                        .await
                        .map_err(broken)?;
                    let occasion = Occasion {
                        transaction,
                        locked: &locked,
                        clock: &*clock,
                        now,
                    };
                    let change = MaintenanceChange::of(Some((&before, told)), &state, false, now);
                    occasion.maintenance(0, change, &state, None).await?;
                    commit = Some(outbox::append(transaction, locked, &events, now).await?);
                }
                let timeline = timeline::of(transaction, &[id.0])
                    .await?
                    .remove(&id.0)
                    .unwrap_or_default();
                Ok(Some(Written {
                    state: MaintenanceReport {
                        maintenance: state,
                        timeline,
                        read_at: now,
                    },
                    commit,
                }))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<Option<Written<()>>, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock(transaction, &organisation).await? else {
                    return Ok(None);
                };
                let row = Entity::delete_many()
                    .filter(Column::OrganisationId.eq(organisation.as_str()))
                    .filter(Column::Id.eq(id.0));
                if row.exec(transaction).await.map_err(broken)?.rows_affected == 0 {
                    return Ok(None);
                }
                let commit =
                    outbox::append(transaction, locked, &[Event::MaintenanceDeleted(id)], now)
                        .await?;
                Ok(Some(Written {
                    state: (),
                    commit: Some(commit),
                }))
            })
        })
        .await
    }
}

/// Everything of an organisation: no query of maintenances goes without it.
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

/// What a status page shows of an organisation's maintenances, newest first.
pub(crate) async fn shown(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<Vec<PublicMaintenance>, Error> {
    let mut reports = reports(transaction, showing(organisation, now), now).await?;
    reports.sort_unstable_by_key(|report| Reverse(report.maintenance.id));
    Ok(reports.into_iter().map(PublicMaintenance::from).collect())
}

/// Without an order: SQLite would follow the index that has it, through everything that is over.
pub(crate) fn showing(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation).filter(Column::ShownUntil.gte(now))
}

/// A maintenance as an event carries it.
pub(crate) async fn public(
    transaction: &DatabaseTransaction,
    id: MaintenanceId,
    now: DateTime<Utc>,
) -> Result<PublicMaintenance, Error> {
    let report = reports(transaction, Entity::find_by_id(id.0), now)
        .await?
        .pop();
    let missing = || {
        Error::internal(format!(
            "an event names maintenance {id}, which is not stored"
        ))
    };
    report.map(PublicMaintenance::from).ok_or_else(missing)
}

/// The maintenances a query selects, with their timelines.
async fn reports(
    transaction: &DatabaseTransaction,
    query: Select<Entity>,
    now: DateTime<Utc>,
) -> Result<Vec<MaintenanceReport>, Error> {
    let rows = query.all(transaction).await.map_err(broken)?;
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut timelines = timeline::of(transaction, &ids).await?;
    let report = |row: Model| {
        let timeline: Vec<MaintenanceEntry> = timelines.remove(&row.id).unwrap_or_default();
        MaintenanceReport {
            maintenance: maintenance(row),
            timeline,
            read_at: now,
        }
    };
    Ok(rows.into_iter().map(report).collect())
}

/// Notes that viewers know how far the maintenance is now.
pub(crate) async fn note_announced(
    transaction: &DatabaseTransaction,
    state: &Maintenance,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let noted = ActiveModel {
        id: Set(state.id.0),
        announced_status: Set(state.status(now).as_str().to_owned()),
        next_change_at: Set(state.next_change(now)),
        ..Default::default()
    };
    Entity::update(noted)
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

/// A maintenance to store with events that tell viewers how far it is now.
fn row(organisation: &OrganisationId, state: &Maintenance, now: DateTime<Utc>) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        title: state.title.clone(),
        description: state.description.clone(),
        start_at: state.start_at,
        end_at: state.end_at,
        cancelled_at: state.cancelled_at,
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
        announced_status: state.status(now).as_str().to_owned(),
        next_change_at: state.next_change(now),
        shown_until: state.shown_until().unwrap_or(UNTIL_IT_IS_OVER),
    }
}

/// A stored maintenance as the domain knows it.
pub(crate) fn maintenance(row: Model) -> Maintenance {
    Maintenance {
        id: MaintenanceId(row.id),
        title: row.title,
        description: row.description,
        start_at: row.start_at,
        end_at: row.end_at,
        cancelled_at: row.cancelled_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: Revision(row.version),
    }
}
