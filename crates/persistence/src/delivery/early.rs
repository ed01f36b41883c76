//! Attempts before the time of a retry: a newer notice, or the end of an earlier delivery, says
//! that the receiver may work again.

use std::collections::HashSet;

use allclear_application::delivery::{AttemptRecord, Claim, DeliveryOutcome};
use allclear_application::error::Error;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{
    CaseStatement, Expr, ExprTrait, LockBehavior, LockType, Order, Query, SelectStatement,
    UpdateStatement,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::claim::{UNREADABLE_RETRY, these};
use crate::batch;
use crate::entity::delivery::{Column, Entity};
use crate::error::broken;
use crate::removal::MAX_ROWS;
use crate::statement::{Run, RunStatement, executed_once};
use crate::transaction::Transaction;

/// Brings the retries forward for which these subscribers wait: otherwise a newer notice would wait
/// although the receiver works. The schedule of retries of a message begins again, because its
/// later delays are hours. That of a mail goes on, so that a mail server that refuses mails for a
/// time gets one more attempt. The later deliveries of a subscriber become due once the retried one
/// has ended, see [`release_later`], or now if no delivery is retried any more: it was withdrawn, or
/// another transaction ends it and cannot see the newest one.
pub(super) async fn bring_forward(
    transaction: &Transaction,
    subscribers: &[Uuid],
    now: DateTime<Utc>,
) -> Result<(), Error> {
    for subscribers in batch::of_keys(subscribers) {
        let forward = bringing_forward(subscribers.clone(), now);
        transaction.run_statement(&forward).await?;
        let waiting = waiting_for_retry(transaction, subscribers.clone()).await?;
        let mut others = subscribers;
        others.retain(|subscriber| !waiting.contains(subscriber));
        for others in batch::of_keys(&others) {
            transaction.run_statement(&releasing(others, now)).await?;
        }
    }
    Ok(())
}

/// Those of these subscribers that have a retried delivery.
async fn waiting_for_retry(
    transaction: &Transaction,
    subscribers: Vec<Uuid>,
) -> Result<HashSet<Uuid>, Error> {
    let rows = transaction.fetch_rows(&retried(subscribers)).await?;
    rows.iter()
        .map(|row| row.try_get::<Uuid>("", "subscriber_id").map_err(broken))
        .collect()
}

/// Selects the subscribers of retried deliveries and locks these deliveries, so that a transaction
/// that ends one of them afterwards sees what this one has queued. Those that another transaction
/// has locked are skipped: it may be ending them.
pub(super) fn retried(subscribers: Vec<Uuid>) -> SelectStatement {
    Query::select()
        .column(Column::SubscriberId)
        .from(Entity)
        .and_where(Column::SubscriberId.is_in(subscribers))
        .and_where(Column::DueAt.is_not_null())
        .and_where(Column::Reason.is_not_null())
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take()
}

/// Makes the deliveries of these subscribers due that were not retried, the earliest [`MAX_ROWS`]
/// of them. Those that wait for a newer node, and what is queued behind them, stay.
pub(super) fn releasing(subscribers: Vec<Uuid>, now: DateTime<Utc>) -> UpdateStatement {
    const LATER: &str = "later";
    let later = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Column::SubscriberId.is_in(subscribers))
        .and_where(Column::DueAt.gt(now + UNREADABLE_RETRY))
        .and_where(Column::Reason.is_null())
        .order_by(Column::Id, Order::Asc)
        .limit(MAX_ROWS)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    let ids = Query::select().column(Column::Id).from(LATER).take();
    Query::update()
        .with_cte(executed_once(LATER, later))
        .table(Entity)
        .value(Column::DueAt, now)
        .and_where(Expr::col(Column::Id).in_subquery(ids))
        .take()
}

/// Brings the retries of these subscribers forward. Each subscriber has one, its earliest delivery.
/// Retries that another transaction has locked are skipped: they are being attempted or removed,
/// and that transaction may wait for this one. Those that were brought forward already stay.
pub(super) fn bringing_forward(subscribers: Vec<Uuid>, now: DateTime<Utc>) -> UpdateStatement {
    const RETRIES: &str = "retries";
    let retries = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Column::SubscriberId.is_in(subscribers))
        .and_where(Column::EarlyAt.is_not_null())
        .and_where(Column::DueAt.gt(now))
        .and_where(Expr::col(Column::DueAt).gt(Expr::col(Column::EarlyAt)))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    let ids = Query::select().column(Column::Id).from(RETRIES).take();
    let early_at = || Expr::col(Column::EarlyAt);
    let due_at = CaseStatement::new()
        .case(early_at().gt(now), early_at())
        .finally(now);
    let earlier_attempts = CaseStatement::new()
        .case(
            Expr::col(Column::ByMail).eq(true),
            Expr::col(Column::EarlierAttempts),
        )
        .finally(Expr::col(Column::Attempts).sub(1));
    Query::update()
        .with_cte(executed_once(RETRIES, retries))
        .table(Entity)
        .value(Column::DueAt, due_at)
        .value(Column::EarlierAttempts, earlier_attempts)
        .and_where(Expr::col(Column::Id).in_subquery(ids))
        .take()
}

/// Makes the later deliveries of their subscribers due whose retried delivery has ended. They may
/// wait for a time to which it was delayed before it was brought forward. A sent delivery ends even
/// if its claim was lost; other results of lost claims change nothing.
pub(super) async fn release_later(
    transaction: &Transaction,
    results: &[AttemptRecord],
) -> Result<(), Error> {
    let ended = results.iter().filter(|result| ends_retries(result));
    let (sent, others): (Vec<_>, Vec<_>) = ended
        .clone()
        .partition(|result| result.outcome == DeliveryOutcome::Sent);
    let sent: Vec<i64> = sent.iter().map(|result| result.claim.id).collect();
    let others: Vec<Claim> = others.iter().map(|result| result.claim).collect();
    let Some(now) = ended.map(|result| result.at).max() else {
        return Ok(());
    };
    let whose = Query::select()
        .column(Column::SubscriberId)
        .from(Entity)
        .cond_where(these(&others).add(Column::Id.is_in(batch::one_of_keys(&sent))))
        .and_where(Column::DueAt.is_not_null())
        .take();
    let later = Entity::update_many()
        .col_expr(Column::DueAt, Expr::val(now))
        .filter(Column::SubscriberId.in_subquery(whose))
        .filter(Column::DueAt.gt(now));
    later.run(transaction).await?;
    Ok(())
}

/// Whether a delivery that was retried leaves the queue.
pub(super) const fn ends_retries(result: &AttemptRecord) -> bool {
    let is_over = matches!(
        result.outcome,
        DeliveryOutcome::Sent | DeliveryOutcome::Unwanted | DeliveryOutcome::GivenUp { .. }
    );
    is_over && result.claim.attempt > 1
}

#[cfg(test)]
mod tests {
    use allclear_domain::subscriber::Choice;
    use chrono::TimeDelta;
    use sea_orm::ActiveValue::Set;

    use super::*;
    use crate::audit::NoAuditItem;
    use crate::database::Database;
    use crate::entity::delivery::ActiveModel;
    use crate::fixture::{add_organisation, add_subscribers, insert, on_each_database};

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Number of deliveries that a notice changes.
    async fn changed_by_notice(database: &Database, subscriber: Uuid) -> u64 {
        let statement = bringing_forward(vec![subscriber], NOW);
        let changed = database.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            transaction.run_statement(&statement)
        });
        changed.await.unwrap()
    }

    async fn further_notices_leave_a_retry_that_was_brought_forward(database: &Database) {
        let acme = add_organisation(database, "acme").await;
        add_subscribers(database, &acme, &Choice::default(), 1).await;
        let subscriber = Uuid::from_u128(1);
        let retried = ActiveModel {
            organisation_id: Set(acme.to_string()),
            subscriber_id: Set(subscriber),
            notice_id: Set(None),
            created_at: Set(NOW),
            due_at: Set(Some(NOW + TimeDelta::hours(2))),
            attempts: Set(4),
            reason: Set(Some("503".into())),
            by_mail: Set(false),
            early_at: Set(Some(NOW + TimeDelta::minutes(5))),
            ..Default::default()
        };
        insert(database, vec![retried]).await;
        assert_eq!(changed_by_notice(database, subscriber).await, 1);
        assert_eq!(changed_by_notice(database, subscriber).await, 0);
    }

    on_each_database!(further_notices_leave_a_retry_that_was_brought_forward);
}
