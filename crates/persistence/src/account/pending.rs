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
use allclear_domain::id::UserId;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{create, owner};
use crate::audit::{self, NewAuditItems, NoAuditItem};
use crate::entity::pending_sign_up::{ActiveModel, Column, Entity, Model};
use crate::entity::{pending_address, user};
use crate::error::{broken, is_duplicate};
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

pub(super) async fn add_sign_up(
    transaction: &Transaction,
    pending: PendingSignUp,
) -> Result<(), Error> {
    let key = EmailKey::of(&pending.email);
    let of_address = Entity::find().filter(Column::EmailKey.eq(key.as_str()));
    keep_newest(transaction, of_address, Accounts::PENDING_OF_ADDRESS - 1).await?;
    keep_newest(transaction, Entity::find(), Accounts::PENDING - 1).await?;
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
    Ok(())
}

/// Removes the oldest of the selected rows until `kept` remain.
async fn keep_newest(
    transaction: &Transaction,
    selected: sea_orm::Select<Entity>,
    kept: u64,
) -> Result<(), Error> {
    // An index has this order.
    let oldest: Vec<String> = selected
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

/// [`Error::Stale`] if another account got the address at the same time.
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

/// [`Error::Stale`] if another account got the address at the same time. The caller holds the
/// account's lock.
pub(super) async fn confirm_address(
    transaction: &Transaction,
    digest: &Digest,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(ConfirmationOutcome, NewAuditItems), Error> {
    use pending_address::{Column, Entity};

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
    let before = user::Entity::find_by_id(pending.user_id)
        .fetch_one(transaction)
        .await?;
    let changed = user::ActiveModel {
        email: Set(pending.email),
        email_key: Set(key.as_str().to_owned()),
        needs_address: Set(false),
        ..Default::default()
    };
    let changed = user::Entity::update_many()
        .set(changed)
        .filter(user::Column::Id.eq(pending.user_id))
        .filter(user::Column::NeedsAddress.eq(true))
        .exec(transaction)
        .await;
    match changed {
        Ok(changed) if changed.rows_affected == 0 => {
            return Ok(unconfirmed(ConfirmationOutcome::Unknown));
        }
        Ok(_) => {}
        Err(error) if is_duplicate(&error) => return Err(Error::Stale),
        Err(error) => return Err(broken(error)),
    }
    let after = user::Entity::find_by_id(pending.user_id).fetch_one(transaction);
    let (Some(before), Some(after)) = (before, after.await?) else {
        return Ok(unconfirmed(ConfirmationOutcome::Unknown));
    };
    let (before, after) = (User::from(before), Credentials::from(after));
    let states = (
        Some(state::account(&before)),
        Some(state::account(&after.user)),
    );
    let (action, id) = (Action::AccountUpdated, after.user.id);
    let audit_items = audit::audit_items_of_person(transaction, id, now, action, states).await?;
    Ok((ConfirmationOutcome::Confirmed(after), audit_items))
}

/// A confirmation that changes nothing.
const fn unconfirmed(why: ConfirmationOutcome) -> (ConfirmationOutcome, NewAuditItems) {
    (why, NewAuditItems::none(NoAuditItem::Unchanged))
}
