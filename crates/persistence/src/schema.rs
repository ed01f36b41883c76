//! Migration of the schema at every start. A schema of a newer version is left unchanged.

use std::time::Duration;

use allclear_application::clock::Clock;
use allclear_migrations::{Migrator, NEW_SQLITE};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    EntityTrait, IsolationLevel, SqliteTransactionMode, Statement, TransactionOptions,
    TransactionTrait,
};
use sea_orm_migration::{MigratorTrait, SchemaManager, seaql_migrations};
use tokio::time::sleep;

use crate::error::is_lock_failure;

/// PostgreSQL's advisory lock of migrations: "allclear" in ASCII.
const MIGRATION_LOCK: i64 = i64::from_be_bytes(*b"allclear");

/// How long a migration waits for a lock of PostgreSQL. Statements of running nodes wait behind it;
/// their limit is longer.
const LOCK_TIMEOUT: &str = "2s";
/// How long PostgreSQL waits for the next statement of a migration. Without a limit, the locks of a
/// node that has disappeared would block all other nodes for hours.
const IDLE_TIMEOUT: &str = "1min";
/// Delay before a migration that did not get its locks is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Applies missing migrations, all in one transaction: an upgrade that fails changes nothing. Of
/// several nodes that start on PostgreSQL, one applies them and the others wait. While another
/// program locks a table for long, such as `pg_dump`, the migration is repeated.
pub(crate) async fn bring_up_to_date(
    connection: &DatabaseConnection,
    clock: &dyn Clock,
) -> Result<(), DbErr> {
    while let Err(error) = migrate(connection, clock).await {
        if !is_lock_failure(&error) {
            return Err(error);
        }
        let processes = lock_holders(connection).await?;
        tracing::warn!(
            processes,
            "the migration waits until other programs unlock the tables of the database"
        );
        sleep(RETRY_DELAY).await;
    }
    Ok(())
}

/// Returns the processes of PostgreSQL that have locked tables for longer than a migration waits
/// for them, with the names of their programs.
async fn lock_holders(connection: &DatabaseConnection) -> Result<String, DbErr> {
    // Catalogs have identifiers below 16384. The time of a superuser's transaction, such as
    // pg_dump's, is null to other roles.
    let holders = format!(
        "SELECT coalesce(string_agg(DISTINCT format('%s (%s)', pid, application_name), ', '), '') \
         FROM pg_locks JOIN pg_stat_activity USING (pid) \
         WHERE granted AND relation >= 16384 AND datname = current_database() AND pid <> pg_backend_pid() \
         AND coalesce(xact_start < now() - interval '{LOCK_TIMEOUT}', true)"
    );
    let holders = Statement::from_string(DbBackend::Postgres, holders);
    match connection.query_one_raw(holders).await? {
        Some(row) => row.try_get_by_index(0),
        None => Ok(String::new()),
    }
}

async fn migrate(connection: &DatabaseConnection, clock: &dyn Clock) -> Result<(), DbErr> {
    let upgrade = begin(connection).await?;
    refuse_newer(&upgrade).await?;
    let is_sqlite = connection.get_database_backend() == DbBackend::Sqlite;
    if is_sqlite && is_empty(&upgrade).await? {
        fill_new_sqlite(&upgrade, clock.now()).await?;
        return upgrade.commit().await;
    }
    let steps = Migrator::get_pending_migrations(&upgrade).await?.len();
    if steps > 0 {
        tracing::info!(steps, "the schema of the database is being migrated");
    }
    if let Err(error) = Migrator::up(&upgrade, None).await {
        // SQLite may have rolled back already, and the connection may be lost.
        if let Err(error) = upgrade.rollback().await {
            tracing::debug!(%error, "a failed migration was not rolled back");
        }
        return Err(error);
    }
    upgrade.commit().await?;
    if steps > 0 {
        tracing::info!(steps, "the schema of the database was migrated");
    }
    Ok(())
}

/// Begins the transaction of the migrations, once no other node migrates.
async fn begin(connection: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
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
        // Before the lock, which a node that has disappeared meanwhile would get and keep.
        let limit = format!("SET LOCAL idle_in_transaction_session_timeout = '{IDLE_TIMEOUT}'");
        upgrade.execute_unprepared(&limit).await?;
        wait_for_lock(&upgrade).await?;
        let limit = format!("SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'");
        upgrade.execute_unprepared(&limit).await?;
    }
    Ok(upgrade)
}

/// Waits while another node migrates the schema.
async fn wait_for_lock(upgrade: &DatabaseTransaction) -> Result<(), DbErr> {
    let locked = upgrade.query_one_raw(Statement::from_string(
        DbBackend::Postgres,
        format!("SELECT pg_try_advisory_xact_lock({MIGRATION_LOCK})"),
    ));
    let is_locked = match locked.await? {
        Some(row) => row.try_get_by_index(0)?,
        None => false,
    };
    if !is_locked {
        tracing::info!("waiting for another node, which migrates the schema of the database");
        upgrade
            .execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            .await?;
    }
    Ok(())
}

async fn is_empty(sqlite: &DatabaseTransaction) -> Result<bool, DbErr> {
    let any = Statement::from_string(DbBackend::Sqlite, "SELECT 1 FROM sqlite_master LIMIT 1");
    Ok(sqlite.query_one_raw(any).await?.is_none())
}

/// Does what all migrations do, in a fifth of their time: SQLite reads the whole schema again for
/// each altered table.
async fn fill_new_sqlite(sqlite: &DatabaseTransaction, now: DateTime<Utc>) -> Result<(), DbErr> {
    sqlite.execute_unprepared(NEW_SQLITE).await?;
    let applied =
        Migrator::migrations()
            .into_iter()
            .map(|migration| seaql_migrations::ActiveModel {
                version: Set(migration.name().to_owned()),
                applied_at: Set(now.timestamp()),
            });
    seaql_migrations::Entity::insert_many(applied)
        .exec_without_returning(sqlite)
        .await?;
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use allclear_application::clock::TestClock;
    use sea_orm::{ConnectOptions, Database};

    use super::*;

    const NEW_SQLITE_FILE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../migrations/new-sqlite.sql"
    );

    async fn memory() -> DatabaseConnection {
        let mut options = ConnectOptions::new("sqlite::memory:");
        options.max_connections(1);
        Database::connect(options).await.unwrap()
    }

    async fn texts(connection: &DatabaseConnection, sql: &str) -> Vec<String> {
        let rows = connection.query_all_raw(Statement::from_string(DbBackend::Sqlite, sql));
        let rows = rows.await.unwrap().into_iter();
        rows.map(|row| row.try_get_by_index(0).unwrap()).collect()
    }

    /// The statements that make a database like this one, without the list of its migrations.
    async fn dump(connection: &DatabaseConnection) -> String {
        let made = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'sqlite_sequence' ORDER BY rowid";
        let mut statements = texts(connection, made).await;
        let tables = "SELECT name FROM sqlite_master \
            WHERE type = 'table' AND name NOT IN ('seaql_migrations', 'sqlite_sequence') ORDER BY name";
        for table in texts(connection, tables).await {
            let columns = format!(
                "SELECT group_concat('quote(\"' || name || '\")', ' || '', '' || ') FROM pragma_table_info('{table}')"
            );
            let columns = texts(connection, &columns).await.concat();
            let rows = format!(
                "SELECT 'INSERT INTO \"{table}\" VALUES (' || {columns} || ')' FROM \"{table}\""
            );
            statements.extend(texts(connection, &rows).await);
        }
        statements.join(";\n") + ";\n"
    }

    #[tokio::test]
    async fn new_sqlite_database_is_as_all_migrations_make_it() {
        let migrated = memory().await;
        Migrator::up(&migrated, None).await.unwrap();
        let expected = dump(&migrated).await;
        let file = Path::new(NEW_SQLITE_FILE);
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            // The program has the former file until it is built again.
            std::fs::write(file, &expected).unwrap();
            return;
        }
        let stored = std::fs::read_to_string(file).unwrap();
        assert!(
            stored == expected,
            "UPDATE_SCHEMA=1 cargo test -p allclear-persistence new_sqlite writes {NEW_SQLITE_FILE}"
        );

        let new = memory().await;
        bring_up_to_date(&new, &*TestClock::stopped())
            .await
            .unwrap();
        assert_eq!(dump(&new).await, expected);
        let versions = "SELECT version FROM seaql_migrations ORDER BY version";
        assert_eq!(
            texts(&new, versions).await,
            texts(&migrated, versions).await
        );
    }

    async fn migrated_until(database: &DatabaseConnection, step: &str) {
        let steps = Migrator::migrations();
        let before = steps.iter().position(|known| known.name() == step);
        let before = u32::try_from(before.unwrap()).unwrap();
        Migrator::up(database, Some(before)).await.unwrap();
    }

    /// A component that was deleted during a period, one that was deleted as a period began, and
    /// one that is not deleted.
    const LASTING_PERIODS: &str = "\
        INSERT INTO organisations (id, name, revision, created_at) VALUES ('acme', 'Acme', 0, '2025');
        INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version, \
        deleted_at) SELECT column1, 'acme', column1, 'API', '', 'DEGRADED', 'OPERATOR', '2025', '2025', 0, column2 \
        FROM (VALUES ('a', '2025-01-03'), ('b', '2025-01-02'), ('c', NULL));
        INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, cause_type, version) \
        SELECT id, 'acme', id, 'DEGRADED', '2025-01-02', 'OPERATOR', 0 FROM components";

    #[tokio::test]
    async fn migration_ends_the_periods_of_deleted_components() {
        let database = memory().await;
        migrated_until(&database, "m0042_deleted_components_and_partial_indexes").await;
        database.execute_unprepared(LASTING_PERIODS).await.unwrap();
        Migrator::up(&database, None).await.unwrap();
        let periods =
            "SELECT id || ' ' || coalesce(end_at, 'lasts') FROM component_periods ORDER BY id";
        assert_eq!(texts(&database, periods).await, ["a 2025-01-03", "c lasts"]);
    }

    /// Locks a table as `pg_dump` does.
    async fn lock(transaction: &DatabaseTransaction, table: &str) {
        let lock = format!("LOCK TABLE {table} IN ACCESS SHARE MODE");
        transaction.execute_unprepared(&lock).await.unwrap();
    }

    /// Returns once a migration waits for a table.
    async fn migration_waits_for(database: &DatabaseConnection, table: &str) {
        let sql =
            format!("SELECT 1 FROM pg_locks WHERE relation = '{table}'::regclass AND NOT granted");
        let waiting = Statement::from_string(DbBackend::Postgres, sql);
        while database
            .query_one_raw(waiting.clone())
            .await
            .unwrap()
            .is_none()
        {
            tokio::task::yield_now().await;
        }
    }

    /// The process of a transaction, as [`lock_holders`] names it.
    async fn process_of(transaction: &DatabaseTransaction) -> String {
        let sql = "SELECT format('%s (%s)', pg_backend_pid(), current_setting('application_name'))";
        let row = transaction.query_one_raw(Statement::from_string(DbBackend::Postgres, sql));
        row.await.unwrap().unwrap().try_get_by_index(0).unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn migration_that_cannot_lock_a_table_lets_others_use_it_and_is_repeated() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let database = Database::connect(url).await.unwrap();
        migrated_until(&database, "m0044_rows_of_first_release").await;
        let dump = database.begin().await.unwrap();
        lock(&dump, "organisations").await;

        let clock = TestClock::stopped();
        let migration = bring_up_to_date(&database, &*clock);
        let others = async {
            migration_waits_for(&database, "organisations").await;
            let read = "SELECT 1 FROM organisations";
            let read =
                tokio::time::timeout(Duration::from_secs(30), database.execute_unprepared(read));
            read.await.expect("it waits for the dump").unwrap();
            let later = database.begin().await.unwrap();
            lock(&later, "organisations").await;
            let holders = lock_holders(&database).await.unwrap();
            let is_named = |process: String| holders.split(", ").any(|named| named == process);
            assert!(is_named(process_of(&dump).await), "{holders}");
            assert!(!is_named(process_of(&later).await), "{holders}");
            later.commit().await.unwrap();
            let pending = Migrator::get_pending_migrations(&database).await.unwrap();
            assert!(!pending.is_empty());
            dump.commit().await.unwrap();
        };
        let (migrated, ()) = tokio::join!(migration, others);
        migrated.unwrap();
        let pending = Migrator::get_pending_migrations(&database).await.unwrap();
        assert!(pending.is_empty());
    }

    #[tokio::test]
    async fn postgresql_does_not_wait_for_a_node_that_disappears_during_a_migration() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let database = Database::connect(url).await.unwrap();
        let upgrade = begin(&database).await.unwrap();
        let sql = "SELECT current_setting('idle_in_transaction_session_timeout')";
        let row = upgrade.query_one_raw(Statement::from_string(DbBackend::Postgres, sql));
        let timeout: String = row.await.unwrap().unwrap().try_get_by_index(0).unwrap();
        assert_eq!(timeout, IDLE_TIMEOUT);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn migration_that_ends_in_a_deadlock_is_repeated() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let database = Database::connect(url).await.unwrap();
        migrated_until(&database, "m0044_rows_of_first_release").await;
        let dump = database.begin().await.unwrap();
        lock(&dump, "components").await;

        let clock = TestClock::stopped();
        let migration = bring_up_to_date(&database, &*clock);
        let others = async {
            // By now it has locked the organisations.
            migration_waits_for(&database, "components").await;
            lock(&dump, "organisations").await;
            dump.commit().await.unwrap();
        };
        let (migrated, ()) = tokio::join!(migration, others);
        migrated.unwrap();
        let pending = Migrator::get_pending_migrations(&database).await.unwrap();
        assert!(pending.is_empty());
    }
}
