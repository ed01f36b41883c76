//! Import of subscribers, in batches.

use std::collections::HashSet;

use allclear_application::error::{Error, Resource};
use allclear_application::subscriber::import::{CsvComponent, ImportBatch, Imported};
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::audit::{Action, TargetType};
use allclear_domain::channel::TargetKey;
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::subscriber::Subscriber;
use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};
use serde_json::json;
use uuid::Uuid;

use super::{add_to_count, count_of, model_of, scope};
use crate::audit::{NewAuditItem, NewAuditItems};
use crate::component::{self, existing};
use crate::delivery::queue_verifications;
use crate::entity::component::Column as ComponentColumn;
use crate::entity::subscriber::{ActiveModel, Column, Entity, Model};
use crate::organisation::lock::lock;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// The components of an organisation.
pub(super) async fn named_components(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<Vec<CsvComponent>, Error> {
    let rows: Vec<(Uuid, String, Option<Uuid>)> = component::of(organisation)
        .select_only()
        .columns([
            ComponentColumn::Id,
            ComponentColumn::Name,
            ComponentColumn::GroupId,
        ])
        .into_tuple()
        .fetch_all(connection)
        .await?;
    let named = rows.into_iter().map(|(id, name, group)| CsvComponent {
        id: ComponentId(id),
        name,
        group: group.map(ComponentGroupId),
    });
    Ok(named.collect())
}

/// What an import would do with each target, if `added` more subscribers were stored.
pub(super) async fn outcomes(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    keys: &[TargetKey],
    added: u64,
    limits: UsageLimits,
) -> Result<Vec<Imported>, Error> {
    let texts = keys.iter().map(TargetKey::as_str);
    let known: Vec<String> = super::of(organisation)
        .select_only()
        .column(Column::TargetKey)
        .filter(Column::IncidentId.is_null())
        .filter(Column::TargetKey.is_in(texts))
        .into_tuple()
        .fetch_all(connection)
        .await?;
    let known: HashSet<_> = known.into_iter().collect();
    let mut present = count_of(connection, organisation).await? + added;
    let outcome = |key: &TargetKey| {
        if known.contains(key.as_str()) {
            return Imported::Known;
        }
        if limits.check_subscribers(present).is_err() {
            return Imported::OverLimit;
        }
        present += 1;
        Imported::Added
    };
    Ok(keys.iter().map(outcome).collect())
}

/// Stores the new subscribers of a batch. One item of the audit log has the consent, which must be
/// on record with the addresses.
pub(super) async fn import(
    transaction: &Transaction,
    organisation: &OrganisationId,
    batch: ImportBatch,
    limits: UsageLimits,
    now: DateTime<Utc>,
) -> Result<(Vec<Imported>, NewAuditItems), Error> {
    // Under the lock no notice is committed: see `store`.
    let locked = lock(transaction, organisation)
        .await?
        .ok_or(Error::NotFound(Resource::Organisation))?;
    let targets = batch.subscribers.iter().map(|new| new.target.key());
    let keys: Vec<_> = targets.collect();
    let mut outcomes = outcomes(transaction, organisation, &keys, 0, limits).await?;
    refuse_deleted_components(transaction, organisation, &batch.subscribers, &mut outcomes).await?;
    let outcome_of = batch.subscribers.iter().zip(&outcomes);
    let added: Vec<_> = outcome_of
        .filter(|(_, outcome)| **outcome == Imported::Added)
        .map(|(subscriber, _)| subscriber)
        .collect();
    if added.is_empty() {
        return Ok((outcomes, NewAuditItems::unchanged()));
    }
    let rows = added
        .iter()
        .map(|state| model_of(organisation, state, locked.revision).map(Model::into_active_model));
    let rows = rows.collect::<Result<Vec<ActiveModel>, Error>>()?;
    Entity::insert_many(rows).run(transaction).await?;
    scope::insert(transaction, &added).await?;
    if batch.consent.is_none() {
        queue_verifications(transaction, organisation, added.iter().copied(), now).await?;
    }
    let more = i64::try_from(added.len()).unwrap_or(0);
    add_to_count(transaction, organisation, more).await?;
    let note = batch.note(added.len());
    let target = (TargetType::Organisation, organisation);
    let item = NewAuditItem::new(organisation, now, Action::SubscriberImported, target)
        .states(None, Some(json!({"text": note})))
        .named(Some(locked.name));
    Ok((outcomes, item.into()))
}

/// Refuses subscribers that choose a component which was deleted since the file was read.
async fn refuse_deleted_components(
    transaction: &Transaction,
    organisation: &OrganisationId,
    subscribers: &[Subscriber],
    outcomes: &mut [Imported],
) -> Result<(), Error> {
    let chosen = |subscriber: &Subscriber| {
        let choice = subscriber.scope.choice();
        choice.map_or_else(Vec::new, |choice| choice.components.clone())
    };
    let all: HashSet<_> = subscribers.iter().flat_map(chosen).collect();
    if all.is_empty() {
        return Ok(());
    }
    let existing = existing(transaction, organisation, all).await?;
    let existing: HashSet<_> = existing.into_iter().collect();
    for (subscriber, outcome) in subscribers.iter().zip(outcomes) {
        let is_stored = |component| existing.contains(component);
        if *outcome == Imported::Added && !chosen(subscriber).iter().all(is_stored) {
            *outcome = Imported::UnknownComponent;
        }
    }
    Ok(())
}
