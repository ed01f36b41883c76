//! The audit log: one item per change, in the transaction of the change.
//!
//! [`Database::commit_revision`] stores the item of every change that makes a revision, also of API
//! keys. Every other transaction returns its items to [`Database::write_audited`], which stores
//! them, or names to [`Database::write_unaudited`] the [reason](NoAuditItem) why it leaves none.

mod new_item;
mod no_item;
#[cfg(test)]
mod query_plan_tests;
pub(crate) mod subject;

use allclear_application::audit::{AuditFilter, AuditItem, AuditStore, state};
use allclear_application::dashboard::ShownChanges;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::page::{Listed, Page};
use allclear_domain::audit::{Action, AuditedChange, ChangeTarget, TargetType};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::Incident;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::Query;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PrimaryKeyTrait, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select,
};
use serde_json::Value;
use uuid::{Builder, Uuid};

pub(crate) use self::new_item::{
    NewAuditItem, NewAuditItems, audit_items_of_person, check_changes_of_person, name_of_person,
};
pub(crate) use self::no_item::NoAuditItem;
use crate::commit::Scope;
use crate::database::Database;
use crate::entity::audit_item::{ActiveModel, Column, Entity};
use crate::entity::{component, component_group, incident, maintenance, organisation};
use crate::error::broken;
use crate::page;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

#[async_trait]
impl AuditStore for Database {
    async fn list(
        &self,
        organisation: &OrganisationId,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listed<AuditItem>, Error> {
        let selected = selected(organisation, filter);
        page::read(self.read(), selected, page, Column::Id, |row| row.id)
            .await?
            .try_map(AuditItem::try_from)
    }

    async fn oldest(&self) -> Result<Option<DateTime<Utc>>, Error> {
        oldest().into_tuple().fetch_one(self.read()).await
    }

    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error> {
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                let old = Query::select()
                    .column(Column::Id)
                    .from(Entity)
                    .and_where(Column::Id.lt(first_id(before)))
                    .order_by(Column::Id, sea_orm::Order::Asc)
                    .limit(limit)
                    .take();
                let deleted = Entity::delete_many()
                    .filter(Column::Id.in_subquery(old))
                    .run(transaction)
                    .await?;
                Ok(deleted)
            })
        })
        .await
    }
}

/// The smallest identifier of a time.
pub(crate) fn first_id(at: DateTime<Utc>) -> Uuid {
    let milliseconds = at.timestamp_millis().max(0).unsigned_abs();
    Builder::from_unix_timestamp_millis(milliseconds, &[0; 10]).into_uuid()
}

/// The time of the oldest item.
fn oldest() -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::CreatedAt)
        .order_by_asc(Column::Id)
        .limit(1)
}

/// The items of an organisation that a filter selects. Their identifiers begin with their times, so
/// a range of times is one of identifiers.
fn selected(organisation: &OrganisationId, filter: &AuditFilter) -> Select<Entity> {
    let mut items = Entity::find().filter(Column::OrganisationId.eq(organisation.as_str()));
    if let Some(actor) = &filter.actor_id {
        items = items.filter(Column::ActorId.eq(actor));
    }
    if let Some(action) = filter.action {
        items = items.filter(Column::Action.eq(action.to_string()));
    }
    if let Some(target) = &filter.target_id {
        items = items.filter(Column::TargetId.eq(target));
    }
    if let Some(from) = filter.from {
        items = items.filter(Column::Id.gte(first_id(from)));
    }
    if let Some(to) = filter.to {
        items = items.filter(Column::Id.lt(first_id(to + TimeDelta::milliseconds(1))));
    }
    items
}

/// The newest of the shown changes of an organisation, newest first.
pub(crate) fn newest(
    organisation: &OrganisationId,
    shown: ShownChanges,
    limit: u64,
) -> Select<Entity> {
    let all = selected(organisation, &AuditFilter::default())
        .order_by_desc(Column::Id)
        .limit(limit);
    match shown {
        ShownChanges::All => all,
        ShownChanges::OfContent => {
            let of_people = [TargetType::User, TargetType::Invitation, TargetType::ApiKey];
            all.filter(Column::TargetType.is_not_in(of_people.map(|kind| kind.to_string())))
                .filter(Column::Action.ne(Action::OrganisationCreated.to_string()))
        }
    }
}

/// The state of a thing before a change, and after it.
pub(crate) type States = (Option<Value>, Option<Value>);

/// Appends items for the changes of a commit, with the states of each. The state must be stored
/// already. `written` is an incident that this transaction has just stored.
pub(crate) async fn append(
    scope: Scope<'_>,
    changes: Vec<AuditedChange>,
    states: Vec<States>,
    written: Option<&Incident>,
) -> Result<(), Error> {
    let mut states = states.into_iter();
    for (number, change) in (0..).zip(changes) {
        let AuditedChange {
            action,
            target,
            name,
        } = change;
        let name = match (name, written) {
            (Some(name), _) => Some(name),
            (None, Some(incident)) if target == ChangeTarget::Incident(incident.id) => {
                Some(incident.title.clone())
            }
            (None, _) => name_of(scope, target).await?,
        };
        let item = ActiveModel {
            id: Set(Uuid::from_u128(scope.stamp.id.as_u128() + number)),
            created_at: Set(scope.stamp.committed_at),
            action: Set(action.to_string()),
            target_type: Set(target.kind().to_string()),
            target_id: Set(target.id(scope.organisation)),
            target_name: Set(name),
            ..originated(
                scope.organisation,
                Origin::current(),
                states.next().unwrap_or_default(),
            )
        };
        insert(scope.transaction, item).await?;
    }
    Ok(())
}

/// The columns that say where a change comes from and what it changed.
fn originated(
    organisation: &OrganisationId,
    origin: Origin,
    (before, after): States,
) -> ActiveModel {
    let Origin {
        actor,
        request_id,
        address,
    } = origin;
    ActiveModel {
        organisation_id: Set(organisation.as_str().to_owned()),
        actor_type: Set(actor.kind().to_string()),
        actor_id: Set(actor.id().map(str::to_owned)),
        actor_name: Set(actor.name().to_owned()),
        request_id: Set(request_id),
        address: Set(address.map(|address| address.to_string())),
        state_before: Set(before.map(state::stored)),
        state_after: Set(after.map(state::stored)),
        ..Default::default()
    }
}

async fn insert(transaction: &Transaction, item: ActiveModel) -> Result<(), Error> {
    let insert = Entity::insert(item).into_query();
    transaction.defer(&insert).await.map_err(broken)
}

/// Name of a stored target.
async fn name_of(scope: Scope<'_>, target: ChangeTarget) -> Result<Option<String>, Error> {
    let connection = scope.transaction;
    match target {
        ChangeTarget::Organisation => {
            let id = scope.organisation.as_str().to_owned();
            target_name::<organisation::Entity>(connection, id, organisation::Column::Name).await
        }
        ChangeTarget::Component(id) => {
            target_name::<component::Entity>(connection, id.0, component::Column::Name).await
        }
        ChangeTarget::ComponentGroup(id) => {
            target_name::<component_group::Entity>(connection, id.0, component_group::Column::Name)
                .await
        }
        ChangeTarget::Incident(id) => {
            target_name::<incident::Entity>(connection, id.0, incident::Column::Title).await
        }
        // Its change has the name.
        ChangeTarget::ApiKey(_) => Ok(None),
        ChangeTarget::Maintenance(id) => {
            target_name::<maintenance::Entity>(connection, id.0, maintenance::Column::Title).await
        }
    }
}

async fn target_name<E: EntityTrait>(
    connection: &impl ConnectionTrait,
    id: impl Into<<E::PrimaryKey as PrimaryKeyTrait>::ValueType> + Send,
    name: E::Column,
) -> Result<Option<String>, Error> {
    E::find_by_id(id)
        .select_only()
        .column(name)
        .into_tuple()
        .fetch_one(connection)
        .await
}
