//! The statuses of components over an interval.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;

use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use allclear_domain::status_period::StatusSpan;
use allclear_domain::uptime::{MAX_SPANS, NewestSpans};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement};
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
/// Most ended periods of an organisation that its status page shows: the newest.
const MAX_PERIODS_OF_PAGE: usize = 100_000;
/// Periods of several components per read.
const MAX_PERIODS_AT_ONCE: usize = 50_000;
/// Most periods that a write reads of the components that it publishes, unless these are so many
/// that [`MIN_PERIODS_OF_EACH`] are more.
const MAX_PERIODS_OF_WRITE: usize = 20_000;
/// Periods that a write reads of each component, however many it publishes.
const MIN_PERIODS_OF_EACH: usize = 100;

/// Selects the newest periods of components from `from` until `to`, or until now without it: of
/// each component at most `most` that begin in this interval, and the one before them, which may
/// be over. Periods of a component do not overlap, so without more than `most`, no other has an
/// instant in the interval.
pub(super) fn newest_within(
    components: &[Uuid],
    (from, to): (DateTime<Utc>, Option<DateTime<Utc>>),
    most: u64,
) -> SelectStatement {
    let earlier = || {
        Query::select()
            .from_as(Entity, EARLIER)
            .and_where(
                Expr::col((EARLIER, Column::ComponentId))
                    .equals((component::Entity, component::Column::Id)),
            )
            .take()
    };
    let start_at = || Expr::col((EARLIER, Column::StartAt));
    let mut beyond_most = earlier();
    beyond_most
        .column((EARLIER, Column::StartAt))
        .and_where(start_at().gte(from))
        .and_where_option(to.map(|to| start_at().lt(to)))
        .order_by((EARLIER, Column::StartAt), Order::Desc)
        .limit(1)
        .offset(most);
    let mut before = earlier();
    before
        .expr(Func::max(start_at()))
        .and_where(start_at().lt(from));
    let subquery = |query: SelectStatement| Expr::SubQuery(None, Box::new(query.into()));
    let first = Func::coalesce([subquery(beyond_most), subquery(before), from.into()]);
    Query::select()
        .columns(
            [
                Column::ComponentId,
                Column::Status,
                Column::StartAt,
                Column::EndAt,
            ]
            .map(|column| (Entity, column)),
        )
        .from(component::Entity)
        .inner_join(
            Entity,
            Expr::col((Entity, Column::ComponentId))
                .equals((component::Entity, component::Column::Id)),
        )
        .and_where(component::Column::Id.is_in(components.iter().copied()))
        .and_where(Expr::col((Entity, Column::StartAt)).gte(first))
        .and_where_option(to.map(|to| Column::StartAt.lt(to)))
        .take()
}

/// The `most` newest statuses of each of these components from `from` until `to`, or until now
/// without it.
pub(crate) async fn newest_spans(
    connection: &impl ConnectionTrait,
    components: &[Uuid],
    (from, to): (DateTime<Utc>, Option<DateTime<Utc>>),
    most: usize,
) -> Result<HashMap<Uuid, NewestSpans>, Error> {
    let mut newest = HashMap::with_capacity(components.len());
    for some in components.chunks((MAX_PERIODS_AT_ONCE / most).max(1)) {
        for ids in batch::of_keys(some) {
            let query = newest_within(&ids, (from, to), most as u64);
            let rows = connection.fetch_rows(&query).await?;
            let mut spans: HashMap<_, Vec<StatusSpan>> = HashMap::new();
            for row in rows {
                let row = SpanRow::from_query_result(&row, "").map_err(broken)?;
                let of_component = spans.entry(row.component_id).or_default();
                of_component.push(row.try_into()?);
            }
            for (id, spans) in spans {
                newest.insert(id, newest_of(spans, most));
            }
        }
    }
    Ok(newest)
}

/// The `most` newest of the statuses of a component.
pub(super) fn newest_of(mut spans: Vec<StatusSpan>, most: usize) -> NewestSpans {
    spans.sort_unstable_by_key(|span| Reverse(span.start_at));
    let mut newest = NewestSpans::default();
    for span in spans {
        newest.add(span, most);
    }
    newest
}

/// How many of the newest statuses of each component a write reads that publishes so many
/// components. It reads them in the transaction, so one that publishes many reads fewer of each.
pub(crate) fn most_for_event(components: usize) -> usize {
    (MAX_PERIODS_OF_WRITE / components.max(1)).clamp(MIN_PERIODS_OF_EACH, MAX_SPANS)
}

/// The newest statuses of the components of an organisation since a time.
#[derive(Default)]
pub(crate) struct SpansByComponent {
    newest: HashMap<Uuid, NewestSpans>,
    /// Number of those that have ended.
    ended: usize,
    /// The time from which on those of all components are known; `None` if all are known.
    known_since: Option<DateTime<Utc>>,
}

impl SpansByComponent {
    /// Adds the status of any component that ended before those that were added. Breaks if there
    /// are `most` that have ended.
    fn add(&mut self, component: Uuid, earlier: StatusSpan, most: usize) -> ControlFlow<()> {
        if earlier.end_at.is_some() {
            if self.ended == most {
                self.known_since = earlier.end_at;
                return ControlFlow::Break(());
            }
            self.ended += 1;
        }
        let of_component = self.newest.entry(component).or_default();
        of_component.add(earlier, MAX_SPANS);
        ControlFlow::Continue(())
    }

    /// Takes those of a component.
    pub(crate) fn take(&mut self, component: Uuid) -> NewestSpans {
        let newest = self.newest.remove(&component).unwrap_or_default();
        NewestSpans {
            known_since: Ord::max(newest.known_since, self.known_since),
            ..newest
        }
    }
}

/// The newest statuses of each component of an organisation since `from`.
pub(crate) async fn spans_by_component(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    from: DateTime<Utc>,
) -> Result<SpansByComponent, Error> {
    let mut found = SpansByComponent::default();
    each_span(connection, organisation, from, |component, span| {
        found.add(component, span, MAX_PERIODS_OF_PAGE)
    })
    .await?;
    Ok(found)
}

/// The place of a period among those that ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpanPlace {
    pub(super) end_at: DateTime<Utc>,
    pub(super) id: Uuid,
}

/// A page of the periods of an organisation that ended after `from`, the latest end first.
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
        .and_where(Column::EndAt.gt(from))
        .order_by(Column::EndAt, Order::Desc)
        .order_by(Column::Id, Order::Desc)
        .limit(MAX_PERIODS_PER_READ)
        .take();
    if let Some(SpanPlace { end_at, id }) = after {
        page.and_where(Column::EndAt.lte(end_at)).cond_where(
            Condition::any()
                .add(Column::EndAt.lt(end_at))
                .add(Column::Id.lt(id)),
        );
    }
    page
}

/// Passes each status of each component of an organisation since `from` to `add`, those of a
/// component the newest first, until `add` breaks. They are never all in memory.
pub(crate) async fn each_span(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    from: DateTime<Utc>,
    mut add: impl FnMut(Uuid, StatusSpan) -> ControlFlow<()> + Send,
) -> Result<(), Error> {
    let lasting = lasting_spans(organisation);
    for row in connection.fetch_rows(&lasting).await? {
        let row = SpanRow::from_query_result(&row, "").map_err(broken)?;
        if add(row.component_id, row.try_into()?).is_break() {
            return Ok(());
        }
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
            if add(row.component_id, row.try_into()?).is_break() {
                return Ok(());
            }
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

#[cfg(test)]
mod tests;
