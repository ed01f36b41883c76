//! The dashboard.

use allclear_application::audit::AuditItem;
use allclear_application::component::ComponentReport;
use allclear_application::dashboard::{
    AHEAD, CHANGES, DashboardReport, DashboardStore, MAX_ITEMS, ShownChanges, SubscriberCounts,
};
use allclear_application::error::Error;
use allclear_application::incident::IncidentReport;
use allclear_application::maintenance::MaintenanceReport;
use allclear_application::status_page::Snapshot;
use allclear_application::status_page::size::LIST_TIMELINE_BYTES;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::OrganisationId;
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
use crate::{audit, delivery as deliveries, incident, maintenance};

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
                let counts = deliveries::counts(transaction, id.clone(), failed_since).await?;
                let changes = audit::newest(&id, shown, CHANGES)
                    .fetch_all(transaction)
                    .await?;
                Ok(Some(DashboardReport {
                    banner,
                    incidents: open_incidents(transaction, &id).await?,
                    components: affected(components),
                    maintenances: maintenances(transaction, &id, now).await?,
                    subscribers: subscribers(transaction, &id).await?,
                    waiting: counts.waiting,
                    failed: counts.given_up,
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
