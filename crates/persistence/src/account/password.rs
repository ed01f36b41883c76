//! Passwords of accounts, and pending resets.

use allclear_application::account::{Credentials, PasswordChange, Reset, ResetOutcome};
use allclear_application::error::Error;
use allclear_application::password::PasswordHash;
use allclear_application::secret::Digest;
use allclear_domain::audit::Action;
use allclear_domain::id::{SessionId, UserId};
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use super::pending::end_links;
use crate::audit::NewAuditItems;
use crate::entity::password_reset::{ActiveModel, Column, Entity};
use crate::entity::user;
use crate::session::{end_other_sessions, lock_account, lock_account_of};
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// Returns whether the account still has the address to which the link is mailed.
pub(super) async fn add_reset(transaction: &Transaction, reset: Reset) -> Result<bool, Error> {
    let account = lock_account(transaction, reset.user).await?;
    let has_address = account.is_some_and(|account| {
        account.email_key == reset.address.as_str() && !account.needs_address
    });
    if !has_address {
        return Ok(false);
    }
    let row = ActiveModel {
        digest: Set(reset.digest.as_str().to_owned()),
        user_id: Set(reset.user.0),
        expires_at: Set(reset.expires_at),
    };
    Entity::insert(row).run(transaction).await?;
    Ok(true)
}

pub(super) async fn find_reset(
    connection: &impl ConnectionTrait,
    digest: &Digest,
    now: DateTime<Utc>,
) -> Result<Option<Credentials>, Error> {
    let found = Entity::find_by_id(digest.as_str())
        .filter(Column::ExpiresAt.gt(now))
        .find_also_related(user::Entity)
        .fetch_one(connection)
        .await?;
    Ok(found.and_then(|(_, user)| user).map(Credentials::from))
}

pub(super) async fn use_reset(
    transaction: &Transaction,
    digest: &Digest,
    password: PasswordHash,
    now: DateTime<Utc>,
) -> Result<(ResetOutcome, NewAuditItems), Error> {
    let gone = (ResetOutcome::Gone, NewAuditItems::unchanged());
    let pending = Entity::find_by_id(digest.as_str()).filter(Column::ExpiresAt.gt(now));
    let Some(reset) = pending.fetch_one(transaction).await? else {
        return Ok(gone);
    };
    let id = UserId(reset.user_id);
    lock_account(transaction, id).await?;
    // Of several concurrent requests, one deletes the row.
    let used = Entity::delete_by_id(reset.digest).run(transaction).await?;
    if used == 0 {
        return Ok(gone);
    }
    let audit_items = set(transaction, id, &password, None, now).await?;
    Ok((ResetOutcome::Stored, audit_items))
}

/// Returns whether the account still had the verified password.
pub(super) async fn change(
    transaction: &Transaction,
    change: PasswordChange,
    now: DateTime<Utc>,
) -> Result<(bool, NewAuditItems), Error> {
    let PasswordChange {
        user,
        verified,
        new,
        current_session,
    } = change;
    let account = lock_account_of(transaction, user, current_session, now).await?;
    if Credentials::from(account).password != verified {
        return Ok((false, NewAuditItems::unchanged()));
    }
    let audit_items = set(transaction, user, &new, Some(current_session), now).await?;
    Ok((true, audit_items))
}

/// Stores a password, and ends the account's sessions, resets and pending address. The caller holds
/// the account's lock.
async fn set(
    transaction: &Transaction,
    id: UserId,
    password: &PasswordHash,
    current_session: Option<SessionId>,
    now: DateTime<Utc>,
) -> Result<NewAuditItems, Error> {
    let password = user::ActiveModel {
        password: Set(password.as_str().to_owned()),
        has_password: Set(true),
        ..Default::default()
    };
    user::Entity::update_many()
        .set(password)
        .filter(user::Column::Id.eq(id.0))
        .run(transaction)
        .await?;
    let change = (Action::PasswordChanged, (None, None));
    let audit_items = end_other_sessions(transaction, id, current_session, now, change).await?;
    end_links(transaction, id).await?;
    Ok(audit_items)
}
