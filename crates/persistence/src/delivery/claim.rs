//! Claims of deliveries, which expire.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use allclear_application::delivery::{
    Claim, ClaimRequest, Delivery, DeliveryKind, DeliveryRoute, Founder,
};
use allclear_application::error::Error;
use allclear_application::notice::Notice;
use allclear_domain::custom_domain::DomainName;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::subscriber::Subscriber;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{
    Alias, Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement, UpdateStatement,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, FromQueryResult, Order, QueryFilter};
use uuid::Uuid;

use super::expand::UNREADABLE_FOR;
use super::lock_rows;
use super::organisation_scan::OrganisationWithDue;
use crate::entity::delivery::{Column, Entity, Model};
use crate::entity::{domain_claim, notice, organisation, subscriber};
use crate::error::{broken, parse_stored};
use crate::statement::{Fetch, Run, RunStatement, executed_once};
use crate::subscriber::subscribers_from;
use crate::transaction::Transaction;
use crate::{batch, custom_domain};

/// Delay before deliveries whose notice cannot be read are claimed again.
pub(super) const UNREADABLE_RETRY: TimeDelta = TimeDelta::minutes(1);

/// Claims at most `limit` deliveries of these organisations and returns them.
pub(super) async fn claim(
    transaction: &Transaction,
    request: &ClaimRequest,
    waiting: Vec<OrganisationWithDue>,
    limit: u64,
) -> Result<Vec<Delivery>, Error> {
    let rows = claim_equal_shares(transaction, request, waiting, limit).await?;
    let references = References::of(transaction, &rows).await?;
    postpone_unreadable(transaction, &rows, &references.unreadable, request.now).await?;
    Ok(rows
        .iter()
        .filter_map(|row| references.delivery(row))
        .collect())
}

/// Claims at most `limit` deliveries, the same number of each organisation, and of each founder as
/// many as are free. Places that one does not need are for the others.
async fn claim_equal_shares(
    transaction: &Transaction,
    request: &ClaimRequest,
    mut waiting: Vec<OrganisationWithDue>,
    limit: u64,
) -> Result<Vec<Model>, Error> {
    let mut rows = Vec::new();
    let mut left = limit;
    let mut free_by_founder: HashMap<Founder, u64> = waiting
        .iter()
        .map(|organisation| (organisation.founder.clone(), organisation.free))
        .collect();
    while left > 0 && !waiting.is_empty() {
        let mut unserved = waiting.len() as u64;
        let mut unfinished = Vec::new();
        for organisation in waiting {
            let free = free_by_founder
                .entry(organisation.founder.clone())
                .or_default();
            let share = Ord::min(left.div_ceil(unserved), *free);
            unserved -= 1;
            if share == 0 {
                continue;
            }
            let mut claimed = claim_of(transaction, &organisation.id, request, share).await?;
            let count = claimed.len() as u64;
            left = left.saturating_sub(count);
            *free = free.saturating_sub(count);
            rows.append(&mut claimed);
            // One that has fewer than its share has no more.
            if count == share {
                unfinished.push(organisation);
            }
        }
        waiting = unfinished;
    }
    Ok(rows)
}

async fn claim_of(
    transaction: &Transaction,
    organisation: &str,
    request: &ClaimRequest,
    limit: u64,
) -> Result<Vec<Model>, Error> {
    let rows = transaction
        .fetch_rows(&claiming(organisation, request, limit))
        .await?;
    let rows = rows
        .iter()
        .map(|row| Model::from_query_result(row, ""))
        .collect::<Result<Vec<_>, _>>();
    let mut rows = rows.map_err(broken)?;
    // The returned rows are unordered.
    rows.sort_unstable_by_key(|row| (row.due_at, row.id));
    Ok(rows)
}

/// Claims due deliveries of an organisation and returns them. Rows that another node is claiming
/// are skipped.
pub(super) fn claiming(organisation: &str, request: &ClaimRequest, limit: u64) -> UpdateStatement {
    const UNCLAIMED: &str = "unclaimed";
    let unclaimed = due(organisation, request.route, request.now, limit)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    let ids = Query::select().column(Column::Id).from(UNCLAIMED).take();
    Query::update()
        .with_cte(executed_once(UNCLAIMED, unclaimed))
        .table(Entity)
        .value(Column::ClaimedUntil, request.until)
        .value(Column::Attempts, Expr::col(Column::Attempts).add(1))
        .and_where(Expr::col(Column::Id).in_subquery(ids))
        .returning_all()
        .take()
}

/// Due deliveries of an organisation that are unclaimed and the first of their subscriber.
pub(super) fn due(
    organisation: impl Into<Expr>,
    route: DeliveryRoute,
    now: DateTime<Utc>,
    limit: u64,
) -> SelectStatement {
    let (own, earlier) = (Alias::new("own"), Alias::new("earlier"));
    let of_own = |column| Expr::col((own.clone(), column));
    let of_earlier = |column| Expr::col((earlier.clone(), column));
    let ahead = Query::select()
        .expr(Expr::val(1))
        .from_as(Entity, earlier.clone())
        .and_where(of_earlier(Column::SubscriberId).eq(of_own(Column::SubscriberId)))
        .and_where(of_earlier(Column::Id).lt(of_own(Column::Id)))
        .and_where(of_earlier(Column::DueAt).is_not_null())
        .take();
    let free = Condition::any()
        .add(of_own(Column::ClaimedUntil).is_null())
        .add(of_own(Column::ClaimedUntil).lte(now));
    Query::select()
        .column((own.clone(), Column::Id))
        .from_as(Entity, own.clone())
        .and_where(of_own(Column::ByMail).eq(route == DeliveryRoute::Mail))
        .and_where(of_own(Column::OrganisationId).eq(organisation.into()))
        .and_where(of_own(Column::DueAt).lte(now))
        .cond_where(free)
        .and_where(Expr::exists(ahead).not())
        .order_by((own.clone(), Column::DueAt), Order::Asc)
        .order_by((own, Column::Id), Order::Asc)
        .limit(limit)
        .take()
}

pub(super) async fn renew(
    transaction: &Transaction,
    claims: Vec<Claim>,
    until: DateTime<Utc>,
) -> Result<(), Error> {
    lock_rows(transaction, Entity::find().filter(these(&claims))).await?;
    let renewed = Entity::update_many()
        .col_expr(Column::ClaimedUntil, Expr::val(until))
        .filter(these(&claims));
    renewed
        .filter(Column::DueAt.is_not_null())
        .run(transaction)
        .await?;
    Ok(())
}

/// Deliveries that still have these claims: a later claim has a greater attempt.
pub(super) fn these(claims: &[Claim]) -> Condition {
    let mut by_attempt: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for claim in claims {
        by_attempt.entry(claim.attempt).or_default().push(claim.id);
    }
    by_attempt
        .into_iter()
        .fold(Condition::any(), |any, (attempt, ids)| {
            any.add(
                Condition::all()
                    .add(Column::Id.is_in(batch::one_of_keys(&ids)))
                    .add(Column::Attempts.eq(i64::from(attempt))),
            )
        })
}

/// Gives back the claims of deliveries whose notice cannot be read, so that they stop no others. A
/// newer node, which may have written the notice, can send them for [`UNREADABLE_FOR`]; after that
/// they are removed.
async fn postpone_unreadable(
    transaction: &Transaction,
    rows: &[Model],
    notices: &HashSet<Uuid>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let is_unreadable = |row: &&Model| row.notice_id.is_some_and(|id| notices.contains(&id));
    let (over, waiting): (Vec<_>, Vec<_>) = rows
        .iter()
        .filter(is_unreadable)
        .partition(|row| now - row.created_at > UNREADABLE_FOR);
    let these = |rows: Vec<&Model>| {
        let ids: Vec<_> = rows.into_iter().map(|row| row.id).collect();
        Column::Id.is_in(batch::one_of_keys(&ids))
    };
    if !over.is_empty() {
        let removed = Entity::delete_many().filter(these(over));
        removed.run(transaction).await?;
    }
    if !waiting.is_empty() {
        let postponed = Entity::update_many()
            .col_expr(Column::DueAt, Expr::val(now + UNREADABLE_RETRY))
            .col_expr(Column::ClaimedUntil, Expr::val(None::<DateTime<Utc>>))
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).sub(1))
            .filter(these(waiting));
        postponed.run(transaction).await?;
    }
    Ok(())
}

/// The different keys of rows, as [one batch](batch::one_of_keys).
fn keys<K: Clone + Ord>(rows: &[Model], key: impl Fn(&Model) -> Option<K>) -> Vec<K> {
    let keys: BTreeSet<K> = rows.iter().filter_map(key).collect();
    let keys: Vec<K> = keys.into_iter().collect();
    batch::one_of_keys(&keys)
}

struct OrganisationReference {
    founder: Option<UserId>,
    name: String,
    time_zone: TimeZone,
    verified_domain: Option<DomainName>,
}

/// The rows to which deliveries refer.
struct References {
    organisations: HashMap<String, OrganisationReference>,
    subscribers: HashMap<Uuid, Subscriber>,
    notices: HashMap<Uuid, Arc<Notice>>,
    /// Notices that cannot be read.
    unreadable: HashSet<Uuid>,
}

impl References {
    async fn of(transaction: &Transaction, rows: &[Model]) -> Result<Self, Error> {
        let mut organisations = HashMap::new();
        let mut notices = HashMap::new();
        let mut unreadable = HashSet::new();
        let mut subscribers = HashMap::new();
        if !rows.is_empty() {
            let ids = keys(rows, |row| Some(row.organisation_id.clone()));
            let found = organisation::Entity::find().filter(organisation::Column::Id.is_in(ids));
            let found = found.find_also_related(domain_claim::Entity);
            for (row, claim) in found.fetch_all(transaction).await? {
                let reference = OrganisationReference {
                    founder: row.founder_id.map(UserId),
                    name: row.name,
                    time_zone: parse_stored(&row.time_zone)?,
                    verified_domain: claim
                        .map(custom_domain::verified_name_from)
                        .transpose()?
                        .flatten(),
                };
                organisations.insert(row.id, reference);
            }
            let ids = keys(rows, |row| row.notice_id);
            let found = notice::Entity::find().filter(notice::Column::Id.is_in(ids));
            for row in found.fetch_all(transaction).await? {
                match Notice::try_from(&row) {
                    Ok(notice) => drop(notices.insert(row.id, Arc::new(notice))),
                    Err(error) => {
                        tracing::error!(
                            organisation = row.organisation_id,
                            notice = %row.id,
                            error = &error as &dyn std::error::Error,
                            "a stored notice cannot be read; its messages are not sent"
                        );
                        unreadable.insert(row.id);
                    }
                }
            }
            let ids = keys(rows, |row| Some(row.subscriber_id));
            let found = subscriber::Entity::find().filter(subscriber::Column::Id.is_in(ids));
            let found = found.fetch_all(transaction).await?;
            for subscriber in subscribers_from(transaction, found).await? {
                subscribers.insert(subscriber.id.0, subscriber);
            }
        }
        Ok(Self {
            organisations,
            subscribers,
            notices,
            unreadable,
        })
    }

    /// `None` if a referenced row was deleted meanwhile, and the delivery with it, or if its notice
    /// cannot be read.
    fn delivery(&self, row: &Model) -> Option<Delivery> {
        let kind = match row.notice_id {
            None => DeliveryKind::Verification,
            Some(notice) => DeliveryKind::Notice(Arc::clone(self.notices.get(&notice)?)),
        };
        let reference = self.organisations.get(&row.organisation_id)?;
        let organisation = OrganisationId::parse(&row.organisation_id).ok()?;
        Some(Delivery {
            claim: Claim {
                id: row.id,
                attempt: u32::try_from(row.attempts).unwrap_or(0),
            },
            queued_at: row.created_at,
            scheduled_attempt: u32::try_from(row.attempts - row.earlier_attempts).unwrap_or(0),
            unconfirmed: u32::try_from(row.unconfirmed).unwrap_or(0),
            founder: Founder::of(&organisation, reference.founder),
            organisation,
            organisation_name: reference.name.clone(),
            time_zone: reference.time_zone,
            domain: reference.verified_domain.clone(),
            subscriber: self.subscribers.get(&row.subscriber_id)?.clone(),
            kind,
        })
    }
}
