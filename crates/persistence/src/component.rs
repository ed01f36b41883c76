//! Components and the periods of their statuses.

mod deletion;
pub(crate) mod history;

use allclear_application::component::{ComponentReport, ComponentStore};
use allclear_application::error::{Error, Resource};
use allclear_application::page::{Listed, Page};
use allclear_application::precondition::Precondition;
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_application::usage_limit::check_descriptions;
use allclear_domain::author::Author;
use allclear_domain::component::Component;
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::status_period::PeriodCause;
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QuerySelect, Select,
};
use uuid::Uuid;

use self::deletion::has_links;
use self::history::current::{begin_period, end_period};
use crate::audit::subject::Subject;
use crate::batch;
use crate::commit::Scope;
use crate::component_group;
use crate::database::Database;
use crate::entity::component::{ActiveModel, Column, Entity, Model};
use crate::error::broken;
use crate::maintenance::component::UnderMaintenance;
use crate::notice;
use crate::page;
use crate::page_order;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl ComponentStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ComponentReport>, Error> {
        let components = of(organisation);
        let listed = page::read(self.read(), components, page, Column::Id, |row| row.id).await?;
        let maintained =
            UnderMaintenance::read(self.read(), organisation, self.clock.now()).await?;
        listed.try_map(|row| Ok(maintained.report(Component::try_from(row)?)))
    }

    async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<Option<ComponentReport>, Error> {
        let Some(found) = find(self.read(), organisation, id).await? else {
            return Ok(None);
        };
        let maintained =
            UnderMaintenance::read(self.read(), organisation, self.clock.now()).await?;
        Ok(Some(maintained.report(found)))
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Component>,
        author: Author,
    ) -> Result<Committed<ComponentReport>, Error> {
        let limits = self.limits;
        let committed = self.commit_revision(organisation, Subject::New, move |scope| {
            Box::pin(async move {
                if limits.components.is_some() {
                    let present = of(scope.organisation).count(scope.transaction).await;
                    limits.check_components(present.map_err(broken)?)?;
                }
                let mut created = create(scope.stamp)?;
                created.state.version = scope.stamp.revision;
                created.state.history_version = scope.stamp.revision;
                place(scope, &mut created.state).await?;
                let row = model_of(scope.organisation, &created.state).into_active_model();
                Entity::insert(row).run(scope.transaction).await?;
                if !created.state.description.is_empty() {
                    check_descriptions(descriptions_bytes(scope).await?)?;
                }
                let cause = PeriodCause::Operator(Some(author));
                begin_period(scope, &created.state, cause).await?;
                Ok(Some(created.map(|component| ComponentReport {
                    component,
                    under_maintenance: false,
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
        id: ComponentId,
        rule: Transition<Component>,
        author: Author,
    ) -> Result<Option<Committed<ComponentReport>>, Error> {
        self.commit_revision(organisation, Subject::Component(id), move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let (status, group) = (before.status, before.place.group);
                let described = before.description.len();
                let mut changed = rule(before, scope.stamp)?;
                if !changed.has_no_events() {
                    changed.state.version = scope.stamp.revision;
                    if changed.state.status != status {
                        changed.state.history_version = scope.stamp.revision;
                        let cause = PeriodCause::Operator(Some(author));
                        begin_period(scope, &changed.state, cause).await?;
                    }
                    if changed.state.place.group != group {
                        place(scope, &mut changed.state).await?;
                    }
                    update(scope.transaction, scope.organisation, &changed.state).await?;
                    if changed.state.description.len() > described {
                        check_descriptions(descriptions_bytes(scope).await?)?;
                    }
                }
                let now = scope.stamp.wall_time;
                let maintained =
                    UnderMaintenance::read(scope.transaction, scope.organisation, now).await?;
                Ok(Some(changed.map(|component| maintained.report(component))))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        precondition: Precondition,
        rule: Transition<Component, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        let Some(found) = find(self.read(), organisation, id).await? else {
            return Ok(None);
        };
        precondition.check(found.version)?;
        let has_begun = self.withdraw_many(organisation, id.0).await?;
        // Many rows are removed after the commit, which may refuse the deletion.
        let has_many_rows = self.owns_many_rows(id).await?;
        let committed = self.commit_revision(organisation, Subject::Component(id), move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(component) = found else {
                    return Ok(None);
                };
                if !has_begun {
                    precondition.check(component.version)?;
                }
                let deletion = rule(component, scope.stamp)?;
                page_order::change(scope, |order| order.remove_component(id)).await?;
                if has_many_rows || has_links(scope.transaction, id).await? {
                    mark_deleted(scope, id).await?;
                } else {
                    Entity::delete_by_id(id.0).run(scope.transaction).await?;
                }
                notice::withdraw(scope, id.0).await?;
                Ok(Some(deletion))
            })
        });
        let committed = committed.await?;
        if has_many_rows && committed.is_some() {
            self.remove_deleted_or_warn(organisation, id).await;
        }
        Ok(committed)
    }
}

/// The components of an organisation. Every query of components begins here.
pub(crate) fn of(organisation: &OrganisationId) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::DeletedAt.is_null())
}

/// The size of the descriptions of all components of the organisation.
async fn descriptions_bytes(scope: Scope<'_>) -> Result<u64, Error> {
    let sum: Option<Option<i64>> = of(scope.organisation)
        .select_only()
        .expr(Expr::cust("CAST(SUM(octet_length(description)) AS BIGINT)"))
        .into_tuple()
        .fetch_one(scope.transaction)
        .await?;
    u64::try_from(sum.flatten().unwrap_or_default()).map_err(Error::internal)
}

/// Returns those of the given components that the organisation has, each once, the oldest first.
pub(crate) async fn existing(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    components: impl IntoIterator<Item = ComponentId>,
) -> Result<Vec<ComponentId>, Error> {
    let mut components: Vec<_> = components.into_iter().map(|id| id.0).collect();
    components.sort_unstable();
    // A component in two batches would be found twice.
    components.dedup();
    let mut existing: Vec<Uuid> = Vec::with_capacity(components.len());
    for ids in batch::of_keys(&components) {
        let some = of(organisation)
            .select_only()
            .column(Column::Id)
            .filter(Column::Id.is_in(ids))
            .into_tuple::<Uuid>();
        existing.append(&mut some.fetch_all(connection).await?);
    }
    existing.sort_unstable();
    Ok(existing.into_iter().map(ComponentId).collect())
}

/// Puts a component first in its group. [`Error::Invalid`] if the organisation has no such group.
async fn place(scope: Scope<'_>, state: &mut Component) -> Result<(), Error> {
    let (id, group) = (state.id, state.place.group);
    if let Some(group) = group
        && !component_group::exists(scope.transaction, scope.organisation, group).await?
    {
        return Err(Invalid::field("groupId", "This group does not exist").into());
    }
    let positions = page_order::change(scope, |order| order.insert_component(id, group)).await?;
    state.place = positions.components[&id];
    Ok(())
}

/// Marks a component as deleted, and keeps its history until now. Incidents and maintenances that
/// name it keep its name.
async fn mark_deleted(scope: Scope<'_>, id: ComponentId) -> Result<(), Error> {
    // No later change of an incident would end it.
    end_period(scope, id).await?;
    let deleted = ActiveModel {
        id: Set(id.0),
        group_id: Set(None),
        deleted_at: Set(Some(scope.stamp.committed_at)),
        ..Default::default()
    };
    Entity::update(deleted).run(scope.transaction).await?;
    Ok(())
}

pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: ComponentId,
) -> Result<Option<Component>, Error> {
    let found = of(organisation)
        .filter(Column::Id.eq(id.0))
        .fetch_one(connection)
        .await?;
    found.map(Component::try_from).transpose()
}

/// Stores a component's new state.
async fn update(
    transaction: &Transaction,
    organisation: &OrganisationId,
    state: &Component,
) -> Result<(), Error> {
    let row = model_of(organisation, state)
        .into_active_model()
        .reset_all();
    Entity::update(row).run(transaction).await?;
    Ok(())
}

fn model_of(organisation: &OrganisationId, state: &Component) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        code: state.id.code().to_string(),
        name: state.name.clone(),
        description: state.description.clone(),
        status: state.status.to_string(),
        status_source: state.status_source.to_string(),
        group_id: state.place.group.map(|group| group.0),
        position: state.place.position,
        deleted_at: None,
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
        show_uptime: state.show_uptime,
        start_date: state.start_date,
        only_show_when_affected: state.only_show_when_affected,
        history_version: state.history_version.0,
    }
}
