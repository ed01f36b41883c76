//! Counts of an organisation's deliveries.

use allclear_application::delivery::DeliveryCounts;
use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, UnionType};
use sea_orm::{
    ColumnTrait, EntityTrait, Order, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};

use super::{day, of, waiting_of};
use crate::entity::delivery::{Column, Entity};
use crate::entity::delivery_count;
use crate::error::broken;
use crate::statement::{Fetch, RunStatement};
use crate::transaction::Transaction;

/// Number of reasons of given-up deliveries, and of those that wait for a retry.
const MAX_REASONS: u64 = 5;

/// Maximum number of waiting deliveries of each route whose reasons are read: an operator's screen
/// reads them every few seconds.
const MAX_READ: u64 = 1_000;

/// Name of the column with the number of deliveries of a reason.
const TIMES: &str = "times";

/// The numbers of an organisation's deliveries that wait, and of those given up since a time.
pub(crate) async fn waiting_and_given_up(
    transaction: &Transaction,
    organisation: &OrganisationId,
    since: DateTime<Utc>,
) -> Result<(u64, u64), Error> {
    let waiting = waiting_of(organisation.as_str())
        .count(transaction)
        .await
        .map_err(broken)?;
    let given_up: Option<i64> = given_up(organisation, since)
        .column_as(Column::Id.count(), TIMES)
        .into_tuple()
        .fetch_one(transaction)
        .await?;
    Ok((waiting, given_up.map_or(0, number)))
}

/// The deliveries given up since a time, without columns.
fn given_up(organisation: &OrganisationId, since: DateTime<Utc>) -> Select<Entity> {
    of(organisation.as_str())
        .filter(Column::DueAt.is_null())
        .filter(Column::GivenUpAt.gte(since))
        .select_only()
}

pub(super) async fn counts(
    transaction: &Transaction,
    organisation: OrganisationId,
    since: DateTime<Utc>,
) -> Result<DeliveryCounts, Error> {
    use delivery_count::{Column as CountColumn, Entity as CountEntity};

    let (waiting, failed) = waiting_and_given_up(transaction, &organisation, since).await?;
    let reasons: Vec<(Option<String>, i64)> = given_up(&organisation, since)
        .column(Column::Reason)
        .column_as(Column::Id.count(), TIMES)
        .group_by(Column::Reason)
        .order_by(Expr::col(TIMES), Order::Desc)
        .order_by_asc(Column::Reason)
        .limit(MAX_REASONS)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let days: Vec<i64> = CountEntity::find()
        .select_only()
        .column(CountColumn::Sent)
        .filter(CountColumn::OrganisationId.eq(organisation.as_str()))
        .filter(CountColumn::Day.gte(day(since)))
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    Ok(DeliveryCounts {
        waiting,
        sent: days.into_iter().map(number).sum(),
        given_up: failed,
        reasons: reasons
            .into_iter()
            .map(|(reason, times)| (reason.unwrap_or_default(), number(times)))
            .collect(),
        retrying: retrying(transaction, organisation.as_str()).await?,
    })
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// The reasons for which deliveries wait for a retry.
async fn retrying(
    transaction: &Transaction,
    organisation: &str,
) -> Result<Vec<(String, u64)>, Error> {
    let reasons = retry_reasons(organisation);
    let rows = transaction.fetch_rows(&reasons).await?;
    rows.iter()
        .map(|row| {
            let reason: String = row.try_get("", "reason").map_err(broken)?;
            let times: i64 = row.try_get("", TIMES).map_err(broken)?;
            Ok((reason, number(times)))
        })
        .collect()
}

fn retry_reasons(organisation: &str) -> SelectStatement {
    let reasons = |by_mail| {
        Query::select()
            .column(Column::Reason)
            .from_subquery(last_due(organisation, by_mail).into_query(), "last_due")
            .take()
    };
    let of_both_routes = reasons(true).union(UnionType::All, reasons(false)).take();
    Query::select()
        .column(Column::Reason)
        .expr_as(Func::count(Expr::col(Column::Reason)), TIMES)
        .from_subquery(of_both_routes, "waiting")
        .and_where(Expr::col(Column::Reason).is_not_null())
        .group_by_col(Column::Reason)
        .order_by_expr(Expr::col(TIMES), Order::Desc)
        .order_by(Column::Reason, Order::Asc)
        .limit(MAX_REASONS)
        .take()
}

/// The reasons of those waiting deliveries of a route that are due last. Deliveries that wait for a
/// retry are among them, with those that wait behind them, unless more than [`MAX_READ`] wait: all
/// others are due before.
pub(super) fn last_due(organisation: &str, by_mail: bool) -> Select<Entity> {
    of(organisation)
        .filter(Column::ByMail.eq(by_mail))
        .filter(Column::DueAt.is_not_null())
        .select_only()
        .column(Column::Reason)
        .order_by_desc(Column::DueAt)
        .order_by_desc(Column::Id)
        .limit(MAX_READ)
}
