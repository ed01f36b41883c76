//! Items for changes that make no revision.

use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::stamp::Stamp;
use allclear_domain::audit::{Action, Actor, TargetType};
use allclear_domain::author::Author;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::organisation::Revision;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::Value;
use uuid::Uuid;

use super::{insert, originated};
use crate::entity::audit_item::{ActiveModel, Column, Entity};
use crate::entity::{membership, user};
use crate::error::broken;

/// Maximum number of refused sign-ins of one person and day in an organisation's audit log, so that strangers cannot
/// fill it.
const REFUSED_PER_DAY: u64 = 20;

/// A change for [`note`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Note {
    pub(crate) action: Action,
    /// Kind and identifier of the changed thing.
    pub(crate) target: (TargetType, String),
    /// Its name, if it has one that may be shown.
    pub(crate) name: Option<String>,
    /// The thing before the change; `None` for a create. From [`state`](allclear_application::audit::state), without secrets.
    pub(crate) before: Option<Value>,
    /// The thing after the change; `None` for a delete.
    pub(crate) after: Option<Value>,
}

impl Note {
    /// A change of a thing without states and name.
    pub(crate) fn new(action: Action, target: TargetType, id: &impl ToString) -> Self {
        Self {
            action,
            target: (target, id.to_string()),
            name: None,
            before: None,
            after: None,
        }
    }

    /// The same with the name of the thing.
    pub(crate) fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same with the states of the thing.
    pub(crate) fn states(mut self, before: Option<Value>, after: Option<Value>) -> Self {
        self.before = before;
        self.after = after;
        self
    }
}

/// Largest step from an item's identifier to the next one within a millisecond. The step is random, so two transactions
/// that follow the same item hardly ever choose the same identifier.
const MOST_STEP: u128 = 1 << 20;

/// Identifier and time of the organisation's next item at the time `now`: after every item that the transaction sees, also one of
/// the same millisecond, and one of a node whose clock is ahead.
async fn following(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<(Uuid, DateTime<Utc>), Error> {
    let newest: Option<(Uuid, DateTime<Utc>)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::CreatedAt])
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .order_by_desc(Column::Id)
        .limit(1)
        .into_tuple()
        .one(transaction)
        .await
        .map_err(broken)?;
    let random = Uuid::new_v4();
    let id = Stamp::at(now, now, Revision(0), random).id;
    Ok(match newest {
        Some((newest, created_at)) if newest >= id => {
            let step = 1 + random.as_u128() % MOST_STEP;
            // The step does not change the revision in the identifier, so the organisation's next commit is later.
            let id = Uuid::from_u128(newest.as_u128() + step);
            (id, created_at.max(now))
        }
        _ => (id, now),
    })
}

/// Appends an item for a change that makes no revision, in the transaction of the change. The originator is the request's.
pub(crate) async fn note(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    note: Note,
) -> Result<(), Error> {
    let (kind, target) = note.target;
    let (id, created_at) = following(transaction, organisation, now).await?;
    let item = ActiveModel {
        id: Set(id),
        created_at: Set(created_at),
        action: Set(note.action.to_string()),
        target_type: Set(kind.to_string()),
        target_id: Set(target),
        target_name: Set(note.name),
        ..originated(organisation, (note.before, note.after))
    };
    insert(transaction, item).await
}

/// [`note`] for a change of a person's account, session, password or factor: an item in each organisation of which the person is a
/// member. Of refused sign-ins, an organisation gets at most [`REFUSED_PER_DAY`] for one person.
pub(crate) async fn note_of_person(
    transaction: &DatabaseTransaction,
    person: UserId,
    now: DateTime<Utc>,
    action: Action,
    (before, after): (Option<Value>, Option<Value>),
) -> Result<(), Error> {
    let organisations = organisations_of(transaction, person).await?;
    if organisations.is_empty() {
        return Ok(());
    }
    let name = name_of_person(transaction, person).await?;
    for organisation in organisations {
        if action == Action::SessionRefused
            && refused_since(transaction, &organisation, person, now - TimeDelta::days(1)).await?
                >= REFUSED_PER_DAY
        {
            continue;
        }
        let change = Note {
            name: name.clone(),
            ..Note::new(action, TargetType::User, &person)
        };
        let change = change.states(before.clone(), after.clone());
        let appended = note(transaction, &organisation, now, change);
        if action == Action::SessionCreated {
            // The request of a sign-in has no caller yet.
            let author = Author {
                id: person.to_string(),
                name: name.clone().unwrap_or_default(),
            };
            let origin = Origin {
                actor: Actor::User(author),
                ..Origin::current()
            };
            origin.carry(appended).await?;
        } else {
            appended.await?;
        }
    }
    Ok(())
}

/// Name of an account; `None` if it does not exist.
pub(crate) async fn name_of_person(
    connection: &impl ConnectionTrait,
    person: UserId,
) -> Result<Option<String>, Error> {
    user::Entity::find_by_id(person.0)
        .select_only()
        .column(user::Column::Name)
        .into_tuple()
        .one(connection)
        .await
        .map_err(broken)
}

async fn organisations_of(
    connection: &impl ConnectionTrait,
    person: UserId,
) -> Result<Vec<OrganisationId>, Error> {
    let ids: Vec<String> = membership::Entity::find()
        .select_only()
        .column(membership::Column::OrganisationId)
        .filter(membership::Column::UserId.eq(person.0))
        .order_by_asc(membership::Column::OrganisationId)
        .into_tuple()
        .all(connection)
        .await
        .map_err(broken)?;
    ids.iter()
        .map(|id| OrganisationId::parse(id).map_err(Error::internal))
        .collect()
}

async fn refused_since(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    person: UserId,
    since: DateTime<Utc>,
) -> Result<u64, Error> {
    Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::TargetId.eq(person.to_string()))
        .filter(Column::Id.gte(super::first_id(since)))
        .filter(Column::Action.eq(Action::SessionRefused.to_string()))
        .count(connection)
        .await
        .map_err(broken)
}
