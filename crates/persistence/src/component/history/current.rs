//! The periods of the current statuses of components.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, StatusPeriodId};
use allclear_domain::impact::effective_from;
use allclear_domain::status_period::{PeriodCause, StatusPeriod, StatusSpan};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SubQueryStatement};
use sea_orm::{EntityTrait, Order, QuerySelect, Select};
use uuid::Uuid;

use super::period::{ChangedRows, model_of};
use crate::batch;
use crate::commit::Scope;
use crate::entity::component;
use crate::entity::component_period::{Column, Entity, Model};
use crate::statement::Fetch;
use crate::transaction::Transaction;

/// Alias of the periods of which the last one is selected.
const ALL: &str = "all_periods";

/// A new status of a component, other than OPERATIONAL.
pub(crate) struct NewStatus {
    pub(crate) status: ComponentStatus,
    pub(crate) since: DateTime<Utc>,
    pub(crate) cause: PeriodCause,
}

/// The new statuses of a component, ordered by time; empty if it becomes operational.
pub(crate) struct NewStatuses {
    pub(crate) component: ComponentId,
    pub(crate) statuses: Vec<NewStatus>,
    /// Whether an operator set the former status.
    pub(crate) was_set_by_hand: bool,
}

/// [`begin_periods`] of a component at the time of its change.
pub(crate) async fn begin_period(
    scope: Scope<'_>,
    state: &Component,
    cause: PeriodCause,
) -> Result<(), Error> {
    let since = state.updated_at;
    let is_operational = state.status == ComponentStatus::Operational;
    let status = (!is_operational).then_some(NewStatus {
        status: state.status,
        since,
        cause,
    });
    let new = NewStatuses {
        component: state.id,
        statuses: status.into_iter().collect(),
        was_set_by_hand: false,
    };
    begin_periods(scope, vec![new], (since, since)).await
}

/// Ends the period of the former status of each component when a change at `since`
/// [takes effect](effective_from), and begins those of its new statuses, which do not begin after
/// `now`. The last one lasts. No period is empty.
pub(crate) async fn begin_periods(
    scope: Scope<'_>,
    components: Vec<NewStatuses>,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<(), Error> {
    let ids: Vec<_> = components.iter().map(|new| new.component.0).collect();
    let mut last = last_by_component(scope.transaction, &ids).await?;
    let mut rows = ChangedRows::default();
    for new in components {
        let NewStatuses {
            component,
            statuses,
            was_set_by_hand,
        } = new;
        let last = last.remove(&component.0);
        let previous = last.as_ref().map(last_change);
        let earliest = effective_from(since, previous, was_set_by_hand, now);
        if let Some(last) = last {
            end(scope, last, earliest, &mut rows);
        }
        let mut end_at: Option<DateTime<Utc>> = None;
        for new in statuses.into_iter().rev() {
            let start_at = Ord::max(new.since, earliest);
            if end_at.is_some_and(|end_at| end_at <= start_at) {
                continue;
            }
            let period = StatusPeriod {
                id: StatusPeriodId(scope.database.clock.id()),
                span: StatusSpan {
                    status: new.status,
                    start_at,
                    end_at,
                },
                cause: new.cause,
                version: scope.stamp.revision,
            };
            rows.stored.push(model_of(scope, component, &period));
            end_at = Some(start_at);
        }
    }
    rows.store(scope.transaction).await
}

/// Ends the period of the current status of a component now.
pub(crate) async fn end_period(scope: Scope<'_>, component: ComponentId) -> Result<(), Error> {
    let last = last_periods(&[component.0]);
    let mut rows = ChangedRows::default();
    if let Some(last) = last.fetch_one(scope.transaction).await? {
        end(scope, last, scope.stamp.committed_at, &mut rows);
    }
    rows.store(scope.transaction).await
}

/// Ends a last period that lasts, or removes it if it would be empty.
fn end(scope: Scope<'_>, last: Model, end_at: DateTime<Utc>, rows: &mut ChangedRows) {
    if last.end_at.is_some() {
        return;
    }
    if last.start_at >= end_at {
        rows.deleted.push(last.id);
        return;
    }
    rows.stored.push(Model {
        end_at: Some(end_at),
        version: scope.stamp.revision.0,
        ..last
    });
}

/// When the last period ended, or when it began if it lasts.
fn last_change(last: &Model) -> DateTime<Utc> {
    last.end_at.unwrap_or(last.start_at)
}

async fn last_by_component(
    transaction: &Transaction,
    components: &[Uuid],
) -> Result<HashMap<Uuid, Model>, Error> {
    let mut last = HashMap::with_capacity(components.len());
    for ids in batch::of_keys(components) {
        let rows = last_periods(&ids).fetch_all(transaction).await?;
        last.extend(rows.into_iter().map(|row| (row.component_id, row)));
    }
    Ok(last)
}

/// The last period of each of these components, the only one that may last. Of periods that start
/// together, only one is not empty: the one that lasts comes first.
pub(super) fn last_periods(components: &[Uuid]) -> Select<Entity> {
    let last = Query::select()
        .column((ALL, Column::Id))
        .from_as(Entity, ALL)
        .and_where(
            Expr::col((ALL, Column::ComponentId))
                .equals((component::Entity, component::Column::Id)),
        )
        // The index has this order, so that only periods of one start are sorted.
        .order_by((ALL, Column::StartAt), Order::Desc)
        .order_by_expr(Expr::col((ALL, Column::EndAt)).is_null(), Order::Desc)
        .order_by((ALL, Column::Id), Order::Desc)
        .limit(1)
        .take();
    let last = Expr::SubQuery(None, Box::new(SubQueryStatement::SelectStatement(last)));
    let ids = components.iter().copied();
    let mut periods = Entity::find();
    QuerySelect::query(&mut periods)
        .inner_join(component::Entity, Expr::col((Entity, Column::Id)).eq(last))
        .and_where(Expr::col((component::Entity, component::Column::Id)).is_in(ids));
    periods
}
