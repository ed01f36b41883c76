//! Members of the organisations of a hosted identity provider, in the audit log. Allclear stores no
//! membership of them.

use allclear_application::audit::state;
use allclear_application::directory::{MemberChange, MemberRecord, Revocation};
use allclear_application::error::Error;
use allclear_domain::audit::{Action, TargetType};
use allclear_domain::id::OrganisationId;
use allclear_domain::membership::Role;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::Value;

use super::{find_name, key};
use crate::audit::{NewAuditItem, NewAuditItems};
use crate::entity::audit_item::{Column, Entity};
use crate::entity::directory_revocation;
use crate::error::parse_stored;
use crate::organisation::lock::lock;
use crate::statement::Fetch;
use crate::transaction::Transaction;

/// The item for a member who joined or whose role changed, if the organisation exists; none for a
/// late or repeated message.
pub(super) async fn audit_items(
    transaction: &Transaction,
    member: &MemberRecord,
    now: DateTime<Utc>,
) -> Result<NewAuditItems, Error> {
    let MemberRecord {
        organisation,
        user,
        role,
        change,
        as_of,
    } = member;
    if lock(transaction, organisation).await?.is_none()
        || is_removed(transaction, organisation, user, *as_of).await?
    {
        return Ok(NewAuditItems::unchanged());
    }
    let (action, before) = match (change, last_role(transaction, organisation, user).await?) {
        (MemberChange::Joined, None) => (Action::MemberAdded, None),
        // The message about a later change came first, or this one came twice.
        (MemberChange::Joined, Some(_)) => return Ok(NewAuditItems::unchanged()),
        (MemberChange::Updated, Some(before)) if before == *role => {
            return Ok(NewAuditItems::unchanged());
        }
        (MemberChange::Updated, before) => (
            Action::MemberRoleChanged,
            Some(state::directory_member(user, before)),
        ),
    };
    let after = Some(state::directory_member(user, Some(*role)));
    note(
        transaction,
        organisation,
        user,
        now,
        (action, before, after),
    )
    .await
}

/// The item for a member who was removed at a time, if the organisation exists; none for a late or
/// repeated message.
pub(super) async fn audit_items_of_removal(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: &str,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<NewAuditItems, Error> {
    if lock(transaction, organisation).await?.is_none()
        || is_removed(transaction, organisation, user, at).await?
    {
        return Ok(NewAuditItems::unchanged());
    }
    let role = last_role(transaction, organisation, user).await?;
    let before = Some(state::directory_member(user, role));
    let removed = (Action::MemberRemoved, before, None);
    note(transaction, organisation, user, now, removed).await
}

async fn note(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: &str,
    now: DateTime<Utc>,
    (action, before, after): (Action, Option<Value>, Option<Value>),
) -> Result<NewAuditItems, Error> {
    let name = find_name(transaction, user).await?;
    let change = NewAuditItem::new(organisation, now, action, (TargetType::User, &user))
        .named(name.map(|known| known.name))
        .states(before, after);
    Ok(change.into())
}

/// Whether a membership was removed at this time or later.
async fn is_removed(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: &str,
    at: DateTime<Utc>,
) -> Result<bool, Error> {
    let removal = Revocation::Membership {
        organisation: organisation.clone(),
        user: user.to_owned(),
    };
    let (kind, id) = key(&removal);
    let found = directory_revocation::Entity::find_by_id((kind.to_owned(), id))
        .fetch_one(transaction)
        .await?;
    Ok(found.is_some_and(|removal| removal.ended_at >= at))
}

/// The role of a member by the newest item about it. `None` if there is none, or if it is about
/// the removal.
async fn last_role(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: &str,
) -> Result<Option<Role>, Error> {
    let actions = [
        Action::MemberAdded,
        Action::MemberRoleChanged,
        Action::MemberRemoved,
    ];
    let newest: Option<Option<String>> = Entity::find()
        .select_only()
        .column(Column::StateAfter)
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::TargetId.eq(user))
        .filter(Column::Action.is_in(actions.map(|action| action.to_string())))
        .order_by_desc(Column::Id)
        .limit(1)
        .into_tuple()
        .fetch_one(transaction)
        .await?;
    let Some(after) = newest.flatten() else {
        return Ok(None);
    };
    let after: Value = serde_json::from_str(&after).map_err(Error::internal)?;
    after["role"].as_str().map(parse_stored).transpose()
}
