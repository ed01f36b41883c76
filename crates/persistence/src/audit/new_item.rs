//! Items for changes that make no revision.

use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::stamp::identifier;
use allclear_domain::audit::{Action, Actor, TargetType};
use allclear_domain::author::Author;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::organisation::Revision;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use serde_json::Value;
use uuid::Uuid;

use super::{NoAuditItem, States, insert, originated};
use crate::entity::audit_item::{ActiveModel, Column, Entity};
use crate::entity::user;
use crate::error::broken;
use crate::membership::organisations_of;
use crate::statement::Fetch;
use crate::transaction::Transaction;

/// Maximum number of refused sign-ins of one person and day in an organisation's audit log, so that
/// strangers cannot fill it.
const REFUSED_PER_DAY: u64 = 20;
/// Maximum number of other items of one action, person and day in an organisation's audit log, so
/// that a person cannot fill the logs of all its organisations.
const CHANGES_PER_DAY: u64 = 200;

/// An item for a change that makes no revision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewAuditItem {
    /// Organisation whose audit log gets the item.
    organisation: OrganisationId,
    /// Time of the change.
    at: DateTime<Utc>,
    action: Action,
    /// Kind and identifier of the changed thing.
    target: (TargetType, String),
    /// Its name, if it has one that may be shown.
    name: Option<String>,
    /// The thing before the change; `None` for a create. From
    /// [`state`](allclear_application::audit::state), without secrets.
    before: Option<Value>,
    /// The thing after the change; `None` for a delete.
    after: Option<Value>,
    /// The originator, if it is not the one of the request.
    origin: Option<Origin>,
}

impl NewAuditItem {
    /// A change of a thing without states and name.
    pub(crate) fn new(
        organisation: &OrganisationId,
        at: DateTime<Utc>,
        action: Action,
        (target, id): (TargetType, &impl ToString),
    ) -> Self {
        Self {
            organisation: organisation.clone(),
            at,
            action,
            target: (target, id.to_string()),
            name: None,
            before: None,
            after: None,
            origin: None,
        }
    }

    /// The same with the name of the thing.
    pub(crate) fn named(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// The same with the states of the thing.
    pub(crate) fn states(mut self, before: Option<Value>, after: Option<Value>) -> Self {
        self.before = before;
        self.after = after;
        self
    }
}

/// The items that a change leaves in the audit log.
/// [`Database::write_audited`](crate::database::Database::write_audited) appends them.
#[derive(Debug)]
#[must_use]
pub(crate) struct NewAuditItems(Vec<NewAuditItem>);

impl From<NewAuditItem> for NewAuditItems {
    fn from(item: NewAuditItem) -> Self {
        Self(vec![item])
    }
}

impl NewAuditItems {
    /// No items, for this reason.
    pub(crate) const fn none(_: NoAuditItem) -> Self {
        Self(Vec::new())
    }

    /// No items, because nothing is changed.
    pub(crate) const fn unchanged() -> Self {
        Self::none(NoAuditItem::Unchanged)
    }

    /// These items, and then the others.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// The same about a person who made the changes, if the request has no caller.
    pub(crate) fn by_person(mut self, person: UserId) -> Self {
        for item in &mut self.0 {
            item.origin = origin_of_person(person, item.name.as_deref());
        }
        self
    }

    /// The same about a person whose account is deleted, without the person's name and address.
    pub(crate) fn anonymous(mut self, person: UserId) -> Self {
        let origin = Origin::current();
        let id = person.to_string();
        let anonymous = (origin.actor.id() == Some(&id)).then(|| Origin {
            actor: Actor::User(Author {
                id,
                name: Author::DELETED.to_owned(),
            }),
            address: None,
            ..origin
        });
        for item in &mut self.0 {
            item.name = Some(Author::DELETED.to_owned());
            item.origin.clone_from(&anonymous);
        }
        self
    }

    /// Appends the items, in the transaction of the change.
    pub(crate) async fn append(self, transaction: &Transaction) -> Result<(), Error> {
        for item in self.0 {
            append(transaction, item).await?;
        }
        Ok(())
    }
}

/// Largest step from an item's identifier to the next one within a millisecond. The step is random,
/// so two transactions that follow the same item hardly ever choose the same identifier.
const MAX_STEP: u128 = 1 << 20;

/// Identifier and time of the organisation's next item at the time `now`: after every item that the
/// transaction sees, also one of the same millisecond, and one of a node whose clock is ahead.
async fn following(
    transaction: &Transaction,
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
        .fetch_one(transaction)
        .await?;
    let random = Uuid::new_v4();
    let id = identifier(now, Revision(0), random);
    Ok(match newest {
        Some((newest, created_at)) if newest >= id => {
            let step = 1 + random.as_u128() % MAX_STEP;
            // The step does not change the revision in the identifier, so the organisation's next
            // commit is later.
            let id = Uuid::from_u128(newest.as_u128() + step);
            (id, created_at.max(now))
        }
        _ => (id, now),
    })
}

async fn append(transaction: &Transaction, item: NewAuditItem) -> Result<(), Error> {
    let (kind, target) = item.target;
    let organisation = &item.organisation;
    let (id, created_at) = following(transaction, organisation, item.at).await?;
    let origin = item.origin.unwrap_or_else(Origin::current);
    let row = ActiveModel {
        id: Set(id),
        created_at: Set(created_at),
        action: Set(item.action.to_string()),
        target_type: Set(kind.to_string()),
        target_id: Set(target),
        target_name: Set(item.name),
        ..originated(organisation, origin, (item.before, item.after))
    };
    insert(transaction, row).await
}

/// Items for a change of a person's account, session, password or factor: one in each organisation
/// of which the person is a member. Of refused sign-ins, an organisation gets at most
/// [`REFUSED_PER_DAY`] for one person, of other changes at most [`CHANGES_PER_DAY`] of each kind.
/// Changes beyond that have no item: a thief who has used them up must not prevent the owner's next
/// password, for example. [`check_changes_of_person`] refuses changes that nobody needs.
pub(crate) async fn audit_items_of_person(
    transaction: &Transaction,
    person: UserId,
    now: DateTime<Utc>,
    action: Action,
    (before, after): States,
) -> Result<NewAuditItems, Error> {
    let organisations = organisations_of(transaction, person).await?;
    if organisations.is_empty() {
        return Ok(NewAuditItems::none(NoAuditItem::OfInstallation));
    }
    let name = name_of_person(transaction, person).await?;
    let origin = match action {
        // Anybody may have tried to sign in.
        Action::SessionRefused | Action::FactorCopied => None,
        _ => origin_of_person(person, name.as_deref()),
    };
    let mut audit_items = Vec::new();
    for organisation in organisations {
        let since = now - TimeDelta::days(1);
        let count = items_since(transaction, &organisation, person, action, since).await?;
        let limit = match action {
            Action::SessionRefused => REFUSED_PER_DAY,
            _ => CHANGES_PER_DAY,
        };
        if count >= limit {
            continue;
        }
        let change = NewAuditItem {
            name: name.clone(),
            origin: origin.clone(),
            ..NewAuditItem::new(&organisation, now, action, (TargetType::User, &person))
        };
        audit_items.push(change.states(before.clone(), after.clone()));
    }
    Ok(NewAuditItems(audit_items))
}

/// The origin of a person's change in a request without a caller, such as a sign-in or the use of a
/// link; `None` if the request has a caller, or the change belongs to no request.
fn origin_of_person(person: UserId, name: Option<&str>) -> Option<Origin> {
    let origin = Origin::current();
    (origin.actor == Actor::Provider).then(|| Origin {
        actor: Actor::User(Author {
            id: person.to_string(),
            name: name.unwrap_or_default().to_owned(),
        }),
        ..origin
    })
}

/// [`Error::TooMany`] if a person made [`CHANGES_PER_DAY`] of these changes within a day.
pub(crate) async fn check_changes_of_person(
    transaction: &Transaction,
    person: UserId,
    now: DateTime<Utc>,
    action: Action,
) -> Result<(), Error> {
    let since = now - TimeDelta::days(1);
    for organisation in organisations_of(transaction, person).await? {
        if items_since(transaction, &organisation, person, action, since).await? >= CHANGES_PER_DAY
        {
            return Err(too_many_changes());
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
        .fetch_one(connection)
        .await
}

fn too_many_changes() -> Error {
    Error::TooMany {
        message: format!(
            "An account may be changed {CHANGES_PER_DAY} times a day in the same way, please try again later"
        ),
        retry_after: 60 * 60,
    }
}

async fn items_since(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    person: UserId,
    action: Action,
    since: DateTime<Utc>,
) -> Result<u64, Error> {
    Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::TargetId.eq(person.to_string()))
        .filter(Column::Id.gte(super::first_id(since)))
        .filter(Column::Action.eq(action.to_string()))
        .count(connection)
        .await
        .map_err(broken)
}
