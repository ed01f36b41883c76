//! Maintenances and their [updates](update).

#[cfg(test)]
mod query_plan_tests;
mod timeline;
pub mod update;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore};
use allclear_application::page::{Listed, Page};
use allclear_application::public::maintenance::{MaintenanceEntry, PublicMaintenance};
use allclear_application::public::size::{
    Budget, EVENT_BYTES, LIST_TIMELINE_BYTES, PAGE_BYTES, PAST_SHOWN, WithTimeline,
};
use allclear_application::transition::{CreateTransition, Transition, Written};
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{MaintenanceId, OrganisationId};
use allclear_domain::maintenance::{Maintenance, SHOWN_AFTER_END};
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
use crate::notice::NoticeWriter;
use crate::organisation::lock_for_commit;
use crate::outbox;
use crate::timeline::{AT_ONCE, Timeline};

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
                let limit = page.limit.map(|limit| limit + 1);
                let rows = query.limit(limit).all(transaction).await.map_err(broken)?;
                let Listed { items, next } = Listed::cut(rows, page, |row| row.id);
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
    ) -> Result<Written<MaintenanceReport>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let locked = lock_for_commit(transaction, &organisation, &*clock)
                    .await?
                    .ok_or(Error::NotFound("Organisation"))?;
                let Changed { mut state, events } = create(locked.stamp)?;
                state.version = locked.next_revision();
                let now = clock.now();
                let row = row(&organisation, &state, now).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(transaction)
                    .await
                    .map_err(broken)?;
                let occasion = NoticeWriter {
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
                let commit = outbox::append_at(transaction, locked, &events, now).await?;
                let report = reported(state, Timeline::default(), now);
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
        rule: Transition<Maintenance>,
    ) -> Result<Option<Written<MaintenanceReport>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let Some(before) = find(transaction, &organisation, id).await? else {
                    return Ok(None);
                };
                let told = before.announced_status.parse().map_err(Error::internal)?;
                let before = maintenance(before);
                let Changed { mut state, events } = rule(before.clone(), locked.stamp)?;
                let now = clock.now();
                let mut commit = None;
                if !events.is_empty() {
                    state.version = locked.next_revision();
                    let row = row(&organisation, &state, now)
                        .into_active_model()
                        .reset_all();
                    Entity::update(row)
                        .exec(transaction)
                        .await
                        .map_err(broken)?;
                    let occasion = NoticeWriter {
                        transaction,
                        locked: &locked,
                        clock: &*clock,
                        now,
                    };
                    let change = MaintenanceChange::of(Some((&before, told)), &state, false, now);
                    occasion.maintenance(0, change, &state, None).await?;
                    commit = Some(outbox::append_at(transaction, locked, &events, now).await?);
                }
                let timeline = timeline::of(transaction, &[id.0])
                    .await?
                    .remove(&id.0)
                    .unwrap_or_default();
                Ok(Some(Written {
                    state: reported(state, timeline, now),
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
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let row = Entity::delete_many()
                    .filter(Column::OrganisationId.eq(organisation.as_str()))
                    .filter(Column::Id.eq(id.0));
                if row.exec(transaction).await.map_err(broken)?.rows_affected == 0 {
                    return Ok(None);
                }
                let commit =
                    outbox::append(transaction, locked, &[Event::MaintenanceDeleted(id)]).await?;
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
    let mut ahead = not_over(organisation, now)
        .all(transaction)
        .await
        .map_err(broken)?;
    ahead.sort_unstable_by_key(|row| Reverse(row.id));
    let past = newest_over(organisation, now)
        .all(transaction)
        .await
        .map_err(broken)?;
    let mut budget = Budget::new(PAGE_BYTES);
    let ahead = reports(transaction, ahead, PAGE_BYTES, now).await?;
    let mut shown = Vec::with_capacity(ahead.len() + past.len());
    for report in ahead {
        shown.push(budget.show(PublicMaintenance::from(report))?);
    }
    let timelines = AT_ONCE * EVENT_BYTES;
    for report in reports(transaction, past, timelines, now).await? {
        shown.push(PublicMaintenance::from(report).for_past()?);
    }
    shown.sort_unstable_by(|a, b| b.id.cmp(&a.id));
    Ok(shown)
}

/// What is ahead or goes on. Without an order: SQLite would follow the index that has it, through everything that is over.
pub(crate) fn not_over(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation).filter(Column::ShownUntil.gte(now + SHOWN_AFTER_END))
}

/// What ended last, as many as the status page shows.
pub(crate) fn newest_over(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation)
        .filter(Column::ShownUntil.gte(now))
        .filter(Column::ShownUntil.lt(now + SHOWN_AFTER_END))
        .order_by_desc(Column::ShownUntil)
        .limit(PAST_SHOWN)
}

/// A maintenance as an event carries it.
pub(crate) async fn public(
    transaction: &DatabaseTransaction,
    id: MaintenanceId,
    now: DateTime<Utc>,
) -> Result<PublicMaintenance, Error> {
    let row = Entity::find_by_id(id.0).one(transaction).await;
    let rows = Vec::from_iter(row.map_err(broken)?);
    let report = reports(transaction, rows, LIST_TIMELINE_BYTES, now)
        .await?
        .pop();
    let missing = || {
        Error::internal(format!(
            "an event names maintenance {id}, which is not stored"
        ))
    };
    report.map(PublicMaintenance::from).ok_or_else(missing)
}

/// Maintenances with as much of their timelines as there is room for, in bytes.
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
            reports.push(reported(maintenance(row), timeline, now));
        }
    }
    Ok(reports)
}

fn reported(
    maintenance: Maintenance,
    timeline: Timeline<MaintenanceEntry>,
    now: DateTime<Utc>,
) -> MaintenanceReport {
    MaintenanceReport {
        maintenance,
        timeline: timeline.entries,
        timeline_truncated: timeline.truncated,
        read_at: now,
    }
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
