//! Timelines of maintenances.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::public::maintenance::MaintenanceTimelineEntry;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{Condition, ConnectionTrait, DbBackend, FromQueryResult, JoinType, Order};
use uuid::Uuid;

use crate::entity::maintenance;
use crate::entity::maintenance_update::{Column, Entity, Model};
use crate::error::broken;
use crate::run::RunStatement;
use crate::timeline::{FIRST_TIME, MAX_TIMELINES_PER_READ, READ, Selected, Timeline, columns_of};

/// Columns of an update.
pub(crate) fn columns() -> Vec<Selected> {
    columns_of(
        "maintenance_updates",
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
        let query = newest(connection.get_database_backend(), some, &columns());
        for row in connection.fetch_rows(&query).await? {
            let row = Model::from_query_result(&row, "").map_err(broken)?;
            let entry = MaintenanceTimelineEntry::from(&super::update::update(row)?);
            let maintenance = entry.maintenance_id.parse().map_err(Error::internal)?;
            timelines.entry(maintenance).or_default().push(entry);
        }
    }
    Ok(timelines)
}

/// Selects columns of the newest updates of each maintenance, newest first, without reading older ones.
pub(crate) fn newest(
    backend: DbBackend,
    maintenances: &[Uuid],
    columns: &[Selected],
) -> SelectStatement {
    // By a list of identifiers: with a subquery, PostgreSQL reads every update if it expects many maintenances.
    let named = Expr::col((maintenance::Entity, maintenance::Column::Id))
        .is_in(maintenances.iter().copied());
    match backend {
        DbBackend::Sqlite => from_the_first_shown(named, columns),
        _ => each_maintenance_by_itself(named, columns),
    }
}

/// By a lateral join, which PostgreSQL must execute maintenance by maintenance.
fn each_maintenance_by_itself(named: Expr, columns: &[Selected]) -> SelectStatement {
    let shown = Alias::new("shown");
    let mut entries = Query::select()
        .from(Entity)
        .and_where(
            Expr::col((Entity, Column::MaintenanceId))
                .equals((maintenance::Entity, maintenance::Column::Id)),
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
        .from(maintenance::Entity)
        .join_lateral(JoinType::InnerJoin, entries, shown.clone(), Expr::val(true))
        .and_where(named)
        .order_by((shown.clone(), Column::DisplayAt), Order::Desc)
        .order_by((shown, Column::Id), Order::Desc)
        .take()
}

/// By the time of the oldest update shown, found in the index for each maintenance: SQLite has no lateral joins. Older updates with
/// the same time are read too, and left out by [`Timeline::push`].
fn from_the_first_shown(named: Expr, columns: &[Selected]) -> SelectStatement {
    let older = Alias::new("older");
    let parent = (maintenance::Entity, maintenance::Column::Id);
    let first = Query::select()
        .column((older.clone(), Column::DisplayAt))
        .from_as(Entity, older.clone())
        .and_where(Expr::col((older.clone(), Column::MaintenanceId)).equals(parent))
        .order_by((older.clone(), Column::DisplayAt), Order::Desc)
        .order_by((older, Column::Id), Order::Desc)
        .limit(1)
        .offset(READ - 1)
        .take();
    let first = Func::coalesce([Expr::from(first), Expr::val(FIRST_TIME)]);
    let of_the_maintenance = Expr::col((Entity, Column::MaintenanceId)).equals(parent);
    let shown = Expr::col((Entity, Column::DisplayAt)).gte(first);
    let mut query = Query::select()
        .from(maintenance::Entity)
        .inner_join(Entity, Condition::all().add(of_the_maintenance).add(shown))
        .and_where(named)
        .order_by((Entity, Column::DisplayAt), Order::Desc)
        .order_by((Entity, Column::Id), Order::Desc)
        .take();
    for (name, column) in columns {
        query.expr_as(column.clone(), *name);
    }
    query
}
