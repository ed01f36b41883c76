//! Storage of the results of attempts.

use std::collections::BTreeMap;

use allclear_application::delivery::{AttemptRecord, Claim, DeliveryOutcome};
use allclear_application::error::Error;
use allclear_domain::id::SubscriberId;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, OnConflict, Query, UnionType};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
};
use uuid::Uuid;

use super::claim::these;
use super::early::{ends_retries, release_later};
use super::{day, lock_rows};
use crate::batch;
use crate::entity::delivery::{Column, Entity};
use crate::entity::{delivery_count, subscriber as entity};
use crate::error::broken;
use crate::statement::{Fetch, Run, RunStatement};
use crate::subscriber::{self, no_failure};
use crate::transaction::Transaction;

pub(super) async fn record(
    transaction: &Transaction,
    results: Vec<AttemptRecord>,
) -> Result<(), Error> {
    lock_changed(transaction, &results).await?;
    release_later(transaction, &results).await?;
    let mut sent: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut unwanted = Vec::new();
    // In the order of organisations, so that concurrent nodes cannot deadlock on them.
    let mut counts = Counts::new();
    let mut recovered = Vec::new();
    for result in results {
        let AttemptRecord { claim, at, .. } = result;
        match result.outcome {
            DeliveryOutcome::Sent => {
                if result.was_failing {
                    recovered.push(claim.id);
                }
                sent.entry(day(at)).or_default().push(claim.id);
            }
            DeliveryOutcome::Ended => end(transaction, claim, at).await?,
            DeliveryOutcome::Unwanted => unwanted.push(claim),
            DeliveryOutcome::Retried {
                at: again,
                early_at,
                reason,
                is_unconfirmed,
            } => {
                retry(transaction, claim, again, early_at, reason, is_unconfirmed).await?;
            }
            DeliveryOutcome::GivenUp { reason } => {
                if let Some(organisation) = give_up(transaction, claim, at, &reason).await? {
                    counts.entry((organisation, day(at))).or_default().failed += 1;
                }
            }
        }
    }
    clear_failures(transaction, &recovered).await?;
    for (day, ids) in sent {
        for organisation in remove_sent(transaction, &ids).await? {
            counts.entry((organisation, day.clone())).or_default().sent += 1;
        }
    }
    add(transaction, counts).await?;
    if !unwanted.is_empty() {
        Entity::delete_many()
            .filter(these(&unwanted))
            .run(transaction)
            .await?;
    }
    Ok(())
}

/// Locks the subscribers and then the deliveries that results may change.
async fn lock_changed(transaction: &Transaction, results: &[AttemptRecord]) -> Result<(), Error> {
    if results.iter().any(changes_subscriber) {
        let whose = Query::select()
            .column(Column::SubscriberId)
            .from(Entity)
            .and_where(Column::Id.is_in(ids_of(results)))
            .take();
        let rows = entity::Entity::find().filter(entity::Column::Id.in_subquery(whose));
        subscriber::lock_rows(transaction, rows).await?;
    }
    lock_rows(transaction, changed(results)).await
}

/// The identifiers of the results' deliveries, as [one batch](batch::one_of_keys).
fn ids_of<'r>(results: impl IntoIterator<Item = &'r AttemptRecord>) -> Vec<i64> {
    let ids: Vec<_> = results.into_iter().map(|result| result.claim.id).collect();
    batch::one_of_keys(&ids)
}

/// The deliveries that results may change: their own, and all that wait for a subscriber whose
/// deliveries are delayed, released or deleted.
pub(super) fn changed(results: &[AttemptRecord]) -> Select<Entity> {
    let own = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Id.is_in(ids_of(results)));
    let changes_others = |result: &&AttemptRecord| {
        let delays_or_deletes = matches!(
            result.outcome,
            DeliveryOutcome::Ended | DeliveryOutcome::Retried { .. }
        );
        delays_or_deletes || ends_retries(result)
    };
    let others = ids_of(results.iter().filter(changes_others));
    let whose = Query::select()
        .column(Column::SubscriberId)
        .from(Entity)
        .and_where(Column::Id.is_in(others))
        .take();
    let others = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::SubscriberId.in_subquery(whose))
        .filter(Column::DueAt.is_not_null());
    let ids = own
        .into_query()
        .union(UnionType::All, others.into_query())
        .take();
    Entity::find().filter(Column::Id.in_subquery(ids))
}

/// Whether the result also changes the subscriber or its other deliveries.
const fn changes_subscriber(result: &AttemptRecord) -> bool {
    match result.outcome {
        DeliveryOutcome::Sent => result.was_failing || ends_retries(result),
        DeliveryOutcome::Unwanted => ends_retries(result),
        DeliveryOutcome::Ended
        | DeliveryOutcome::Retried { .. }
        | DeliveryOutcome::GivenUp { .. } => true,
    }
}

/// Messages of a day.
#[derive(Default)]
struct Count {
    sent: i64,
    failed: i64,
}

/// Messages by organisation and day.
type Counts = BTreeMap<(String, String), Count>;

/// Deletes sent deliveries, even if another node has claimed them meanwhile. Returns the
/// organisation of each.
async fn remove_sent(transaction: &Transaction, ids: &[i64]) -> Result<Vec<String>, Error> {
    let gone = Query::delete()
        .from_table(Entity)
        .and_where(Column::Id.is_in(batch::one_of_keys(ids)))
        .returning_col(Column::OrganisationId)
        .take();
    let rows = transaction.fetch_rows(&gone).await?;
    rows.iter()
        .map(|row| row.try_get("", "organisation_id").map_err(broken))
        .collect()
}

/// Adds to the stored counts.
async fn add(transaction: &Transaction, counts: Counts) -> Result<(), Error> {
    use delivery_count::{ActiveModel, Column as CountColumn, Entity as CountEntity};

    for ((organisation, day), Count { sent, failed }) in counts {
        let fresh = ActiveModel {
            organisation_id: Set(organisation),
            day: Set(day),
            sent: Set(sent),
            failed: Set(failed),
        };
        let sum = |column: CountColumn, more: i64| Expr::col((CountEntity, column)).add(more);
        let added = OnConflict::columns([CountColumn::OrganisationId, CountColumn::Day])
            .value(CountColumn::Sent, sum(CountColumn::Sent, sent))
            .value(CountColumn::Failed, sum(CountColumn::Failed, failed))
            .to_owned();
        CountEntity::insert(fresh)
            .on_conflict(added)
            .run(transaction)
            .await?;
    }
    Ok(())
}

/// Ends a claim, stores what the next attempt needs to know of this one, and delays the delivery,
/// together with all later ones of its subscriber, which would only be skipped.
async fn retry(
    transaction: &Transaction,
    claim: Claim,
    again: DateTime<Utc>,
    early_at: Option<DateTime<Utc>>,
    reason: String,
    is_unconfirmed: bool,
) -> Result<(), Error> {
    let free: Expr = Expr::val(Option::<DateTime<Utc>>::None);
    let unconfirmed = Expr::col(Column::Unconfirmed).add(i32::from(is_unconfirmed));
    let freed = Entity::update_many()
        .col_expr(Column::ClaimedUntil, free)
        .col_expr(Column::EarlyAt, Expr::val(early_at))
        .col_expr(Column::Reason, Expr::val(reason))
        .col_expr(Column::Unconfirmed, unconfirmed)
        .filter(these(&[claim]))
        .filter(Column::DueAt.is_not_null());
    if freed.run(transaction).await? == 0 {
        return Ok(());
    }
    let Some(subscriber) = subscriber_of(transaction, claim).await? else {
        return Ok(());
    };
    let later = Entity::update_many()
        .col_expr(Column::DueAt, Expr::val(again))
        .filter(Column::SubscriberId.eq(subscriber.0))
        .filter(Column::Id.gte(claim.id))
        .filter(Column::DueAt.lt(again));
    later.run(transaction).await?;
    Ok(())
}

/// Removes the marks of subscribers whose messages arrive again.
async fn clear_failures(transaction: &Transaction, ids: &[i64]) -> Result<(), Error> {
    if ids.is_empty() {
        return Ok(());
    }
    let whose = Query::select()
        .column(Column::SubscriberId)
        .from(Entity)
        .and_where(Column::Id.is_in(batch::one_of_keys(ids)))
        .take();
    entity::Entity::update_many()
        .set(no_failure())
        .filter(entity::Column::Id.in_subquery(whose))
        .run(transaction)
        .await?;
    Ok(())
}

/// Ends the subscription of a delivery's subscriber, unless the claim was lost: then the later
/// claim has the result that counts.
async fn end(transaction: &Transaction, claim: Claim, at: DateTime<Utc>) -> Result<(), Error> {
    match subscriber_of(transaction, claim).await? {
        Some(id) => subscriber::end(transaction, id, at).await,
        None => Ok(()),
    }
}

/// The subscriber of a delivery that waits; `None` if the claim was lost.
async fn subscriber_of(
    transaction: &Transaction,
    claim: Claim,
) -> Result<Option<SubscriberId>, Error> {
    let id: Option<Uuid> = waiting(claim).into_tuple().fetch_one(transaction).await?;
    Ok(id.map(SubscriberId))
}

/// The identifier of the subscriber of a delivery that waits; no row if the claim was lost.
fn waiting(claim: Claim) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::SubscriberId)
        .filter(these(&[claim]))
        .filter(Column::DueAt.is_not_null())
}

/// Marks the subscriber of a delivery as failing, for the first reason's time, unless the claim
/// was lost.
async fn mark_failing(
    transaction: &Transaction,
    claim: Claim,
    at: DateTime<Utc>,
    reason: &str,
) -> Result<(), Error> {
    use entity::{Column as Of, Entity as Subscribers};

    let since = Func::coalesce([Expr::col(Of::FailingSince), Expr::val(at)]);
    Subscribers::update_many()
        .col_expr(Of::FailingReason, reason.into())
        .col_expr(Of::FailingSince, since.into())
        .filter(Of::Id.in_subquery(waiting(claim).into_query()))
        .run(transaction)
        .await?;
    Ok(())
}

/// Ends a delivery for good. Returns its organisation; `None` if the claim was lost.
async fn give_up(
    transaction: &Transaction,
    claim: Claim,
    at: DateTime<Utc>,
    reason: &str,
) -> Result<Option<String>, Error> {
    mark_failing(transaction, claim, at, reason).await?;
    let never: Expr = Expr::val(Option::<DateTime<Utc>>::None);
    let given_up = Entity::update_many()
        .col_expr(Column::DueAt, never.clone())
        .col_expr(Column::ClaimedUntil, never)
        .col_expr(Column::GivenUpAt, Expr::val(at))
        .col_expr(Column::Reason, Expr::val(reason))
        .filter(these(&[claim]))
        .filter(Column::DueAt.is_not_null());
    let given_up = given_up.run(transaction).await?;
    if given_up == 0 {
        return Ok(None);
    }
    Entity::find_by_id(claim.id)
        .select_only()
        .column(Column::OrganisationId)
        .into_tuple()
        .fetch_one(transaction)
        .await
}
