//! The impacts of unresolved incidents on components.

pub(crate) mod moved;

use std::collections::{BTreeMap, HashMap};

use allclear_application::error::Error;
use allclear_domain::component::{Component, StatusSource};
use allclear_domain::event::Event;
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::{Impact, ImpactChange, impact_start, worst_over_time};
use allclear_domain::notice::NewNotice;
use allclear_domain::status_period::PeriodCause;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder};
use uuid::Uuid;

use self::moved::move_impact;
use crate::batch;
use crate::commit::Scope;
use crate::component;
use crate::component::history::correction::store_past_impact;
use crate::component::history::current::{NewStatus, NewStatuses, begin_periods};
use crate::entity::component::{Column, Entity};
use crate::entity::{incident, incident_component};
use crate::error::{broken, parse_stored};
use crate::incident::component::attached;
use crate::statement::{Fetch, Run, RunStatement};

/// Most components whose impacts are searched one by one. Of more, all impacts are read: SQLite
/// would search each component in each unresolved incident.
const MAX_SEARCHED: usize = 16;

#[derive(FromQueryResult)]
struct ImpactRow {
    incident_id: Uuid,
    component_id: Uuid,
    status: String,
    occured_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
}

/// The components whose status changed, the oldest first.
#[derive(Default)]
pub(crate) struct StatusChanges {
    pub(crate) events: Vec<Event>,
    pub(crate) notices: Vec<NewNotice>,
}

/// Stores a change of impacts; the incident and its attachments are stored already. Returns the
/// changes of status.
pub(crate) async fn apply(scope: Scope<'_>, change: ImpactChange) -> Result<StatusChanges, Error> {
    match change {
        ImpactChange::OnAll { incident, moved } => {
            if let Some(moved) = moved {
                move_impact(scope, moved).await?;
            }
            let components = attached(scope.transaction, incident).await?;
            let now = scope.stamp.committed_at;
            let is_moved = moved.is_some_and(|moved| moved.resolves());
            change_statuses(scope, incident, components, now, is_moved).await
        }
        ImpactChange::On {
            incident,
            components,
            since,
        } => {
            let since = since.unwrap_or(scope.stamp.committed_at);
            change_statuses(scope, incident, components, since, false).await
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

/// Sets the statuses of components as the impacts of all unresolved incidents say; `incident` is
/// the one that changed. `is_moved` is whether the histories show already what follows the
/// statuses that incidents have set.
async fn change_statuses(
    scope: Scope<'_>,
    incident: IncidentId,
    components: Vec<ComponentId>,
    since: DateTime<Utc>,
    is_moved: bool,
) -> Result<StatusChanges, Error> {
    let Scope {
        transaction,
        organisation,
        stamp,
        ..
    } = scope;
    let mut components: Vec<_> = components.into_iter().map(|id| id.0).collect();
    // Each batch has older components than the next.
    components.sort_unstable();
    let mut changes = StatusChanges::default();
    let mut begun = Vec::new();
    let mut applied_states = AppliedStates::default();
    for ids in batch::of_keys(&components) {
        let rows = component::of(organisation)
            .filter(Column::Id.is_in(ids.iter().copied()))
            .order_by_asc(Column::Id)
            .fetch_all(transaction)
            .await?;
        let mut impacts = impacts(scope, &ids).await?;
        for row in rows {
            let before = Component::try_from(row)?;
            let impacts = impacts.remove(&before.id.0).unwrap_or_default();
            let statuses = impacts.iter().map(|impact| impact.status);
            let applied = before.clone().apply_impacts(statuses, stamp.committed_at);
            let has_begun = !applied.has_no_events();
            let is_stored = is_moved && before.status_source == StatusSource::Incidents;
            if has_begun && !is_stored {
                let is_other = |impact: &Impact| impact.incident != incident;
                let was_set_by_hand = before.is_set_by_hand(impacts.iter().any(is_other));
                let worst = worst_over_time(impacts, incident, (since, stamp.committed_at));
                begun.push(NewStatuses {
                    component: before.id,
                    statuses: worst.into_iter().map(new_status).collect(),
                    was_set_by_hand,
                });
            }
            if applied.state != before {
                applied_states.add(&applied.state, has_begun);
            }
            changes.events.extend(applied.events);
            changes.notices.extend(applied.notices);
        }
    }
    begin_periods(scope, begun, (since, stamp.committed_at)).await?;
    applied_states.store(scope).await?;
    Ok(changes)
}

/// Components by status, source of the status, and whether the status has begun with the change.
/// There are few such states, and each is stored for all of its components together.
#[derive(Default)]
struct AppliedStates(BTreeMap<(String, String, bool), Vec<Uuid>>);

impl AppliedStates {
    fn add(&mut self, state: &Component, has_begun: bool) {
        let (status, source) = (state.status.to_string(), state.status_source.to_string());
        let components = self.0.entry((status, source, has_begun)).or_default();
        components.push(state.id.0);
    }

    async fn store(self, scope: Scope<'_>) -> Result<(), Error> {
        let revision = scope.stamp.revision.0;
        for ((status, source, has_begun), components) in self.0 {
            for ids in batch::of_keys(&components) {
                let mut update = Entity::update_many()
                    .col_expr(Column::StatusSource, Expr::val(source.as_str()))
                    .filter(Column::Id.is_in(ids));
                if has_begun {
                    update = update
                        .col_expr(Column::Status, Expr::val(status.as_str()))
                        .col_expr(Column::UpdatedAt, Expr::val(scope.stamp.committed_at))
                        .col_expr(Column::Version, Expr::val(revision))
                        .col_expr(Column::HistoryVersion, Expr::val(revision));
                }
                update.run(scope.transaction).await?;
            }
        }
        Ok(())
    }
}

fn new_status(impact: Impact) -> NewStatus {
    NewStatus {
        status: impact.status,
        since: impact.since,
        cause: PeriodCause::Incident(impact.incident, None),
    }
}

/// The impacts of unresolved incidents on these components; on all if these are many.
async fn impacts(
    scope: Scope<'_>,
    components: &[Uuid],
) -> Result<HashMap<Uuid, Vec<Impact>>, Error> {
    let few = (components.len() <= MAX_SEARCHED).then_some(components);
    let query = unresolved_impacts(scope.organisation, few);
    let rows = scope.transaction.fetch_rows(&query).await?;
    let now = scope.stamp.committed_at;
    let mut impacts: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let row = ImpactRow::from_query_result(&row, "").map_err(broken)?;
        impacts.entry(row.component_id).or_default().push(Impact {
            incident: IncidentId(row.incident_id),
            status: parse_stored(&row.status)?,
            since: impact_start(row.occured_at, row.created_at, now),
            until: None,
        });
    }
    Ok(impacts)
}

/// The attachments of unresolved incidents to these components, or to all. The query begins at the
/// unresolved incidents, whose number is limited, and not at the components, to which many old
/// incidents may be attached.
pub(crate) fn unresolved_impacts(
    organisation: &OrganisationId,
    components: Option<&[Uuid]>,
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
        .columns(
            [incident::Column::OccuredAt, incident::Column::CreatedAt]
                .map(|column| (incident::Entity, column)),
        )
        .from(incident::Entity)
        .inner_join(
            LinkEntity,
            Expr::col((LinkEntity, LinkColumn::IncidentId))
                .equals((incident::Entity, incident::Column::Id)),
        )
        .and_where(incident::Column::OrganisationId.eq(organisation.as_str()))
        .and_where(incident::Column::ResolvedAt.is_null())
        .and_where_option(
            components.map(|these| LinkColumn::ComponentId.is_in(these.iter().copied())),
        )
        .take()
}

#[cfg(test)]
mod statement_count_tests;
