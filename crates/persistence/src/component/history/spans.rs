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
/// Most periods of several components that are read together: by a write that publishes the
/// components while other writes wait, and by pages of uptime, the uptime of a group and the
/// metrics while other reads wait. 100 components that change twice a day have fewer in 90 days.
const MAX_PERIODS_TOGETHER: usize = 20_000;
/// Alias of the periods that are counted.
const COUNTED: &str = "counted";

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

/// The newest statuses of each of these components in an interval: at most [`MAX_SPANS`]. If all
/// components have more than [`MAX_PERIODS_TOGETHER`], at most an equal share of that number.
pub(crate) async fn newest_spans_together(
    connection: &impl ConnectionTrait,
    components: &[Uuid],
    interval: (DateTime<Utc>, Option<DateTime<Utc>>),
) -> Result<HashMap<Uuid, NewestSpans>, Error> {
    newest_spans_up_to(MAX_PERIODS_TOGETHER, connection, components, interval).await
}

/// [`newest_spans_together`] with at most `bound` together.
async fn newest_spans_up_to(
    bound: usize,
    connection: &impl ConnectionTrait,
    components: &[Uuid],
    interval: (DateTime<Utc>, Option<DateTime<Utc>>),
) -> Result<HashMap<Uuid, NewestSpans>, Error> {
    let mut count = 0_usize;
    // One component has a bound of its own.
    if components.len() > 1 {
        for ids in batch::of_keys(components) {
            let query = count_within(&ids, interval, bound as u64 + 1);
            if let Some(row) = connection.fetch_row(&query).await? {
                let found: i64 = row.try_get_by_index(0).map_err(broken)?;
                count = count.saturating_add(usize::try_from(found).unwrap_or(usize::MAX));
            }
        }
    }
    let most = most_of_each(components.len(), count, bound);
    let mut newest = HashMap::with_capacity(components.len());
    for ids in batch::of_keys(components) {
        read_newest(connection, &ids, interval, most, &mut newest).await?;
    }
    Ok(newest)
}

/// How many of the newest statuses are read of each of so many components, which have `count`
/// together.
fn most_of_each(components: usize, count: usize, bound: usize) -> usize {
    if count <= bound {
        return MAX_SPANS;
    }
    (bound / components.max(1)).clamp(1, MAX_SPANS)
}

/// Counts the periods of components that begin in an interval, up to `most`.
pub(super) fn count_within(
    components: &[Uuid],
    (from, to): (DateTime<Utc>, Option<DateTime<Utc>>),
    most: u64,
) -> SelectStatement {
    let counted = Query::select()
        .column(Column::StartAt)
        .from(Entity)
        .and_where(Column::ComponentId.is_in(components.iter().copied()))
        .and_where(Column::StartAt.gte(from))
        .and_where_option(to.map(|to| Column::StartAt.lt(to)))
        .limit(most)
        .take();
    Query::select()
        .expr(Func::count(Expr::col((COUNTED, Column::StartAt))))
        .from_subquery(counted, COUNTED)
        .take()
}

/// Adds the `most` newest statuses of each of these components in an interval, by one statement.
async fn read_newest(
    connection: &impl ConnectionTrait,
    components: &[Uuid],
    interval: (DateTime<Utc>, Option<DateTime<Utc>>),
    most: usize,
    newest: &mut HashMap<Uuid, NewestSpans>,
) -> Result<(), Error> {
    let query = newest_within(components, interval, most as u64);
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
    Ok(())
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
async fn each_span(
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
