//! Invitations.

use allclear_application::audit::state;
use allclear_application::error::{Error, Resource};
use allclear_application::invitation::{Invitation, InvitingOrganisation};
use allclear_application::page::{Listed, Page};
use allclear_application::secret::Digest;
use allclear_application::session::AdminSession;
use allclear_domain::audit::{Action, TargetType};
use allclear_domain::email::EmailKey;
use allclear_domain::id::{InvitationId, OrganisationId, UserId};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};

use crate::audit::{NewAuditItem, NewAuditItems, NoAuditItem};
use crate::entity::invitation::{ActiveModel, Column, Entity, Model};
use crate::entity::organisation;
use crate::error::parse_stored;
use crate::membership;
use crate::organisation::lock::lock;
use crate::page;
use crate::session::lock_account_of;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// The pending invitations to an organisation, newest first.
pub(crate) async fn list(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    page: Page,
) -> Result<Listed<Invitation>, Error> {
    let mut pending = Entity::find()
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::ExpiresAt.gt(now))
        .find_also_related(organisation::Entity)
        .order_by_desc(Column::Id);
    if let Some(before) = page.before {
        pending = pending.filter(Column::Id.lt(before));
    }
    page::read_sorted(connection, pending, page, |(row, _)| row.id)
        .await?
        .try_map(invitation_from)
}

/// Removes an invitation to an organisation. Returns whether it existed. [`Error::Forbidden`] if
/// `admin` is not an admin.
pub(crate) async fn delete(
    transaction: &Transaction,
    organisation: &OrganisationId,
    id: InvitationId,
    admin: UserId,
    now: DateTime<Utc>,
) -> Result<(bool, NewAuditItems), Error> {
    let missing = (false, NewAuditItems::unchanged());
    if lock(transaction, organisation).await?.is_none() {
        return Ok(missing);
    }
    membership::check_admin(transaction, organisation, admin).await?;
    let these = Column::OrganisationId.eq(organisation.as_str());
    let found = Entity::find_by_id(id.0)
        .filter(these)
        .fetch_one(transaction)
        .await?;
    let Some(found) = found else {
        return Ok(missing);
    };
    let gone = Entity::delete_by_id(id.0).run(transaction).await;
    if gone? == 0 {
        return Ok(missing);
    }
    let before = state::invitation(&invitation_from((found, None))?);
    let (action, target) = (Action::InvitationDeleted, (TargetType::Invitation, &id));
    let change = NewAuditItem::new(organisation, now, action, target);
    Ok((true, change.states(Some(before), None).into()))
}

/// Stores an invitation in place of an earlier one of the same address to the same organisation.
/// [`Error::Forbidden`] if the account of `admin` is not an admin,
/// [`Sessions::ENDED`](allclear_application::session::Sessions::ENDED) if its session has ended.
pub(crate) async fn insert(
    transaction: &Transaction,
    invitation: Invitation,
    digest: Digest,
    admin: Option<AdminSession>,
) -> Result<NewAuditItems, Error> {
    if let Some(admin) = admin {
        lock_account_of(transaction, admin.user, admin.id, invitation.created_at).await?;
    }
    let key = EmailKey::of(&invitation.email);
    let organisation = invitation
        .organisation
        .as_ref()
        .map(|inviting| inviting.id.clone());
    let same_place = match &organisation {
        Some(organisation) => {
            lock(transaction, organisation)
                .await?
                .ok_or(Error::NotFound(Resource::Organisation))?;
            if let Some(admin) = admin {
                membership::check_admin(transaction, organisation, admin.user).await?;
            }
            Column::OrganisationId.eq(organisation.as_str())
        }
        None => Column::OrganisationId.is_null(),
    };
    let earlier = Entity::delete_many()
        .filter(same_place)
        .filter(Column::EmailKey.eq(key.as_str()));
    earlier.run(transaction).await?;
    let audit_items = match &organisation {
        Some(organisation) => {
            let (action, now) = (Action::InvitationCreated, invitation.created_at);
            let target = (TargetType::Invitation, &invitation.id);
            let after = state::invitation(&invitation);
            let change = NewAuditItem::new(organisation, now, action, target);
            change.states(None, Some(after)).into()
        }
        None => NewAuditItems::none(NoAuditItem::OfInstallation),
    };
    let row = ActiveModel {
        id: Set(invitation.id.0),
        digest: Set(digest.as_str().to_owned()),
        organisation_id: Set(organisation.map(|id| id.as_str().to_owned())),
        email: Set(invitation.email),
        email_key: Set(key.as_str().to_owned()),
        role: Set(invitation.role.to_string()),
        inviter_id: Set(invitation.inviter.map(|id| id.0)),
        created_at: Set(invitation.created_at),
        expires_at: Set(invitation.expires_at),
    };
    Entity::insert(row).run(transaction).await?;
    Ok(audit_items)
}

/// The invitation whose token has this digest. `None` if it does not exist or has expired.
pub(crate) async fn find(
    connection: &impl ConnectionTrait,
    digest: &str,
    now: DateTime<Utc>,
) -> Result<Option<Invitation>, Error> {
    let pending = Entity::find()
        .filter(Column::Digest.eq(digest))
        .filter(Column::ExpiresAt.gt(now));
    let found = pending
        .find_also_related(organisation::Entity)
        .fetch_one(connection)
        .await?;
    found.map(invitation_from).transpose()
}

/// Gives the account the membership that an invitation promises, and removes the invitation.
pub(crate) async fn accept(
    transaction: &Transaction,
    digest: &str,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(Option<Invitation>, NewAuditItems), Error> {
    let missing = (None, NewAuditItems::unchanged());
    let Some(invitation) = find(transaction, digest, now).await? else {
        return Ok(missing);
    };
    // Before the row: a change of the inviter's role takes this lock first and then deletes
    // the row.
    if let Some(inviting) = &invitation.organisation {
        lock(transaction, &inviting.id).await?;
    }
    // Of several concurrent requests, one deletes the row.
    let deleted = Entity::delete_by_id(invitation.id.0)
        .run(transaction)
        .await?;
    if deleted == 0 {
        return Ok(missing);
    }
    let mut audit_items = NewAuditItems::none(NoAuditItem::OfInstallation);
    if let Some(inviting) = &invitation.organisation {
        let before = membership::member_state(transaction, &inviting.id, user).await?;
        let known = before.map(|member| member.role);
        let role = if let Some(member_state) = before {
            let role = member_state.accept(invitation.role).role;
            membership::set_role(transaction, &inviting.id, user, role).await?;
            role
        } else {
            membership::insert(transaction, &inviting.id, user, invitation.role, now).await?;
            invitation.role
        };
        let roles = (known, Some(role));
        let joined = membership::audit_items(transaction, &inviting.id, user, now, roles).await?;
        // The request of a sign-up has no caller yet.
        audit_items = joined.by_person(user);
    }
    Ok((Some(invitation), audit_items))
}

fn invitation_from(
    (row, organisation): (Model, Option<organisation::Model>),
) -> Result<Invitation, Error> {
    let inviting = |organisation: organisation::Model| {
        let id = parse_stored(&organisation.id)?;
        Ok::<_, Error>(InvitingOrganisation {
            id,
            name: organisation.name,
        })
    };
    Ok(Invitation {
        id: InvitationId(row.id),
        organisation: organisation.map(inviting).transpose()?,
        email: row.email,
        role: parse_stored(&row.role)?,
        inviter: row.inviter_id.map(UserId),
        created_at: row.created_at,
        expires_at: row.expires_at,
    })
}
