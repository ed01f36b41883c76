//! Migration of the schema at every start. A schema of a newer version is left unchanged.

use allclear_migrations::Migrator;
use sea_orm::{
    ConnectionTrait, Database as Connector, DatabaseConnection, DbErr, EntityTrait,
    TransactionTrait,
};
use sea_orm_migration::{MigratorTrait, SchemaManager, seaql_migrations};

use crate::options::usual;

/// PostgreSQL's advisory lock of migrations: "allclear" in ASCII.
const MIGRATION_LOCK: i64 = i64::from_be_bytes(*b"allclear");

/// Applies missing migrations.
pub(crate) async fn bring_up_to_date(connection: &DatabaseConnection) -> Result<(), DbErr> {
    refuse_newer(connection).await?;
    Migrator::up(connection, None).await
}

/// Applies missing migrations to PostgreSQL. Of several starting nodes, one does it and the others wait.
pub(crate) async fn bring_server_up_to_date(url: &str) -> Result<(), DbErr> {
    let connection = Connector::connect(usual(url)).await?;
    let lock = connection.begin().await?;
    lock.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
        .await?;
    bring_up_to_date(&connection).await?;
    lock.commit().await?;
    connection.close().await
}

async fn refuse_newer(connection: &DatabaseConnection) -> Result<(), DbErr> {
    if !SchemaManager::new(connection)
        .has_table("seaql_migrations")
        .await?
    {
        return Ok(());
    }
    let known = Migrator::migrations();
    let taken = seaql_migrations::Entity::find().all(connection).await?;
    match taken
        .iter()
        .find(|step| known.iter().all(|known| known.name() != step.version))
    {
        Some(step) => Err(DbErr::Migration(format!(
            "a newer version of Allclear has used it (schema step {}); start that version, or a newer one",
            step.version
        ))),
        None => Ok(()),
    }
}
