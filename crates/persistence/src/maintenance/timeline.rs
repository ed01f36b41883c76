//! Timelines of maintenances.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::maintenance::MaintenanceTimelineEntry;
use sea_orm::{ConnectionTrait, FromQueryResult};
use uuid::Uuid;

use crate::entity::maintenance_update::Model;
use crate::error::broken;
use crate::run::RunStatement;
use crate::timeline::{MAX_TIMELINES_PER_READ, Selected, Timeline, UpdateTable, columns_of};

/// The updates of maintenances.
pub(crate) const UPDATES: UpdateTable = UpdateTable {
    name: "maintenance_updates",
    parent: "maintenance_id",
    parents: "maintenances",
};

/// Columns of an update.
pub(crate) fn columns() -> Vec<Selected> {
    columns_of(
        UPDATES.name,
        &[
            "maintenance_id",
            "id",
            "status",
            "message",
            "user_id",
            "user_name",
            "created_at",
            "version",
            "display_at",
            "edited_at",
        ],
    )
}

/// Returns the timelines of maintenances; a maintenance without updates has none.
pub(crate) async fn of(
    connection: &impl ConnectionTrait,
    maintenances: &[Uuid],
) -> Result<HashMap<Uuid, Timeline<MaintenanceTimelineEntry>>, Error> {
    let mut timelines: HashMap<Uuid, Timeline<MaintenanceTimelineEntry>> = HashMap::new();
    for some in maintenances.chunks(MAX_TIMELINES_PER_READ) {
        let backend = connection.get_database_backend();
        let query = UPDATES.newest(backend, some.iter().copied(), &columns());
        for row in connection.fetch_rows(&query).await? {
            let row = Model::from_query_result(&row, "").map_err(broken)?;
            let entry = MaintenanceTimelineEntry::from(&super::update::update(row)?);
            let maintenance = entry.maintenance_id.parse().map_err(Error::internal)?;
            timelines.entry(maintenance).or_default().push(entry);
        }
    }
    Ok(timelines)
}
