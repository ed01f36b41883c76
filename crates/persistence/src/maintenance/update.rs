//! The updates of a maintenance.

use allclear_application::error::Error;
use allclear_application::maintenance::UpdateTransition;
use allclear_application::page::{Listed, Page};
use allclear_application::status_page::maintenance::MaintenanceTimelineEntry;
use allclear_domain::author::Author;
use allclear_domain::event::Changed;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId};
use allclear_domain::maintenance::Maintenance;
use allclear_domain::maintenance_update::MaintenanceUpdate;
use allclear_domain::organisation::Revision;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use super::find_affecting;
use super::schedule::{store_affected, store_published_status};
use crate::affected::{self, Owner};
use crate::commit::Scope;
use crate::entity::maintenance_update::{Column, Entity, Model};
use crate::error::parse_stored;
use crate::notice;
use crate::page;
use crate::run::{Fetch, Run};
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
        .try_map(update)
}

pub(super) async fn insert(
    scope: Scope<'_>,
    id: MaintenanceId,
    rule: UpdateTransition<Option<MaintenanceUpdate>, MaintenanceUpdate>,
) -> Result<Option<Changed<MaintenanceUpdate>>, Error> {
    let Some(maintenance) = find_affecting(scope, id).await? else {
        return Ok(None);
    };
    let newest = of(id).limit(1).fetch_one(scope.transaction).await?;
    let newest = newest.map(update).transpose()?;
    let mut recorded = rule((maintenance.clone(), newest), scope.stamp)?;
    recorded.state.1.version = scope.stamp.revision;
    let row = row(&recorded.state.1);
    affected::insert_update::<Entity>(scope, &row, Owner::Maintenance(id)).await?;
    store_status_if_changed(scope, &maintenance, recorded).await
}

pub(super) async fn change(
    scope: Scope<'_>,
    id: MaintenanceId,
    update: MaintenanceUpdateId,
    rule: UpdateTransition<MaintenanceUpdate>,
) -> Result<Option<Changed<MaintenanceUpdate>>, Error> {
    let Some(maintenance) = find_affecting(scope, id).await? else {
        return Ok(None);
    };
    let Some(before) = find(scope.transaction, id, update).await? else {
        return Ok(None);
    };
    let mut changed = rule((maintenance.clone(), before), scope.stamp)?;
    if !changed.has_no_events() {
        changed.state.1.version = scope.stamp.revision;
        let row = Model {
            edited_at: Some(scope.stamp.committed_at),
            ..row(&changed.state.1)
        };
        let row = row.into_active_model().reset_all();
        Entity::update(row).run(scope.transaction).await?;
    }
    store_status_if_changed(scope, &maintenance, changed).await
}

pub(super) async fn delete(
    scope: Scope<'_>,
    id: MaintenanceId,
    requested: Vec<MaintenanceUpdateId>,
    rule: UpdateTransition<Vec<MaintenanceUpdateId>>,
) -> Result<Option<Changed<Vec<MaintenanceUpdateId>>>, Error> {
    let Some(maintenance) = find_affecting(scope, id).await? else {
        return Ok(None);
    };
    let stored: Vec<(Uuid, i64)> = of(id)
        .filter(Column::Id.is_in(requested.iter().map(|id| id.0)))
        .select_only()
        .columns([Column::Id, Column::Version])
        .into_tuple()
        .fetch_all(scope.transaction)
        .await?;
    let (stored, versions): (Vec<_>, Vec<_>) = stored
        .into_iter()
        .map(|(id, version)| (MaintenanceUpdateId(id), version))
        .unzip();
    let deletion = rule((maintenance.clone(), stored), scope.stamp)?;
    Entity::delete_many()
        .filter(Column::MaintenanceId.eq(id.0))
        .filter(Column::Id.is_in(deletion.state.1.iter().map(|id| id.0)))
        .run(scope.transaction)
        .await?;
    notice::withdraw_updates(scope, id.0, versions, false).await?;
    store_status_if_changed(scope, &maintenance, deletion).await
}

/// Stores the published status of the maintenance if it changed.
async fn store_status_if_changed<T>(
    scope: Scope<'_>,
    before: &Maintenance,
    changed: Changed<(Maintenance, T)>,
) -> Result<Option<Changed<T>>, Error> {
    let after = &changed.state.0;
    if after.published_status != before.published_status {
        store_published_status(scope.transaction, after, scope.stamp.wall_time).await?;
        store_affected(scope, before.published_status, after).await?;
    }
    Ok(Some(changed.map(|(_, state)| state)))
}

/// An update that an event names.
pub(crate) async fn public(
    transaction: &Transaction,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
) -> Result<MaintenanceTimelineEntry, Error> {
    let found = find(transaction, maintenance, id).await?;
    let missing = || {
        Error::internal(format!(
            "an event names update {id} of maintenance {maintenance}, which is not stored"
        ))
    };
    found
        .as_ref()
        .map(MaintenanceTimelineEntry::from)
        .ok_or_else(missing)
}

/// The updates of a maintenance, newest first. The caller has found the maintenance in its organisation.
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

/// These updates of a maintenance, newest first.
pub(crate) async fn by_ids(
    transaction: &Transaction,
    maintenance: MaintenanceId,
    ids: &[MaintenanceUpdateId],
) -> Result<Vec<MaintenanceUpdate>, Error> {
    let these = of(maintenance).filter(Column::Id.is_in(ids.iter().map(|id| id.0)));
    let rows = these.fetch_all(transaction).await?;
    rows.into_iter().map(update).collect()
}

pub(super) async fn find(
    connection: &impl ConnectionTrait,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
) -> Result<Option<MaintenanceUpdate>, Error> {
    Entity::find_by_id((maintenance.0, id.0))
        .fetch_one(connection)
        .await?
        .map(update)
        .transpose()
}

fn row(state: &MaintenanceUpdate) -> Model {
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

pub(super) fn update(row: Model) -> Result<MaintenanceUpdate, Error> {
    Ok(MaintenanceUpdate {
        id: MaintenanceUpdateId(row.id),
        maintenance_id: MaintenanceId(row.maintenance_id),
        status: parse_stored(&row.status)?,
        message: row.message,
        author: Author {
            id: row.user_id,
            name: row.user_name,
        },
        created_at: row.created_at,
        display_at: row.display_at,
        version: Revision(row.version),
    })
}
