//! Sign-ups and new addresses that wait for the link of a mail.

use allclear_application::account::{
    Accounts, Admission, Confirmation, ConfirmationOutcome, CreationOutcome, Credentials,
    NewAccount, PendingAddress, PendingSignUp,
};
use allclear_application::audit::state;
use allclear_application::error::Error;
use allclear_application::invitation::Invitations;
use allclear_application::password::PasswordHash;
use allclear_application::secret::Digest;
use allclear_domain::account::User;
use allclear_domain::audit::Action;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{SessionId, UserId};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{create, owner};
use crate::audit::{self, NewAuditItems};
use crate::entity::pending_sign_up::{ActiveModel, Column, Entity, Model};
use crate::entity::{password_reset, pending_address, user};
use crate::error::Duplicate;
use crate::session::{end_other_sessions, lock_account_of};
use crate::statement::{Fetch, Run, exists};
use crate::transaction::Transaction;

pub(super) async fn add_sign_up(
    transaction: &Transaction,
    pending: PendingSignUp,
) -> Result<bool, Error> {
    let last = Entity::find().offset(Accounts::PENDING - 1);
    if exists(last, transaction).await? {
        return Ok(false);
    }
    let key = EmailKey::of(&pending.email);
    keep_newest(transaction, &key, Accounts::PENDING_OF_ADDRESS - 1).await?;
    let row = ActiveModel {
        digest: Set(pending.digest.as_str().to_owned()),
        name: Set(pending.name),
        email_key: Set(key.as_str().to_owned()),
        email: Set(pending.email),
        password: Set(pending.password.as_str().to_owned()),
        invitation_digest: Set(pending.invitation.map(|digest| digest.as_str().to_owned())),
        created_at: Set(pending.created_at),
        expires_at: Set(pending.expires_at),
    };
    Entity::insert(row).run(transaction).await?;
    Ok(true)
}

/// Removes the oldest sign-ups of an address until `kept` remain.
async fn keep_newest(transaction: &Transaction, key: &EmailKey, kept: u64) -> Result<(), Error> {
    // An index has this order.
    let oldest: Vec<String> = Entity::find()
        .filter(Column::EmailKey.eq(key.as_str()))
        .select_only()
        .column(Column::Digest)
        .order_by_desc(Column::CreatedAt)
        .offset(kept)
        .limit(Accounts::PENDING)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    if oldest.is_empty() {
        return Ok(());
    }
    let gone = Entity::delete_many().filter(Column::Digest.is_in(oldest));
    gone.run(transaction).await?;
    Ok(())
}

/// [`Duplicate`] if another account got the address at the same time.
pub(super) async fn confirm_sign_up(
    transaction: &Transaction,
    confirmation: Confirmation,
) -> Result<(ConfirmationOutcome, NewAuditItems), Error> {
    let found = Entity::find_by_id(confirmation.digest.as_str())
        .filter(Column::ExpiresAt.gt(confirmation.now));
    let Some(pending) = found.fetch_one(transaction).await? else {
        return Ok(unconfirmed(ConfirmationOutcome::Unknown));
    };
    // Of several concurrent requests, one deletes the row.
    let deleted = Entity::delete_by_id(pending.digest.clone());
    let deleted = deleted.run(transaction).await?;
    if deleted == 0 {
        return Ok(unconfirmed(ConfirmationOutcome::Unknown));
    }
    let key = EmailKey::of(&pending.email);
    if owner(transaction, &key).await?.is_some() {
        return Ok(unconfirmed(ConfirmationOutcome::Taken));
    }
    let invitation = pending.invitation_digest.clone();
    let now = confirmation.now;
    let needs_invitation = confirmation.needs_invitation;
    let account = new_account_from(pending, confirmation);
    let password = account.password.clone();
    let (user, mut audit_items) = match create(transaction, account).await? {
        (CreationOutcome::Created(user), audit_items) => (user, audit_items),
        (CreationOutcome::Taken | CreationOutcome::NotFirst, _) => {
            return Ok(unconfirmed(ConfirmationOutcome::Taken));
        }
    };
    if let Some(digest) = invitation {
        let (accepted, joined) =
            crate::invitation::accept(transaction, &digest, user.id, now).await?;
        audit_items = audit_items.and(joined);
        if accepted.is_none() && needs_invitation {
            return Err(Invitations::BAD);
        }
    }
    let others = Entity::delete_many().filter(Column::EmailKey.eq(key.as_str()));
    others.run(transaction).await?;
    let account = Credentials { user, password };
    Ok((ConfirmationOutcome::Confirmed(account), audit_items))
}

fn new_account_from(pending: Model, confirmation: Confirmation) -> NewAccount {
    let user = User {
        id: confirmation.user,
        name: pending.name,
        email: pending.email,
        administrator: false,
        needs_address: false,
        created_at: confirmation.now,
    };
    NewAccount {
        user,
        password: PasswordHash::new(pending.password),
        admission: Admission::Proven,
        session: confirmation.session,
    }
}

pub(super) async fn add_address(
    transaction: &Transaction,
    pending: PendingAddress,
) -> Result<(), Error> {
    use pending_address::{ActiveModel, Column, Entity};

    let row = ActiveModel {
        user_id: Set(pending.user.0),
        digest: Set(pending.digest.as_str().to_owned()),
        email: Set(pending.email),
        expires_at: Set(pending.expires_at),
    };
    let newest = OnConflict::column(Column::UserId)
        .update_columns([Column::Digest, Column::Email, Column::ExpiresAt])
        .to_owned();
    Entity::insert(row)
        .on_conflict(newest)
        .run(transaction)
        .await?;
    Ok(())
}

/// [`Duplicate`] if another account got the address at the same time.
pub(super) async fn confirm_address(
    transaction: &Transaction,
    digest: &Digest,
    user: UserId,
    session: SessionId,
    now: DateTime<Utc>,
) -> Result<(ConfirmationOutcome, NewAuditItems), Error> {
    use pending_address::{Column, Entity};

    let before = lock_account_of(transaction, user, session, now).await?;
    let found = Entity::find_by_id(user.0)
        .filter(Column::Digest.eq(digest.as_str()))
        .filter(Column::ExpiresAt.gt(now));
    let Some(pending) = found.fetch_one(transaction).await? else {
        return Ok(unconfirmed(ConfirmationOutcome::Unknown));
    };
    let deleted = Entity::delete_many().filter(Column::Digest.eq(digest.as_str()));
    let deleted = deleted.run(transaction).await?;
    if deleted == 0 {
        return Ok(unconfirmed(ConfirmationOutcome::Unknown));
    }
    let key = EmailKey::of(&pending.email);
    if owner(transaction, &key).await?.is_some() {
        return Ok(unconfirmed(ConfirmationOutcome::Taken));
    }
    let after = user::Model {
        email: pending.email,
        email_key: key.as_str().to_owned(),
        needs_address: false,
        ..before.clone()
    };
    let changed = user::ActiveModel {
        email: Set(after.email.clone()),
        email_key: Set(after.email_key.clone()),
        needs_address: Set(after.needs_address),
        ..Default::default()
    };
    user::Entity::update_many()
        .set(changed)
        .filter(user::Column::Id.eq(user.0))
        .exec(transaction)
        .await
        .map_err(Duplicate::or_broken)?;
    let (before, after) = (User::from(before), Credentials::from(after));
    let states = (
        Some(state::account(&before)),
        Some(state::account(&after.user)),
    );
    let action = Action::AccountUpdated;
    audit::check_changes_of_person(transaction, user, now, action).await?;
    let (kept, change) = (Some(session), (action, states));
    let audit_items = end_other_sessions(transaction, user, kept, now, change).await?;
    end_links(transaction, user).await?;
    Ok((ConfirmationOutcome::Confirmed(after), audit_items))
}

/// Ends the pending resets of an account, and the new address that waits for its link.
pub(super) async fn end_links(transaction: &Transaction, user: UserId) -> Result<(), Error> {
    let resets =
        password_reset::Entity::delete_many().filter(password_reset::Column::UserId.eq(user.0));
    resets.run(transaction).await?;
    let address = pending_address::Entity::delete_by_id(user.0);
    address.run(transaction).await?;
    Ok(())
}

/// A confirmation that changes nothing.
const fn unconfirmed(why: ConfirmationOutcome) -> (ConfirmationOutcome, NewAuditItems) {
    (why, NewAuditItems::unchanged())
}
