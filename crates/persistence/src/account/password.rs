//! Passwords of accounts, and pending resets.

use allclear_application::account::{Credentials, PasswordChangeOutcome, Reset};
use allclear_application::error::Error;
use allclear_application::password::PasswordHash;
use allclear_application::secret::Digest;
use allclear_domain::audit::Action;
use allclear_domain::id::{SessionId, UserId};
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::audit::{self, NewAuditItems, NoAuditItem};
use crate::entity::password_reset::{ActiveModel, Column, Entity};
use crate::entity::user;
use crate::session::end_all;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

pub(super) async fn add_reset(transaction: &Transaction, reset: Reset) -> Result<(), Error> {
    let row = ActiveModel {
        digest: Set(reset.digest.as_str().to_owned()),
        user_id: Set(reset.user.0),
        expires_at: Set(reset.expires_at),
    };
    Entity::insert(row).run(transaction).await?;
    Ok(())
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
) -> Result<(PasswordChangeOutcome, NewAuditItems), Error> {
    let gone = (
        PasswordChangeOutcome::Gone,
        NewAuditItems::none(NoAuditItem::Unchanged),
    );
    let pending = Entity::find_by_id(digest.as_str()).filter(Column::ExpiresAt.gt(now));
    let Some(reset) = pending.fetch_one(transaction).await? else {
        return Ok(gone);
    };
    // Of several concurrent requests, one deletes the row.
    let used = Entity::delete_by_id(reset.digest).run(transaction).await?;
    if used == 0 {
        return Ok(gone);
    }
    set_password(transaction, UserId(reset.user_id), password, None, now).await
}

pub(super) async fn set_password(
    transaction: &Transaction,
    id: UserId,
    password: PasswordHash,
    spared: Option<SessionId>,
    now: DateTime<Utc>,
) -> Result<(PasswordChangeOutcome, NewAuditItems), Error> {
    let password = user::ActiveModel {
        password: Set(password.as_str().to_owned()),
        has_password: Set(true),
        ..Default::default()
    };
    let stored = user::Entity::update_many()
        .set(password)
        .filter(user::Column::Id.eq(id.0))
        .run(transaction)
        .await?;
    if stored == 0 {
        return Ok((
            PasswordChangeOutcome::Gone,
            NewAuditItems::none(NoAuditItem::Unchanged),
        ));
    }
    let (action, states) = (Action::PasswordChanged, (None, None));
    let audit_items = audit::audit_items_of_person(transaction, id, now, action, states).await?;
    end_all(transaction, id, spared).await?;
    let resets = Entity::delete_many().filter(Column::UserId.eq(id.0));
    resets.run(transaction).await?;
    Ok((PasswordChangeOutcome::Stored, audit_items))
}
