//! Deliveries: the queue of messages.

mod claim;
mod counts;
mod early;
mod expand;
mod full_queues;
mod organisation_scan;
mod prune;
#[cfg(test)]
mod query_plan_tests;
mod results;

use std::mem;
use std::sync::Arc;

use allclear_application::delivery::{
    AttemptRecord, Claim, ClaimRequest, Delivery, DeliveryCounts, DeliveryQueue,
};
use allclear_application::error::Error;
use allclear_domain::channel::Channel;
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::Subscriber;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};

use self::counts::counts;
pub(crate) use self::counts::waiting_and_given_up;
use self::expand::Expanded;
pub(crate) use self::full_queues::FullQueues;
use self::organisation_scan::OrganisationScan;
use crate::audit::NoAuditItem;
use crate::clock::database_time;
use crate::database::Database;
use crate::entity::delivery::{ActiveModel, Column, Entity};
use crate::error::broken;
use crate::statement::{Fetch, Run, RunStatement};
use crate::transaction::Transaction;

/// The order of the deliveries of an organisation that wait for no retry. Retries follow them, by
/// the time at which they are due.
#[derive(Debug, Clone, Copy)]
enum Rank {
    /// A verification by mail: a person waits for it.
    MailedVerification,
    /// A notice.
    Notice,
    /// A verification by another channel. Strangers choose how many there are, and their receivers
    /// may never respond.
    OtherVerification,
}

impl Rank {
    /// The rank of the verification of a subscriber.
    fn of_verification(subscriber: &Subscriber) -> Self {
        match subscriber.target.channel() {
            Channel::Email => Self::MailedVerification,
            _ => Self::OtherVerification,
        }
    }

    /// When a delivery with this rank is due, which is before every retry.
    fn due_at(self) -> DateTime<Utc> {
        let place = match self {
            Self::MailedVerification => 0,
            Self::Notice => 1,
            Self::OtherVerification => 2,
        };
        DateTime::UNIX_EPOCH + TimeDelta::seconds(place)
    }
}

impl Database {
    /// Claims at most `limit` deliveries of the next organisations of a scan; `None` if it is done.
    async fn claim_next(
        &self,
        scan: &mut OrganisationScan,
        request: &Arc<ClaimRequest>,
        limit: u64,
    ) -> Result<Option<Vec<Delivery>>, Error> {
        // Before the transaction, so that a long scan delays no write. Without deliveries to claim,
        // no write is made.
        let waiting = scan.next(self.read(), limit).await?;
        if waiting.is_empty() {
            return Ok(None);
        }
        let request = Arc::clone(request);
        let claimed = self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(async move { claim::claim(transaction, &request, waiting, limit).await })
        });
        let claimed = claimed.await?;
        scan.count(&claimed);
        Ok(Some(claimed))
    }

    /// Returns the next organisation with notices to expand; `None` if there are only those that
    /// are left out. Organisations take turns, however many notices each has.
    async fn next_to_expand(&self, left_out: &[String]) -> Result<Option<String>, Error> {
        let last = self.expanded_last.lock().clone();
        let next = expand::next_organisation(self.read(), last, left_out).await?;
        if next.is_some() {
            self.expanded_last.lock().clone_from(&next);
        }
        Ok(next)
    }
}

#[async_trait]
impl DeliveryQueue for Database {
    async fn database_time(&self) -> Result<DateTime<Utc>, Error> {
        database_time(self.read()).await
    }

    async fn expand(&self, now: DateTime<Utc>, limit: u64) -> Result<bool, Error> {
        let most_waiting = self.limits.waiting_deliveries();
        let mut left_out = self.full_queues.organisations();
        // Without a notice to expand, no write is made.
        while let Some(organisation) = self.next_to_expand(&left_out).await? {
            let id = organisation.clone();
            let expanded = self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
                Box::pin(expand::expand(transaction, id, most_waiting, now, limit))
            });
            match expanded.await? {
                Expanded::Notice => return Ok(true),
                Expanded::Full => return Ok(self.full_queues.add(organisation)),
                Expanded::Nothing => left_out.push(organisation),
            }
        }
        Ok(false)
    }

    async fn claim(&self, mut request: ClaimRequest) -> Result<Vec<Delivery>, Error> {
        let results = mem::take(&mut request.results);
        let request = Arc::new(request);
        let mut scan = OrganisationScan::of(Arc::clone(&request));
        let mut claimed = Vec::new();
        if !results.is_empty() {
            let (request, stored) = (Arc::clone(&request), results.clone());
            let write = self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
                Box::pin(async move {
                    results::record(transaction, stored).await?;
                    let waiting = scan.next_bounded(transaction, request.limit).await?;
                    let claimed = claim::claim(transaction, &request, waiting, request.limit);
                    let claimed = claimed.await?;
                    scan.count(&claimed);
                    Ok((claimed, scan))
                })
            });
            (claimed, scan) = match write.await {
                Ok(done) => done,
                Err(error @ Error::Unavailable(_)) => return Err(error),
                Err(error) => {
                    // Without this, a row that cannot be claimed would keep sent deliveries in the
                    // queue.
                    self.record_results(results).await?;
                    return Err(error);
                }
            };
        }
        // Other nodes may claim the deliveries first, so there may be room for more organisations
        // than were found at first.
        while (claimed.len() as u64) < request.limit {
            let left = request.limit - claimed.len() as u64;
            match self.claim_next(&mut scan, &request, left).await {
                Ok(Some(mut more)) => claimed.append(&mut more),
                Err(error) if claimed.is_empty() => return Err(error),
                Ok(None) => break,
                // What was claimed before the failure must be sent.
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "not all deliveries could be claimed"
                    );
                    break;
                }
            }
        }
        Ok(claimed)
    }

    async fn renew(&self, claims: Vec<Claim>, until: DateTime<Utc>) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(claim::renew(transaction, claims, until))
        })
        .await
    }

    async fn record_results(&self, results: Vec<AttemptRecord>) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(results::record(transaction, results))
        })
        .await
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Error> {
        let due: Option<DateTime<Utc>> = next_due(now).into_tuple().fetch_one(self.read()).await?;
        let freed: Option<DateTime<Utc>> =
            next_freed(now).into_tuple().fetch_one(self.read()).await?;
        Ok(due.into_iter().chain(freed).min())
    }

    async fn waiting(&self) -> Result<u64, Error> {
        Entity::find()
            .filter(Column::DueAt.is_not_null())
            .count(self.read())
            .await
            .map_err(broken)
    }

    async fn counts(
        &self,
        organisation: &OrganisationId,
        since: DateTime<Utc>,
    ) -> Result<DeliveryCounts, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(counts(transaction, organisation, since))
        })
        .await
    }

    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error> {
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(prune::old_results(transaction, before, limit))
        })
        .await
    }

    async fn prune_counts(&self, before: DateTime<Utc>) -> Result<(), Error> {
        self.write_unaudited(NoAuditItem::Delivery, move |transaction| {
            Box::pin(async move { prune::old_counts(before).run(transaction).await.map(drop) })
        })
        .await
    }
}

/// Queues the message with the link that verifies a target. Earlier ones that wait for a retry
/// become due, because the new one is not sent before them.
pub(crate) async fn queue_verification(
    transaction: &Transaction,
    organisation: &OrganisationId,
    subscriber: &Subscriber,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let due_at = Rank::of_verification(subscriber).due_at();
    let earlier = Entity::update_many()
        .col_expr(Column::DueAt, Expr::val(due_at))
        .filter(Column::SubscriberId.eq(subscriber.id.0))
        .filter(Column::NoticeId.is_null())
        .filter(Column::DueAt.gt(due_at));
    earlier.run(transaction).await?;
    let queued = verification(organisation, subscriber, now);
    Entity::insert(queued).run(transaction).await?;
    Ok(())
}

/// [`queue_verification`] for several new subscribers, at least one.
pub(crate) async fn queue_verifications(
    transaction: &Transaction,
    organisation: &OrganisationId,
    subscribers: impl IntoIterator<Item = &Subscriber>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let queued = subscribers
        .into_iter()
        .map(|subscriber| verification(organisation, subscriber, now));
    Entity::insert_many(queued).run(transaction).await?;
    Ok(())
}

fn verification(
    organisation: &OrganisationId,
    subscriber: &Subscriber,
    now: DateTime<Utc>,
) -> ActiveModel {
    ActiveModel {
        organisation_id: Set(organisation.as_str().to_owned()),
        subscriber_id: Set(subscriber.id.0),
        by_mail: Set(subscriber.target.channel() == Channel::Email),
        notice_id: Set(None),
        created_at: Set(now),
        due_at: Set(Some(Rank::of_verification(subscriber).due_at())),
        attempts: Set(0),
        ..Default::default()
    }
}

/// Locks deliveries until the transaction ends, in the order of their identifiers. Results, renewed
/// claims, withdrawn notices and [`make_due`] change the same rows without another lock in common.
/// Each of them locks its rows first, so that they cannot deadlock.
/// Deletions by subscriber, such as [`drop_queued`], do not. An expansion that brings deliveries
/// forward skips locked rows.
pub(crate) async fn lock_rows(
    transaction: &Transaction,
    rows: Select<Entity>,
) -> Result<(), Error> {
    // SQLite has one writer at a time.
    if transaction.get_database_backend() == DbBackend::Sqlite {
        return Ok(());
    }
    let rows = rows
        .select_only()
        .column(Column::Id)
        .order_by_asc(Column::Id)
        .lock_exclusive();
    // Only their number is read: a notice may have 100,000.
    let locked = Query::select()
        .expr(Expr::cust("count(*)"))
        .from_subquery(rows.into_query(), "locked")
        .take();
    transaction.fetch_row(&locked).await?;
    Ok(())
}

/// Deletes the queued deliveries of a subscriber.
pub(crate) async fn drop_queued(
    transaction: &Transaction,
    subscriber: SubscriberId,
) -> Result<(), Error> {
    let queued = Entity::delete_many()
        .filter(Column::SubscriberId.eq(subscriber.0))
        .filter(Column::DueAt.is_not_null());
    queued.run(transaction).await?;
    Ok(())
}

/// Makes the waiting deliveries of a subscriber due. Each of them still waits for those before it.
pub(crate) async fn make_due(
    transaction: &Transaction,
    subscriber: SubscriberId,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let waits = Condition::all()
        .add(Column::SubscriberId.eq(subscriber.0))
        .add(Column::DueAt.gt(now));
    lock_rows(transaction, Entity::find().filter(waits.clone())).await?;
    let waiting = Entity::update_many()
        .col_expr(Column::DueAt, Expr::val(now))
        .filter(waits);
    waiting.run(transaction).await?;
    Ok(())
}

/// Searches from now on: an earlier unclaimed delivery waits for another one of its subscriber.
fn next_due(now: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::DueAt)
        .filter(Column::DueAt.gt(now))
        .order_by_asc(Column::DueAt)
        .limit(1)
}

fn next_freed(now: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::ClaimedUntil)
        .filter(Column::ClaimedUntil.gt(now))
        .order_by_asc(Column::ClaimedUntil)
        .limit(1)
}

fn of(organisation: &str) -> Select<Entity> {
    Entity::find().filter(Column::OrganisationId.eq(organisation))
}

fn waiting_of(organisation: &str) -> Select<Entity> {
    of(organisation)
        // Both values, for the index.
        .filter(Column::ByMail.is_in([true, false]))
        .filter(Column::DueAt.is_not_null())
}

/// A row if more than `most` deliveries of an organisation wait.
fn waiting_after(organisation: &str, most: u64) -> Select<Entity> {
    waiting_of(organisation)
        .select_only()
        .expr(Expr::val(1_i64))
        .offset(most)
        .limit(1)
}

/// Returns the day of a time as text that sorts.
fn day(moment: DateTime<Utc>) -> String {
    let day: NaiveDate = moment.date_naive();
    day.format("%Y-%m-%d").to_string()
}
