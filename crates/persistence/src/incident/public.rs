//! Incidents as the public sees them.

use std::cmp::Reverse;
use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::incident::{
    AffectedComponent, ComponentName, IncidentTimelineEntry, PublicIncident,
};
use allclear_application::status_page::size::{
    Budget, OPEN_SHOWN, PAGE_BYTES, PAST_SHOWN, WithTimeline,
};
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::incident::{Incident, SHOWN_AFTER_RESOLUTION};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter,
    QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use super::{timeline, update};
use crate::entity::incident::{Column, Entity};
use crate::entity::{component, incident_component};
use crate::error::{broken, parse_stored};
use crate::statement::{Fetch, RunStatement};
use crate::timeline::{MAX_TIMELINES_PER_READ, Timeline, Timelines};
use crate::transaction::Transaction;

/// The incidents on a status page, newest first. Of the unresolved ones, the newest.
pub(crate) async fn list_for_page(
    transaction: &Transaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<Vec<PublicIncident>, Error> {
    let resolved_since = now - SHOWN_AFTER_RESOLUTION;
    // Two queries that each search an index; joined by OR, they could read every incident.
    let mut open = open_ids(transaction, organisation).await?;
    open.truncate(OPEN_SHOWN);
    let past = ids(transaction, newest_resolved(organisation, resolved_since)).await?;
    let mut shown = Vec::with_capacity(open.len() + past.len());
    let mut budget = Budget::new(PAGE_BYTES);
    for some in open.chunks(MAX_TIMELINES_PER_READ) {
        let timelines = if budget.is_spent() {
            Timelines::Unread
        } else {
            timeline::of(transaction, some.iter().copied()).await?
        };
        for incident in public(transaction, some, timelines).await? {
            shown.push(budget.show(incident)?);
        }
    }
    for some in past.chunks(MAX_TIMELINES_PER_READ) {
        let timelines = timeline::of(transaction, some.iter().copied()).await?;
        for incident in public(transaction, some, timelines).await? {
            shown.push(incident.for_past()?);
        }
    }
    // UUIDv7 sorts as text as it does in bytes.
    shown.sort_unstable_by(|a, b| b.id.cmp(&a.id));
    Ok(shown)
}

/// The identifiers of all unresolved incidents, newest first: as many as the limit of the
/// installation, `ALLCLEAR_LIMIT_OPEN_INCIDENTS`, permits. Their texts are read some at a time.
pub(crate) async fn open_ids(
    transaction: &Transaction,
    organisation: &OrganisationId,
) -> Result<Vec<Uuid>, Error> {
    // Unordered: for an order, SQLite would use an index through all resolved incidents.
    let mut open = ids(transaction, of_these(unresolved(organisation))).await?;
    open.sort_unstable_by_key(|id| Reverse(*id));
    Ok(open)
}

async fn ids(transaction: &Transaction, these: Select<Entity>) -> Result<Vec<Uuid>, Error> {
    these.into_tuple().fetch_all(transaction).await
}

fn of_these(incidents: Condition) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(incidents)
}

/// The incidents that were resolved last, as many as the status page shows.
pub(super) fn newest_resolved(
    organisation: &OrganisationId,
    since: DateTime<Utc>,
) -> Select<Entity> {
    of_these(resolved_after(organisation, since))
        .order_by_desc(Column::ResolvedAt)
        .limit(PAST_SHOWN)
}

pub(crate) fn unresolved(organisation: &OrganisationId) -> Condition {
    Condition::all()
        .add(Column::OrganisationId.eq(organisation.as_str()))
        .add(Column::ResolvedAt.is_null())
}

pub(crate) fn resolved_after(organisation: &OrganisationId, moment: DateTime<Utc>) -> Condition {
    Condition::all()
        .add(Column::OrganisationId.eq(organisation.as_str()))
        .add(Column::ResolvedAt.gt(moment))
}

/// An incident that an event names.
pub(crate) async fn find_public(
    transaction: &Transaction,
    id: IncidentId,
) -> Result<PublicIncident, Error> {
    let timelines = timeline::of(transaction, [id.0]).await?;
    let found = public(transaction, &[id.0], timelines).await?.pop();
    let missing = || Error::internal(format!("an event names incident {id}, which is not stored"));
    found.ok_or_else(missing)
}

/// An incident that an event names and that this transaction has just written.
pub(crate) async fn public_form_of_stored(
    transaction: &Transaction,
    incident: &Incident,
) -> Result<PublicIncident, Error> {
    let timeline = timeline::of_one(transaction, incident.id).await?;
    let components = affected_by(transaction, incident.id).await?;
    Ok(shown_with(incident.clone(), timeline, components))
}

/// A timeline entry that an event names.
pub(crate) async fn find_public_entry(
    transaction: &Transaction,
    incident: IncidentId,
    id: IncidentUpdateId,
) -> Result<IncidentTimelineEntry, Error> {
    let found = update::find(transaction, incident, id).await?;
    let missing = || {
        Error::internal(format!(
            "an event names update {id} of incident {incident}, which is not stored"
        ))
    };
    found
        .as_ref()
        .map(IncidentTimelineEntry::from)
        .ok_or_else(missing)
}

/// The components that an incident affects, as stored in this transaction.
pub(crate) async fn affected_by(
    transaction: &Transaction,
    id: IncidentId,
) -> Result<Vec<AffectedComponent>, Error> {
    let mut affected = affected(transaction, Condition::all().add(Column::Id.eq(id.0))).await?;
    Ok(affected.remove(&id.0).unwrap_or_default())
}

/// Incidents that were found in their organisation, newest first.
async fn public(
    transaction: &Transaction,
    ids: &[Uuid],
    mut timelines: Timelines<IncidentTimelineEntry>,
) -> Result<Vec<PublicIncident>, Error> {
    let incidents = super::by_ids(ids.iter().copied());
    let rows = Entity::find()
        .filter(incidents.clone())
        .order_by_desc(Column::Id)
        .fetch_all(transaction)
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut affected = affected(transaction, incidents).await?;
    let show = |row| {
        let incident = Incident::try_from(row)?;
        let timeline = timelines.take(incident.id.0);
        let components = affected.remove(&incident.id.0).unwrap_or_default();
        Ok(shown_with(incident, timeline, components))
    };
    rows.into_iter().map(show).collect()
}

fn shown_with(
    incident: Incident,
    timeline: Timeline<IncidentTimelineEntry>,
    components: Vec<AffectedComponent>,
) -> PublicIncident {
    PublicIncident {
        id: incident.id.to_string(),
        code: incident.id.code().to_string(),
        title: incident.title,
        description: incident.description,
        description_truncated: false,
        status: incident.status,
        occured_at: incident.occured_at,
        resolved_at: incident.resolved_at,
        created_at: incident.created_at,
        timeline: timeline.entries,
        timeline_truncated: timeline.truncated,
        components,
        components_truncated: false,
    }
}

#[derive(FromQueryResult)]
struct Link {
    incident_id: Uuid,
    component_id: Uuid,
    status: String,
    name: String,
}

async fn affected(
    connection: &impl ConnectionTrait,
    incidents: Condition,
) -> Result<HashMap<Uuid, Vec<AffectedComponent>>, Error> {
    let rows = connection.fetch_rows(&links(incidents)).await?;
    let mut affected: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let link = Link::from_query_result(&row, "").map_err(broken)?;
        let component_id = link.component_id.to_string();
        affected
            .entry(link.incident_id)
            .or_default()
            .push(AffectedComponent {
                component: ComponentName {
                    id: component_id.clone(),
                    code: ComponentId(link.component_id).code().to_string(),
                    name: link.name,
                },
                component_id,
                status: parse_stored(&link.status)?,
            });
    }
    Ok(affected)
}

/// The components that the given incidents affect, newest component first.
pub(super) fn links(incidents: Condition) -> SelectStatement {
    use incident_component::{Column as LinkColumn, Entity as LinkEntity};
    Query::select()
        .columns(
            [
                LinkColumn::IncidentId,
                LinkColumn::ComponentId,
                LinkColumn::Status,
            ]
            .map(|column| (LinkEntity, column)),
        )
        .column((component::Entity, component::Column::Name))
        .from(Entity)
        .inner_join(
            LinkEntity,
            Expr::col((LinkEntity, LinkColumn::IncidentId)).equals((Entity, Column::Id)),
        )
        .inner_join(
            component::Entity,
            Expr::col((component::Entity, component::Column::Id))
                .equals((LinkEntity, LinkColumn::ComponentId)),
        )
        .cond_where(incidents)
        .order_by((LinkEntity, LinkColumn::ComponentId), Order::Desc)
        .take()
}
