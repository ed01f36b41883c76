//! Timelines of maintenances.

use allclear_application::error::Error;
use allclear_application::status_page::maintenance::MaintenanceTimelineEntry;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::error::parse_stored;
use crate::timeline::{EntryRow, Timeline, Timelines, UpdateTable};

/// The updates of maintenances.
pub(crate) const UPDATES: UpdateTable = UpdateTable {
    name: "maintenance_updates",
    parent: "maintenance_id",
    parents: "maintenances",
};

impl TryFrom<EntryRow> for MaintenanceTimelineEntry {
    type Error = Error;

    fn try_from(row: EntryRow) -> Result<Self, Error> {
        Ok(Self {
            id: row.id.to_string(),
            code: MaintenanceUpdateId(row.id).code().to_string(),
            maintenance_id: row.parent.to_string(),
            status: parse_stored(&row.status)?,
            message: row.message,
            created_at: row.created_at,
            display_at: row.display_at,
        })
    }
}

/// Reads the timelines of maintenances.
pub(super) async fn of(
    connection: &impl ConnectionTrait,
    maintenances: impl IntoIterator<Item = Uuid>,
) -> Result<Timelines<MaintenanceTimelineEntry>, Error> {
    UPDATES.read(connection, maintenances).await
}

/// Reads the timeline of a maintenance.
pub(super) async fn of_one(
    connection: &impl ConnectionTrait,
    id: MaintenanceId,
) -> Result<Timeline<MaintenanceTimelineEntry>, Error> {
    Ok(of(connection, [id.0]).await?.take(id.0))
}
