//! The updates of an incident.

use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::incident::update::IncidentUpdateStore;
use allclear_application::page::{Listed, Page};
use allclear_application::transition::{Transition, Written};
use allclear_domain::author::Author;
use allclear_domain::event::Changed;
use allclear_domain::id::{IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::incident::Incident;
use allclear_domain::incident_update::{Deletion, Entry, IncidentUpdate, Latest};
use allclear_domain::notice::IncidentChange;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait,
    IntoActiveModel, JoinType, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use super::component::all_known;
use super::{find, store};
use crate::database::Database;
use crate::entity::incident;
use crate::entity::incident_update::{Column, Entity, Model};
use crate::error::broken;
use crate::notice::NoticeWriter;
use crate::organisation::{advance, lock_for_commit};
use crate::outbox;

#[async_trait]
impl IncidentUpdateStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentUpdate>>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                if find(transaction, &organisation, incident).await?.is_none() {
                    return Ok(None);
                }
                let mut query = of(incident);
                if let Some(before) = page.before {
                    query = query.filter(Column::Id.lt(before));
                }
                let rows = query
                    .limit(page.limit.map(|limit| limit + 1))
                    .all(transaction)
                    .await
                    .map_err(broken)?;
                let updates = rows
                    .into_iter()
                    .map(update)
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Some(Listed::cut(updates, page, |update| update.id.0)))
            })
        })
        .await
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
    ) -> Result<Option<IncidentUpdate>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                match find(transaction, &organisation, incident).await? {
                    Some(incident) => find_update(transaction, incident.id, id).await,
                    None => Ok(None),
                }
            })
        })
        .await
    }

    async fn record(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        rule: Transition<Latest, Entry>,
    ) -> Result<Option<Written<IncidentUpdate>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = advance(transaction, &organisation, &*clock).await? else {
                    return Ok(None);
                };
                // Only an error takes the revision back.
                let latest = latest(transaction, &organisation, incident).await?;
                let latest = latest.ok_or(Error::NotFound("Incident"))?;
                let before = latest.incident.clone();
                let Changed {
                    state:
                        Entry {
                            incident,
                            mut update,
                            ..
                        },
                    mut events,
                } = rule(latest, locked.stamp)?;
                let (revision, now) = (locked.next_revision(), locked.stamp.now);
                update.version = revision;
                let row = row(&update).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(transaction)
                    .await
                    .map_err(broken)?;
                let (incident, settled) =
                    store(transaction, &organisation, &before, incident, revision, now).await?;
                events.extend(settled);
                let occasion = NoticeWriter {
                    transaction,
                    locked: &locked,
                    clock: &*clock,
                    now,
                };
                occasion
                    .incident(
                        IncidentChange::of(Some(&before), &incident, true),
                        &incident,
                        Some(&update.message),
                    )
                    .await?;
                let commit = outbox::append_of(transaction, locked, &events, &incident).await?;
                Ok(Some(Written {
                    state: update,
                    commit: Some(commit),
                }))
            })
        })
        .await
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
        rule: Transition<Entry>,
    ) -> Result<Option<Written<IncidentUpdate>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let Some(before) = find(transaction, &organisation, incident).await? else {
                    return Ok(None);
                };
                let Some(found) = find_update(transaction, incident, id).await? else {
                    return Ok(None);
                };
                let is_newest = newest_id(transaction, incident).await? == Some(id);
                let entry = Entry {
                    incident: before.clone(),
                    update: found,
                    is_newest,
                };
                let Changed {
                    state:
                        Entry {
                            incident,
                            mut update,
                            ..
                        },
                    mut events,
                } = rule(entry, locked.stamp)?;
                if events.is_empty() {
                    return Ok(Some(Written {
                        state: update,
                        commit: None,
                    }));
                }
                let (revision, now) = (locked.next_revision(), locked.stamp.now);
                update.version = revision;
                let row = row(&update).into_active_model().reset_all();
                Entity::update(row)
                    .exec(transaction)
                    .await
                    .map_err(broken)?;
                let (incident, settled) =
                    store(transaction, &organisation, &before, incident, revision, now).await?;
                events.extend(settled);
                let occasion = NoticeWriter {
                    transaction,
                    locked: &locked,
                    clock: &*clock,
                    now,
                };
                occasion
                    .incident(
                        IncidentChange::of(Some(&before), &incident, false),
                        &incident,
                        Some(&update.message),
                    )
                    .await?;
                let commit = outbox::append_of(transaction, locked, &events, &incident).await?;
                Ok(Some(Written {
                    state: update,
                    commit: Some(commit),
                }))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        ids: Vec<IncidentUpdateId>,
        rule: Transition<Deletion, Incident>,
    ) -> Result<Option<Written<()>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let Some(before) = find(transaction, &organisation, incident).await? else {
                    return Ok(None);
                };
                let newest = newest_id(transaction, incident).await?;
                remove(transaction, incident, &ids).await?;
                let left = of(incident)
                    .limit(1)
                    .one(transaction)
                    .await
                    .map_err(broken)?;
                let deletion = Deletion {
                    incident: before.clone(),
                    newest,
                    left: left.map(update).transpose()?,
                };
                let Changed { state, mut events } = rule(deletion, locked.stamp)?;
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
                    state: (),
                    commit: Some(commit),
                }))
            })
        })
        .await
    }
}

/// An incident with its newest update, read together: this is what operators wait for in an outage.
async fn latest(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    id: IncidentId,
) -> Result<Option<Latest>, Error> {
    let updates = incident::Entity::belongs_to(Entity)
        .from(incident::Column::Id)
        .to(Column::IncidentId)
        .into();
    let found = super::of(organisation)
        .filter(incident::Column::Id.eq(id.0))
        .join(JoinType::LeftJoin, updates)
        .select_also(Entity)
        .order_by_desc(Column::Id)
        .limit(1);
    let Some((incident, newest)) = found.one(transaction).await.map_err(broken)? else {
        return Ok(None);
    };
    Ok(Some(Latest {
        incident: super::incident(incident)?,
        newest: newest.map(update).transpose()?,
    }))
}

/// Everything of an incident, newest first. The caller has found the incident in its organisation.
fn of(incident: IncidentId) -> Select<Entity> {
    Entity::find()
        .filter(Column::IncidentId.eq(incident.0))
        .order_by_desc(Column::Id)
}

async fn find_update(
    connection: &impl ConnectionTrait,
    incident: IncidentId,
    id: IncidentUpdateId,
) -> Result<Option<IncidentUpdate>, Error> {
    let found = Entity::find_by_id((incident.0, id.0))
        .one(connection)
        .await
        .map_err(broken)?;
    found.map(update).transpose()
}

async fn newest_id(
    transaction: &DatabaseTransaction,
    incident: IncidentId,
) -> Result<Option<IncidentUpdateId>, Error> {
    let query = of(incident)
        .select_only()
        .column(Column::Id)
        .limit(1)
        .into_tuple::<Uuid>();
    Ok(query
        .one(transaction)
        .await
        .map_err(broken)?
        .map(IncidentUpdateId))
}

/// Removes updates of an incident. [`Error::Invalid`] where it has no such update.
async fn remove(
    transaction: &DatabaseTransaction,
    incident: IncidentId,
    ids: &[IncidentUpdateId],
) -> Result<(), Error> {
    let ids: Vec<_> = ids.iter().map(|id| id.0).collect();
    let these = || {
        Condition::all()
            .add(Column::IncidentId.eq(incident.0))
            .add(Column::Id.is_in(ids.iter().copied()))
    };
    let known: Vec<Uuid> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(these())
        .into_tuple()
        .all(transaction)
        .await
        .map_err(broken)?;
    all_known(
        &ids,
        &known,
        |index| format!("incidentUpdateIds[{index}]"),
        "This update does not exist",
    )?;
    Entity::delete_many()
        .filter(these())
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

fn row(state: &IncidentUpdate) -> Model {
    Model {
        incident_id: state.incident_id.0,
        id: state.id.0,
        status: state.status.as_str().to_owned(),
        message: state.message.clone(),
        user_id: state.author.id.clone(),
        user_name: state.author.name.clone(),
        created_at: state.created_at,
        version: state.version.0,
    }
}

/// A stored update as the domain knows it.
fn update(row: Model) -> Result<IncidentUpdate, Error> {
    Ok(IncidentUpdate {
        id: IncidentUpdateId(row.id),
        incident_id: IncidentId(row.incident_id),
        status: row.status.parse().map_err(Error::internal)?,
        message: row.message,
        author: Author {
            id: row.user_id,
            name: row.user_name,
        },
        created_at: row.created_at,
        version: Revision(row.version),
    })
}
