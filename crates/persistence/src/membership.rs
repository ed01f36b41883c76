//! Organisations' members.

use allclear_application::audit::state;
use allclear_application::error::{Error, Resource};
use allclear_application::membership::MemberTransition;
use allclear_application::page::{Listed, Page};
use allclear_application::session::AdminSession;
use allclear_domain::audit::{Action, TargetType};
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::membership::{Member, MemberState, Membership, Role};
use allclear_domain::permission::Permission;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use uuid::Uuid;

use crate::audit::{self, NewAuditItem, NewAuditItems};
use crate::entity::membership::{ActiveModel, Column, Entity, Model};
use crate::entity::{invitation, organisation, user};
use crate::error::{broken, parse_stored};
use crate::organisation::lock::lock;
use crate::page;
use crate::session::lock_account_of;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// The memberships of an account, newest first.
pub(crate) async fn of_user(
    connection: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<Membership>, Error> {
    let rows = Entity::find()
        .filter(Column::UserId.eq(user.0))
        .find_also_related(organisation::Entity)
        .order_by_desc(Column::CreatedAt)
        .order_by_asc(Column::OrganisationId)
        .fetch_all(connection)
        .await?;
    rows.into_iter().filter_map(membership_from).collect()
}

/// The organisations of which an account is a member, in a fixed order, so that transactions that
/// lock them cannot deadlock.
pub(crate) async fn organisations_of(
    connection: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<OrganisationId>, Error> {
    let mut ids: Vec<String> = Entity::find()
        .select_only()
        .column(Column::OrganisationId)
        .filter(Column::UserId.eq(user.0))
        .into_tuple()
        .fetch_all(connection)
        .await?;
    // Not by the database, which may have another order than the transactions that sort by bytes.
    ids.sort_unstable();
    ids.iter().map(|id| parse_stored(id)).collect()
}

/// The members of an organisation by the time at which they joined, newest first.
/// [`Error::Invalid`] if `before` is not a member.
pub(crate) async fn list(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    page: Page,
) -> Result<Listed<Member>, Error> {
    let mut members = Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .find_also_related(user::Entity)
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::UserId);
    if let Some(before) = page.before {
        let joined_at = joined_at(connection, organisation, before).await?;
        let this = [Column::CreatedAt, Column::UserId].map(|column| Expr::col((Entity, column)));
        let last = Expr::tuple([Expr::val(joined_at), Expr::val(before)]);
        members = members.filter(Expr::tuple(this).lt(last));
    }
    let Listed { items, next } =
        page::read_sorted(connection, members, page, |(row, _)| row.user_id).await?;
    let items = items
        .into_iter()
        .filter_map(|(row, user)| Some(member_from(&row, user?)));
    Ok(Listed {
        items: items.collect::<Result<_, _>>()?,
        next,
    })
}

/// When the member joined after which a page begins. An error if the account is not a member:
/// nothing says when a removed member joined.
async fn joined_at(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    before: Uuid,
) -> Result<DateTime<Utc>, Error> {
    let key = (organisation.as_str().to_owned(), before);
    let joined_at: Option<DateTime<Utc>> = Entity::find_by_id(key)
        .select_only()
        .column(Column::CreatedAt)
        .into_tuple()
        .fetch_one(connection)
        .await?;
    joined_at.ok_or_else(|| Invalid::field("before", "This person is not a member").into())
}

/// Runs a rule on a member. Returns the member's role before the change; `None` if there is no such
/// member. [`Error::Forbidden`] if the account of `admin` is not an admin,
/// [`Sessions::ENDED`](allclear_application::session::Sessions::ENDED) if its session has ended.
pub(crate) async fn change(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
    admin: Option<AdminSession>,
    rule: MemberTransition,
    now: DateTime<Utc>,
) -> Result<(Option<Role>, NewAuditItems), Error> {
    let missing = (None, NewAuditItems::unchanged());
    if let Some(admin) = admin {
        lock_account_of(transaction, admin.user, admin.id, now).await?;
    }
    if lock(transaction, organisation).await?.is_none() {
        return Ok(missing);
    }
    if let Some(admin) = admin {
        check_admin(transaction, organisation, admin.user).await?;
    }
    let Some(member_state) = member_state(transaction, organisation, user).await? else {
        return Ok(missing);
    };
    let before = member_state.role;
    let decided = rule(member_state)?;
    let roles = (Some(before), decided);
    let audit_items = audit_items(transaction, organisation, user, now, roles).await?;
    if let Some(role) = decided {
        change_role(transaction, organisation, user, role).await?;
    } else {
        let key = (organisation.as_str().to_owned(), user.0);
        Entity::delete_by_id(key).run(transaction).await?;
        end_invitations(transaction, organisation, user).await?;
    }
    Ok((Some(before), audit_items))
}

/// Gives a member a role. Invitations end with the role of their inviter. The caller holds the
/// organisation's lock.
pub(crate) async fn change_role(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
    role: Role,
) -> Result<(), Error> {
    set_role(transaction, organisation, user, role).await?;
    if role == Role::Admin {
        return Ok(());
    }
    end_invitations(transaction, organisation, user).await
}

/// An account's membership in an organisation; `None` if it is not a member.
pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    user: UserId,
) -> Result<Option<Membership>, Error> {
    let one = Entity::find_by_id((organisation.as_str().to_owned(), user.0));
    let found = one
        .find_also_related(organisation::Entity)
        .fetch_one(connection)
        .await?;
    found.and_then(membership_from).transpose()
}

/// Fails if an account is not an admin of an organisation. The caller holds the organisation's
/// lock: the account may have lost the role since the service checked it.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not a member, [`Error::Forbidden`] for one with
/// another role.
pub(crate) async fn check_admin(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
) -> Result<(), Error> {
    let found = member_state(transaction, organisation, user).await?;
    let member = found.ok_or(Error::NotFound(Resource::Organisation))?;
    if member.role.may(Permission::Administer) {
        Ok(())
    } else {
        Err(Error::Forbidden(Permission::Administer.refusal()))
    }
}

/// State of a member for the domain's rules. The caller holds the organisation's lock.
pub(crate) async fn member_state(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
) -> Result<Option<MemberState>, Error> {
    let key = (organisation.as_str().to_owned(), user.0);
    let Some(row) = Entity::find_by_id(key).fetch_one(transaction).await? else {
        return Ok(None);
    };
    let other_admins = Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::UserId.ne(user.0))
        .filter(Column::Role.eq(Role::Admin.to_string()))
        .count(transaction)
        .await
        .map_err(broken)?;
    Ok(Some(MemberState {
        role: parse_stored(&row.role)?,
        other_admins,
    }))
}

/// The number of members of an organisation beside an account. The caller holds the
/// organisation's lock.
pub(crate) async fn other_members(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
) -> Result<u64, Error> {
    Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::UserId.ne(user.0))
        .count(transaction)
        .await
        .map_err(broken)
}

/// The item for a member whose role changed from one to another; `None` stands for no membership.
pub(crate) async fn audit_items(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
    now: DateTime<Utc>,
    (before, after): (Option<Role>, Option<Role>),
) -> Result<NewAuditItems, Error> {
    let action = match (before, after) {
        (None, _) => Action::MemberAdded,
        (Some(_), None) => Action::MemberRemoved,
        (Some(before), Some(after)) if before == after => {
            return Ok(NewAuditItems::unchanged());
        }
        (Some(_), Some(_)) => Action::MemberRoleChanged,
    };
    let state = |role: Option<Role>| role.map(|role| state::member(user, role));
    let name = audit::name_of_person(transaction, user).await?;
    let change = NewAuditItem::new(organisation, now, action, (TargetType::User, &user))
        .named(name)
        .states(state(before), state(after));
    Ok(change.into())
}

/// Gives a member a role.
pub(crate) async fn set_role(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
    role: Role,
) -> Result<(), Error> {
    let changed = ActiveModel {
        organisation_id: Set(organisation.as_str().to_owned()),
        user_id: Set(user.0),
        role: Set(role.to_string()),
        ..Default::default()
    };
    Entity::update(changed).run(transaction).await?;
    Ok(())
}

/// Deletes the pending invitations that a member made as an admin.
async fn end_invitations(
    transaction: &Transaction,
    organisation: &OrganisationId,
    inviter: UserId,
) -> Result<(), Error> {
    let own = invitation::Entity::delete_many()
        .filter(invitation::Column::OrganisationId.eq(organisation.as_str()))
        .filter(invitation::Column::InviterId.eq(inviter.0));
    own.run(transaction).await?;
    Ok(())
}

/// Stores a new member.
pub(crate) async fn insert(
    transaction: &Transaction,
    organisation: &OrganisationId,
    user: UserId,
    role: Role,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let row = ActiveModel {
        organisation_id: Set(organisation.as_str().to_owned()),
        user_id: Set(user.0),
        role: Set(role.to_string()),
        created_at: Set(now),
    };
    Entity::insert(row).run(transaction).await?;
    Ok(())
}

fn membership_from(
    (row, organisation): (Model, Option<organisation::Model>),
) -> Option<Result<Membership, Error>> {
    let organisation = organisation?;
    let read = || {
        let id = parse_stored(&organisation.id)?;
        Ok(Membership {
            organisation: id,
            role: parse_stored(&row.role)?,
            name: organisation.name,
        })
    };
    Some(read())
}

fn member_from(row: &Model, user: user::Model) -> Result<Member, Error> {
    Ok(Member {
        user: UserId(user.id),
        name: user.name,
        // An account that needs an address has not proven the one it was created with.
        email: (!user.needs_address).then_some(user.email),
        role: parse_stored(&row.role)?,
        created_at: row.created_at,
    })
}

#[cfg(test)]
mod tests;
