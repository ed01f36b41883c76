//! Components and the periods of their statuses.

pub(crate) mod history;

use allclear_application::component::ComponentStore;
use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::event::Changed;
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction,
    EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
};

use crate::commit::Scope;
use crate::database::Database;
use crate::entity::component::{Column, Entity, Model};
use crate::entity::component_period;
use crate::error::{broken, parse_stored};
use crate::page;

#[async_trait]
impl ComponentStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Component>, Error> {
        page::read(self.read(), of(organisation), page, Column::Id, |row| {
            row.id
        })
        .await?
        .try_map(component)
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
    ) -> Result<Committed<Component>, Error> {
        let limits = self.limits;
        let committed = self.commit(organisation, move |scope| {
            Box::pin(async move {
                if limits.components.is_some() {
                    let present = of(scope.organisation).count(scope.transaction).await;
                    limits.check_components(present.map_err(broken)?)?;
                }
                let mut created = create(scope.stamp)?;
                created.state.version = scope.stamp.revision;
                created.state.history_version = scope.stamp.revision;
                let row = row(scope.organisation, &created.state).into_active_model();
                Entity::insert(row)
                    .exec_without_returning(scope.transaction)
                    .await
                    .map_err(broken)?;
                begin_period(scope, &created.state, None).await?;
                Ok(Some(created))
            })
        });
        committed.await?.ok_or(Error::NotFound("Organisation"))
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        rule: Transition<Component>,
    ) -> Result<Option<Committed<Component>>, Error> {
        self.commit(organisation, move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let status = before.status;
                let mut changed = rule(before, scope.stamp)?;
                if !changed.is_nothing() {
                    changed.state.version = scope.stamp.revision;
                    if changed.state.status != status {
                        changed.state.history_version = scope.stamp.revision;
                        begin_period(scope, &changed.state, None).await?;
                    }
                    update(scope.transaction, scope.organisation, &changed.state).await?;
                }
                Ok(Some(changed))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
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
}

/// The components of an organisation. Every query of components begins here.
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

/// Ends the period of the component's former status and begins one of its new status. OPERATIONAL has no periods.
pub(crate) async fn begin_period(
    scope: Scope<'_>,
    state: &Component,
    incident: Option<IncidentId>,
) -> Result<(), Error> {
    use component_period::{ActiveModel, Column, Entity};
    let now = state.updated_at;
    Entity::update_many()
        .col_expr(Column::EndAt, now.into())
        .col_expr(Column::Version, scope.stamp.revision.0.into())
        .filter(Column::ComponentId.eq(state.id.0))
        .filter(Column::EndAt.is_null())
        .exec(scope.transaction)
        .await
        .map_err(broken)?;
    if state.status == ComponentStatus::Operational {
        return Ok(());
    }
    let cause = if incident.is_some() {
        "INCIDENT"
    } else {
        "OPERATOR"
    };
    let period = ActiveModel {
        id: Set(scope.clock.id()),
        organisation_id: Set(scope.organisation.as_str().to_owned()),
        component_id: Set(state.id.0),
        status: Set(state.status.to_string()),
        start_at: Set(now),
        end_at: Set(None),
        cause_type: Set(cause.to_owned()),
        incident_id: Set(incident.map(|incident| incident.0)),
        user_id: Set(None),
        user_name: Set(None),
        version: Set(scope.stamp.revision.0),
    };
    Entity::insert(period)
        .exec_without_returning(scope.transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

fn row(organisation: &OrganisationId, state: &Component) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        code: state.id.code().to_string(),
        name: state.name.clone(),
        description: state.description.clone(),
        status: state.status.to_string(),
        status_source: state.status_source.to_string(),
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
        show_uptime: state.show_uptime,
        start_date: state.start_date,
        only_show_when_affected: state.only_show_when_affected,
        history_version: state.history_version.0,
    }
}

pub(crate) fn component(row: Model) -> Result<Component, Error> {
    Ok(Component {
        id: ComponentId(row.id),
        name: row.name,
        description: row.description,
        status: parse_stored(&row.status)?,
        status_source: parse_stored(&row.status_source)?,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: Revision(row.version),
        show_uptime: row.show_uptime,
        start_date: row.start_date,
        only_show_when_affected: row.only_show_when_affected,
        history_version: Revision(row.history_version),
    })
}
