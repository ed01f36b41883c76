//! Incidents of the public history.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::history::{
    AffectedOverTime, COMPONENTS_SHOWN, ENTRIES_SHOWN, HistoryDetails, HistoryEntry, HistoryStatus,
    NamedComponent, PageOwner, PublishedReview,
};
use allclear_domain::code::Code;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::status_period::StatusSpan;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, Order, QueryFilter, Select};
use uuid::Uuid;

use super::{
    affected, any_before, displayed, has_component, links, shortened, summary, updates, within,
};
use crate::component::history::spans::SpanRow;
use crate::entity::incident::{Column, Entity, Model};
use crate::entity::incident_review;
use crate::error::{broken, parse_stored};
use crate::statement::{Fetch, RunStatement};
use crate::transaction::Transaction;

/// Maximum number of periods of an incident that are read: several for each component that is
/// shown, also of an incident with more.
const MAX_PERIODS: u64 = 10 * COMPONENTS_SHOWN;
/// How long before an incident its periods may begin, because operators correct starts.
const MAX_CORRECTION: TimeDelta = TimeDelta::days(30);

#[derive(FromQueryResult)]
struct Row {
    code: String,
    title: String,
    summary: String,
    status: String,
    occured_at: DateTime<Utc>,
    resolved_at: Option<DateTime<Utc>>,
}

/// The incidents of some months, newest first, one more than are shown.
pub(super) async fn entries(
    transaction: &Transaction,
    organisation: &OrganisationId,
    months: &HistoryMonths,
    component: Option<Uuid>,
) -> Result<Vec<HistoryEntry>, Error> {
    let query = of_months(organisation, months, component);
    let rows = transaction.fetch_rows(&query).await?;
    rows.iter()
        .map(|row| {
            let row = Row::from_query_result(row, "").map_err(broken)?;
            Ok(HistoryEntry {
                code: parse_stored(&row.code)?,
                title: row.title,
                summary: shortened(row.summary),
                status: HistoryStatus::Incident(parse_stored(&row.status)?),
                start_at: row.occured_at,
                end_at: row.resolved_at,
            })
        })
        .collect()
}

pub(super) fn of_months(
    organisation: &OrganisationId,
    months: &HistoryMonths,
    component: Option<Uuid>,
) -> SelectStatement {
    let mut query = Query::select()
        .columns(["code", "title", "status", "occured_at", "resolved_at"])
        .expr_as(summary("description"), "summary")
        .from("incidents")
        .cond_where(within("occured_at", organisation, months))
        .order_by("occured_at", Order::Desc)
        .limit(ENTRIES_SHOWN + 1)
        .take();
    if let Some(component) = component {
        let link = has_component("incident_components", "incident_id", "incidents", component);
        query.and_where(link);
    }
    query
}

/// Selects an incident that occurred before a time, if there is one.
pub(super) fn before(organisation: &OrganisationId, start_at: DateTime<Utc>) -> SelectStatement {
    any_before("incidents", "occured_at", organisation, start_at)
}

pub(super) fn of_code(organisation: &OrganisationId, code: Code) -> Select<Entity> {
    Entity::find()
        .filter(Column::Code.eq(code.as_str()))
        .filter(Column::OrganisationId.eq(organisation.as_str()))
}

#[derive(FromQueryResult)]
struct LinkRow {
    id: Uuid,
    code: String,
    name: String,
    status: String,
}

/// An incident with everything that belongs to it.
pub(super) async fn details(
    transaction: &Transaction,
    owner: PageOwner,
    code: Code,
) -> Result<Option<HistoryDetails>, Error> {
    let found = of_code(&owner.id, code).fetch_one(transaction).await;
    let Some(row) = found? else {
        return Ok(None);
    };
    // As for programs: the review of an incident that is open again waits for its next end.
    let review = match row.resolved_at {
        Some(_) => review(row.id).fetch_one(transaction).await?,
        None => None,
    };
    let query = timeline(row.id);
    let (updates, updates_truncated) = displayed(transaction, &query).await?;
    let rows = transaction.fetch_rows(&impacts(row.id)).await?;
    let found = rows
        .iter()
        .map(|row| {
            let row = LinkRow::from_query_result(row, "").map_err(broken)?;
            let affected = AffectedOverTime {
                component: NamedComponent {
                    code: parse_stored(&row.code)?,
                    name: row.name,
                    group: None,
                },
                has_namesake: false,
                impact: Some(parse_stored(&row.status)?),
                periods: Vec::new(),
            };
            Ok((row.id, affected))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let periods = periods(transaction, &row).await?;
    let (components, components_truncated) =
        affected(transaction, &owner.id, found, periods).await?;
    Ok(Some(HistoryDetails {
        owner,
        entry: HistoryEntry {
            code,
            title: row.title,
            summary: row.description,
            status: HistoryStatus::Incident(parse_stored(&row.status)?),
            start_at: row.occured_at,
            end_at: row.resolved_at,
        },
        description_code: IncidentId(row.id).statuspage_entry_code("description"),
        updated_at: row.updated_at,
        review: review.and_then(published_review_from),
        updates,
        updates_truncated,
        components,
        components_truncated,
    }))
}

pub(super) fn review(id: Uuid) -> Select<incident_review::Entity> {
    incident_review::Entity::find_by_id(id)
        .filter(incident_review::Column::PublishedAt.is_not_null())
}

fn published_review_from(row: incident_review::Model) -> Option<PublishedReview> {
    Some(PublishedReview {
        code: IncidentId(row.incident_id).statuspage_entry_code("review"),
        published_at: row.published_at?,
        updated_at: row.updated_at,
        body: row.body,
    })
}

pub(super) fn timeline(id: Uuid) -> SelectStatement {
    updates("incident_updates", "incident_id", id)
}

/// Selects the components of an incident with its impact on each.
pub(super) fn impacts(id: Uuid) -> SelectStatement {
    links("incident_components", "incident_id", id, &["status"])
}

async fn periods(
    transaction: &Transaction,
    incident: &Model,
) -> Result<HashMap<Uuid, Vec<StatusSpan>>, Error> {
    let began = std::cmp::min(incident.occured_at, incident.created_at);
    let query = caused(incident.id, began - MAX_CORRECTION);
    let rows = transaction.fetch_rows(&query).await?;
    let mut periods: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let row = SpanRow::from_query_result(&row, "").map_err(broken)?;
        periods
            .entry(row.component_id)
            .or_default()
            .push(row.try_into()?);
    }
    Ok(periods)
}

/// Selects the periods that an incident caused since a time, oldest first. The time keeps a
/// component's older periods unread.
pub(super) fn caused(incident: Uuid, since: DateTime<Utc>) -> SelectStatement {
    const PERIODS: &str = "component_periods";
    const LINKS: &str = "incident_components";
    Query::select()
        .columns(["component_id", "status", "start_at", "end_at"].map(|column| (PERIODS, column)))
        .from(LINKS)
        .inner_join(
            PERIODS,
            Expr::col((PERIODS, "component_id")).equals((LINKS, "component_id")),
        )
        .and_where(Expr::col((LINKS, "incident_id")).eq(incident))
        .and_where(Expr::col((PERIODS, "incident_id")).eq(incident))
        .and_where(Expr::col((PERIODS, "start_at")).gte(since))
        .order_by((PERIODS, "start_at"), Order::Asc)
        .limit(MAX_PERIODS)
        .take()
}
