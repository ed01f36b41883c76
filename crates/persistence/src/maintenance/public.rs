//! Maintenances as the public sees them.

use std::cmp::Reverse;

use allclear_application::error::Error;
use allclear_application::status_page::maintenance::{MaintenanceTimelineEntry, PublicMaintenance};
use allclear_application::status_page::size::{
    Budget, EVENT_BYTES, LIST_TIMELINE_BYTES, OPEN_SHOWN, PAGE_BYTES, PAST_SHOWN, WithTimeline,
};
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance::SHOWN_AFTER_END;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use super::report::{reports, some_reports};
use super::{of, update};
use crate::entity::maintenance::{Column, Entity};
use crate::statement::Fetch;
use crate::timeline::MAX_TIMELINES_PER_READ;
use crate::transaction::Transaction;

/// The maintenances on a status page, newest first. Of those that have not ended, the first to end.
pub(crate) async fn list_for_page(
    transaction: &Transaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<Vec<PublicMaintenance>, Error> {
    let mut ahead: Vec<Uuid> = not_over(organisation, now)
        .select_only()
        .column(Column::Id)
        .order_by_asc(Column::ShownUntil)
        .limit(OPEN_SHOWN as u64)
        .into_tuple()
        .fetch_all(transaction)
        .await?;
    ahead.sort_unstable_by_key(|id| Reverse(*id));
    let past = newest_over(organisation, now)
        .fetch_all(transaction)
        .await?;
    let (mut budget, mut read) = (Budget::new(PAGE_BYTES), Budget::new(PAGE_BYTES));
    let mut shown = Vec::with_capacity(ahead.len() + past.len());
    // Some at a time, because their texts may be long.
    for some in ahead.chunks(MAX_TIMELINES_PER_READ) {
        let rows = Entity::find()
            .filter(Column::Id.is_in(some.iter().copied()))
            .order_by_desc(Column::Id)
            .fetch_all(transaction)
            .await?;
        for report in some_reports(transaction, rows, &mut read, now).await? {
            shown.push(budget.show(PublicMaintenance::from(report))?);
        }
    }
    let timelines = MAX_TIMELINES_PER_READ * EVENT_BYTES;
    for report in reports(transaction, past, timelines, now).await? {
        shown.push(PublicMaintenance::from(report).for_past()?);
    }
    shown.sort_unstable_by(|a, b| b.id.cmp(&a.id));
    Ok(shown)
}

/// Maintenances that have not ended. Unordered: for an order, SQLite would use an index through all
/// past maintenances.
pub(crate) fn not_over(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation).filter(Column::ShownUntil.gte(now + SHOWN_AFTER_END))
}

/// The maintenances that ended last, as many as the status page shows.
pub(super) fn newest_over(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation)
        .filter(Column::ShownUntil.gte(now))
        .filter(Column::ShownUntil.lt(now + SHOWN_AFTER_END))
        .order_by_desc(Column::ShownUntil)
        .limit(PAST_SHOWN)
}

/// A maintenance that an event names.
pub(crate) async fn find_public(
    transaction: &Transaction,
    id: MaintenanceId,
    now: DateTime<Utc>,
) -> Result<PublicMaintenance, Error> {
    let row = Entity::find_by_id(id.0).fetch_one(transaction).await?;
    let rows = Vec::from_iter(row);
    let report = reports(transaction, rows, LIST_TIMELINE_BYTES, now)
        .await?
        .pop();
    let missing = || {
        Error::internal(format!(
            "an event names maintenance {id}, which is not stored"
        ))
    };
    report.map(PublicMaintenance::from).ok_or_else(missing)
}

/// A timeline entry that an event names.
pub(crate) async fn find_public_entry(
    transaction: &Transaction,
    maintenance: MaintenanceId,
    id: MaintenanceUpdateId,
) -> Result<MaintenanceTimelineEntry, Error> {
    let found = update::find(transaction, maintenance, id).await?;
    let missing = || {
        Error::internal(format!(
            "an event names update {id} of maintenance {maintenance}, which is not stored"
        ))
    };
    found
        .as_ref()
        .map(MaintenanceTimelineEntry::from)
        .ok_or_else(missing)
}
