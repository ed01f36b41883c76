//! Maintenances and their updates.

pub(crate) mod component;
mod limit;
pub(crate) mod public;
#[cfg(test)]
mod query_plan_tests;
mod report;
mod schedule;
pub(crate) mod timeline;
pub(crate) mod update;

use allclear_application::error::{Error, Resource};
use allclear_application::maintenance::{MaintenanceReport, MaintenanceStore};
use allclear_application::outbox::Commit;
use allclear_application::page::{Listed, Page};
use allclear_application::precondition::Precondition;
use allclear_application::status_page::size::LIST_TIMELINE_BYTES;
use allclear_application::transition::{Committed, CreateTransition, Transition};
use allclear_domain::id::{ComponentId, MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance::{Maintenance, MaintenanceStatus};
use allclear_domain::maintenance_update::{
    MaintenanceAndUpdate, MaintenanceUpdate, MaintenanceUpdateDeletion,
};
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter,
    Select,
};

use self::report::reported;
pub(crate) use self::report::reports;
use crate::affected::{self, AttachedTo};
use crate::audit::subject::Subject;
use crate::commit::{Scope, StoredChange};
use crate::database::Database;
use crate::entity::maintenance::{Column, Entity, Model};
use crate::entity::maintenance_update;
use crate::error::parse_stored;
use crate::notice;
use crate::organisation::lock::Lock;
use crate::page;
use crate::statement::{Fetch, Run};
use crate::timeline::Timeline;
use crate::transaction::Transaction;

/// `shown_until` of a maintenance with an unknown end: the last year of four digits. So one range
/// of the index holds everything that is shown.
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
        let now = self.clock.now();
        let found = self
            .read_maintenance(organisation, id, move |transaction, row| {
                Box::pin(async move {
                    let rows = vec![row];
                    let mut reports = reports(transaction, rows, LIST_TIMELINE_BYTES, now).await?;
                    Ok(reports.pop())
                })
            })
            .await?;
        Ok(found.flatten())
    }

    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Maintenance>,
    ) -> Result<Committed<MaintenanceReport>, Error> {
        let committed = self.commit_as_of_shared_time(organisation, Subject::New, move |scope| {
            Box::pin(async move {
                let mut created = create(scope.stamp)?;
                created.state.version = scope.stamp.revision;
                let counts = limit::counts(&created.state, scope.stamp.wall_time);
                if counts {
                    limit::check_number(scope).await?;
                }
                let row = model_of(scope, &created.state).into_active_model();
                Entity::insert(row).run(scope.transaction).await?;
                let id = created.state.id;
                component::replace(scope, id, &[], &created.state.components).await?;
                if counts && !created.state.components.is_empty() {
                    limit::check_components(scope).await?;
                }
                store_first(scope, &created.state).await?;
                let components = component::with_names_of(scope.transaction, id).await?;
                let now = scope.stamp.wall_time;
                let scheduled_events = created.state.scheduled_events(now);
                let created = created
                    .map(|maintenance| reported(maintenance, Timeline::default(), components, now));
                Ok(Some(StoredChange {
                    scheduled_events,
                    ..StoredChange::from(created)
                }))
            })
        });
        committed
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    async fn change(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        rule: Transition<Maintenance>,
    ) -> Result<Option<Committed<MaintenanceReport>>, Error> {
        self.commit_as_of_shared_time(organisation, Subject::Maintenance(id), move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                let (affected, published) = (before.components.clone(), before.published_status);
                let now = scope.stamp.wall_time;
                let counted = limit::counts(&before, now);
                let scheduled_before = before.scheduled_events(now);
                let mut changed = rule(before, scope.stamp)?;
                if !changed.has_no_events() {
                    changed.state.version = scope.stamp.revision;
                    let counts = limit::counts(&changed.state, now);
                    let counts_again = counts && !counted;
                    if counts_again {
                        limit::check_number(scope).await?;
                    }
                    component::replace(scope, id, &affected, &changed.state.components).await?;
                    let row = model_of(scope, &changed.state)
                        .into_active_model()
                        .reset_all();
                    Entity::update(row).run(scope.transaction).await?;
                    let has_more = changed.state.components.len() > affected.len();
                    if counts_again || (counts && has_more) {
                        limit::check_components(scope).await?;
                    }
                    schedule::store_affected(scope, published, &changed.state).await?;
                }
                let timeline = timeline::of_one(scope.transaction, id).await?;
                let components = component::with_names_of(scope.transaction, id).await?;
                let scheduled = changed.state.scheduled_events(now);
                let changed =
                    changed.map(|maintenance| reported(maintenance, timeline, components, now));
                Ok(Some(StoredChange {
                    scheduled_events: scheduled.saturating_sub(scheduled_before),
                    ..StoredChange::from(changed)
                }))
            })
        })
        .await
    }

    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        precondition: Precondition,
        rule: Transition<Maintenance, ()>,
    ) -> Result<Option<Committed<()>>, Error> {
        let Some(row) = find_row(self.read(), organisation, id).await? else {
            return Ok(None);
        };
        precondition.check(Revision(row.version))?;
        let mut has_begun = self.withdraw_many(organisation, id.0).await?;
        let updates = maintenance_update::Column::MaintenanceId.eq(id.0);
        has_begun |= self
            .remove_if_many::<maintenance_update::Entity>(organisation, &updates)
            .await?;
        self.commit_as_of_shared_time(organisation, Subject::Maintenance(id), move |scope| {
            Box::pin(async move {
                let found = find(scope.transaction, scope.organisation, id).await?;
                let Some(before) = found else {
                    return Ok(None);
                };
                if !has_begun {
                    precondition.check(before.version)?;
                }
                let deletion = rule(before, scope.stamp)?;
                Entity::delete_by_id(id.0).run(scope.transaction).await?;
                notice::withdraw(scope, id.0).await?;
                Ok(Some(deletion))
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
        self.read_maintenance(organisation, maintenance, move |transaction, _| {
            Box::pin(update::list(transaction, maintenance, page))
        })
        .await
    }

    async fn find_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<Option<MaintenanceUpdate>, Error> {
        let found = self
            .read_maintenance(organisation, maintenance, move |transaction, _| {
                Box::pin(update::find(transaction, maintenance, id))
            })
            .await?;
        Ok(found.flatten())
    }

    async fn insert_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        rule: Transition<Maintenance, MaintenanceAndUpdate>,
    ) -> Result<Option<Committed<MaintenanceUpdate>>, Error> {
        self.commit_as_of_shared_time(organisation, Subject::New, move |scope| {
            Box::pin(update::insert(scope, maintenance, rule))
        })
        .await
    }

    async fn change_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        rule: Transition<MaintenanceAndUpdate>,
    ) -> Result<Option<Committed<MaintenanceUpdate>>, Error> {
        self.commit_as_of_shared_time(
            organisation,
            Subject::MaintenanceUpdates(maintenance, vec![id]),
            move |scope| Box::pin(update::change(scope, maintenance, id, rule)),
        )
        .await
    }

    async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        ids: Vec<MaintenanceUpdateId>,
        rule: Transition<MaintenanceUpdateDeletion, Maintenance>,
    ) -> Result<Option<Committed<()>>, Error> {
        update::withdraw_many(self, organisation, maintenance, &ids).await?;
        self.commit_as_of_shared_time(
            organisation,
            Subject::MaintenanceUpdates(maintenance, ids.clone()),
            move |scope| Box::pin(update::delete(scope, maintenance, ids, rule)),
        )
        .await
    }

    async fn next_change(&self) -> Result<Option<DateTime<Utc>>, Error> {
        let next = schedule::next().into_tuple();
        next.fetch_one(self.read()).await
    }

    async fn organisations_due(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error> {
        schedule::organisations_due(self.read(), now).await
    }

    async fn publish_due(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Commit>, Error> {
        let committed = self.commit_revision_with_lock(
            organisation,
            Lock::ReadAsOf(now),
            Subject::Known,
            move |scope| Box::pin(schedule::publish_due(scope, now)),
        );
        Ok(committed.await?.and_then(|committed| committed.commit))
    }
}

impl Database {
    /// Reads something of a maintenance. `None` if the organisation has no such maintenance.
    async fn read_maintenance<T, R>(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        read: R,
    ) -> Result<Option<T>, Error>
    where
        T: Send,
        R: for<'t> FnOnce(&'t Transaction, Model) -> BoxFuture<'t, Result<T, Error>>
            + Send
            + 'static,
    {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                match find_row(transaction, &organisation, id).await? {
                    Some(row) => read(transaction, row).await.map(Some),
                    None => Ok(None),
                }
            })
        })
        .await
    }
}

/// The maintenances of an organisation. Every query of maintenances begins here.
pub(crate) fn of(organisation: &OrganisationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()))
}

/// A maintenance of an organisation, with the components that it affects.
pub(crate) async fn find(
    transaction: &Transaction,
    organisation: &OrganisationId,
    id: MaintenanceId,
) -> Result<Option<Maintenance>, Error> {
    let Some(row) = find_row(transaction, organisation, id).await? else {
        return Ok(None);
    };
    let components = component::of(transaction, id).await?;
    maintenance_from(row, components).map(Some)
}

async fn find_row(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    id: MaintenanceId,
) -> Result<Option<Model>, Error> {
    of(organisation)
        .filter(Column::Id.eq(id.0))
        .fetch_one(connection)
        .await
}

/// Stores the components of a new maintenance, which may have begun or be over.
async fn store_first(scope: Scope<'_>, created: &Maintenance) -> Result<(), Error> {
    if created.components.is_empty() {
        return Ok(());
    }
    let attached_to = AttachedTo::Maintenance(created.id);
    let row = Expr::col("id").eq(created.id.0);
    affected::store(
        scope,
        attached_to,
        "maintenances",
        &["affected_at_creation"],
        row,
    )
    .await?;
    schedule::store_affected(scope, MaintenanceStatus::Scheduled, created).await
}

fn model_of(scope: Scope<'_>, state: &Maintenance) -> Model {
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
        published_status: state.published_status.to_string(),
        next_change_at: state.next_change(scope.stamp.wall_time),
        shown_until: state.shown_until().unwrap_or(UNTIL_IT_IS_OVER),
        notify: state.notify,
        reschedules: state.reschedules,
    }
}

/// A stored maintenance that affects these components.
pub(crate) fn maintenance_from(
    row: Model,
    components: Vec<ComponentId>,
) -> Result<Maintenance, Error> {
    Ok(Maintenance {
        id: MaintenanceId(row.id),
        title: row.title,
        description: row.description,
        start_at: row.start_at,
        end_at: row.end_at,
        cancelled_at: row.cancelled_at,
        published_status: parse_stored(&row.published_status)?,
        notify: row.notify,
        components,
        reschedules: row.reschedules,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: Revision(row.version),
    })
}
