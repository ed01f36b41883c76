//! Challenges that were used: of passkeys, and the states of OpenID Connect.

use allclear_application::error::Error;
use allclear_application::secret::Digest;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

use crate::entity::used_challenge::{ActiveModel, Column, Entity};
use crate::statement::Run;
use crate::transaction::Transaction;

/// Marks a challenge as used until it expires, and removes expired marks. Returns false if it was
/// used before: of several concurrent requests on any node, one succeeds.
pub(crate) async fn mark_used(
    transaction: &Transaction,
    digest: &Digest,
    expires_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let expired = Entity::delete_many().filter(Column::ExpiresAt.lte(now));
    expired.run(transaction).await?;
    let used = ActiveModel {
        digest: Set(digest.as_str().to_owned()),
        expires_at: Set(expires_at),
    };
    let first = OnConflict::column(Column::Digest).do_nothing().to_owned();
    let inserted = Entity::insert(used)
        .on_conflict(first)
        .run(transaction)
        .await?;
    Ok(inserted > 0)
}

/// Removes the mark that the same transaction has made, because the challenge was not used
/// after all.
pub(crate) async fn unmark(transaction: &Transaction, digest: &Digest) -> Result<(), Error> {
    let mark = Entity::delete_by_id(digest.as_str());
    mark.run(transaction).await?;
    Ok(())
}
