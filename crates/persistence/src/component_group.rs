//! Component groups and the order of the page.

use std::collections::HashMap;

use allclear_application::component_group::{
    ComponentGroupReport, ComponentGroupStore, VersionedOrder,
};
use allclear_application::error::{Error, Resource};
use allclear_application::page::{Listed, Page};
use allclear_application::status_page::component_group::PublicComponentGroup;
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::ComponentGroup;
use allclear_domain::id::{ComponentGroupId, OrganisationId};
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QuerySelect,
};
use uuid::Uuid;

use crate::audit::subject::Subject;
use crate::commit::Scope;
use crate::component;
use crate::database::Database;
use crate::entity;
use crate::entity::component::Column as ComponentColumn;
use crate::entity::component_group::{Column, Entity, Model};
use crate::error::{broken, parse_stored};
use crate::maintenance::component::UnderMaintenance;
use crate::page;
use crate::page_order;
use crate::statement::{self, Fetch, Run};
use crate::subscriber::add_components_of;

#[async_trait]
impl ComponentGroupStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ComponentGroupReport>, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let maintained = UnderMaintenance::read(transaction, &organisation, now).await?;
                let groups = of(&organisation);
                let listed =
                    page::read(transaction, groups, page, Column::Id, |row| row.id).await?;
                Ok(Listed {
                    items: reports(transaction, &organisation, listed.items, &maintained).await?,
                    next: listed.next,
                })
            })
        })
        .await
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
    ) -> Result<Option<ComponentGroupReport>, Error> {
        let (organisation, now) = (organisation.clone(), self.clock.now());
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let maintained = UnderMaintenance::read(transaction, &organisation, now).await?;
                find_report(transaction, &organisation, id, &maintained).await
            })
        })
        .await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<ComponentGroup>,
    ) -> Result<Committed<ComponentGroupReport>, Error> {
        let limits = self.limits;
        let committed = self.commit_revision(organisation, Subject::New, move |scope| {
            Box::pin(async move {
                let present = of(scope.organisation).count(scope.transaction).await;
                limits.check_groups(present.map_err(broken)?)?;
                let mut created = create(scope.stamp)?;
                created.state.version = scope.stamp.revision;
                let id = created.state.id;
                let positions = page_order::change(scope, |order| order.insert_group(id)).await?;
                let position = positions.groups[&id];
                let row = model_of(scope, &created.state, position).into_active_model();
                Entity::insert(row).run(scope.transaction).await?;
                Ok(Some(created.map(|group| ComponentGroupReport {
                    position,
                    status: ComponentStatus::Operational,
                    under_maintenance: false,
                    group,
                })))
            })
        });
        committed
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        rule: Transition<ComponentGroup>,
    ) -> Result<Option<Committed<ComponentGroupReport>>, Error> {
        self.commit_revision(organisation, Subject::ComponentGroup(id), move |scope| {
            Box::pin(async move {
                let Scope {
                    transaction,
                    organisation,
                    stamp,
                    ..
                } = scope;
                let maintained =
                    UnderMaintenance::read(transaction, organisation, stamp.wall_time).await?;
                let found = find_report(transaction, organisation, id, &maintained).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let (position, status) = (before.position, before.status);
                let under_maintenance = before.under_maintenance;
                let mut changed = rule(before.group, scope.stamp)?;
                if !changed.has_no_events() {
                    changed.state.version = scope.stamp.revision;
                    let row = model_of(scope, &changed.state, position);
                    Entity::update(row.into_active_model().reset_all())
                        .run(scope.transaction)
                        .await?;
                }
                Ok(Some(changed.map(|group| ComponentGroupReport {
                    group,
                    position,
                    status,
                    under_maintenance,
                })))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        rule: Transition<ComponentGroup, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        if !exists(self.read(), organisation, id).await? {
            return Ok(None);
        }
        self.choose_components_of(organisation, id).await?;
        self.commit_revision(organisation, Subject::ComponentGroup(id), move |scope| {
            Box::pin(async move {
                let found = row_of(scope.transaction, scope.organisation, id).await?;
                let Some(row) = found else {
                    return Ok(None);
                };
                let deletion = rule(row.try_into()?, scope.stamp)?;
                add_components_of(scope.transaction, id, None).await?;
                page_order::change(scope, |order| order.remove_group(id)).await?;
                Entity::delete_by_id(id.0).run(scope.transaction).await?;
                Ok(Some(deletion))
            })
        })
        .await
    }

    async fn order(&self, organisation: &OrganisationId) -> Result<Option<VersionedOrder>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move { versioned_order(transaction, &organisation).await })
        })
        .await
    }

    async fn change_order(
        &self,
        organisation: &OrganisationId,
        rule: Transition<VersionedOrder>,
    ) -> Result<Option<Committed<VersionedOrder>>, Error> {
        self.commit_revision(organisation, Subject::ComponentOrder, move |scope| {
            Box::pin(async move {
                let found = versioned_order(scope.transaction, scope.organisation).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let mut changed = rule(before, scope.stamp)?;
                if !changed.has_no_events() {
                    changed.state.version = scope.stamp.revision;
                    page_order::replace(scope, &changed.state.order).await?;
                }
                Ok(Some(changed))
            })
        })
        .await
    }
}

/// The groups of an organisation. Every query of groups begins here.
pub(crate) fn of(organisation: &OrganisationId) -> sea_orm::Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

async fn versioned_order(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<Option<VersionedOrder>, Error> {
    let row = entity::organisation::Entity::find_by_id(organisation.as_str())
        .fetch_one(connection)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    Ok(Some(VersionedOrder {
        order: page_order::load(connection, organisation).await?,
        version: Revision(row.order_version),
    }))
}

/// Whether the organisation has this group.
pub(crate) async fn exists(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: ComponentGroupId,
) -> Result<bool, Error> {
    statement::exists(of(organisation).filter(Column::Id.eq(id.0)), connection).await
}

async fn row_of(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: ComponentGroupId,
) -> Result<Option<Model>, Error> {
    of(organisation)
        .filter(Column::Id.eq(id.0))
        .fetch_one(connection)
        .await
}

/// Returns a group of an organisation.
pub(crate) async fn find_report(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: ComponentGroupId,
    maintained: &UnderMaintenance,
) -> Result<Option<ComponentGroupReport>, Error> {
    let rows = row_of(connection, organisation, id).await?;
    let rows = rows.into_iter().collect();
    let mut reports = reports(connection, organisation, rows, maintained).await?;
    Ok(reports.pop())
}

/// Groups with what follows from their components.
pub(crate) async fn reports(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    rows: Vec<Model>,
    maintained: &UnderMaintenance,
) -> Result<Vec<ComponentGroupReport>, Error> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let statuses: Vec<(Uuid, Option<Uuid>, String)> = component::of(organisation)
        .select_only()
        .columns([
            ComponentColumn::Id,
            ComponentColumn::GroupId,
            ComponentColumn::Status,
        ])
        .filter(ComponentColumn::GroupId.is_in(rows.iter().map(|row| row.id)))
        .into_tuple()
        .fetch_all(connection)
        .await?;
    let mut found: HashMap<Uuid, (ComponentStatus, bool)> = HashMap::new();
    for (component, group, status) in statuses {
        let status: ComponentStatus = parse_stored(&status)?;
        if let Some(group) = group {
            let (worst, under_maintenance) = found.entry(group).or_default();
            *worst = status.max(*worst);
            *under_maintenance |= maintained.has(component);
        }
    }
    let report = |row: Model| {
        let (status, under_maintenance) = found.get(&row.id).copied().unwrap_or_default();
        Ok(ComponentGroupReport {
            position: row.position,
            status,
            under_maintenance,
            group: row.try_into()?,
        })
    };
    rows.into_iter().map(report).collect()
}

/// The public form of a group that an event names.
pub(crate) async fn public(
    scope: Scope<'_>,
    id: ComponentGroupId,
    maintained: &UnderMaintenance,
) -> Result<PublicComponentGroup, Error> {
    let found = find_report(scope.transaction, scope.organisation, id, maintained).await?;
    let found = found.ok_or_else(|| {
        Error::internal(format!("an event names group {id}, which is not stored"))
    })?;
    Ok(PublicComponentGroup::from(&found))
}

fn model_of(scope: Scope<'_>, state: &ComponentGroup, position: i32) -> Model {
    Model {
        id: state.id.0,
        organisation_id: scope.organisation.as_str().to_owned(),
        code: state.id.code().to_string(),
        name: state.name.clone(),
        description: state.description.clone(),
        position,
        display: state.display.to_string(),
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
    }
}

#[cfg(test)]
mod tests;
