//! The updates of a maintenance.

use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use allclear_application::transition::Transition;
use allclear_domain::event::Changed;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance::Maintenance;
use allclear_domain::maintenance_update::{
    MaintenanceAndUpdate, MaintenanceUpdate, MaintenanceUpdateDeletion,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use uuid::Uuid;

use super::schedule::{store_affected, store_published_status};
use crate::affected::{self, AttachedTo};
use crate::commit::Scope;
use crate::database::Database;
use crate::entity::maintenance;
use crate::entity::maintenance_update::{ActiveModel, Column, Entity, Model};
use crate::notice;
use crate::page;
use crate::statement::{Fetch, Run, exists};
use crate::timeline::displayed_before;
use crate::transaction::Transaction;

pub(super) async fn list(
    transaction: &Transaction,
    maintenance: MaintenanceId,
    page: Page,
) -> Result<Listed<MaintenanceUpdate>, Error> {
    let updates = match page.before {
        Some(before) => after(maintenance, before),
        None => of(maintenance),
    };
    page::read_sorted(transaction, updates, page, |row| row.id)
        .await?
        .try_map(MaintenanceUpdate::try_from)
}

pub(super) async fn insert(
    scope: Scope<'_>,
    maintenance: MaintenanceId,
    rule: Transition<Maintenance, MaintenanceAndUpdate>,
) -> Result<Option<Changed<MaintenanceUpdate>>, Error> {
    let transaction = scope.transaction;
    let Some(before) = super::find(transaction, scope.organisation, maintenance).await? else {
        return Ok(None);
    };
    let mut recorded = rule(before.clone(), scope.stamp)?;
    recorded.state.update.version = scope.stamp.revision;
    let row = model_of(&recorded.state.update);
    affected::insert_update::<Entity>(scope, &row, AttachedTo::Maintenance(maintenance)).await?;
    store_maintenance(scope, &before, &recorded.state.maintenance).await?;
    Ok(Some(recorded.map(|state| state.update)))
}

pub(super) async fn change(
    scope: Scope<'_>,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
    rule: Transition<MaintenanceAndUpdate>,
) -> Result<Option<Changed<MaintenanceUpdate>>, Error> {
    let transaction = scope.transaction;
    let Some(before) = super::find(transaction, scope.organisation, maintenance).await? else {
        return Ok(None);
    };
    let Some(update) = find(transaction, maintenance, id).await? else {
        return Ok(None);
    };
    let found = MaintenanceAndUpdate {
        maintenance: before.clone(),
        update,
    };
    let mut changed = rule(found, scope.stamp)?;
    if changed.has_no_events() {
        return Ok(Some(changed.map(|state| state.update)));
    }
    changed.state.update.version = scope.stamp.revision;
    let row = Model {
        edited_at: Some(scope.stamp.committed_at),
        ..model_of(&changed.state.update)
    };
    store_edited(transaction, row).await?;
    store_maintenance(scope, &before, &changed.state.maintenance).await?;
    Ok(Some(changed.map(|state| state.update)))
}

/// Stores an edited update. Its author stays the same, and so does the stored name: the deletion of
/// an account may have replaced it after the row was read.
async fn store_edited(transaction: &Transaction, row: Model) -> Result<(), Error> {
    let row = ActiveModel {
        user_id: NotSet,
        user_name: NotSet,
        ..row.into_active_model().reset_all()
    };
    Entity::update(row).run(transaction).await.map(drop)
}

pub(super) async fn delete(
    scope: Scope<'_>,
    maintenance: MaintenanceId,
    ids: Vec<MaintenanceUpdateId>,
    rule: Transition<MaintenanceUpdateDeletion, Maintenance>,
) -> Result<Option<Changed<()>>, Error> {
    let transaction = scope.transaction;
    let Some(before) = super::find(transaction, scope.organisation, maintenance).await? else {
        return Ok(None);
    };
    let known: Vec<(Uuid, i64)> = with_versions(maintenance, &ids)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let (known, versions): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    let deletion = MaintenanceUpdateDeletion {
        maintenance: before.clone(),
        known: known.into_iter().map(MaintenanceUpdateId).collect(),
    };
    let changed = rule(deletion, scope.stamp)?;
    Entity::delete_many()
        .filter(Column::MaintenanceId.eq(maintenance.0))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.0)))
        .run(transaction)
        .await?;
    notice::withdraw_updates(scope, maintenance.0, versions, false).await?;
    store_maintenance(scope, &before, &changed.state).await?;
    Ok(Some(changed.map(drop)))
}

/// Removes what is queued about updates that are about to be deleted, if that is much.
pub(super) async fn withdraw_many(
    database: &Database,
    organisation: &OrganisationId,
    maintenance: MaintenanceId,
    ids: &[MaintenanceUpdateId],
) -> Result<(), Error> {
    let this = super::of(organisation).filter(maintenance::Column::Id.eq(maintenance.0));
    if !exists(this, database.read()).await? {
        return Ok(());
    }
    let known: Vec<(Uuid, i64)> = with_versions(maintenance, ids)
        .into_tuple()
        .fetch_all(database.read())
        .await?;
    if known.len() != ids.len() {
        // The rule will refuse unknown and repeated ones.
        return Ok(());
    }
    let versions = known.into_iter().map(|(_, version)| version).collect();
    database
        .withdraw_many_of_updates(organisation, maintenance.0, versions, false)
        .await
}

/// Identifiers and versions of these updates.
fn with_versions(maintenance: MaintenanceId, ids: &[MaintenanceUpdateId]) -> Select<Entity> {
    of(maintenance)
        .select_only()
        .columns([Column::Id, Column::Version])
        .filter(Column::Id.is_in(ids.iter().map(|id| id.0)))
}

/// Stores the maintenance after a change of its updates: its time, and what the clock has changed
/// since it was published.
async fn store_maintenance(
    scope: Scope<'_>,
    before: &Maintenance,
    after: &Maintenance,
) -> Result<(), Error> {
    if after.updated_at != before.updated_at {
        let row = maintenance::ActiveModel {
            id: Set(after.id.0),
            updated_at: Set(after.updated_at),
            ..Default::default()
        };
        let update = maintenance::Entity::update(row);
        update.run(scope.transaction).await?;
    }
    if after.published_status == before.published_status {
        return Ok(());
    }
    store_published_status(scope.transaction, after, scope.stamp.wall_time).await?;
    store_affected(scope, before.published_status, after).await
}

/// The updates of a maintenance, newest first. The caller has found the maintenance in
/// its organisation.
pub(super) fn of(maintenance: MaintenanceId) -> Select<Entity> {
    Entity::find()
        .filter(Column::MaintenanceId.eq(maintenance.0))
        .order_by_desc(Column::DisplayAt)
        .order_by_desc(Column::Id)
}

/// The updates that the timeline shows after the one with the identifier `before`.
pub(super) fn after(maintenance: MaintenanceId, before: Uuid) -> Select<Entity> {
    let displayed = of(maintenance).filter(Column::Id.eq(before));
    of(maintenance).filter(displayed_before(displayed, Column::DisplayAt, before))
}

/// An update of a maintenance that was found in its organisation.
pub(super) async fn find(
    connection: &impl ConnectionTrait,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
) -> Result<Option<MaintenanceUpdate>, Error> {
    let found = Entity::find_by_id((maintenance.0, id.0))
        .fetch_one(connection)
        .await?;
    found.map(MaintenanceUpdate::try_from).transpose()
}

/// These updates of a maintenance, newest first.
pub(crate) async fn by_ids(
    transaction: &Transaction,
    maintenance: MaintenanceId,
    ids: &[MaintenanceUpdateId],
) -> Result<Vec<MaintenanceUpdate>, Error> {
    let these = of(maintenance).filter(Column::Id.is_in(ids.iter().map(|id| id.0)));
    let rows = these.fetch_all(transaction).await?;
    rows.into_iter().map(MaintenanceUpdate::try_from).collect()
}

fn model_of(state: &MaintenanceUpdate) -> Model {
    Model {
        maintenance_id: state.maintenance_id.0,
        id: state.id.0,
        status: state.status.to_string(),
        message: state.message.clone(),
        user_id: state.author.id.clone(),
        user_name: state.author.name.clone(),
        created_at: state.created_at,
        version: state.version.0,
        display_at: state.display_at,
        edited_at: None,
    }
}

#[cfg(test)]
mod tests;
