//! The statuses of components over an interval.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use allclear_domain::status_period::StatusSpan;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SubQueryStatement, UnionType};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, FromQueryResult, Order};
use uuid::Uuid;

use crate::batch;
use crate::entity::component;
use crate::entity::component_period::{Column, Entity};
use crate::error::{broken, parse_stored};
use crate::statement::RunStatement;

/// Alias of the periods that begin before an interval.
pub(super) const EARLIER: &str = "earlier";
/// Periods per read of all periods of an organisation.
const MAX_PERIODS_PER_READ: u64 = 10_000;

/// Selects the statuses of components from `from` until `to`, or until now without it: the periods
/// that begin in this interval, and the last one before it of each component, which may be over.
/// Periods of a component do not overlap, so no other has an instant in the interval.
pub(super) fn within(
    components: &[Uuid],
    from: DateTime<Utc>,
    to: Option<DateTime<Utc>>,
) -> SelectStatement {
    let columns = [
        Column::ComponentId,
        Column::Status,
        Column::StartAt,
        Column::EndAt,
    ]
    .map(|column| (Entity, column));
    let ids = components.iter().copied();
    let last = Query::select()
        .column((EARLIER, Column::Id))
        .from_as(Entity, EARLIER)
        .and_where(
            Expr::col((EARLIER, Column::ComponentId))
                .equals((component::Entity, component::Column::Id)),
        )
        .and_where(Expr::col((EARLIER, Column::StartAt)).lt(from))
        .order_by((EARLIER, Column::StartAt), Order::Desc)
        .limit(1)
        .take();
    let last = Expr::SubQuery(None, Box::new(SubQueryStatement::SelectStatement(last)));
    let before = Query::select()
        .columns(columns)
        .from(component::Entity)
        .inner_join(Entity, Expr::col((Entity, Column::Id)).eq(last))
        .and_where(component::Column::Id.is_in(ids.clone()))
        .take();
    Query::select()
        .columns(columns)
        .from(Entity)
        .and_where(Column::ComponentId.is_in(ids))
        .and_where(Column::StartAt.gte(from))
        .and_where_option(to.map(|to| Column::StartAt.lt(to)))
        .union(UnionType::All, before)
        .take()
}

/// The statuses of each of these components from `from` until `to`, or until now without it.
pub(crate) async fn spans_from(
    connection: &impl ConnectionTrait,
    components: &[Uuid],
    from: DateTime<Utc>,
    to: Option<DateTime<Utc>>,
) -> Result<HashMap<Uuid, Vec<StatusSpan>>, Error> {
    let mut spans = HashMap::new();
    for ids in batch::of_keys(components) {
        spans.extend(by_component(connection, &within(&ids, from, to)).await?);
    }
    Ok(spans)
}

async fn by_component(
    connection: &impl ConnectionTrait,
    query: &SelectStatement,
) -> Result<HashMap<Uuid, Vec<StatusSpan>>, Error> {
    let rows = connection.fetch_rows(query).await?;
    let mut spans: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let row = SpanRow::from_query_result(&row, "").map_err(broken)?;
        let of_component = spans.entry(row.component_id).or_default();
        of_component.push(row.try_into()?);
    }
    Ok(spans)
}

/// The statuses of all components of an organisation since `from`. One query searches one index
/// twice: for periods that last, and for those that ended after `from`.
pub(super) fn spans_since(organisation: &OrganisationId, from: DateTime<Utc>) -> SelectStatement {
    let of_these = |condition: Expr| {
        Query::select()
            .columns([
                Column::ComponentId,
                Column::Status,
                Column::StartAt,
                Column::EndAt,
            ])
            .from(Entity)
            .and_where(Column::OrganisationId.eq(organisation.as_str()))
            .and_where(condition)
            .take()
    };
    of_these(Column::EndAt.is_null())
        .union(UnionType::All, of_these(Column::EndAt.gt(from)))
        .take()
}

/// The statuses of each component of an organisation since `from`.
pub(crate) async fn spans_by_component(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    from: DateTime<Utc>,
) -> Result<HashMap<Uuid, Vec<StatusSpan>>, Error> {
    by_component(connection, &spans_since(organisation, from)).await
}

/// The place of a period among those that ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpanPlace {
    pub(super) end_at: DateTime<Utc>,
    pub(super) id: Uuid,
}

/// A page of the periods of an organisation that ended after `from`, the earliest end first.
pub(super) fn ended_spans(
    organisation: &OrganisationId,
    from: DateTime<Utc>,
    after: Option<SpanPlace>,
) -> SelectStatement {
    let mut page = Query::select()
        .columns([
            Column::Id,
            Column::ComponentId,
            Column::Status,
            Column::StartAt,
            Column::EndAt,
        ])
        .from(Entity)
        .and_where(Column::OrganisationId.eq(organisation.as_str()))
        .order_by(Column::EndAt, sea_orm::Order::Asc)
        .order_by(Column::Id, sea_orm::Order::Asc)
        .limit(MAX_PERIODS_PER_READ)
        .take();
    match after {
        None => page.and_where(Column::EndAt.gt(from)),
        Some(SpanPlace { end_at, id }) => page.and_where(Column::EndAt.gte(end_at)).cond_where(
            Condition::any()
                .add(Column::EndAt.gt(end_at))
                .add(Column::Id.gt(id)),
        ),
    };
    page
}

/// Passes each status of each component of an organisation since `from` to `add`, without loading
/// all of them into memory.
pub(crate) async fn each_span(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    from: DateTime<Utc>,
    mut add: impl FnMut(Uuid, &StatusSpan) + Send,
) -> Result<(), Error> {
    let lasting = lasting_spans(organisation);
    for row in connection.fetch_rows(&lasting).await? {
        let row = SpanRow::from_query_result(&row, "").map_err(broken)?;
        add(row.component_id, &row.try_into()?);
    }
    let mut after = None;
    loop {
        let page = ended_spans(organisation, from, after);
        let rows = connection.fetch_rows(&page).await?;
        let is_last = (rows.len() as u64) < MAX_PERIODS_PER_READ;
        for row in rows {
            let id: Uuid = row.try_get("", "id").map_err(broken)?;
            let row = SpanRow::from_query_result(&row, "").map_err(broken)?;
            after = row.end_at.map(|end_at| SpanPlace { end_at, id });
            add(row.component_id, &row.try_into()?);
        }
        if is_last {
            return Ok(());
        }
    }
}

/// The statuses of all components of an organisation that last.
pub(super) fn lasting_spans(organisation: &OrganisationId) -> SelectStatement {
    Query::select()
        .columns([
            Column::ComponentId,
            Column::Status,
            Column::StartAt,
            Column::EndAt,
        ])
        .from(Entity)
        .and_where(Column::OrganisationId.eq(organisation.as_str()))
        .and_where(Column::EndAt.is_null())
        .take()
}

/// A period of a component without its cause, as stored.
#[derive(FromQueryResult)]
pub(crate) struct SpanRow {
    pub(crate) component_id: Uuid,
    status: String,
    start_at: DateTime<Utc>,
    end_at: Option<DateTime<Utc>>,
}

impl TryFrom<SpanRow> for StatusSpan {
    type Error = Error;

    fn try_from(row: SpanRow) -> Result<Self, Error> {
        Ok(Self {
            status: parse_stored(&row.status)?,
            start_at: row.start_at,
            end_at: row.end_at,
        })
    }
}

pub(super) fn ends_after(from: DateTime<Utc>) -> Condition {
    Condition::any()
        .add(Column::EndAt.is_null())
        .add(Column::EndAt.gt(from))
}
