//! Maintenances with their entries.

use std::collections::{BTreeSet, HashMap};

use allclear_application::error::Error;
use allclear_application::statuspage_api::{LISTED, MaintenanceRecord, OPEN_LISTED};
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_domain::maintenance::SHOWN_AFTER_END;
use allclear_domain::rollup::PublicStatus;
use allclear_domain::statuspage_entry::{
    MaintainedComponents, StatuspageAffectedComponent, StatuspageEntry,
};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, Value};
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use super::lists::{self, ListBudget, UpdateLists};
use super::{TextBudget, Updates, links, live, read_links};
use crate::affected;
use crate::entity::maintenance::{Column, Entity};
use crate::error::broken;
use crate::maintenance::public::not_over;
use crate::maintenance::{maintenance_from, of, timeline};
use crate::statement::Fetch;
use crate::timeline::MAX_TIMELINES_PER_READ;
use crate::transaction::Transaction;

/// Columns of a maintenance: the components as they were.
const LISTS: [&str; 3] = [
    "affected_at_creation",
    "affected_at_start",
    "affected_at_end",
];

const UPDATES: UpdateLists = UpdateLists {
    table: timeline::UPDATES,
    columns: &[affected::BEFORE],
};

/// The newest maintenances, those that are not over, those that ended last, and the newest that
/// were cancelled; newest first.
pub(super) async fn records(
    transaction: &Transaction,
    organisation: &OrganisationId,
    now: DateTime<Utc>,
) -> Result<Vec<MaintenanceRecord>, Error> {
    let mut ids = BTreeSet::new();
    for selected in [
        newest(organisation),
        newest_cancelled(organisation),
        ahead(organisation, now),
        ended_last(organisation, now),
    ] {
        let found: Vec<Uuid> = selected.into_tuple().fetch_all(transaction).await?;
        ids.extend(found);
    }
    // Identifiers are in the order of creation.
    let ids: Vec<_> = ids.into_iter().rev().collect();
    let (mut budget, mut lists) = (TextBudget::new(), ListBudget::new());
    let mut records = Vec::with_capacity(ids.len());
    for some in ids.chunks(MAX_TIMELINES_PER_READ) {
        for mut record in read(transaction, some, now, &mut lists).await? {
            budget.fit(&mut record.entries);
            records.push(record);
        }
    }
    Ok(records)
}

pub(super) fn newest(organisation: &OrganisationId) -> Select<Entity> {
    ids(of(organisation).filter(Column::CancelledAt.is_null()))
        .order_by_desc(Column::Id)
        .limit(LISTED as u64)
}

pub(super) fn newest_cancelled(organisation: &OrganisationId) -> Select<Entity> {
    ids(of(organisation).filter(Column::CancelledAt.is_not_null()))
        .order_by_desc(Column::Id)
        .limit(LISTED as u64)
}

/// The maintenances that are not over, the first to end first.
pub(super) fn ahead(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    ids(not_over(organisation, now).filter(Column::CancelledAt.is_null()))
        .order_by_asc(Column::ShownUntil)
        .limit(OPEN_LISTED as u64)
}

/// The feeds begin with the newest entries, also of old maintenances.
pub(super) fn ended_last(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    let ended = of(organisation)
        .filter(Column::CancelledAt.is_null())
        .filter(Column::ShownUntil.lte(now + SHOWN_AFTER_END));
    ids(ended)
        .order_by_desc(Column::ShownUntil)
        .limit(LISTED as u64)
}

fn ids(maintenances: Select<Entity>) -> Select<Entity> {
    maintenances.select_only().column(Column::Id)
}

#[derive(FromQueryResult)]
struct AffectedRow {
    id: Uuid,
    affected_at_creation: Option<String>,
    affected_at_start: Option<String>,
    affected_at_end: Option<String>,
}

impl AffectedRow {
    fn maintained(&self) -> Result<MaintainedComponents, Error> {
        let read = |stored: &Option<String>| affected::read(stored.as_deref());
        let begun = read(&self.affected_at_start)?;
        let ended = read(&self.affected_at_end)?;
        Ok(MaintainedComponents {
            created: read(&self.affected_at_creation)?,
            begun: begun.map(|components| {
                each(components, |component| {
                    component.new_status = during(component.new_status);
                })
            }),
            ended: ended.map(|components| {
                each(components, |component| {
                    component.old_status = during(component.old_status);
                })
            }),
        })
    }
}

/// The status of a component while a maintenance of it is in progress.
fn during(status: PublicStatus) -> PublicStatus {
    status.max(PublicStatus::UnderMaintenance)
}

fn each(
    mut components: Vec<StatuspageAffectedComponent>,
    change: impl Fn(&mut StatuspageAffectedComponent),
) -> Vec<StatuspageAffectedComponent> {
    components.iter_mut().for_each(change);
    components
}

async fn read(
    transaction: &Transaction,
    ids: &[Uuid],
    now: DateTime<Utc>,
    budget: &mut ListBudget,
) -> Result<Vec<MaintenanceRecord>, Error> {
    let rows = Entity::find()
        .filter(Column::Id.is_in(ids.iter().copied()))
        .order_by_desc(Column::Id)
        .fetch_all(transaction)
        .await?;
    let mut maintained = HashMap::new();
    for row in lists::read(transaction, "maintenances", &LISTS, ids, budget).await? {
        let row = AffectedRow::from_query_result(&row, "").map_err(broken)?;
        maintained.insert(row.id, row.maintained()?);
    }
    let mut updates = Updates::read(transaction, UPDATES, ids, budget).await?;
    let no_status = Expr::val(Value::String(None));
    let links = links("maintenance_components", "maintenance_id", ids, no_status);
    let mut links = read_links(transaction, &links).await?;
    rows.into_iter()
        .map(|row| {
            let id = row.id;
            let links = links.remove(&id).unwrap_or_default();
            let all = links.iter().map(|link| ComponentId(link.component_id));
            let maintenance = maintenance_from(row, all.collect())?;
            let mut updates = updates.take(id);
            for update in &mut updates {
                let in_progress = (maintenance.start_at..=maintenance.end_at.unwrap_or(now))
                    .contains(&update.display_at);
                for component in update.affected.iter_mut().flatten().filter(|_| in_progress) {
                    component.old_status = during(component.old_status);
                    component.new_status = during(component.new_status);
                }
            }
            let maintained = maintained.remove(&id).unwrap_or_default();
            Ok(MaintenanceRecord {
                components: live(&links),
                status: maintenance.status(now),
                entries: StatuspageEntry::all_of_maintenance(
                    &maintenance,
                    maintained,
                    updates,
                    now,
                ),
                maintenance,
            })
        })
        .collect()
}
