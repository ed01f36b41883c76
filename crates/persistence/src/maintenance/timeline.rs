//! Timelines of maintenances.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::maintenance::MaintenanceTimelineEntry;
use allclear_domain::id::MaintenanceUpdateId;
use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, FromQueryResult};
use uuid::Uuid;

use crate::error::{broken, parse_stored};
use crate::statement::RunStatement;
use crate::timeline::{Selected, Timeline, UpdateTable, columns_of};

/// The updates of maintenances.
pub(crate) const UPDATES: UpdateTable = UpdateTable {
    name: "maintenance_updates",
    parent: "maintenance_id",
    parents: "maintenances",
};

/// Columns of a timeline's entry.
pub(crate) fn columns() -> Vec<Selected> {
    columns_of(
        UPDATES.name,
        &[
            "maintenance_id",
            "id",
            "status",
            "message",
            "created_at",
            "display_at",
        ],
    )
}

#[derive(FromQueryResult)]
struct Row {
    maintenance_id: Uuid,
    id: Uuid,
    status: String,
    message: String,
    created_at: DateTime<Utc>,
    display_at: DateTime<Utc>,
}

/// Returns the timelines of maintenances; a maintenance without updates has none.
pub(super) async fn of(
    connection: &impl ConnectionTrait,
    maintenances: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Timeline<MaintenanceTimelineEntry>>, Error> {
    let query = UPDATES.newest(connection.get_database_backend(), maintenances, &columns());
    let rows = connection.fetch_rows(&query).await?;
    let mut timelines: HashMap<_, Timeline<_>> = HashMap::new();
    for row in rows {
        let row = Row::from_query_result(&row, "").map_err(broken)?;
        let entry = MaintenanceTimelineEntry {
            id: row.id.to_string(),
            code: MaintenanceUpdateId(row.id).code().to_string(),
            maintenance_id: row.maintenance_id.to_string(),
            status: parse_stored(&row.status)?,
            message: row.message,
            created_at: row.created_at,
            display_at: row.display_at,
        };
        timelines.entry(row.maintenance_id).or_default().push(entry);
    }
    Ok(timelines)
}
