//! The dashboard.

use std::collections::HashMap;

use allclear_application::audit::AuditItem;
use allclear_application::component::ComponentReport;
use allclear_application::dashboard::{
    AHEAD, CHANGES, DashboardReport, DashboardStore, MAX_ITEMS, OpenImpact, ShownChanges,
    SubscriberCounts,
};
use allclear_application::error::Error;
use allclear_application::incident::IncidentReport;
use allclear_application::maintenance::MaintenanceReport;
use allclear_application::status_page::Snapshot;
use allclear_application::status_page::size::LIST_TIMELINE_BYTES;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::subscriber::SubscriberStatus;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use crate::database::Database;
use crate::entity::{self, subscriber};
use crate::error::parse_stored;
use crate::maintenance::component::UnderMaintenance;
use crate::statement::Fetch;
use crate::status_page::in_page_order;
use crate::transaction::Transaction;
use crate::{audit, batch, delivery as deliveries, incident, maintenance};

#[async_trait]
impl DashboardStore for Database {
    async fn dashboard(
        &self,
        organisation: &OrganisationId,
        shown: ShownChanges,
        now: DateTime<Utc>,
        failed_since: DateTime<Utc>,
    ) -> Result<Option<DashboardReport>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let organisation = entity::organisation::Entity::find_by_id(id.as_str());
                if organisation.fetch_one(transaction).await?.is_none() {
                    return Ok(None);
                }
                let maintained = UnderMaintenance::read(transaction, &id, now).await?;
                let (_, components) = in_page_order(transaction, &id, &maintained).await?;
                let banner = Snapshot::banner(&components);
                let (waiting, failed) =
                    deliveries::waiting_and_given_up(transaction, &id, failed_since).await?;
                let changes = audit::newest(&id, shown, CHANGES)
                    .fetch_all(transaction)
                    .await?;
                let incidents = open_incidents(transaction, &id).await?;
                let components = affected(components);
                Ok(Some(DashboardReport {
                    banner,
                    impacts: impacts(transaction, &incidents, &components).await?,
                    incidents,
                    components,
                    maintenances: maintenances(transaction, &id, now).await?,
                    subscribers: subscribers(transaction, &id).await?,
                    waiting,
                    failed,
                    changes: changes
                        .into_iter()
                        .map(AuditItem::try_from)
                        .collect::<Result<_, _>>()?,
                }))
            })
        })
        .await
    }
}

/// The components that are not operational or are under maintenance.
fn affected(mut components: Vec<ComponentReport>) -> Vec<ComponentReport> {
    components.retain(|report| {
        report.under_maintenance || report.component.status != ComponentStatus::Operational
    });
    components
}

async fn open_incidents(
    transaction: &Transaction,
    organisation: &OrganisationId,
) -> Result<Vec<IncidentReport>, Error> {
    use entity::incident::{Column, Entity};
    let mut shown = incident::public::open_ids(transaction, organisation).await?;
    shown.truncate(MAX_ITEMS);
    let rows = Entity::find()
        .filter(incident::by_ids(shown.into_iter()))
        .order_by_desc(Column::Id)
        .fetch_all(transaction)
        .await?;
    incident::reports(transaction, rows).await
}

/// For each component, the newest of these incidents that affects it.
async fn impacts(
    transaction: &Transaction,
    incidents: &[IncidentReport],
    components: &[ComponentReport],
) -> Result<Vec<OpenImpact>, Error> {
    use entity::incident_component::{Column, Entity};
    if incidents.is_empty() || components.is_empty() {
        return Ok(Vec::new());
    }
    let open: Vec<Uuid> = incidents
        .iter()
        .map(|report| report.incident.id.0)
        .collect();
    // The limits of the installation bound how many components open incidents have together.
    let mut links = Vec::new();
    for open in batch::of_keys(&open) {
        let mut found: Vec<(Uuid, Uuid)> = Entity::find()
            .filter(Column::IncidentId.is_in(open))
            .select_only()
            .columns([Column::IncidentId, Column::ComponentId])
            .into_tuple()
            .fetch_all(transaction)
            .await?;
        links.append(&mut found);
    }
    links.sort_unstable();
    let newest: HashMap<_, _> = links
        .into_iter()
        .map(|(incident, component)| (component, IncidentId(incident)))
        .collect();
    let impact = |report: &ComponentReport| {
        let component = report.component.id;
        let incident = *newest.get(&component.0)?;
        Some(OpenImpact {
            component,
            incident,
        })
    };
    Ok(components.iter().filter_map(impact).collect())
}

async fn maintenances(
    transaction: &Transaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<Vec<MaintenanceReport>, Error> {
    use entity::maintenance::{Column, Entity};
    // Without a condition on the start and an order, for which databases would search an index of
    // past maintenances, too.
    let mut ahead: Vec<(DateTime<Utc>, Uuid)> = maintenance::public::not_over(organisation, now)
        .filter(Column::CancelledAt.is_null())
        .select_only()
        .columns([Column::StartAt, Column::Id])
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    ahead.retain(|(start_at, _)| *start_at <= now + AHEAD);
    ahead.sort_unstable();
    ahead.truncate(MAX_ITEMS);
    let shown = ahead.into_iter().map(|(_, id)| id);
    let mut rows = Entity::find()
        .filter(Column::Id.is_in(shown))
        .fetch_all(transaction)
        .await?;
    rows.sort_unstable_by_key(|row| (row.start_at, row.id));
    maintenance::reports(transaction, rows, LIST_TIMELINE_BYTES, now).await
}

async fn subscribers(
    transaction: &Transaction,
    organisation: &OrganisationId,
) -> Result<SubscriberCounts, Error> {
    let by_status: Vec<(String, i64)> = subscribers_by_status(organisation)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    let failing: Option<i64> = failing(organisation)
        .into_tuple()
        .fetch_one(transaction)
        .await?;
    let number = |count: i64| u64::try_from(count).unwrap_or(0);
    let mut counts = SubscriberCounts {
        failing: failing.map_or(0, number),
        ..SubscriberCounts::default()
    };
    for (status, count) in by_status {
        counts.total += number(count);
        match parse_stored(&status)? {
            SubscriberStatus::Subscribed => counts.subscribed += number(count),
            SubscriberStatus::Pending => counts.pending += number(count),
            SubscriberStatus::Unsubscribed => {}
        }
    }
    Ok(counts)
}

/// The number of subscribers of each status.
fn subscribers_by_status(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscriber::Entity::find()
        .select_only()
        .column(subscriber::Column::Status)
        .column_as(subscriber::Column::Id.count(), "count")
        .filter(subscriber::Column::OrganisationId.eq(organisation.as_str()))
        .group_by(subscriber::Column::Status)
}

/// The number of subscribers that messages do not reach.
fn failing(organisation: &OrganisationId) -> Select<subscriber::Entity> {
    subscriber::Entity::find()
        .select_only()
        .column_as(subscriber::Column::Id.count(), "count")
        .filter(subscriber::Column::OrganisationId.eq(organisation.as_str()))
        .filter(subscriber::Column::FailingSince.is_not_null())
}

#[cfg(test)]
mod query_plan_tests;
