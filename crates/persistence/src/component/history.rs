//! The periods in which components were not operational.

pub(crate) mod correction;
pub(crate) mod current;
mod period;
pub(crate) mod spans;

use allclear_application::audit::state;
use allclear_application::component::history::{
    ComponentHistoryStore, HistoryPage, HistoryScope, Interval, MAX_RELATED, MeasuredComponent,
    RelatedIncident,
};
use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use allclear_application::transition::{Committed, Transition};
use allclear_domain::id::{ComponentGroupId, ComponentId, IncidentId, OrganisationId};
use allclear_domain::status_period::{ComponentHistory, HistoryChange, StatusPeriod, StatusSpan};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{MAX_SPANS, NewestSpans};
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use sea_orm::sea_query::{
    Expr, ExprTrait, Func, Query, SelectStatement, SubQueryStatement, UnionType,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use self::period::{periods_from, store};
use self::spans::{SpanRow, ends_after, newest_of, newest_spans_together};
use super::{find, update};
use crate::audit::States;
use crate::audit::subject::Subject;
use crate::commit::{Scope, StoredChange};
use crate::database::Database;
use crate::entity::component_period::{Column, Entity};
use crate::entity::{incident, incident_component, organisation};
use crate::error::{broken, parse_stored};
use crate::statement::{Fetch, RunStatement};
use crate::transaction::Transaction;

#[async_trait]
impl ComponentHistoryStore for Database {
    async fn zone(&self, organisation: &OrganisationId) -> Result<TimeZone, Error> {
        let name: Option<String> = organisation::Entity::find_by_id(organisation.as_str())
            .select_only()
            .column(organisation::Column::TimeZone)
            .into_tuple()
            .fetch_one(self.read())
            .await?;
        name.map_or_else(|| Ok(TimeZone::default()), |name| parse_stored(&name))
    }

    async fn history(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        interval: Interval,
        page: Page,
    ) -> Result<Option<HistoryPage>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let Some(component) = find(transaction, &organisation, id).await? else {
                    return Ok(None);
                };
                let mut query = Entity::find().filter(overlapping(id, interval));
                if let Some(before) = page.before {
                    let start_at = start_of(transaction, id, before).await?;
                    query = query.filter(Column::StartAt.lt(start_at));
                }
                let rows = query
                    .order_by_desc(Column::StartAt)
                    .limit(page.limit.map(|limit| limit + 1))
                    .fetch_all(transaction)
                    .await?;
                let periods = periods_from(transaction, &organisation, rows).await?;
                Ok(Some(HistoryPage {
                    version: component.history_version,
                    periods: Listed::cut(periods, page, |period| period.id.0),
                }))
            })
        })
        .await
    }

    async fn change_history(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        scope: HistoryScope,
        rule: Transition<ComponentHistory, HistoryChange>,
    ) -> Result<Option<Committed<HistoryChange>>, Error> {
        let needed = scope;
        self.commit_revision(organisation, Subject::Known, move |scope| {
            Box::pin(async move {
                let Scope {
                    transaction,
                    organisation,
                    stamp,
                    ..
                } = scope;
                let Some(component) = find(transaction, organisation, id).await? else {
                    return Ok(None);
                };
                let before = component.clone();
                let periods = needed_by(transaction, organisation, id, needed).await?;
                let known = periods.clone();
                let history = ComponentHistory { component, periods };
                let mut changed = rule(history, stamp)?;
                if !changed.has_no_events() {
                    let HistoryChange {
                        component,
                        period,
                        changes,
                    } = &mut changed.state;
                    if *component != before {
                        component.version = stamp.revision;
                    }
                    component.history_version = stamp.revision;
                    period.version = stamp.revision;
                    store(scope, &[(id, changes.clone())]).await?;
                    update(transaction, organisation, component).await?;
                }
                let states = states(&known, &changed.state);
                Ok(Some(StoredChange::from(changed).with_states(vec![states])))
            })
        })
        .await
    }

    async fn spans(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<NewestSpans, Error> {
        let interval = Interval {
            from: Some(from),
            to: Some(to),
        };
        let rows: Vec<SpanRow> = Entity::find()
            .filter(Column::OrganisationId.eq(organisation.as_str()))
            .filter(overlapping(id, interval))
            .order_by_desc(Column::StartAt)
            .limit(MAX_SPANS as u64 + 1)
            .into_model()
            .fetch_all(self.read())
            .await?;
        let spans = rows.into_iter().map(StatusSpan::try_from);
        Ok(newest_of(spans.collect::<Result<_, _>>()?, MAX_SPANS))
    }

    async fn spans_of_group(
        &self,
        organisation: &OrganisationId,
        group: ComponentGroupId,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Option<Vec<MeasuredComponent>>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                if !crate::component_group::exists(transaction, &organisation, group).await? {
                    return Ok(None);
                }
                let components: Vec<(Uuid, Option<NaiveDate>)> = super::of(&organisation)
                    .select_only()
                    .columns([super::Column::Id, super::Column::StartDate])
                    .filter(super::Column::GroupId.eq(group.0))
                    .filter(super::Column::ShowUptime.eq(true))
                    .into_tuple()
                    .fetch_all(transaction)
                    .await?;
                let ids: Vec<_> = components.iter().map(|(id, _)| *id).collect();
                let interval = (from, Some(to));
                let mut newest = newest_spans_together(transaction, &ids, interval).await?;
                let components = components.into_iter().map(|(id, start_date)| {
                    let newest = newest.remove(&id).unwrap_or_default();
                    MeasuredComponent {
                        id: ComponentId(id),
                        start_date,
                        newest,
                    }
                });
                Ok(Some(components.collect()))
            })
        })
        .await
    }

    async fn related_incidents(
        &self,
        organisation: &OrganisationId,
        components: &[ComponentId],
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<RelatedIncident>, Error> {
        let query = related(organisation, components, from, to);
        let rows = self.read().fetch_rows(&query).await?;
        rows.iter()
            .map(|row| {
                let (id, title): (Uuid, String) = row.try_get_many_by_index().map_err(broken)?;
                let id = IncidentId(id);
                Ok(RelatedIncident {
                    id,
                    code: id.code().to_string(),
                    title,
                })
            })
            .collect()
    }
}

/// The incidents that affected one of these components in an interval, newest first. The query
/// begins at the incidents that are open or were resolved after the beginning of the interval.
fn related(
    organisation: &OrganisationId,
    components: &[ComponentId],
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> SelectStatement {
    use incident::{Column as IncidentColumn, Entity as Incident};
    use incident_component::{Column as LinkColumn, Entity as Link};
    let of_organisation = || {
        Query::select()
            .column(IncidentColumn::Id)
            .from(Incident)
            .and_where(IncidentColumn::OrganisationId.eq(organisation.as_str()))
            .take()
    };
    // Two queries that each search an index; joined by OR, they could read every incident.
    let open = of_organisation()
        .and_where(IncidentColumn::ResolvedAt.is_null())
        .take();
    let lasting = of_organisation()
        .and_where(IncidentColumn::ResolvedAt.gt(from))
        .union(UnionType::All, open)
        .take();
    // Not EXISTS, which PostgreSQL would turn into a join with every incident that ever affected
    // the components.
    let link = Query::select()
        .column(LinkColumn::ComponentId)
        .from(Link)
        .and_where(Expr::col((Link, LinkColumn::IncidentId)).equals((Incident, IncidentColumn::Id)))
        .and_where(LinkColumn::ComponentId.is_in(components.iter().map(|id| id.0)))
        .limit(1)
        .take();
    Query::select()
        .columns([IncidentColumn::Id, IncidentColumn::Title])
        .from(Incident)
        .and_where(IncidentColumn::Id.in_subquery(lasting))
        .and_where(IncidentColumn::OccuredAt.lt(to))
        .and_where(Expr::SubQuery(None, Box::new(link.into())).is_not_null())
        .order_by(IncidentColumn::Id, sea_orm::Order::Desc)
        .limit(MAX_RELATED)
        .take()
}

/// The changed period before and after.
fn states(known: &[StatusPeriod], change: &HistoryChange) -> States {
    let id = change.period.id;
    let before = known.iter().find(|period| period.id == id);
    let is_deleted = change.changes.deleted.contains(&id);
    let after = (!is_deleted).then(|| state::period(&change.period));
    (before.map(state::period), after)
}

/// The periods of a component that have an instant in common with an interval.
fn overlapping(id: ComponentId, Interval { from, to }: Interval) -> Condition {
    Condition::all()
        .add(Column::ComponentId.eq(id.0))
        .add_option(to.map(|to| Column::StartAt.lt(to)))
        .add_option(from.map(|from| starts_at_or_after_the_one_at(id, from)))
        .add_option(from.map(ends_after))
}

/// Bounds a search by the start of the last period that begins before `from`. Periods do not
/// overlap, so earlier ones are over.
fn starts_at_or_after_the_one_at(id: ComponentId, from: DateTime<Utc>) -> Expr {
    let last = Query::select()
        .expr(Column::StartAt.max())
        .from(Entity)
        .and_where(Column::ComponentId.eq(id.0))
        .and_where(Column::StartAt.lte(from))
        .take();
    let last = Expr::SubQuery(None, Box::new(SubQueryStatement::SelectStatement(last)));
    Expr::col(Column::StartAt).gte(Func::coalesce([last, from.into()]))
}

/// The start of the period after which a page begins. An error if the component has no such period:
/// nothing says where a deleted one began.
async fn start_of(
    transaction: &Transaction,
    id: ComponentId,
    before: Uuid,
) -> Result<DateTime<Utc>, Error> {
    let start_at = Entity::find_by_id(before)
        .filter(Column::ComponentId.eq(id.0))
        .select_only()
        .column(Column::StartAt)
        .into_tuple()
        .fetch_one(transaction)
        .await?;
    start_at.ok_or_else(|| Invalid::field("before", "This period no longer exists").into())
}

/// The periods that a change needs.
async fn needed_by(
    transaction: &Transaction,
    organisation: &OrganisationId,
    id: ComponentId,
    scope: HistoryScope,
) -> Result<Vec<StatusPeriod>, Error> {
    let (period, span) = match scope {
        HistoryScope::New(span) => (None, Some(span)),
        HistoryScope::Changed(period, span) => (Some(period), Some(span)),
        HistoryScope::Deleted(period) => (Some(period), None),
    };
    let mut rows = Vec::new();
    if let Some(period) = period {
        let found = Entity::find_by_id(period.0).filter(Column::ComponentId.eq(id.0));
        rows.extend(found.fetch_one(transaction).await?);
    }
    if let Some(span) = span {
        let interval = Interval {
            from: Some(span.start_at),
            to: span.end_at,
        };
        let known: Vec<_> = rows.iter().map(|row| row.id).collect();
        // One of them is enough to refuse the change.
        let others = Entity::find()
            .filter(overlapping(id, interval))
            .filter(Column::Id.is_not_in(known))
            .limit(1);
        rows.extend(others.fetch_one(transaction).await?);
    }
    periods_from(transaction, organisation, rows).await
}

#[cfg(test)]
mod query_plan_tests;
