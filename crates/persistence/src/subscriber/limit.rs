//! Limits: the number of subscribers of an organisation, and verification messages per target.

use allclear_application::error::Error;
use allclear_application::usage_limit::UsageLimits;
use allclear_domain::channel::RecipientKey;
use allclear_domain::id::OrganisationId;
use allclear_domain::rate_limit::RateLimit;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    QueryTrait,
};

use crate::entity::{organisation, verification_mail};
use crate::organisation::lock::lock;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// Fails if the organisation has reached its limit of subscribers.
pub(super) async fn check_limit(
    transaction: &Transaction,
    organisation: &OrganisationId,
    limits: UsageLimits,
) -> Result<(), Error> {
    if limits.subscribers.is_none() {
        return Ok(());
    }
    // Under the lock, so that concurrent requests count each other.
    lock(transaction, organisation).await?;
    limits.check_subscribers(count_of(transaction, organisation).await?)
}

/// The stored number of the organisation's subscribers.
pub(super) async fn count_of(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<u64, Error> {
    let count: Option<i64> = organisation::Entity::find_by_id(organisation.as_str())
        .select_only()
        .column(organisation::Column::SubscriberCount)
        .into_tuple()
        .fetch_one(connection)
        .await?;
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
}

/// Updates the stored number of the organisation's subscribers: counting a hundred thousand rows
/// would delay every write. The caller holds the organisation's lock.
pub(crate) async fn add_to_count(
    transaction: &Transaction,
    organisation: &OrganisationId,
    more: i64,
) -> Result<(), Error> {
    let count = organisation::Column::SubscriberCount;
    organisation::Entity::update_many()
        .col_expr(count, Expr::col(count).add(more))
        .filter(organisation::Column::Id.eq(organisation.as_str()))
        .run(transaction)
        .await?;
    Ok(())
}

pub(super) async fn count_verification(
    transaction: &Transaction,
    recipient: RecipientKey,
    limit: RateLimit,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    use verification_mail::{ActiveModel, Column, Entity};

    // The row is inserted or locked before it is read, so that concurrent requests and removals
    // wait and then see the new time.
    let fresh = ActiveModel {
        target_key: Set(recipient.as_str().to_owned()),
        used_until: Set(now),
    };
    let stored = Expr::col((Entity, Column::UsedUntil));
    let locked = OnConflict::column(Column::TargetKey)
        .value(Column::UsedUntil, stored)
        .to_owned();
    Entity::insert(fresh)
        .on_conflict(locked)
        .run(transaction)
        .await?;
    let row = Entity::find_by_id(recipient.as_str())
        .lock_exclusive()
        .fetch_one(transaction)
        .await?;
    let Some(used_until) = limit.take_at(row.map(|row| row.used_until), now) else {
        return Ok(false);
    };
    let used = ActiveModel {
        target_key: Set(recipient.as_str().to_owned()),
        used_until: Set(used_until),
    };
    Entity::update(used).run(transaction).await?;
    Ok(true)
}

/// Removes limits that are used up until at most `now`, at most `limit` of them. Returns
/// their number.
pub(super) async fn prune_verification_limits(
    transaction: &Transaction,
    now: DateTime<Utc>,
    limit: u64,
) -> Result<u64, Error> {
    use verification_mail::{Column, Entity};

    let is_over = Column::UsedUntil.lte(now);
    let over = Entity::find()
        .select_only()
        .column(Column::TargetKey)
        .filter(is_over.clone())
        .limit(limit)
        .into_query();
    let removed = Entity::delete_many()
        .filter(Column::TargetKey.in_subquery(over))
        // PostgreSQL checks only this again after it has waited for a row.
        .filter(is_over)
        .run(transaction)
        .await?;
    Ok(removed)
}
