//! Timelines of incidents.

use allclear_application::error::Error;
use allclear_application::status_page::incident::IncidentTimelineEntry;
use allclear_domain::id::{IncidentId, IncidentUpdateId};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::error::parse_stored;
use crate::timeline::{EntryRow, Timeline, Timelines, UpdateTable};

/// The updates of incidents.
pub(crate) const UPDATES: UpdateTable = UpdateTable {
    name: "incident_updates",
    parent: "incident_id",
    parents: "incidents",
};

impl TryFrom<EntryRow> for IncidentTimelineEntry {
    type Error = Error;

    fn try_from(row: EntryRow) -> Result<Self, Error> {
        Ok(Self {
            id: row.id.to_string(),
            code: IncidentUpdateId(row.id).code().to_string(),
            incident_id: row.parent.to_string(),
            status: parse_stored(&row.status)?,
            message: row.message,
            created_at: row.created_at,
            display_at: row.display_at,
        })
    }
}

/// Reads the timelines of incidents.
pub(super) async fn of(
    connection: &impl ConnectionTrait,
    incidents: impl IntoIterator<Item = Uuid>,
) -> Result<Timelines<IncidentTimelineEntry>, Error> {
    UPDATES.read(connection, incidents).await
}

/// Reads the timeline of an incident.
pub(super) async fn of_one(
    connection: &impl ConnectionTrait,
    id: IncidentId,
) -> Result<Timeline<IncidentTimelineEntry>, Error> {
    Ok(of(connection, [id.0]).await?.take(id.0))
}
