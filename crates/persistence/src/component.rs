//! Components and the history of their statuses.

use std::sync::Arc;

use allclear_application::component::ComponentStore;
use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use allclear_application::transition::{CreateTransition, Transition, Written};
use allclear_domain::component::{Component, StatusSource};
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction,
    EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};

use crate::database::Database;
use crate::entity::component::{Column, Entity, Model};
use crate::entity::component_status_change;
use crate::error::broken;
use crate::organisation::lock_for_commit;
use crate::outbox;

#[async_trait]
impl ComponentStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Component>, Error> {
        let mut query = of(organisation).order_by_desc(Column::Id);
        if let Some(before) = page.before {
            query = query.filter(Column::Id.lt(before));
        }
        let rows = query
            .limit(page.limit.map(|limit| limit + 1))
            .all(self.read())
            .await
            .map_err(broken)?;
        let components = rows
            .into_iter()
            .map(component)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Listed::cut(components, page, |component| component.id.0))
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<Option<Component>, Error> {
        find(self.read(), organisation, id).await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Component>,
    ) -> Result<Written<Component>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        let limits = self.limits;
        self.write(move |transaction| {
            Box::pin(async move {
                let locked = lock_for_commit(transaction, &organisation, &*clock)
                    .await?
                    .ok_or(Error::NotFound("Organisation"))?;
                if limits.components.is_some() {
                    let present = of(&organisation).count(transaction).await.map_err(broken)?;
                    limits.check_components(present)?;
                }
                let Changed { mut state, events } = create(locked.stamp)?;
                state.version = locked.next_revision();
                let row = row(&organisation, &state).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(transaction)
                    .await
                    .map_err(broken)?;
                record_status(transaction, &state, None).await?;
                let commit = outbox::append(transaction, locked, &events).await?;
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
        id: ComponentId,
        rule: Transition<Component>,
    ) -> Result<Option<Written<Component>>, Error> {
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
                let status = before.status;
                let Changed { mut state, events } = rule(before, locked.stamp)?;
                if events.is_empty() {
                    return Ok(Some(Written {
                        state,
                        commit: None,
                    }));
                }
                state.version = locked.next_revision();
                update(transaction, &organisation, &state).await?;
                if state.status != status {
                    record_status(transaction, &state, None).await?;
                }
                let commit = outbox::append(transaction, locked, &events).await?;
                Ok(Some(Written {
                    state,
                    commit: Some(commit),
                }))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
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
                    outbox::append(transaction, locked, &[Event::ComponentDeleted(id)]).await?;
                Ok(Some(Written {
                    state: (),
                    commit: Some(commit),
                }))
            })
        })
        .await
    }
}

/// Everything of an organisation: no query of components goes without it.
pub(crate) fn of(organisation: &OrganisationId) -> sea_orm::Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: ComponentId,
) -> Result<Option<Component>, Error> {
    let found = of(organisation)
        .filter(Column::Id.eq(id.0))
        .one(connection)
        .await
        .map_err(broken)?;
    found.map(component).transpose()
}

/// Stores a component's new state.
pub(crate) async fn update(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    state: &Component,
) -> Result<(), Error> {
    let row = row(organisation, state).into_active_model().reset_all();
    Entity::update(row)
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

/// Adds the component's status to its history, with the incident that caused it where one did.
pub(crate) async fn record_status(
    transaction: &DatabaseTransaction,
    state: &Component,
    cause: Option<IncidentId>,
) -> Result<(), Error> {
    let change = component_status_change::ActiveModel {
        component_id: Set(state.id.0),
        revision: Set(state.version.0),
        status: Set(state.status.as_str().to_owned()),
        status_source: Set(source_word(state.status_source).to_owned()),
        created_at: Set(state.updated_at),
        incident_id: Set(cause.map(|incident| incident.0)),
    };
    component_status_change::Entity::insert(change)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

fn row(organisation: &OrganisationId, state: &Component) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        name: state.name.clone(),
        description: state.description.clone(),
        status: state.status.as_str().to_owned(),
        status_source: source_word(state.status_source).to_owned(),
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
    }
}

/// A stored component as the domain knows it.
pub(crate) fn component(row: Model) -> Result<Component, Error> {
    Ok(Component {
        id: ComponentId(row.id),
        name: row.name,
        description: row.description,
        status: row.status.parse().map_err(Error::internal)?,
        status_source: match row.status_source.as_str() {
            "INCIDENTS" => StatusSource::Incidents,
            _ => StatusSource::Operator,
        },
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: Revision(row.version),
    })
}

const fn source_word(source: StatusSource) -> &'static str {
    match source {
        StatusSource::Operator => "OPERATOR",
        StatusSource::Incidents => "INCIDENTS",
    }
}
