//! Timelines of incidents.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::status_page::incident::IncidentTimelineEntry;
use allclear_domain::id::IncidentUpdateId;
use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, FromQueryResult};
use uuid::Uuid;

use crate::error::{broken, parse_stored};
use crate::statement::RunStatement;
use crate::timeline::{Selected, Timeline, UpdateTable, columns_of};

/// The updates of incidents.
pub(crate) const UPDATES: UpdateTable = UpdateTable {
    name: "incident_updates",
    parent: "incident_id",
    parents: "incidents",
};

/// Columns of a timeline's entry. An update has more, but every write of an outage
/// reads a timeline.
pub(crate) fn columns() -> Vec<Selected> {
    columns_of(
        UPDATES.name,
        &[
            "incident_id",
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
    incident_id: Uuid,
    id: Uuid,
    status: String,
    message: String,
    created_at: DateTime<Utc>,
    display_at: DateTime<Utc>,
}

/// Returns the timelines of incidents; an incident without updates has none.
pub(super) async fn of(
    connection: &impl ConnectionTrait,
    incidents: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Timeline<IncidentTimelineEntry>>, Error> {
    let query = UPDATES.newest(connection.get_database_backend(), incidents, &columns());
    let rows = connection.fetch_rows(&query).await?;
    let mut timelines: HashMap<_, Timeline<_>> = HashMap::new();
    for row in rows {
        let row = Row::from_query_result(&row, "").map_err(broken)?;
        let entry = IncidentTimelineEntry {
            id: row.id.to_string(),
            code: IncidentUpdateId(row.id).code().to_string(),
            incident_id: row.incident_id.to_string(),
            status: parse_stored(&row.status)?,
            message: row.message,
            created_at: row.created_at,
            display_at: row.display_at,
        };
        timelines.entry(row.incident_id).or_default().push(entry);
    }
    Ok(timelines)
}
