//! Incidents, their updates and the components attached to them.

pub(crate) mod component;
mod limit;
pub(crate) mod public;
#[cfg(test)]
mod query_plan_tests;
mod report;
pub(crate) mod timeline;
pub(crate) mod update;

use allclear_application::error::{Error, Resource};
use allclear_application::incident::component::IncidentComponent;
use allclear_application::incident::{IncidentReport, IncidentStore};
use allclear_application::page::{Listed, Page};
use allclear_application::precondition::Precondition;
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_domain::component::Component;
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::impact::{Attachment, IncidentAndAttached};
use allclear_domain::incident::Incident;
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion,
};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, EntityTrait, IntoActiveModel,
    Iterable, ModelTrait, QueryFilter, QueryTrait, Select,
};
use uuid::Uuid;

pub(crate) use self::report::reports;
use self::report::{report, reported};
use crate::affected;
use crate::audit::subject::Subject;
use crate::commit::Scope;
use crate::database::Database;
use crate::entity::incident::{Column, Entity, Model};
use crate::entity::incident_update;
use crate::error::broken;
use crate::notice;
use crate::operator_mail;
use crate::organisation::lock::Lock;
use crate::page;
use crate::statement::{Fetch, Run};
use crate::timeline::Timeline;
use crate::transaction::Transaction;

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
                let incidents = of(&organisation);
                let Listed { items, next } =
                    page::read(transaction, incidents, page, Column::Id, |row| row.id).await?;
                let items = reports(transaction, items).await?;
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
        self.read_incident(organisation, id, move |transaction, incident| {
            Box::pin(report(transaction, incident))
        })
        .await
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Incident>,
        components: Vec<Attachment>,
    ) -> Result<Committed<IncidentReport>, Error> {
        let committed = self.commit_revision(organisation, Subject::New, move |scope| {
            Box::pin(async move {
                let mut created = create(scope.stamp)?;
                created.state.version = scope.stamp.revision;
                let is_open = created.state.resolved_at.is_none();
                if is_open {
                    limit::check_number(scope).await?;
                }
                let row = model_of(scope.organisation, &created.state).into_active_model();
                Entity::insert(row).run(scope.transaction).await?;
                component::insert(scope, created.state.id, &components).await?;
                if !components.is_empty() {
                    if is_open {
                        limit::check_components(scope).await?;
                    }
                    affected::store_for_new_incident(scope, &created.state).await?;
                }
                Ok(Some(
                    created.map(|incident| reported(incident, Timeline::default())),
                ))
            })
        });
        committed
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        rule: Transition<Incident>,
    ) -> Result<Option<Committed<IncidentReport>>, Error> {
        self.commit_revision(organisation, Subject::Incident(id), move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let mut changed = rule(before.clone(), scope.stamp)?;
                if !changed.has_no_events() {
                    update_row(scope, &before, &mut changed.state).await?;
                }
                let timeline = timeline::of_one(scope.transaction, id).await?;
                Ok(Some(changed.map(|incident| reported(incident, timeline))))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        precondition: Precondition,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        let Some(found) = find(self.read(), organisation, id).await? else {
            return Ok(None);
        };
        precondition.check(found.version)?;
        let mut has_begun = self.withdraw_many(organisation, id.0).await?;
        let updates = incident_update::Column::IncidentId.eq(id.0);
        has_begun |= self
            .remove_if_many::<incident_update::Entity>(organisation, &updates)
            .await?;
        let rule: Transition<IncidentAndAttached, ()> = Box::new(move |found, stamp| {
            if !has_begun {
                precondition.check(found.incident.version)?;
            }
            rule(found, stamp)
        });
        self.change_attached(organisation, id, rule, move |scope| {
            Box::pin(async move {
                Entity::delete_by_id(id.0).run(scope.transaction).await?;
                notice::withdraw(scope, id.0).await
            })
        })
        .await
    }

    async fn list_updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentUpdate>>, Error> {
        self.read_incident(organisation, incident, move |transaction, _| {
            Box::pin(update::list(transaction, incident, page))
        })
        .await
    }

    async fn find_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
    ) -> Result<Option<IncidentUpdate>, Error> {
        let found = self
            .read_incident(organisation, incident, move |transaction, _| {
                Box::pin(update::find(transaction, incident, id))
            })
            .await?;
        Ok(found.flatten())
    }

    async fn insert_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
        rule: Transition<IncidentAndNewest, IncidentAndUpdate>,
    ) -> Result<Option<Committed<IncidentUpdate>>, Error> {
        self.commit_revision_with_lock(
            organisation,
            Lock::BumpRevision,
            Subject::New,
            move |scope| Box::pin(update::insert(scope, incident, components, rule)),
        )
        .await
    }

    async fn change_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
        rule: Transition<IncidentAndUpdate>,
    ) -> Result<Option<Committed<IncidentUpdate>>, Error> {
        self.commit_revision(
            organisation,
            Subject::IncidentUpdates(incident, vec![id]),
            move |scope| Box::pin(update::change(scope, incident, id, rule)),
        )
        .await
    }

    async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        ids: Vec<IncidentUpdateId>,
        rule: Transition<IncidentUpdateDeletion, Incident>,
    ) -> Result<Option<Committed<()>>, Error> {
        update::withdraw_many(self, organisation, incident, &ids).await?;
        self.commit_revision(
            organisation,
            Subject::IncidentUpdates(incident, ids.clone()),
            move |scope| Box::pin(update::delete(scope, incident, ids, rule)),
        )
        .await
    }

    async fn attached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentComponent>>, Error> {
        let owner = organisation.clone();
        self.read_incident(organisation, incident, move |transaction, _| {
            Box::pin(component::list_attached(transaction, owner, incident, page))
        })
        .await
    }

    async fn unattached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<Component>>, Error> {
        let owner = organisation.clone();
        self.read_incident(organisation, incident, move |transaction, _| {
            Box::pin(component::list_unattached(
                transaction,
                owner,
                incident,
                page,
            ))
        })
        .await
    }

    async fn attach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        self.change_attached(organisation, incident, rule, move |scope| {
            Box::pin(async move {
                component::insert(scope, incident, &components).await?;
                limit::check_components(scope).await
            })
        })
        .await
    }

    async fn change_impacts(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        self.change_attached(organisation, incident, rule, move |scope| {
            Box::pin(async move { component::update(scope, incident, &components).await })
        })
        .await
    }

    async fn detach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<ComponentId>,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        self.change_attached(organisation, incident, rule, move |scope| {
            Box::pin(async move { component::delete(scope, incident, &components).await })
        })
        .await
    }
}

impl Database {
    /// Reads something of an incident. `None` if the organisation has no such incident.
    async fn read_incident<T, R>(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        read: R,
    ) -> Result<Option<T>, Error>
    where
        T: Send,
        R: for<'t> FnOnce(&'t Transaction, Incident) -> BoxFuture<'t, Result<T, Error>>
            + Send
            + 'static,
    {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                match find(transaction, &organisation, id).await? {
                    Some(incident) => read(transaction, incident).await.map(Some),
                    None => Ok(None),
                }
            })
        })
        .await
    }

    /// Runs a rule on an incident and its attached components, and then `store`. `None` if the
    /// organisation has no such incident.
    async fn change_attached<S>(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        rule: Transition<IncidentAndAttached, ()>,
        store: S,
    ) -> Result<Option<Committed<()>>, Error>
    where
        S: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<(), Error>> + Send + 'static,
    {
        self.commit_revision(organisation, Subject::Incident(id), move |scope| {
            Box::pin(async move {
                let Some(found) = component::find_attached(scope, id).await? else {
                    return Ok(None);
                };
                let changed = rule(found, scope.stamp)?;
                store(scope).await?;
                Ok(Some(changed))
            })
        })
        .await
    }
}

/// The incidents of an organisation. Every query of incidents begins here.
pub(crate) fn of(organisation: &OrganisationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

/// An incident of an organisation.
pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: IncidentId,
) -> Result<Option<Incident>, Error> {
    let found = of(organisation)
        .filter(Column::Id.eq(id.0))
        .fetch_one(connection)
        .await?;
    found.map(Incident::try_from).transpose()
}

/// A condition for incidents that were found in their organisation.
pub(crate) fn by_ids(ids: impl Iterator<Item = Uuid>) -> Condition {
    Condition::all().add(Column::Id.is_in(ids))
}

/// Stores the new state of an incident. The version changes if the state
/// [reads differently](Incident::reads_like).
async fn update_row(
    scope: Scope<'_>,
    before: &Incident,
    state: &mut Incident,
) -> Result<(), Error> {
    if !state.reads_like(before) {
        state.version = scope.stamp.revision;
    }
    let is_reopened = before.resolved_at.is_some() && state.resolved_at.is_none();
    if is_reopened {
        limit::check_number(scope).await?;
    }
    let stored = model_of(scope.organisation, state);
    let mut changed = model_of(scope.organisation, before).into_active_model();
    // Unchanged columns are left out, which saves writes of indexes and look-ups of foreign keys.
    for column in Column::iter() {
        changed.set_if_not_equals(column, stored.get(column));
    }
    if changed.is_changed() {
        let update = Entity::update_many()
            .set(changed)
            .filter(Column::Id.eq(state.id.0))
            .into_query();
        scope.transaction.defer(&update).await.map_err(broken)?;
    }
    if is_reopened {
        limit::check_components(scope).await?;
        operator_mail::restart_count(scope.transaction, state.id, scope.stamp.committed_at).await?;
    }
    Ok(())
}

fn model_of(organisation: &OrganisationId, state: &Incident) -> Model {
    Model {
        id: state.id.0,
        organisation_id: organisation.as_str().to_owned(),
        code: state.id.code().to_string(),
        title: state.title.clone(),
        description: state.description.clone(),
        status: state.status.to_string(),
        occured_at: state.occured_at,
        resolved_at: state.resolved_at,
        created_at: state.created_at,
        updated_at: state.updated_at,
        version: state.version.0,
        first_status: state.first_status.to_string(),
        monitoring_at: state.monitoring_at,
    }
}

#[cfg(test)]
mod tests;
