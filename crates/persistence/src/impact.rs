//! What unresolved incidents hold on components.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::component::ComponentStatus;
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::organisation::Revision;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, FromQueryResult, QueryFilter, QueryOrder,
};
use uuid::Uuid;

use crate::component;
use crate::entity::component::Column;
use crate::entity::{incident, incident_component};
use crate::error::broken;

#[derive(FromQueryResult)]
struct Held {
    component_id: Uuid,
    status: String,
}

/// Settles components after an incident has changed what it holds on them. Answers what happened, the oldest component
/// first. Incident and links are written already.
pub(crate) async fn settle(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    components: &[Uuid],
    cause: IncidentId,
    revision: Revision,
    now: DateTime<Utc>,
) -> Result<Vec<Event>, Error> {
    if components.is_empty() {
        return Ok(Vec::new());
    }
    let query = component::of(organisation).filter(Column::Id.is_in(components.iter().copied()));
    let rows = query
        .order_by_asc(Column::Id)
        .all(transaction)
        .await
        .map_err(broken)?;
    let mut held = held(transaction, organisation, components).await?;
    let mut events = Vec::new();
    for row in rows {
        let before = component::component(row)?;
        let held = held.remove(&before.id.0).unwrap_or_default();
        let Changed {
            mut state,
            events: told,
        } = before.clone().settle(held, now);
        if state == before {
            continue;
        }
        if !told.is_empty() {
            state.version = revision;
            component::record_status(transaction, &state, Some(cause)).await?;
        }
        component::update(transaction, organisation, &state).await?;
        events.extend(told);
    }
    Ok(events)
}

async fn held(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    components: &[Uuid],
) -> Result<HashMap<Uuid, Vec<ComponentStatus>>, Error> {
    let rows = transaction
        .query_all(&holding(organisation, components))
        .await
        .map_err(broken)?;
    let mut held: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let row = Held::from_query_result(&row, "").map_err(broken)?;
        held.entry(row.component_id)
            .or_default()
            .push(row.status.parse().map_err(Error::internal)?);
    }
    Ok(held)
}

/// The links of unresolved incidents to components. It begins at the unresolved incidents, which are few, and not at the
/// components, which many old incidents may have affected.
pub(crate) fn holding(organisation: &OrganisationId, components: &[Uuid]) -> SelectStatement {
    use incident_component::{Column as LinkColumn, Entity as LinkEntity};
    Query::select()
        .columns([LinkColumn::ComponentId, LinkColumn::Status].map(|column| (LinkEntity, column)))
        .from(incident::Entity)
        .inner_join(
            LinkEntity,
            Expr::col((LinkEntity, LinkColumn::IncidentId))
                .equals((incident::Entity, incident::Column::Id)),
        )
        .and_where(incident::Column::OrganisationId.eq(organisation.as_str()))
        .and_where(incident::Column::ResolvedAt.is_null())
        .and_where(LinkColumn::ComponentId.is_in(components.iter().copied()))
        .take()
}
