//! Removal of old results of deliveries, and of notices of which no delivery is left.

use allclear_application::error::Error;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, DeleteMany, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::day;
use crate::batch;
use crate::entity::delivery::{Column, Entity};
use crate::entity::{delivery_count, notice, notice_component};
use crate::error::broken;
use crate::removal::{MAX_ROWS, delete_at_most};
use crate::statement::{Run, RunStatement};
use crate::transaction::Transaction;

/// Removes given-up deliveries before the given time, and notices without deliveries. See the port.
pub(super) async fn old_results(
    transaction: &Transaction,
    before: DateTime<Utc>,
    limit: u64,
) -> Result<u64, Error> {
    let old = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Column::GivenUpAt.lt(before))
        .limit(limit)
        .take();
    let given_up = Entity::delete_many().filter(Column::Id.in_subquery(old));
    let given_up = given_up.run(transaction).await?;
    let notices = spent_notices(transaction, before, limit).await?;
    Ok(Ord::max(given_up, notices))
}

/// Removes at most `limit` notices that were expanded before the given time and have no deliveries.
/// Returns their number, or `limit` if they have too many components for one transaction: then only
/// components are removed.
async fn spent_notices(
    transaction: &Transaction,
    before: DateTime<Utc>,
    limit: u64,
) -> Result<u64, Error> {
    // Not those that a commit is withdrawing: the two could deadlock.
    let notices = spent(before, limit)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    let notices = transaction.fetch_rows(&notices).await?;
    let notices = notices.iter().map(|row| row.try_get::<Uuid>("", "id"));
    let notices = notices.collect::<Result<Vec<_>, _>>().map_err(broken)?;
    let notices = batch::one_of_keys(&notices);
    let components = notice_component::Column::NoticeId.is_in(notices.iter().copied());
    let components = delete_at_most::<notice_component::Entity>(components);
    if transaction.run_statement(&components).await? >= MAX_ROWS {
        return Ok(limit);
    }
    let notices = notice::Entity::delete_many().filter(notice::Column::Id.is_in(notices));
    notices.run(transaction).await
}

/// Daily counts of days before the given time.
pub(super) fn old_counts(before: DateTime<Utc>) -> DeleteMany<delivery_count::Entity> {
    delivery_count::Entity::delete_many().filter(delivery_count::Column::Day.lt(day(before)))
}

/// Notices that were expanded before the given time and have no deliveries.
pub(super) fn spent(before: DateTime<Utc>, limit: u64) -> SelectStatement {
    let left = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(
            Expr::col((Entity, Column::NoticeId)).equals((notice::Entity, notice::Column::Id)),
        )
        .take();
    Query::select()
        .column((notice::Entity, notice::Column::Id))
        .from(notice::Entity)
        .cond_where(
            Condition::all()
                .add(notice::Column::ExpandedAt.lt(before))
                .add(Expr::exists(left).not()),
        )
        .limit(limit)
        .take()
}

#[cfg(test)]
mod tests {
    use allclear_application::delivery::DeliveryQueue;
    use chrono::TimeDelta;
    use sea_orm::{ActiveValue::Set, PaginatorTrait};

    use super::*;
    use crate::database::Database;
    use crate::fixture::{add_organisation, insert, on_each_database};

    const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Adds expanded notices without deliveries, each with as many components.
    async fn add_notices(database: &Database, notices: u128, components: u128) {
        add_organisation(database, "acme").await;
        let notice = |number| notice::ActiveModel {
            id: Set(Uuid::from_u128(number)),
            organisation_id: Set("acme".to_owned()),
            revision: Set(1),
            part: Set(0),
            subject_id: Set(Uuid::nil()),
            content: Set("{}".into()),
            created_at: Set(AT),
            reached: Set(None),
            expanded_at: Set(Some(AT)),
            batches: Set(1),
        };
        insert(database, (0..notices).map(notice).collect()).await;
        let concerned = |number| notice_component::ActiveModel {
            notice_id: Set(Uuid::from_u128(number % notices)),
            component_id: Set(Uuid::from_u128(number)),
            group_id: Set(None),
            is_attached: Set(true),
        };
        insert(database, (0..notices * components).map(concerned).collect()).await;
    }

    /// Number of notices, and of their components.
    async fn counts(database: &Database) -> (u64, u64) {
        let connection = database.read();
        let notices = notice::Entity::find().count(connection).await.unwrap();
        let components = notice_component::Entity::find().count(connection).await;
        (notices, components.unwrap())
    }

    async fn notices_with_many_components_are_removed_in_several_transactions(database: &Database) {
        add_notices(database, 3, 1_000).await;
        let prune = async || {
            let later = AT + TimeDelta::seconds(1);
            let pruned = DeliveryQueue::prune(database, later, 200).await.unwrap();
            (pruned, counts(database).await)
        };
        assert_eq!(prune().await, (200, (3, 3_000 - MAX_ROWS)));
        assert_eq!(prune().await, (3, (0, 0)));
        assert_eq!(prune().await, (0, (0, 0)));
    }

    on_each_database!(notices_with_many_components_are_removed_in_several_transactions);
}
