//! Maintenances of the public history.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::history::{
    AffectedOverTime, ENTRIES_SHOWN, HistoryDetails, HistoryEntry, HistoryStatus, NamedComponent,
    PageOwner,
};
use allclear_domain::code::Code;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::{MaintenanceId, OrganisationId};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ColumnTrait, Condition, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use super::{affected, any_before, displayed, has_component, links, shortened, updates};
use crate::entity::maintenance::{Column, Entity, Model};
use crate::error::{broken, parse_stored};
use crate::maintenance::{maintenance_from, of};
use crate::statement::{Fetch, RunStatement};
use crate::transaction::Transaction;

/// The maintenances that start in some months, newest first, one more than are shown.
pub(super) async fn entries(
    transaction: &Transaction,
    organisation: &OrganisationId,
    months: &HistoryMonths,
    component: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<Vec<HistoryEntry>, Error> {
    let rows = of_months(organisation, months, component)
        .fetch_all(transaction)
        .await?;
    rows.into_iter()
        .map(|row| {
            let entry = entry_from(row, now)?;
            let summary = shortened(entry.summary);
            Ok(HistoryEntry { summary, ..entry })
        })
        .collect()
}

pub(super) fn of_months(
    organisation: &OrganisationId,
    months: &HistoryMonths,
    component: Option<Uuid>,
) -> Select<Entity> {
    let of_component = component.map(|component| {
        has_component(
            "maintenance_components",
            "maintenance_id",
            "maintenances",
            component,
        )
    });
    of(organisation)
        .filter(Column::StartAt.gte(months.start_at))
        .filter(Column::StartAt.lt(months.end_at))
        .filter(Condition::all().add_option(of_component))
        .order_by_desc(Column::StartAt)
        .limit(ENTRIES_SHOWN + 1)
}

/// Selects a maintenance that started before a time, if there is one.
pub(super) fn before(organisation: &OrganisationId, start_at: DateTime<Utc>) -> SelectStatement {
    any_before("maintenances", "start_at", organisation, start_at)
}

pub(super) fn of_code(organisation: &OrganisationId, code: Code) -> Select<Entity> {
    of(organisation).filter(Column::Code.eq(code.as_str()))
}

fn entry_from(row: Model, now: DateTime<Utc>) -> Result<HistoryEntry, Error> {
    let maintenance = maintenance_from(row, Vec::new())?;
    Ok(HistoryEntry {
        code: maintenance.id.code(),
        status: HistoryStatus::Maintenance(maintenance.status(now)),
        title: maintenance.title,
        summary: maintenance.description,
        start_at: maintenance.start_at,
        end_at: maintenance.end_at,
    })
}

/// A maintenance with everything that belongs to it.
pub(super) async fn details(
    transaction: &Transaction,
    owner: PageOwner,
    code: Code,
    now: DateTime<Utc>,
) -> Result<Option<HistoryDetails>, Error> {
    let found = of_code(&owner.id, code).fetch_one(transaction).await;
    let Some(row) = found? else {
        return Ok(None);
    };
    let (updates, updates_truncated) = displayed(transaction, &timeline(row.id)).await?;
    let linked = transaction.fetch_rows(&components(row.id)).await?;
    let linked = linked
        .iter()
        .map(|row| {
            let (id, code, name): (_, String, _) = row.try_get_many_by_index().map_err(broken)?;
            let code = parse_stored(&code)?;
            let affected = AffectedOverTime {
                component: NamedComponent {
                    code,
                    name,
                    group: None,
                },
                has_namesake: false,
                impact: None,
                periods: Vec::new(),
            };
            Ok((id, affected))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let (components, components_truncated) =
        affected(transaction, &owner.id, linked, HashMap::new()).await?;
    Ok(Some(HistoryDetails {
        owner,
        description_code: MaintenanceId(row.id).statuspage_entry_code("description"),
        updated_at: row.updated_at,
        entry: entry_from(row, now)?,
        review: None,
        updates,
        updates_truncated,
        components,
        components_truncated,
    }))
}

pub(super) fn timeline(id: Uuid) -> SelectStatement {
    updates("maintenance_updates", "maintenance_id", id)
}

pub(super) fn components(id: Uuid) -> SelectStatement {
    links("maintenance_components", "maintenance_id", id, &[])
}
