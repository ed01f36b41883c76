//! The updates of an incident.

use allclear_application::audit::state;
use allclear_application::error::{Error, Resource};
use allclear_application::page::{Listed, Page};
use allclear_application::transition::Transition;
use allclear_domain::event::Changed;
use allclear_domain::id::{IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::impact::{Attachment, check_attached};
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::NotSet, ColumnTrait, ConnectionTrait, EntityTrait,
    IntoActiveModel, JoinType, QueryFilter, QueryOrder, QuerySelect, Select, SelectTwo,
};
use uuid::Uuid;

use super::{component, update_row};
use crate::affected::{self, AttachedTo};
use crate::audit::States;
use crate::commit::{Scope, StoredChange};
use crate::database::Database;
use crate::entity::incident;
use crate::entity::incident_update::{ActiveModel, Column, Entity, Model};
use crate::notice;
use crate::page;
use crate::statement::{Fetch, Run};
use crate::timeline::displayed_before;
use crate::transaction::Transaction;

pub(super) async fn list(
    transaction: &Transaction,
    incident: IncidentId,
    page: Page,
) -> Result<Listed<IncidentUpdate>, Error> {
    let updates = match page.before {
        Some(before) => after(incident, before),
        None => of(incident),
    };
    page::read_sorted(transaction, updates, page, |row| row.id)
        .await?
        .try_map(IncidentUpdate::try_from)
}

pub(super) async fn insert(
    scope: Scope<'_>,
    incident: IncidentId,
    components: Vec<Attachment>,
    rule: Transition<IncidentAndNewest, IncidentAndUpdate>,
) -> Result<Option<StoredChange<IncidentUpdate>>, Error> {
    let found = find_newest(scope.transaction, scope.organisation, incident).await?;
    // An error instead of `None`, because only an error rolls back the revision.
    let found = found.ok_or(Error::NotFound(Resource::Incident))?;
    let before = found.incident.clone();
    let mut recorded = rule(found, scope.stamp)?;
    recorded.state.update.version = scope.stamp.revision;
    let row = model_of(&recorded.state.update);
    affected::insert_update::<Entity>(scope, &row, AttachedTo::Incident(incident)).await?;
    // Not read again, because this is the most frequent write of an outage.
    let recorded_state = state::incident_update(&recorded.state.update);
    let mut states = vec![(None, Some(recorded_state))];
    if !components.is_empty() {
        let after = &recorded.state.incident;
        // Boxed, because most updates leave the impacts as they are.
        let changed = Box::pin(change_impacts(scope, &before, after, &components));
        states.push(changed.await?);
    }
    let stored = store_incident(scope, &before, recorded).await?;
    Ok(Some(stored.with_states(states)))
}

/// Stores the impacts on attached components. Returns the states of the incident before and after
/// the commit.
async fn change_impacts(
    scope: Scope<'_>,
    before: &Incident,
    after: &Incident,
    components: &[Attachment],
) -> Result<States, Error> {
    let (transaction, id) = (scope.transaction, before.id);
    let impacts = component::impacts(transaction, id).await?;
    let attached: Vec<_> = impacts.iter().map(|(component, _)| *component).collect();
    check_attached(components, &attached)?;
    component::update(scope, id, components).await?;
    let changed = component::impacts(transaction, id).await?;
    Ok((
        Some(state::incident(before, &impacts)),
        Some(state::incident(after, &changed)),
    ))
}

pub(super) async fn change(
    scope: Scope<'_>,
    incident: IncidentId,
    id: IncidentUpdateId,
    rule: Transition<IncidentAndUpdate>,
) -> Result<Option<StoredChange<IncidentUpdate>>, Error> {
    let transaction = scope.transaction;
    let Some(before) = super::find(transaction, scope.organisation, incident).await? else {
        return Ok(None);
    };
    let Some(update) = find(transaction, incident, id).await? else {
        return Ok(None);
    };
    let newest_other = newest(transaction, of(incident).filter(Column::Id.ne(id.0))).await?;
    let found = IncidentAndUpdate {
        incident: before.clone(),
        update,
        newest_other,
    };
    let mut changed = rule(found, scope.stamp)?;
    if changed.has_no_events() {
        return Ok(Some(changed.map(|state| state.update).into()));
    }
    changed.state.update.version = scope.stamp.revision;
    let row = Model {
        edited_at: Some(scope.stamp.committed_at),
        ..model_of(&changed.state.update)
    };
    store_edited(transaction, row).await?;
    store_incident(scope, &before, changed).await.map(Some)
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
    incident: IncidentId,
    ids: Vec<IncidentUpdateId>,
    rule: Transition<IncidentUpdateDeletion, Incident>,
) -> Result<Option<Changed<()>>, Error> {
    let transaction = scope.transaction;
    let found = read_deletion(transaction, scope.organisation, incident, &ids).await?;
    let Some((deletion, versions)) = found else {
        return Ok(None);
    };
    let before = deletion.incident.clone();
    let left = deletion.left.as_ref().map(|left| left.status);
    let mut changed = rule(deletion, scope.stamp)?;
    Entity::delete_many()
        .filter(Column::IncidentId.eq(incident.0))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.0)))
        .run(transaction)
        .await?;
    let is_resolved = is_resolved(&changed.state, left);
    notice::withdraw_updates(scope, incident.0, versions, is_resolved).await?;
    update_row(scope, &before, &mut changed.state).await?;
    Ok(Some(changed.map(drop)))
}

/// Removes what is queued about updates that are about to be deleted, if that is much.
pub(super) async fn withdraw_many(
    database: &Database,
    organisation: &OrganisationId,
    incident: IncidentId,
    ids: &[IncidentUpdateId],
) -> Result<(), Error> {
    let (owner, these) = (organisation.clone(), ids.to_vec());
    let found = database.read_consistently(move |transaction| {
        Box::pin(async move { read_deletion(transaction, &owner, incident, &these).await })
    });
    let Some((deletion, versions)) = found.await? else {
        return Ok(());
    };
    let left = deletion.left.as_ref().map(|left| left.status);
    let Ok(changed) = deletion.delete(ids, false, database.clock.now()) else {
        // The rule will refuse it.
        return Ok(());
    };
    let is_resolved = is_resolved(&changed.state, left);
    database
        .withdraw_many_of_updates(organisation, incident.0, versions, is_resolved)
        .await
}

/// What the rule of a deletion needs, and the versions of the updates. `None` if the organisation
/// has no such incident.
async fn read_deletion(
    transaction: &Transaction,
    organisation: &OrganisationId,
    incident: IncidentId,
    ids: &[IncidentUpdateId],
) -> Result<Option<(IncidentUpdateDeletion, Vec<i64>)>, Error> {
    let Some(found) = super::find(transaction, organisation, incident).await? else {
        return Ok(None);
    };
    let ids = || ids.iter().map(|id| id.0);
    let known: Vec<(Uuid, i64)> = of(incident)
        .select_only()
        .columns([Column::Id, Column::Version])
        .filter(Column::Id.is_in(ids()))
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let (known, versions): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    let deletion = IncidentUpdateDeletion {
        incident: found,
        known: known.into_iter().map(IncidentUpdateId).collect(),
        newest: newest(transaction, of(incident)).await?,
        left: newest(
            transaction,
            of(incident).filter(Column::Id.is_not_in(ids())),
        )
        .await?,
    };
    Ok(Some((deletion, versions)))
}

/// Whether an incident stays resolved without its deleted updates. An update that is left may have
/// its own notice of the end.
fn is_resolved(incident: &Incident, left: Option<IncidentStatus>) -> bool {
    !incident.has_impact() && left != Some(IncidentStatus::Resolved)
}

/// Stores the incident of an update that is stored already.
async fn store_incident(
    scope: Scope<'_>,
    before: &Incident,
    mut changed: Changed<IncidentAndUpdate>,
) -> Result<StoredChange<IncidentUpdate>, Error> {
    update_row(scope, before, &mut changed.state.incident).await?;
    let incident = changed.state.incident.clone();
    Ok(StoredChange::of_incident(
        changed.map(|state| state.update),
        incident,
    ))
}

/// An incident with its newest update, read in one statement, because this is the most frequent
/// write of an outage.
async fn find_newest(
    transaction: &Transaction,
    organisation: &OrganisationId,
    id: IncidentId,
) -> Result<Option<IncidentAndNewest>, Error> {
    let found = with_newest(organisation, id).fetch_one(transaction).await;
    let Some((incident, newest)) = found? else {
        return Ok(None);
    };
    Ok(Some(IncidentAndNewest {
        incident: incident.try_into()?,
        newest: newest.map(IncidentUpdate::try_from).transpose()?,
    }))
}

pub(super) fn with_newest(
    organisation: &OrganisationId,
    id: IncidentId,
) -> SelectTwo<incident::Entity, Entity> {
    let updates = incident::Entity::belongs_to(Entity)
        .from(incident::Column::Id)
        .to(Column::IncidentId)
        .into();
    super::of(organisation)
        .filter(incident::Column::Id.eq(id.0))
        .join(JoinType::LeftJoin, updates)
        .select_also(Entity)
        .order_by_desc(Column::DisplayAt)
        .order_by_desc(Column::Id)
        .limit(1)
}

/// The updates of an incident, newest first. The caller has found the incident in its organisation.
pub(super) fn of(incident: IncidentId) -> Select<Entity> {
    Entity::find()
        .filter(Column::IncidentId.eq(incident.0))
        .order_by_desc(Column::DisplayAt)
        .order_by_desc(Column::Id)
}

/// The updates that the timeline shows after the one with the identifier `before`.
pub(super) fn after(incident: IncidentId, before: Uuid) -> Select<Entity> {
    let displayed = of(incident).filter(Column::Id.eq(before));
    of(incident).filter(displayed_before(displayed, Column::DisplayAt, before))
}

/// An update of an incident that was found in its organisation.
pub(super) async fn find(
    connection: &impl ConnectionTrait,
    incident: IncidentId,
    id: IncidentUpdateId,
) -> Result<Option<IncidentUpdate>, Error> {
    let found = Entity::find_by_id((incident.0, id.0))
        .fetch_one(connection)
        .await?;
    found.map(IncidentUpdate::try_from).transpose()
}

/// These updates of an incident, newest first.
pub(crate) async fn by_ids(
    transaction: &Transaction,
    incident: IncidentId,
    ids: &[IncidentUpdateId],
) -> Result<Vec<IncidentUpdate>, Error> {
    let these = of(incident).filter(Column::Id.is_in(ids.iter().map(|id| id.0)));
    let rows = these.fetch_all(transaction).await?;
    rows.into_iter().map(IncidentUpdate::try_from).collect()
}

/// The first of these updates.
async fn newest(
    transaction: &Transaction,
    updates: Select<Entity>,
) -> Result<Option<IncidentUpdate>, Error> {
    let found = updates.limit(1).fetch_one(transaction).await?;
    found.map(IncidentUpdate::try_from).transpose()
}

fn model_of(state: &IncidentUpdate) -> Model {
    Model {
        incident_id: state.incident_id.0,
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
