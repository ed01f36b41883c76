//! Corrections of the past: impacts of incidents in the histories of components.

use std::collections::HashMap;

use allclear_application::component::history::Interval;
use allclear_application::error::Error;
use allclear_domain::id::{ComponentId, IncidentId, StatusPeriodId};
use allclear_domain::impact::{Attachment, ImpactMove, ImpactedComponent};
use allclear_domain::status_period::{
    PeriodCause, PeriodChanges, StatusPeriod, StatusSpan, overlay,
};
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SubQueryStatement};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, Select};
use uuid::Uuid;

use super::period::{periods_from, store};
use super::spans::EARLIER;
use crate::batch;
use crate::commit::Scope;
use crate::entity::component;
use crate::entity::component_period::{Column, Entity};
use crate::statement::{Fetch, Run};

/// Number of components whose periods are read and changed together.
const COMPONENTS_AT_ONCE: usize = 256;
/// Most periods that a correction of the past reads, and most impacts of other incidents.
pub(crate) const MAX_READ: usize = 20_000;

/// Stores the impact of an incident between two past times in the histories of its components,
/// whose current status stays.
pub(crate) async fn store_past_impact(
    scope: Scope<'_>,
    incident: IncidentId,
    impacts: &[Attachment],
    (from, to): (DateTime<Utc>, DateTime<Utc>),
) -> Result<(), Error> {
    let interval = Interval {
        from: Some(from),
        to: Some(to),
    };
    let cause = PeriodCause::Incident(incident, None);
    let impacts: Vec<_> = impacts
        .iter()
        .map(|impact| (impact.component_id, impact.status))
        .collect();
    change_past(scope, &impacts, interval, |periods, &status| {
        let span = StatusSpan {
            status,
            start_at: from,
            end_at: Some(to),
        };
        let new_id = || StatusPeriodId(scope.database.clock.id());
        overlay(periods, span, &cause, new_id)
    })
    .await
}

/// Moves the impact of an incident whose times were corrected in the histories of its components.
/// The caller stores their current status.
pub(crate) async fn move_impact(
    scope: Scope<'_>,
    moved: ImpactMove,
    components: &[(ComponentId, ImpactedComponent)],
) -> Result<(), Error> {
    // Wide enough for the periods that touch it.
    let margin = TimeDelta::seconds(1);
    let extent = moved.extent();
    let interval = Interval {
        from: extent.from.checked_sub_signed(margin),
        to: extent.to.and_then(|to| to.checked_add_signed(margin)),
    };
    change_past(scope, components, interval, |periods, component| {
        let new_id = || StatusPeriodId(scope.database.clock.id());
        moved.apply(component, periods, scope.stamp.committed_at, new_id)
    })
    .await
}

/// Changes the histories of components by a rule for what is known of each and its periods in an
/// interval. The caller stores their current status.
async fn change_past<T>(
    scope: Scope<'_>,
    components: &[(ComponentId, T)],
    interval: Interval,
    rule: impl Fn(&[StatusPeriod], &T) -> PeriodChanges,
) -> Result<(), Error> {
    let mut read = 0;
    for components in components.chunks(COMPONENTS_AT_ONCE) {
        let ids: Vec<_> = components.iter().map(|(id, _)| id.0).collect();
        let periods = periods_of(scope, &ids, interval).await?;
        read += periods.values().map(Vec::len).sum::<usize>();
        check_read(read)?;
        let mut histories = Vec::new();
        for (id, known) in components {
            let changes = rule(periods.get(id).map_or(&[], Vec::as_slice), known);
            if changes != PeriodChanges::default() {
                histories.push((*id, changes));
            }
        }
        if histories.is_empty() {
            continue;
        }
        store(scope, &histories).await?;
        let changed: Vec<_> = histories.iter().map(|(id, _)| id.0).collect();
        for ids in batch::of_keys(&changed) {
            component::Entity::update_many()
                .col_expr(
                    component::Column::HistoryVersion,
                    scope.stamp.revision.0.into(),
                )
                .filter(component::Column::Id.is_in(ids))
                .run(scope.transaction)
                .await?;
        }
    }
    Ok(())
}

/// Checks how much a correction of the past has read. [`Error::Conflict`] if that is more than
/// [`MAX_READ`]: other writes wait meanwhile.
pub(crate) fn check_read(read: usize) -> Result<(), Error> {
    if read <= MAX_READ {
        return Ok(());
    }
    Err(Error::Conflict(
        "The components have changed too often in that time, choose a later one".into(),
    ))
}

/// The periods of each of these components that have an instant in common with an interval.
async fn periods_of(
    scope: Scope<'_>,
    components: &[Uuid],
    interval: Interval,
) -> Result<HashMap<ComponentId, Vec<StatusPeriod>>, Error> {
    let mut rows = Vec::new();
    for ids in batch::of_keys(components) {
        let found = beginning_of_each(&ids, interval).limit(MAX_READ as u64 + 1);
        rows.append(&mut found.fetch_all(scope.transaction).await?);
        check_read(rows.len())?;
    }
    if let Some(from) = interval.from {
        rows.retain(|row| row.end_at.is_none_or(|end_at| end_at > from));
    }
    let owners: Vec<_> = rows
        .iter()
        .map(|row| ComponentId(row.component_id))
        .collect();
    let periods = periods_from(scope.transaction, scope.organisation, rows).await?;
    let mut by_component: HashMap<_, Vec<_>> = HashMap::new();
    for (owner, period) in owners.into_iter().zip(periods) {
        by_component.entry(owner).or_default().push(period);
    }
    Ok(by_component)
}

/// The periods of several components that begin within an interval, and the last one of each that
/// begins before it. The query begins at the components and searches the index of periods for each.
/// With a condition for the end, PostgreSQL might search all ends.
pub(super) fn beginning_of_each(
    components: &[Uuid],
    Interval { from, to }: Interval,
) -> Select<Entity> {
    use component::{Column as Of, Entity as Components};
    let begins = from.map(|from| {
        let last = Query::select()
            .expr(Func::max(Expr::col((EARLIER, Column::StartAt))))
            .from_as(Entity, EARLIER)
            .and_where(Expr::col((EARLIER, Column::ComponentId)).equals((Components, Of::Id)))
            .and_where(Expr::col((EARLIER, Column::StartAt)).lte(from))
            .take();
        let last = Expr::SubQuery(None, Box::new(SubQueryStatement::SelectStatement(last)));
        Expr::col((Entity, Column::StartAt)).gte(Func::coalesce([last, from.into()]))
    });
    let overlaps = Condition::all()
        .add_option(to.map(|to| Column::StartAt.lt(to)))
        .add_option(begins);
    let mut periods = Entity::find().filter(overlaps);
    QuerySelect::query(&mut periods)
        .inner_join(
            Components,
            Expr::col((Components, Of::Id)).equals((Entity, Column::ComponentId)),
        )
        .and_where(Of::Id.is_in(components.iter().copied()));
    periods
}

#[cfg(test)]
mod tests;
