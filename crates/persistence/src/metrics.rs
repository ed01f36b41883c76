//! Metrics of an organisation.

use std::collections::BTreeMap;

use allclear_application::component::ComponentReport;
use allclear_application::component_group::ComponentGroupReport;
use allclear_application::error::Error;
use allclear_application::metrics::{ComponentIncidents, MetricsReport, MetricsStore, NamedUptime};
use allclear_domain::component::Component;
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::metrics::{IncidentMetrics, IncidentTally, IncidentTimes, MetricsDays};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{Uptime, UptimeWindow, mean};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::component::history::spans::newest_spans_together;
use crate::database::Database;
use crate::entity::{
    component, delivery_count, incident, incident_component, incident_update, organisation,
};
use crate::error::{broken, parse_stored};
use crate::maintenance::component::UnderMaintenance;
use crate::statement::{Fetch, RunStatement};
use crate::status_page::in_page_order;
use crate::transaction::Transaction;

/// Incidents per read.
const MAX_INCIDENTS_PER_READ: u64 = 10_000;

#[async_trait]
impl MetricsStore for Database {
    async fn metrics(
        &self,
        organisation: &OrganisationId,
        days: MetricsDays,
        now: DateTime<Utc>,
    ) -> Result<Option<MetricsReport>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let found = organisation::Entity::find_by_id(id.as_str());
                let Some(found) = found.fetch_one(transaction).await? else {
                    return Ok(None);
                };
                let zone: TimeZone = parse_stored(&found.time_zone)?;
                let range = days.range(zone.date_of(now));
                let window = UptimeWindow::new(range, zone, now);
                let (components, groups) = uptimes(transaction, &id, &window).await?;
                let (messages_sent, messages_failed) =
                    messages(transaction, &id, window.start_at()).await?;
                Ok(Some(MetricsReport {
                    range,
                    components,
                    groups,
                    incidents: incidents(transaction, &id, &window, zone).await?,
                    incidents_by_component: by_component(transaction, &id, &window).await?,
                    messages_sent,
                    messages_failed,
                }))
            })
        })
        .await
    }
}

async fn uptimes(
    transaction: &Transaction,
    organisation: &OrganisationId,
    window: &UptimeWindow,
) -> Result<
    (
        Vec<NamedUptime<ComponentId>>,
        Vec<NamedUptime<ComponentGroupId>>,
    ),
    Error,
> {
    let maintained = UnderMaintenance::default();
    let (groups, components) = in_page_order(transaction, organisation, &maintained).await?;
    let ids: Vec<_> = components
        .iter()
        .map(|report| report.component.id.0)
        .collect();
    let since = (window.start_at(), None);
    let mut newest = newest_spans_together(transaction, &ids, since).await?;
    let uptimes: Vec<_> = components
        .into_iter()
        .map(|ComponentReport { component, .. }| {
            let newest = newest.remove(&component.id.0).unwrap_or_default();
            let start_date = window.counted_from(component.start_date, newest.known_since);
            let uptime = window.uptime(start_date, &newest.spans);
            (component, uptime)
        })
        .collect();
    let groups = group_uptimes(&groups, &uptimes);
    let components = uptimes.into_iter().map(|(component, uptime)| NamedUptime {
        id: component.id,
        name: component.name,
        percentage: uptime.percentage(),
    });
    Ok((components.collect(), groups))
}

/// The means of the groups. Components without a shown uptime do not count.
fn group_uptimes(
    groups: &[ComponentGroupReport],
    uptimes: &[(Component, Uptime)],
) -> Vec<NamedUptime<ComponentGroupId>> {
    let mut of_groups: BTreeMap<_, Vec<&Uptime>> = BTreeMap::new();
    for (component, uptime) in uptimes
        .iter()
        .filter(|(component, _)| component.show_uptime)
    {
        of_groups
            .entry(component.place.group)
            .or_default()
            .push(uptime);
    }
    groups
        .iter()
        .map(|report| NamedUptime {
            id: report.group.id,
            name: report.group.name.clone(),
            percentage: of_groups
                .get(&Some(report.group.id))
                .and_then(|uptimes| mean(uptimes.iter().copied())),
        })
        .collect()
}

async fn incidents(
    transaction: &Transaction,
    organisation: &OrganisationId,
    window: &UptimeWindow,
    zone: TimeZone,
) -> Result<IncidentMetrics, Error> {
    let mut tally = IncidentTally::new(window.range(), zone);
    let mut after = None;
    loop {
        let page = page(organisation, window, after);
        let rows = transaction.fetch_rows(&page).await?;
        let is_last = (rows.len() as u64) < MAX_INCIDENTS_PER_READ;
        for row in rows {
            let (id, occured_at, resolved_at, first_update_at) =
                row.try_get_many_by_index().map_err(broken)?;
            after = Some((occured_at, id));
            tally.add(IncidentTimes {
                occured_at,
                first_update_at,
                resolved_at,
            });
        }
        if is_last {
            return Ok(tally.metrics());
        }
    }
}

/// The incidents of an organisation that began in a window.
fn of_window(organisation: &OrganisationId, window: &UptimeWindow) -> Condition {
    let occured_at = || Expr::col((incident::Entity, incident::Column::OccuredAt));
    Condition::all()
        .add(
            Expr::col((incident::Entity, incident::Column::OrganisationId))
                .eq(organisation.as_str()),
        )
        .add(occured_at().gte(window.start_at()))
        .add(occured_at().lt(window.end_at()))
}

/// Identifier, beginning, end and first update of incidents, the earliest beginning first.
fn page(
    organisation: &OrganisationId,
    window: &UptimeWindow,
    after: Option<(DateTime<Utc>, Uuid)>,
) -> SelectStatement {
    use incident::{Column, Entity};
    use incident_update::{Column as UpdateColumn, Entity as Update};
    let first_update = Query::select()
        .expr(Func::min(Expr::col((Update, UpdateColumn::DisplayAt))))
        .from(Update)
        .and_where(Expr::col((Update, UpdateColumn::IncidentId)).equals((Entity, Column::Id)))
        .take();
    let mut page = Query::select()
        .columns([Column::Id, Column::OccuredAt, Column::ResolvedAt].map(|column| (Entity, column)))
        .expr(Expr::from(first_update))
        .from(Entity)
        .cond_where(of_window(organisation, window))
        .order_by((Entity, Column::OccuredAt), Order::Asc)
        .order_by((Entity, Column::Id), Order::Asc)
        .limit(MAX_INCIDENTS_PER_READ)
        .take();
    if let Some((occured_at, id)) = after {
        page.and_where(Column::OccuredAt.gte(occured_at))
            .cond_where(
                Condition::any()
                    .add(Column::OccuredAt.gt(occured_at))
                    .add(Column::Id.gt(id)),
            );
    }
    page
}

async fn by_component(
    transaction: &Transaction,
    organisation: &OrganisationId,
    window: &UptimeWindow,
) -> Result<Vec<ComponentIncidents>, Error> {
    let query = incident_counts(organisation, window);
    let rows = transaction.fetch_rows(&query).await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let (id, name, count): (Uuid, String, i64) = row.try_get_many_by_index().map_err(broken)?;
        found.push(ComponentIncidents {
            id: ComponentId(id),
            name,
            count: number(count),
        });
    }
    found.sort_by(|a, b| (b.count, &a.name).cmp(&(a.count, &b.name)));
    Ok(found)
}

/// The number of incidents of each component. The query begins at the incidents of the window, not
/// at the components.
fn incident_counts(organisation: &OrganisationId, window: &UptimeWindow) -> SelectStatement {
    use incident_component::{Column as LinkColumn, Entity as Link};
    let name = Expr::col((component::Entity, component::Column::Name));
    let id = (component::Entity, component::Column::Id);
    Query::select()
        .column(id)
        .expr(Func::min(name))
        .expr(Func::count(Expr::col((Link, LinkColumn::IncidentId))))
        .from(incident::Entity)
        .inner_join(
            Link,
            Expr::col((Link, LinkColumn::IncidentId))
                .equals((incident::Entity, incident::Column::Id)),
        )
        .inner_join(
            component::Entity,
            Expr::col(id).equals((Link, LinkColumn::ComponentId)),
        )
        .cond_where(of_window(organisation, window))
        .group_by_col(id)
        .take()
}

/// The messages that were sent, and those that failed for good. Counted by UTC days, so the whole
/// first day counts.
async fn messages(
    transaction: &Transaction,
    organisation: &OrganisationId,
    since: DateTime<Utc>,
) -> Result<(u64, u64), Error> {
    use delivery_count::Column;
    let days: Vec<(i64, i64)> = delivery_count::Entity::find()
        .select_only()
        .columns([Column::Sent, Column::Failed])
        .filter(Column::OrganisationId.eq(organisation.as_str()))
        .filter(Column::Day.gte(since.date_naive().to_string()))
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    Ok(days.into_iter().fold((0, 0), |(sent, failed), more| {
        (sent + number(more.0), failed + number(more.1))
    }))
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

#[cfg(test)]
mod query_plan_tests;
