//! Incidents.

mod component;
pub(crate) mod public;
#[cfg(test)]
mod query_plan_tests;
mod timeline;
mod update;

use std::collections::HashMap;
use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::incident::{IncidentReport, IncidentStore};
use allclear_application::page::{Listed, Page};
use allclear_application::public::incident::TimelineEntry;
use allclear_application::public::size::{Budget, LIST_TIMELINE_BYTES};
use allclear_application::transition::{CreateTransition, Transition, Written};
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::impact::{self, Attachment};
use allclear_domain::incident::Incident;
use allclear_domain::notice::IncidentChange;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait,
    IntoActiveModel, Iterable, ModelTrait, QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

use crate::database::Database;
use crate::entity::incident::{Column, Entity, Model};
use crate::error::broken;
use crate::impact::settle;
use crate::notice::NoticeWriter;
use crate::organisation::lock_for_commit;
use crate::outbox;
use crate::timeline::{AT_ONCE, Timeline};

#[async_trait]
impl IncidentStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<IncidentReport>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let mut query = of(&organisation).order_by_desc(Column::Id);
                if let Some(before) = page.before {
                    query = query.filter(Column::Id.lt(before));
                }
                let limit = page.limit.map(|limit| limit + 1);
                let rows = query.limit(limit).all(transaction).await.map_err(broken)?;
                let Listed { items: rows, next } = Listed::cut(rows, page, |row| row.id);
                let items = reports(transaction, rows).await?;
                Ok(Listed { items, next })
            })
        })
        .await
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<Option<IncidentReport>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                match find(transaction, &organisation, id).await? {
                    Some(incident) => Ok(Some(report(transaction, incident).await?)),
                    None => Ok(None),
                }
            })
        })
        .await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Incident>,
        components: Vec<Attachment>,
    ) -> Result<Written<IncidentReport>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let locked = lock_for_commit(transaction, &organisation, &*clock)
                    .await?
                    .ok_or(Error::NotFound("Organisation"))?;
                let now = locked.stamp.now;
                let Changed {
                    mut state,
                    mut events,
                } = create(locked.stamp)?;
                state.version = locked.next_revision();
                let row = row(&organisation, &state).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(transaction)
                    .await
                    .map_err(broken)?;
                component::link(transaction, &organisation, &state, &components).await?;
                let ids: Vec<_> = components
                    .iter()
                    .map(|attachment| attachment.component_id.0)
                    .collect();
                if state.holds() {
                    events.extend(
                        settle(
                            transaction,
                            &organisation,
                            &ids,
                            state.id,
                            state.version,
                            now,
                        )
                        .await?,
                    );
                }
                let occasion = NoticeWriter {
                    transaction,
                    locked: &locked,
                    clock: &*clock,
                    now,
                };
                occasion
                    .incident(IncidentChange::of(None, &state, false), &state, None)
                    .await?;
                let commit = outbox::append(transaction, locked, &events).await?;
                let state = IncidentReport {
                    incident: state,
                    timeline: Vec::new(),
                    timeline_truncated: false,
                };
                Ok(Written {
                    state,
                    commit: Some(commit),
                })
            })
        })
        .await
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        rule: Transition<Incident>,
    ) -> Result<Option<Written<IncidentReport>>, Error> {
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
                let Changed { state, mut events } = rule(before.clone(), locked.stamp)?;
                if events.is_empty() {
                    return Ok(Some(Written {
                        state: report(transaction, state).await?,
                        commit: None,
                    }));
                }
                let (revision, now) = (locked.next_revision(), locked.stamp.now);
                let (state, settled) =
                    store(transaction, &organisation, &before, state, revision, now).await?;
                events.extend(settled);
                let occasion = NoticeWriter {
                    transaction,
                    locked: &locked,
                    clock: &*clock,
                    now,
                };
                occasion
                    .incident(
                        IncidentChange::of(Some(&before), &state, false),
                        &state,
                        None,
                    )
                    .await?;
                let commit = outbox::append(transaction, locked, &events).await?;
                Ok(Some(Written {
                    state: report(transaction, state).await?,
                    commit: Some(commit),
                }))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<Option<Written<()>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let Some(incident) = find(transaction, &organisation, id).await? else {
                    return Ok(None);
                };
                let released = if incident.holds() {
                    component::linked(transaction, id).await?
                } else {
                    Vec::new()
                };
                Entity::delete_by_id(id.0)
                    .exec(transaction)
                    .await
                    .map_err(broken)?;
                let (revision, now) = (locked.next_revision(), locked.stamp.now);
                let mut events = vec![Event::IncidentDeleted(id)];
                events.extend(
                    settle(transaction, &organisation, &released, id, revision, now).await?,
                );
                let commit = outbox::append(transaction, locked, &events).await?;
                Ok(Some(Written {
                    state: (),
                    commit: Some(commit),
                }))
            })
        })
        .await
    }
}

/// Everything of an organisation: no query of incidents goes without it.
fn of(organisation: &OrganisationId) -> sea_orm::Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: IncidentId,
) -> Result<Option<Incident>, Error> {
    let found = of(organisation)
        .filter(Column::Id.eq(id.0))
        .one(connection)
        .await
        .map_err(broken)?;
    found.map(incident).transpose()
}

async fn report(
    transaction: &DatabaseTransaction,
    incident: Incident,
) -> Result<IncidentReport, Error> {
    let mut timelines = timeline::of(
        transaction,
        Condition::all().add(Column::Id.eq(incident.id.0)),
    )
    .await?;
    let timeline = timelines.remove(&incident.id.0).unwrap_or_default();
    Ok(reported(incident, timeline))
}

/// The incidents of a list, with as much of their timelines as a list has room for.
async fn reports(
    transaction: &DatabaseTransaction,
    rows: Vec<Model>,
) -> Result<Vec<IncidentReport>, Error> {
    let mut budget = Budget::new(LIST_TIMELINE_BYTES);
    let mut reports = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some: Vec<Model> = rows.by_ref().take(AT_ONCE).collect();
        let is_read = !budget.is_spent();
        let mut timelines = if is_read {
            timeline::of(transaction, named(some.iter().map(|row| row.id))).await?
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
            reports.push(reported(incident(row)?, timeline));
        }
    }
    Ok(reports)
}

fn reported(incident: Incident, timeline: Timeline<TimelineEntry>) -> IncidentReport {
    IncidentReport {
        incident,
        timeline: timeline.entries,
        timeline_truncated: timeline.truncated,
    }
}

/// These incidents, which were found in their organisation.
fn named(ids: impl Iterator<Item = Uuid>) -> Condition {
    Condition::all().add(Column::Id.is_in(ids))
}

/// Stores what a rule has made of an incident and, where that changes what it holds, settles its components. Answers the
/// incident at its version, and what happened to components.
async fn store(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    before: &Incident,
    mut state: Incident,
    revision: Revision,
    now: DateTime<Utc>,
) -> Result<(Incident, Vec<Event>), Error> {
    if !state.reads_like(before) {
        state.version = revision;
    }
    let stored = row(organisation, &state);
    let mut changed = row(organisation, before).into_active_model();
    // A column that stays as it is costs nothing where it is left out: no index is written, no foreign key looked up.
    for column in Column::iter() {
        changed.set_if_not_equals(column, stored.get(column));
    }
    let update = Entity::update_many()
        .set(changed)
        .filter(Column::Id.eq(state.id.0));
    update.exec(transaction).await.map_err(broken)?;
    if !impact::differs(before, &state) {
        return Ok((state, Vec::new()));
    }
    let components = component::linked(transaction, state.id).await?;
    let settled = settle(
        transaction,
        organisation,
        &components,
        state.id,
        revision,
        now,
    )
    .await?;
    Ok((state, settled))
}

fn row(organisation: &OrganisationId, state: &Incident) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        title: state.title.clone(),
        description: state.description.clone(),
        status: state.status.as_str().to_owned(),
        occured_at: state.occured_at,
        resolved_at: state.resolved_at,
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
    }
}

/// A stored incident as the domain knows it.
fn incident(row: Model) -> Result<Incident, Error> {
    Ok(Incident {
        id: IncidentId(row.id),
        title: row.title,
        description: row.description,
        status: row.status.parse().map_err(Error::internal)?,
        occured_at: row.occured_at,
        resolved_at: row.resolved_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: Revision(row.version),
    })
}
