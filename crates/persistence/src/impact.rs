//! The impacts of unresolved incidents on components.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::event::Event;
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::ImpactChange;
use allclear_domain::notice::NewNotice;
use allclear_domain::status_period::PeriodCause;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, FromQueryResult, QueryFilter, QueryOrder};
use uuid::Uuid;

use crate::commit::Scope;
use crate::component;
use crate::component::history::{move_impact, store_past_impact};
use crate::entity::component::Column;
use crate::entity::{incident, incident_component};
use crate::error::{broken, parse_stored};
use crate::incident::component::attached;
use crate::statement::{Fetch, RunStatement};
use crate::transaction::Transaction;

#[derive(FromQueryResult)]
struct ImpactRow {
    incident_id: Uuid,
    component_id: Uuid,
    status: String,
}

/// The impact of an unresolved incident on a component.
struct Impact {
    incident: IncidentId,
    status: ComponentStatus,
}

/// The components whose status changed, the oldest first.
#[derive(Default)]
pub(crate) struct StatusChanges {
    pub(crate) events: Vec<Event>,
    pub(crate) notices: Vec<NewNotice>,
}

/// Stores a change of impacts; the incident and its attachments are stored already. Returns the changes of status.
pub(crate) async fn apply(scope: Scope<'_>, change: ImpactChange) -> Result<StatusChanges, Error> {
    match change {
        ImpactChange::OnAll {
            incident,
            since,
            moved,
        } => {
            if let Some(moved) = moved {
                move_impact(scope, moved).await?;
            }
            let components = attached(scope.transaction, incident).await?;
            change_statuses(scope, incident, components, since).await
        }
        ImpactChange::On {
            incident,
            components,
            since,
        } => {
            let since = since.unwrap_or(scope.stamp.committed_at);
            change_statuses(scope, incident, components, since).await
        }
        ImpactChange::Past {
            incident,
            components,
            from,
            to,
        } => {
            store_past_impact(scope, incident, &components, (from, to)).await?;
            Ok(StatusChanges::default())
        }
        ImpactChange::Moved(moved) => {
            move_impact(scope, moved).await?;
            Ok(StatusChanges::default())
        }
    }
}

/// Sets the statuses of components as the impacts of all unresolved incidents say; `incident` is the one that changed.
async fn change_statuses(
    scope: Scope<'_>,
    incident: IncidentId,
    components: Vec<ComponentId>,
    since: DateTime<Utc>,
) -> Result<StatusChanges, Error> {
    let mut changes = StatusChanges::default();
    if components.is_empty() {
        return Ok(changes);
    }
    let Scope {
        transaction,
        organisation,
        stamp,
        ..
    } = scope;
    let components: Vec<_> = components.into_iter().map(|id| id.0).collect();
    let rows = component::of(organisation)
        .filter(Column::Id.is_in(components.iter().copied()))
        .order_by_asc(Column::Id)
        .fetch_all(transaction)
        .await?;
    let mut impacts = impacts(transaction, organisation, &components).await?;
    for row in rows {
        let before = Component::try_from(row)?;
        let impacts = impacts.remove(&before.id.0).unwrap_or_default();
        let statuses = impacts.iter().map(|impact| impact.status);
        let mut applied = before.clone().apply_impacts(statuses, stamp.committed_at);
        if applied.state == before {
            continue;
        }
        if !applied.has_no_events() {
            applied.state.version = stamp.revision;
            applied.state.history_version = stamp.revision;
            let cause = cause_of(applied.state.status, &impacts, incident);
            let cause = PeriodCause::Incident(cause, None);
            component::begin_period(scope, &applied.state, cause, since).await?;
        }
        component::update(transaction, organisation, &applied.state).await?;
        changes.events.extend(applied.events);
        changes.notices.extend(applied.notices);
    }
    Ok(changes)
}

/// The incident that gives a component its status: the one that changed, or else the oldest that does.
fn cause_of(status: ComponentStatus, impacts: &[Impact], changed: IncidentId) -> IncidentId {
    let causes = impacts.iter().filter(|impact| impact.status == status);
    let causes = causes.map(|impact| impact.incident);
    causes
        .min_by_key(|incident| (*incident != changed, incident.0))
        .unwrap_or(changed)
}

async fn impacts(
    transaction: &Transaction,
    organisation: &OrganisationId,
    components: &[Uuid],
) -> Result<HashMap<Uuid, Vec<Impact>>, Error> {
    let rows = transaction
        .fetch_rows(&unresolved_impacts(organisation, components))
        .await?;
    let mut impacts: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let row = ImpactRow::from_query_result(&row, "").map_err(broken)?;
        impacts.entry(row.component_id).or_default().push(Impact {
            incident: IncidentId(row.incident_id),
            status: parse_stored(&row.status)?,
        });
    }
    Ok(impacts)
}

/// The attachments of unresolved incidents to components. The query begins at the unresolved incidents, which are few, and not at
/// the components, to which many old incidents may be attached.
pub(crate) fn unresolved_impacts(
    organisation: &OrganisationId,
    components: &[Uuid],
) -> SelectStatement {
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
