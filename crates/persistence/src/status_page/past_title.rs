//! Titles of past incidents and maintenances for the texts of the bars.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::incident::PublicIncident;
use allclear_application::status_page::maintenance::PublicMaintenance;
use allclear_application::status_page::past_title::PastTitle;
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::maintenance::SHOWN_AFTER_END;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::entity::{incident, incident_component, maintenance, maintenance_component};
use crate::incident::public::resolved_after;
use crate::maintenance::of;
use crate::statement::Fetch;
use crate::transaction::Transaction;

/// Maximum number of incidents, and of maintenances.
const MAX_SHOWN: u64 = 200;
/// Maximum number of components of all incidents, and of all maintenances.
const MAX_COMPONENTS: u64 = 1_000;

/// Identifier, title, begin and end.
type Row = (Uuid, String, DateTime<Utc>, DateTime<Utc>);

/// The titles of the incidents that were resolved after `since` and are not among these,
/// newest first.
pub(super) async fn of_incidents(
    transaction: &Transaction,
    organisation: &OrganisationId,
    zone: TimeZone,
    since: DateTime<Utc>,
    shown: &[PublicIncident],
) -> Result<Vec<PastTitle>, Error> {
    let resolved = incident::Entity::find()
        .select_only()
        .columns([
            incident::Column::Id,
            incident::Column::Title,
            incident::Column::OccuredAt,
            incident::Column::ResolvedAt,
        ])
        .filter(resolved_after(organisation, since))
        .order_by_desc(incident::Column::ResolvedAt)
        .limit(MAX_SHOWN);
    let resolved: Vec<Row> = resolved.into_tuple().fetch_all(transaction).await?;
    let shown = shown.iter().map(|incident| incident.id.as_str());
    let resolved = without(resolved, shown);
    if resolved.is_empty() {
        return Ok(Vec::new());
    }
    let links = incident_component::Entity::find()
        .filter(incident_component::Column::IncidentId.is_in(ids(&resolved)))
        .order_by_desc(incident_component::Column::IncidentId)
        .limit(MAX_COMPONENTS)
        .fetch_all(transaction)
        .await?;
    let links = links.into_iter();
    let links = links.map(|link| (link.incident_id, link.component_id));
    Ok(titled("", resolved, zone, links))
}

/// The titles of the maintenances that ended between `since` and `now` and are not among these,
/// newest first.
pub(super) async fn of_maintenances(
    transaction: &Transaction,
    organisation: &OrganisationId,
    zone: TimeZone,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
    shown: &[PublicMaintenance],
) -> Result<Vec<PastTitle>, Error> {
    let over = of(organisation)
        .select_only()
        .columns([
            maintenance::Column::Id,
            maintenance::Column::Title,
            maintenance::Column::StartAt,
            maintenance::Column::EndAt,
        ])
        .filter(maintenance::Column::ShownUntil.gte(since + SHOWN_AFTER_END))
        .filter(maintenance::Column::ShownUntil.lt(now + SHOWN_AFTER_END))
        // When a cancelled one was in progress is not known.
        .filter(maintenance::Column::CancelledAt.is_null())
        .order_by_desc(maintenance::Column::ShownUntil)
        .limit(MAX_SHOWN);
    let over: Vec<Row> = over.into_tuple().fetch_all(transaction).await?;
    let shown = shown.iter().map(|maintenance| maintenance.id.as_str());
    let over = without(over, shown);
    if over.is_empty() {
        return Ok(Vec::new());
    }
    let links = maintenance_component::Entity::find()
        .filter(maintenance_component::Column::MaintenanceId.is_in(ids(&over)))
        .order_by_desc(maintenance_component::Column::MaintenanceId)
        .limit(MAX_COMPONENTS)
        .fetch_all(transaction)
        .await?;
    let links = links.into_iter();
    let links = links.map(|link| (link.maintenance_id, link.component_id));
    Ok(titled("Maintenance: ", over, zone, links))
}

fn ids(rows: &[Row]) -> impl Iterator<Item = Uuid> {
    rows.iter().map(|(id, ..)| *id)
}

fn without<'a>(mut rows: Vec<Row>, shown: impl Iterator<Item = &'a str>) -> Vec<Row> {
    let shown: Vec<_> = shown.filter_map(|id| id.parse().ok()).collect();
    rows.retain(|(id, ..)| !shown.contains(id));
    rows
}

/// The titles of those that have components.
fn titled(
    kind: &str,
    rows: Vec<Row>,
    zone: TimeZone,
    links: impl Iterator<Item = (Uuid, Uuid)>,
) -> Vec<PastTitle> {
    let mut components: HashMap<Uuid, Vec<ComponentId>> = HashMap::new();
    for (id, component) in links {
        components
            .entry(id)
            .or_default()
            .push(ComponentId(component));
    }
    let mut titles = Vec::with_capacity(components.len());
    for (id, title, start, end) in rows {
        let Some(components) = components.remove(&id) else {
            continue;
        };
        let (first, last) = (zone.date_of(start), zone.last_date_of(start, end));
        let mut past = PastTitle::new(kind, title, first, last);
        for component in components {
            past.add(component);
        }
        titles.push(past);
    }
    titles
}
