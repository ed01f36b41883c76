//! Migration of the schema at every start. A schema of a newer version is left unchanged.

use allclear_migrations::Migrator;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, EntityTrait,
    IsolationLevel, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::{MigratorTrait, SchemaManager, seaql_migrations};

/// PostgreSQL's advisory lock of migrations: "allclear" in ASCII.
const MIGRATION_LOCK: i64 = i64::from_be_bytes(*b"allclear");

/// Applies missing migrations, all in one transaction: an upgrade that fails changes nothing. Of several nodes that
/// start on PostgreSQL, one applies them and the others wait.
pub(crate) async fn bring_up_to_date(connection: &DatabaseConnection) -> Result<(), DbErr> {
    let is_postgresql = connection.get_database_backend() == DbBackend::Postgres;
    let options = TransactionOptions {
        // What another node applied while this one waited for the lock is visible.
        isolation_level: is_postgresql.then_some(IsolationLevel::ReadCommitted),
        // Another process's write is waited for.
        sqlite_transaction_mode: (!is_postgresql).then_some(SqliteTransactionMode::Immediate),
        access_mode: None,
    };
    let upgrade = connection.begin_with_options(options).await?;
    if is_postgresql {
        upgrade
            .execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            .await?;
    }
    refuse_newer(&upgrade).await?;
    Migrator::up(&upgrade, None).await?;
    upgrade.commit().await
}

async fn refuse_newer(upgrade: &DatabaseTransaction) -> Result<(), DbErr> {
    if !SchemaManager::new(upgrade)
        .has_table("seaql_migrations")
        .await?
    {
        return Ok(());
    }
    let known = Migrator::migrations();
    let taken = seaql_migrations::Entity::find().all(upgrade).await?;
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
