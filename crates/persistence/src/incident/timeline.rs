//! Timelines of incidents.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::public::incident::IncidentTimelineEntry;
use allclear_domain::id::IncidentUpdateId;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{Condition, ConnectionTrait, DbBackend, FromQueryResult, JoinType, Order};
use uuid::Uuid;

use crate::entity::incident;
use crate::entity::incident_update::{Column, Entity, Model};
use crate::error::{broken, parse_stored};
use crate::timeline::{FIRST_TIME, READ, Selected, Timeline, columns_of};

/// Columns of a timeline's entry.
pub(crate) fn columns() -> Vec<Selected> {
    columns_of(
        "incident_updates",
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

/// Returns the timelines of the incidents that meet a condition; an incident without updates has none.
pub(super) async fn of(
    connection: &impl ConnectionTrait,
    incidents: Condition,
) -> Result<HashMap<Uuid, Timeline<IncidentTimelineEntry>>, Error> {
    let rows = connection
        .query_all(&newest(
            connection.get_database_backend(),
            incidents,
            &columns(),
        ))
        .await
        .map_err(broken)?;
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

/// Converts a stored update to a timeline entry.
pub(super) fn entry(row: Model) -> Result<IncidentTimelineEntry, Error> {
    Ok(IncidentTimelineEntry {
        id: row.id.to_string(),
        code: IncidentUpdateId(row.id).code().to_string(),
        incident_id: row.incident_id.to_string(),
        status: parse_stored(&row.status)?,
        message: row.message,
        created_at: row.created_at,
        display_at: row.display_at,
    })
}

/// Selects columns of the newest updates of each incident, newest first, without reading older ones.
pub(crate) fn newest(
    backend: DbBackend,
    incidents: Condition,
    columns: &[Selected],
) -> SelectStatement {
    match backend {
        DbBackend::Sqlite => from_the_first_shown(incidents, columns),
        _ => each_incident_by_itself(incidents, columns),
    }
}

/// By a lateral join, which PostgreSQL must execute incident by incident. With other joins it reads every update if it expects
/// many incidents.
fn each_incident_by_itself(incidents: Condition, columns: &[Selected]) -> SelectStatement {
    let shown = Alias::new("shown");
    let mut entries = Query::select()
        .from(Entity)
        .and_where(
            Expr::col((Entity, Column::IncidentId))
                .equals((incident::Entity, incident::Column::Id)),
        )
        .order_by((Entity, Column::DisplayAt), Order::Desc)
        .order_by((Entity, Column::Id), Order::Desc)
        .limit(READ)
        .take();
    for (name, column) in columns {
        entries.expr_as(column.clone(), *name);
    }
    Query::select()
        .columns(columns.iter().map(|(name, _)| (shown.clone(), *name)))
        .from(incident::Entity)
        .join_lateral(JoinType::InnerJoin, entries, shown.clone(), Expr::val(true))
        .cond_where(incidents)
        .order_by((shown.clone(), Column::DisplayAt), Order::Desc)
        .order_by((shown, Column::Id), Order::Desc)
        .take()
}

/// By the time of the oldest update shown, found in the index for each incident: SQLite has no lateral joins. Older updates with
/// the same time are read too, and left out by [`Timeline::push`].
fn from_the_first_shown(incidents: Condition, columns: &[Selected]) -> SelectStatement {
    let older = Alias::new("older");
    let first = Query::select()
        .column((older.clone(), Column::DisplayAt))
        .from_as(Entity, older.clone())
        .and_where(
            Expr::col((older.clone(), Column::IncidentId))
                .equals((incident::Entity, incident::Column::Id)),
        )
        .order_by((older.clone(), Column::DisplayAt), Order::Desc)
        .order_by((older, Column::Id), Order::Desc)
        .limit(1)
        .offset(READ - 1)
        .take();
    let first = Func::coalesce([Expr::from(first), Expr::val(FIRST_TIME)]);
    let of_the_incident =
        Expr::col((Entity, Column::IncidentId)).equals((incident::Entity, incident::Column::Id));
    let shown = Expr::col((Entity, Column::DisplayAt)).gte(first);
    let mut query = Query::select()
        .from(incident::Entity)
        .inner_join(Entity, Condition::all().add(of_the_incident).add(shown))
        .cond_where(incidents)
        .order_by((Entity, Column::DisplayAt), Order::Desc)
        .order_by((Entity, Column::Id), Order::Desc)
        .take();
    for (name, column) in columns {
        query.expr_as(column.clone(), *name);
    }
    query
}
