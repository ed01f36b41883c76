//! The audit log: one item per change, in the transaction of the change.

use allclear_application::audit::{AuditItem, AuditStore};
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::stamp::Stamp;
use allclear_domain::audit::{Action, Actor, AuditedChange, Target, TargetType};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::incident::Incident;
use allclear_domain::organisation::Revision;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::Query;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait,
    PrimaryKeyTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::{Builder, Uuid};

use crate::commit::Scope;
use crate::database::Database;
use crate::entity::audit_item::{ActiveModel, Column, Entity, Model};
use crate::entity::{component, component_group, incident, maintenance, organisation};
use crate::error::{broken, parse_stored};

#[async_trait]
impl AuditStore for Database {
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error> {
        self.write(move |transaction| {
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
                    .exec(transaction)
                    .await
                    .map_err(broken)?;
                Ok(deleted.rows_affected)
            })
        })
        .await
    }
}

/// The smallest identifier of a time.
fn first_id(at: DateTime<Utc>) -> Uuid {
    let milliseconds = at.timestamp_millis().max(0).unsigned_abs();
    Builder::from_unix_timestamp_millis(milliseconds, &[0; 10]).into_uuid()
}

/// The newest items of an organisation, newest first.
pub(crate) fn newest(organisation: &OrganisationId, limit: u64) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .order_by_desc(Column::Id)
        .limit(limit)
}

/// Appends items for the changes of a commit. The state must be stored already. `written` is an incident that this transaction has
/// just stored.
pub(crate) async fn append(
    scope: Scope<'_>,
    origin: &Origin,
    changes: Vec<AuditedChange>,
    written: Option<&Incident>,
) -> Result<(), Error> {
    for (number, change) in (0..).zip(changes) {
        let AuditedChange {
            action,
            target,
            name,
        } = change;
        let name = match (name, written) {
            (Some(name), _) => Some(name),
            (None, Some(incident)) if target == Target::Incident(incident.id) => {
                Some(incident.title.clone())
            }
            (None, _) => name_of(scope, target).await?,
        };
        let item = ActiveModel {
            id: Set(Uuid::from_u128(scope.stamp.id.as_u128() + number)),
            action: Set(action.to_string()),
            target_type: Set(target.kind().to_string()),
            target_id: Set(target.id(scope.organisation)),
            target_name: Set(name),
            ..originated(scope.organisation, origin, scope.stamp.now)
        };
        insert(scope.transaction, item).await?;
    }
    Ok(())
}

/// A change of a subscriber, which makes no revision.
pub(crate) struct SubscriberChange {
    action: Action,
    subscriber: SubscriberId,
    stamp: Stamp,
}

impl SubscriberChange {
    pub(crate) fn new(
        action: Action,
        subscriber: SubscriberId,
        now: DateTime<Utc>,
        random: Uuid,
    ) -> Self {
        Self {
            action,
            subscriber,
            stamp: Stamp::at(now, now, Revision(0), random),
        }
    }
}

/// Appends an item for an import of subscribers.
pub(crate) async fn append_import(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    origin: &Origin,
    (now, random): (DateTime<Utc>, Uuid),
    note: String,
) -> Result<(), Error> {
    let item = ActiveModel {
        id: Set(Stamp::at(now, now, Revision(0), random).id),
        action: Set(Action::SubscriberImported.to_string()),
        target_type: Set(TargetType::Organisation.to_string()),
        target_id: Set(organisation.to_string()),
        target_name: Set(Some(note)),
        ..originated(organisation, origin, now)
    };
    insert(transaction, item).await
}

/// Appends an item for a change of a subscriber, if a person of the organisation made it. What visitors do is not in the audit log.
pub(crate) async fn append_subscriber(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    origin: &Origin,
    change: SubscriberChange,
) -> Result<(), Error> {
    if !matches!(origin.actor, Actor::User(_)) {
        return Ok(());
    }
    let item = ActiveModel {
        id: Set(change.stamp.id),
        action: Set(change.action.to_string()),
        target_type: Set(TargetType::Subscriber.to_string()),
        target_id: Set(change.subscriber.to_string()),
        target_name: Set(None),
        ..originated(organisation, origin, change.stamp.now)
    };
    insert(transaction, item).await
}

fn originated(organisation: &OrganisationId, origin: &Origin, now: DateTime<Utc>) -> ActiveModel {
    let actor_id = match &origin.actor {
        Actor::User(author) => Some(author.id.clone()),
        Actor::Provider | Actor::Scheduler => None,
    };
    ActiveModel {
        organisation_id: Set(organisation.as_str().to_owned()),
        created_at: Set(now),
        actor_type: Set(origin.actor.kind().to_string()),
        actor_id: Set(actor_id),
        actor_name: Set(origin.actor.name().to_owned()),
        request_id: Set(origin.request_id.clone()),
        ..Default::default()
    }
}

async fn insert(transaction: &DatabaseTransaction, item: ActiveModel) -> Result<(), Error> {
    Entity::insert(item)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

/// Name of a stored target.
async fn name_of(scope: Scope<'_>, target: Target) -> Result<Option<String>, Error> {
    let connection = scope.transaction;
    match target {
        Target::Organisation => {
            let id = scope.organisation.as_str().to_owned();
            named::<organisation::Entity>(connection, id, organisation::Column::Name).await
        }
        Target::Component(id) => {
            named::<component::Entity>(connection, id.0, component::Column::Name).await
        }
        Target::ComponentGroup(id) => {
            named::<component_group::Entity>(connection, id.0, component_group::Column::Name).await
        }
        Target::Incident(id) => {
            named::<incident::Entity>(connection, id.0, incident::Column::Title).await
        }
        Target::Maintenance(id) => {
            named::<maintenance::Entity>(connection, id.0, maintenance::Column::Title).await
        }
    }
}

async fn named<E: EntityTrait>(
    connection: &impl ConnectionTrait,
    id: impl Into<<E::PrimaryKey as PrimaryKeyTrait>::ValueType> + Send,
    name: E::Column,
) -> Result<Option<String>, Error> {
    E::find_by_id(id)
        .select_only()
        .column(name)
        .into_tuple()
        .one(connection)
        .await
        .map_err(broken)
}

pub(crate) fn item(row: Model) -> Result<AuditItem, Error> {
    Ok(AuditItem {
        id: row.id,
        created_at: row.created_at,
        actor_type: parse_stored(&row.actor_type)?,
        actor_id: row.actor_id,
        actor_name: row.actor_name,
        action: parse_stored(&row.action)?,
        target_type: parse_stored(&row.target_type)?,
        target_id: row.target_id,
        target_name: row.target_name,
        request_id: row.request_id,
    })
}
