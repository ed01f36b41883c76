//! Ends the periods of deleted components, and has indexes of expanded notices alone and of
//! cancelled maintenances.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A period that would be empty is removed.
const REMOVE_EMPTY: &str = "DELETE FROM component_periods WHERE end_at IS NULL AND EXISTS (SELECT 1 FROM components \
     WHERE components.id = component_periods.component_id AND components.deleted_at <= component_periods.start_at)";

/// The deletion of a component ends the period that lasts. A node of an earlier version that still
/// runs may leave another one.
const END_LASTING: &str = "UPDATE component_periods SET end_at = (SELECT components.deleted_at FROM components \
     WHERE components.id = component_periods.component_id) WHERE end_at IS NULL \
     AND component_id IN (SELECT id FROM components WHERE deleted_at IS NOT NULL)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared(REMOVE_EMPTY).await?;
        connection.execute_unprepared(END_LASTING).await?;
        // With all notices in this index, SQLite would use it instead of the index of notices
        // to expand.
        let name = "notices_by_expansion";
        manager
            .drop_index(Index::drop().name(name).to_owned())
            .await?;
        let expanded = index(name, "notices", &["expanded_at"])
            .cond_where(Expr::col("expanded_at").is_not_null())
            .to_owned();
        manager.create_index(expanded).await?;
        let columns = ["organisation_id", "id"];
        let cancelled = index("cancelled_maintenances", "maintenances", &columns)
            .cond_where(Expr::col("cancelled_at").is_not_null())
            .to_owned();
        manager.create_index(cancelled).await
    }
}
