//! The impact of an incident whose times were corrected.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::component::StatusSource;
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::impact::{Impact, ImpactMove, ImpactedComponent, impact_start};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, Select};
use uuid::Uuid;

use crate::batch;
use crate::commit::Scope;
use crate::component::history::correction::{self, MAX_READ, check_read};
use crate::entity::{component, incident, incident_component};
use crate::error::parse_stored;
use crate::incident::component::impacts;
use crate::statement::Fetch;

/// An incident, and when it occurred, was created and was resolved.
type Times = (Uuid, DateTime<Utc>, DateTime<Utc>, Option<DateTime<Utc>>);

/// Moves the impact of an incident in the histories of the components attached to it.
pub(super) async fn move_impact(scope: Scope<'_>, moved: ImpactMove) -> Result<(), Error> {
    let impacts = impacts(scope.transaction, moved.incident).await?;
    if impacts.is_empty() {
        return Ok(());
    }
    let components: Vec<_> = impacts.iter().map(|(id, _)| id.0).collect();
    let sources = status_sources(scope, &components).await?;
    let mut others = others(scope, moved).await?;
    let affected = impacts.into_iter().filter_map(|(id, impact)| {
        let component = ImpactedComponent {
            impact,
            status_source: *sources.get(&id.0)?,
            others: others.remove(&id.0).unwrap_or_default(),
        };
        Some((id, component))
    });
    let affected: Vec<_> = affected.collect();
    correction::move_impact(scope, moved, &affected).await
}

/// What set the status of each of these components last, also of deleted ones: their history stays.
async fn status_sources(
    scope: Scope<'_>,
    components: &[Uuid],
) -> Result<HashMap<Uuid, StatusSource>, Error> {
    let mut sources = HashMap::with_capacity(components.len());
    for ids in batch::of_keys(components) {
        let some = component::Entity::find()
            .filter(component::Column::OrganisationId.eq(scope.organisation.as_str()))
            .filter(component::Column::Id.is_in(ids))
            .select_only()
            .columns([component::Column::Id, component::Column::StatusSource])
            .into_tuple::<(Uuid, String)>();
        for (id, source) in some.fetch_all(scope.transaction).await? {
            sources.insert(id, parse_stored(&source)?);
        }
    }
    Ok(sources)
}

/// The impacts of other incidents on each component while the moved one has or had an impact.
async fn others(scope: Scope<'_>, moved: ImpactMove) -> Result<HashMap<Uuid, Vec<Impact>>, Error> {
    let mut times: HashMap<Uuid, Times> = HashMap::new();
    for these in overlapping(scope.organisation, moved) {
        let rows = these
            .select_only()
            .columns([
                incident::Column::Id,
                incident::Column::OccuredAt,
                incident::Column::CreatedAt,
                incident::Column::ResolvedAt,
            ])
            .limit(MAX_READ as u64 + 1)
            .into_tuple::<Times>()
            .fetch_all(scope.transaction)
            .await?;
        times.extend(rows.into_iter().map(|row| (row.0, row)));
        check_read(times.len())?;
    }
    let incidents: Vec<_> = times.keys().copied().collect();
    let mut others: HashMap<_, Vec<_>> = HashMap::new();
    let mut read = 0;
    for ids in batch::of_keys(&incidents) {
        let links = incident_component::Entity::find()
            .filter(incident_component::Column::IncidentId.is_in(ids))
            .limit(MAX_READ as u64 + 1)
            .fetch_all(scope.transaction)
            .await?;
        read += links.len();
        check_read(read)?;
        for link in links {
            let (_, occured_at, created_at, until) = times[&link.incident_id];
            let of_component = others.entry(link.component_id).or_default();
            of_component.push(Impact {
                incident: IncidentId(link.incident_id),
                status: parse_stored(&link.status)?,
                since: impact_start(occured_at, created_at, scope.stamp.committed_at),
                until,
            });
        }
    }
    Ok(others)
}

/// The incidents that were open while the moved one has or had an impact: those that are
/// unresolved, and those that were resolved later. Each of the two searches an index; joined by OR,
/// they could read every incident.
pub(crate) fn overlapping(
    organisation: &OrganisationId,
    moved: ImpactMove,
) -> [Select<incident::Entity>; 2] {
    use incident::Column;
    let extent = moved.extent();
    let begun = extent.to.map(|to| {
        let occured = Condition::any().add(Column::OccuredAt.lt(to));
        // Its impact began with its creation if it was said to occur later.
        occured.add(Column::CreatedAt.lt(to))
    });
    let lasting = |condition: Expr| {
        crate::incident::of(organisation)
            .filter(condition)
            .filter(Column::Id.ne(moved.incident.0))
            .filter(Condition::all().add_option(begun.clone()))
    };
    [
        lasting(Column::ResolvedAt.is_null()),
        lasting(Column::ResolvedAt.gt(extent.from)),
    ]
}
