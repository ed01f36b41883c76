//! Claims of deliveries, which expire.

use std::collections::HashMap;
use std::sync::Arc;

use allclear_application::delivery::{Claim, Delivery, DeliveryKind};
use allclear_application::error::Error;
use allclear_application::notice::Notice;
use allclear_domain::domain::DomainName;
use allclear_domain::id::OrganisationId;
use allclear_domain::subscriber::Subscriber;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{
    Alias, Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement, UpdateStatement,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, EntityTrait, FromQueryResult,
    Order, QueryFilter,
};
use uuid::Uuid;

use crate::domain;
use crate::entity::delivery::{Column, Entity, Model};
use crate::entity::{domain_claim, notice, organisation, subscriber};
use crate::error::broken;
use crate::notice::notice as notice_of;
use crate::subscriber::subscriber as subscriber_of;

pub(super) async fn claim(
    transaction: &DatabaseTransaction,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    limit: u64,
) -> Result<Vec<Delivery>, Error> {
    let rows = transaction
        .query_all(&claiming(now, until, limit))
        .await
        .map_err(broken)?;
    let rows = rows
        .iter()
        .map(|row| Model::from_query_result(row, ""))
        .collect::<Result<Vec<_>, _>>();
    let mut rows = rows.map_err(broken)?;
    // The returned rows are unordered.
    rows.sort_unstable_by_key(|row| (row.due_at, row.id));
    let references = References::of(transaction, &rows).await?;
    Ok(rows
        .iter()
        .filter_map(|row| references.delivery(row))
        .collect())
}

/// Claims due deliveries and returns them.
pub(super) fn claiming(now: DateTime<Utc>, until: DateTime<Utc>, limit: u64) -> UpdateStatement {
    Query::update()
        .table(Entity)
        .value(Column::ClaimedUntil, until)
        .value(Column::Attempts, Expr::col(Column::Attempts).add(1))
        .and_where(Expr::col(Column::Id).in_subquery(due(now, limit)))
        .returning_all()
        .take()
}

/// Due deliveries that are unclaimed and the first of their subscriber. Rows that another node is claiming are skipped.
pub(super) fn due(now: DateTime<Utc>, limit: u64) -> SelectStatement {
    let (own, earlier) = (Alias::new("own"), Alias::new("earlier"));
    let ahead = Query::select()
        .expr(Expr::val(1))
        .from_as(Entity, earlier.clone())
        .and_where(
            Expr::col((earlier.clone(), Column::SubscriberId))
                .equals((own.clone(), Column::SubscriberId)),
        )
        .and_where(
            Expr::col((earlier.clone(), Column::Id)).lt(Expr::col((own.clone(), Column::Id))),
        )
        .and_where(Expr::col((earlier, Column::DueAt)).is_not_null())
        .take();
    let claimed_until = || Expr::col((own.clone(), Column::ClaimedUntil));
    let free = Condition::any()
        .add(claimed_until().is_null())
        .add(claimed_until().lte(now));
    Query::select()
        .column((own.clone(), Column::Id))
        .from_as(Entity, own.clone())
        .and_where(Expr::col((own.clone(), Column::DueAt)).lte(now))
        .cond_where(free)
        .and_where(Expr::exists(ahead).not())
        .order_by((own.clone(), Column::DueAt), Order::Asc)
        .order_by((own, Column::Id), Order::Asc)
        .limit(limit)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take()
}

pub(super) async fn renew(
    transaction: &DatabaseTransaction,
    claims: Vec<Claim>,
    until: DateTime<Utc>,
) -> Result<(), Error> {
    let renewed = Entity::update_many()
        .col_expr(Column::ClaimedUntil, Expr::val(until))
        .filter(these(&claims));
    renewed
        .filter(Column::DueAt.is_not_null())
        .exec(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

/// Deliveries that still have these claims: a later claim has a greater attempt.
pub(super) fn these(claims: &[Claim]) -> Condition {
    let mut by_attempt: HashMap<u32, Vec<i64>> = HashMap::new();
    for claim in claims {
        by_attempt.entry(claim.attempt).or_default().push(claim.id);
    }
    by_attempt
        .into_iter()
        .fold(Condition::any(), |any, (attempt, ids)| {
            any.add(
                Condition::all()
                    .add(Column::Id.is_in(ids))
                    .add(Column::Attempts.eq(i64::from(attempt))),
            )
        })
}

/// The rows to which deliveries refer.
struct References {
    /// Names and verified domains.
    organisations: HashMap<String, (String, Option<DomainName>)>,
    subscribers: HashMap<Uuid, Subscriber>,
    notices: HashMap<Uuid, Arc<Notice>>,
}

impl References {
    async fn of(transaction: &DatabaseTransaction, rows: &[Model]) -> Result<Self, Error> {
        let mut organisations = HashMap::new();
        let mut notices = HashMap::new();
        let mut subscribers = HashMap::new();
        if !rows.is_empty() {
            let ids = rows.iter().map(|row| row.organisation_id.clone());
            let found = organisation::Entity::find().filter(organisation::Column::Id.is_in(ids));
            let found = found.find_also_related(domain_claim::Entity);
            for (row, claim) in found.all(transaction).await.map_err(broken)? {
                let domain = claim.map(domain::verified).transpose()?.flatten();
                organisations.insert(row.id, (row.name, domain));
            }
            let found = notice::Entity::find()
                .filter(notice::Column::Id.is_in(rows.iter().filter_map(|row| row.notice_id)));
            for row in found.all(transaction).await.map_err(broken)? {
                notices.insert(row.id, notice_of(&row)?);
            }
            let ids = rows.iter().map(|row| row.subscriber_id);
            let found = subscriber::Entity::find().filter(subscriber::Column::Id.is_in(ids));
            for row in found.all(transaction).await.map_err(broken)? {
                subscribers.insert(row.id, subscriber_of(row)?);
            }
        }
        Ok(Self {
            organisations,
            subscribers,
            notices,
        })
    }

    /// `None` if a referenced row was deleted meanwhile, and the delivery with it.
    fn delivery(&self, row: &Model) -> Option<Delivery> {
        let kind = match row.notice_id {
            None => DeliveryKind::Verification,
            Some(notice) => DeliveryKind::Notice(Arc::clone(self.notices.get(&notice)?)),
        };
        let (organisation_name, domain) = self.organisations.get(&row.organisation_id)?.clone();
        Some(Delivery {
            claim: Claim {
                id: row.id,
                attempt: u32::try_from(row.attempts).unwrap_or(0),
            },
            queued_at: row.created_at,
            organisation_name,
            domain,
            organisation: OrganisationId::parse(&row.organisation_id).ok()?,
            subscriber: self.subscribers.get(&row.subscriber_id)?.clone(),
            kind,
        })
    }
}
