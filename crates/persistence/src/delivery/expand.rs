//! Expansion of notices into deliveries.

use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{
    Alias, Expr, ExprTrait, Func, InsertStatement, LockBehavior, LockType, Query,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use uuid::Uuid;

use crate::entity::notice::{ActiveModel, Column, Entity, Model};
use crate::entity::{delivery, subscriber};
use crate::error::broken;
use crate::notice::subscribed;

/// Selects the next notice to expand: the oldest unexpanded one of any organisation.
pub(super) fn next() -> Select<Entity> {
    let earlier = Alias::new("earlier");
    let of_earlier = |column: Column| Expr::col((earlier.clone(), column));
    let same_revision = Condition::all()
        .add(of_earlier(Column::Revision).equals((Entity, Column::Revision)))
        .add(of_earlier(Column::Part).lt(Expr::col((Entity, Column::Part))));
    let before = Condition::any()
        .add(of_earlier(Column::Revision).lt(Expr::col((Entity, Column::Revision))))
        .add(same_revision);
    let ahead = Query::select()
        .expr(Expr::val(1))
        .from_as(Entity, earlier.clone())
        .and_where(of_earlier(Column::OrganisationId).equals((Entity, Column::OrganisationId)))
        .and_where(of_earlier(Column::ExpandedAt).is_null())
        .cond_where(before)
        .take();
    Entity::find()
        .filter(Column::ExpandedAt.is_null())
        .filter(Expr::exists(ahead).not())
        .order_by_asc(Column::CreatedAt)
        .limit(1)
}

/// Queues deliveries of the next notice that no other node is expanding. Returns whether there was one.
pub(super) async fn expand(
    transaction: &DatabaseTransaction,
    now: DateTime<Utc>,
    limit: u64,
) -> Result<bool, Error> {
    let mut claiming = next();
    QuerySelect::query(&mut claiming)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    let Some(notice) = claiming.one(transaction).await.map_err(broken)? else {
        return Ok(false);
    };
    let id = notice.id;
    let rows = transaction
        .query_all(&queued(&notice, now, limit)?)
        .await
        .map_err(broken)?;
    let reached = rows
        .iter()
        .map(|row| row.try_get::<Uuid>("", "subscriber_id"));
    let reached = reached.collect::<Result<Vec<_>, _>>().map_err(broken)?;
    let all = (reached.len() as u64) < limit;
    let noted = ActiveModel {
        id: Set(id),
        reached: Set(reached.into_iter().max().or(notice.reached)),
        expanded_at: Set(all.then_some(now)),
        ..Default::default()
    };
    Entity::update(noted)
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(true)
}

/// Queues deliveries for the subscribers after the last one reached, and returns these subscribers. A delivery waits as long as
/// an earlier mail of its subscriber is being retried.
fn queued(notice: &Model, now: DateTime<Utc>, limit: u64) -> Result<InsertStatement, Error> {
    use delivery::Column as Queued;

    let organisation = OrganisationId::parse(&notice.organisation_id).map_err(Error::internal)?;
    let whose = |column: subscriber::Column| Expr::col((subscriber::Entity, column));
    let ahead = Alias::new("ahead");
    let held_back = Query::select()
        .expr(Func::max(Expr::col((ahead.clone(), Queued::DueAt))))
        .from_as(delivery::Entity, ahead.clone())
        .and_where(
            Expr::col((ahead.clone(), Queued::SubscriberId))
                .equals((subscriber::Entity, subscriber::Column::Id)),
        )
        .and_where(Expr::col((ahead, Queued::DueAt)).gt(now))
        .take();
    let mut these = subscribed(&organisation)
        .select_only()
        .expr(whose(subscriber::Column::OrganisationId))
        .expr(whose(subscriber::Column::Id))
        .expr(Expr::val(notice.id))
        .expr(Expr::val(notice.created_at))
        .expr(Func::coalesce([Expr::from(held_back), Expr::val(now)]))
        .expr(Expr::val(0))
        .filter(subscriber::Column::ConfirmedRevision.lt(notice.revision))
        .order_by_asc(subscriber::Column::Id)
        .limit(limit);
    if let Some(reached) = notice.reached {
        these = these.filter(subscriber::Column::Id.gt(reached));
    }
    let columns = [
        Queued::OrganisationId,
        Queued::SubscriberId,
        Queued::NoticeId,
        Queued::CreatedAt,
        Queued::DueAt,
        Queued::Attempts,
    ];
    let mut insert = Query::insert()
        .into_table(delivery::Entity)
        .columns(columns)
        .take();
    insert
        .select_from(these.into_query())
        .map_err(Error::internal)?;
    Ok(insert.returning_col(Queued::SubscriberId).take())
}
