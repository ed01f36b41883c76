//! Completes what nodes of 0.1 stored beside newer ones, raises the revisions of copies that 0.1
//! made, and finds daily counts by day.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::code;
use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tables whose `code` 0.1 does not know.
const WITH_CODE: [&str; 4] = ["organisations", "components", "incidents", "maintenances"];
/// Tables whose `display_at` 0.1 does not know.
const WITH_DISPLAY_TIME: [&str; 2] = ["incident_updates", "maintenance_updates"];

/// 0.1 does not mark its copies. Clients of a restored one may have seen later revisions, so
/// revisions jump as for a marked copy.
const RAISE_REVISIONS: [&str; 2] = [
    "DELETE FROM outbox",
    "UPDATE organisations SET revision = revision + 4294967296",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for table in WITH_CODE {
            code::fill(connection, table).await?;
            drop_default(connection, table, "code").await?;
        }
        for table in WITH_DISPLAY_TIME {
            let update = format!(
                "UPDATE {table} SET display_at = created_at WHERE display_at = '1970-01-01T00:00:00+00:00'"
            );
            connection.execute_unprepared(&update).await?;
            drop_default(connection, table, "display_at").await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            for statement in RAISE_REVISIONS {
                connection.execute_unprepared(statement).await?;
            }
        }
        let by_day = index("delivery_counts_by_day", "delivery_counts", &["day"]);
        manager.create_index(by_day).await
    }
}

/// Makes inserts by nodes of 0.1 fail, because a default is wrong for every row. An SQLite database
/// has one node.
async fn drop_default(
    connection: &SchemaManagerConnection<'_>,
    table: &str,
    column: &str,
) -> Result<(), DbErr> {
    if connection.get_database_backend() == DbBackend::Postgres {
        let alter = format!("ALTER TABLE {table} ALTER COLUMN {column} DROP DEFAULT");
        connection.execute_unprepared(&alter).await?;
    }
    Ok(())
}
