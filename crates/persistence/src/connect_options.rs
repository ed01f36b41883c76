//! Options and timeouts of connections.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use allclear_application::usage_limit::Concurrency;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::sqlx::{Connection, Error, Row, raw_sql};
use sea_orm::{ConnectOptions, DbBackend};
use tokio::time::timeout;

/// Timeout for a connection, and in SQLite for another process's lock; afterwards the database
/// counts as unavailable.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(3);
/// How long PostgreSQL lets a statement wait for a lock, such as an organisation's.
const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
/// How long PostgreSQL runs a statement, and keeps an idle transaction of a lost client open.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection that was idle for longer is tested before use.
const IDLE: Duration = Duration::from_secs(1);
/// A connection to PostgreSQL that is older is replaced, so that connections move to another server
/// some time after the address has.
const MAX_LIFETIME: Duration = Duration::from_mins(30);
/// A connection to a PostgreSQL server that cannot be written to is replaced if it is older.
const READ_ONLY_LIFETIME: Duration = Duration::from_secs(10);
/// Pages of the write-ahead log of SQLite after which they are copied into the database: 16 MiB. A
/// page that many commits change is copied once. With SQLite's own 1,000 pages, writes of many
/// organisations, which change other pages each, wait for the copies.
const CHECKPOINT_PAGES: &str = "4000";
/// Bytes to which SQLite truncates a longer write-ahead log, as after a long read, once its pages
/// are in the database.
const MAX_LOG_SIZE: &str = "67108864";
/// Memory for pages of the connection that writes to SQLite, in KiB: the ends of all indexes that a
/// hundred busy organisations change.
const WRITER_CACHE: &str = "-8000";
/// Number of connections for reads, and of those for writes to PostgreSQL.
const MAX_CONNECTIONS: u32 = 8;
/// Number of connections that read from SQLite on a small machine.
const MIN_READERS: u32 = 4;
/// Number of writes to SQLite that one organisation may run at the same time: they share commits.
const SHARED_WRITES: u32 = 32;

/// Number of requests of one organisation that are handled at the same time. Those that read, and
/// those that write to PostgreSQL, use half of the connections.
pub(crate) fn concurrency_of_one(backend: DbBackend) -> Concurrency {
    let (reads, writes) = match backend {
        DbBackend::Sqlite => (sqlite_readers() / 2, SHARED_WRITES),
        _ => (MAX_CONNECTIONS / 2, MAX_CONNECTIONS / 2),
    };
    Concurrency {
        reads: reads as usize,
        writes: writes as usize,
    }
}

/// The connection that writes to SQLite.
pub(crate) fn sqlite_writer(url: &str) -> ConnectOptions {
    let mut options = sqlite(url, |connection| {
        connection
            .create_if_missing(true)
            .pragma("query_only", "OFF")
            .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
            .pragma("journal_size_limit", MAX_LOG_SIZE)
            .pragma("cache_size", WRITER_CACHE)
    });
    options.max_connections(1);
    // After a failed commit, the driver and SQLite may disagree about an open transaction: such a
    // connection is discarded.
    options.map_sqlx_sqlite_before_acquire(|connection, _| {
        Box::pin(async { Ok(!connection.is_in_transaction()) })
    });
    options
}

/// The connections that read from SQLite. Each has a thread, which takes 300 KiB.
pub(crate) fn sqlite_reader(url: &str) -> ConnectOptions {
    let mut options = sqlite(url, |connection| {
        connection
            .create_if_missing(false)
            .pragma("query_only", "ON")
    });
    options.max_connections(sqlite_readers());
    options
}

fn sqlite_readers() -> u32 {
    let processors = available_parallelism().map_or(1, NonZero::get);
    let readers = u32::try_from(2 * processors).unwrap_or(MAX_CONNECTIONS);
    readers.clamp(MIN_READERS, MAX_CONNECTIONS)
}

/// What connections to SQLite have in common; `own` adds the rest.
fn sqlite(url: &str, own: fn(SqliteConnectOptions) -> SqliteConnectOptions) -> ConnectOptions {
    let mut options = usual(url);
    options
        .test_before_acquire(false)
        .map_sqlx_sqlite_opts(move |connection| {
            let common = connection
                .pragma("journal_mode", "WAL")
                .pragma("synchronous", "FULL")
                .foreign_keys(true)
                .busy_timeout(CONNECTION_TIMEOUT);
            own(common)
        });
    options
}

/// Connections to PostgreSQL that serve requests.
pub(crate) fn postgresql(url: &str) -> ConnectOptions {
    let mut options = usual(url);
    options.test_before_acquire_if_idle_for(IDLE);
    options.map_sqlx_postgres_before_acquire(|_, connection| {
        Box::pin(async move { Ok(connection.age < MAX_LIFETIME) })
    });
    options.map_sqlx_postgres_opts(|connection| {
        let milliseconds = |time: Duration| time.as_millis().to_string();
        connection.options([
            ("lock_timeout", milliseconds(LOCK_TIMEOUT)),
            ("statement_timeout", milliseconds(STATEMENT_TIMEOUT)),
            (
                "idle_in_transaction_session_timeout",
                milliseconds(STATEMENT_TIMEOUT),
            ),
        ])
    });
    options.map_sqlx_postgres_pool_opts(|pool| {
        // Otherwise the test of returned connections to an unreachable server would block all
        // requests, until the operating system gives up after a quarter of an hour.
        pool.after_release(|connection, metadata| {
            Box::pin(async move {
                match timeout(CONNECTION_TIMEOUT, is_reusable(connection, metadata.age)).await {
                    Ok(is_reusable) => is_reusable,
                    Err(_) => Err(Error::PoolTimedOut),
                }
            })
        })
    });
    options
}

/// Whether a connection is alive and in no transaction, and its server can be written to, unless the
/// connection is new.
///
/// The driver does not roll a transaction back whose `BEGIN` was sent by work that then timed out:
/// the next work would be part of it. A server that is a standby after a fail-over accepts
/// connections, and the address may lead to the primary by now.
async fn is_reusable(connection: &mut PgConnection, age: Duration) -> Result<bool, Error> {
    // A transaction begins at the time of its first statement.
    let query = raw_sql(
        "SELECT now() = statement_timestamp(), current_setting('transaction_read_only') = 'off'",
    );
    let row = query.fetch_one(connection).await?;
    let (is_outside, is_writable): (bool, bool) = (row.try_get(0)?, row.try_get(1)?);
    Ok(is_outside && (is_writable || age < READ_ONLY_LIFETIME))
}

/// Connections without a statement timeout, for migrations and commands.
///
/// The pool closes no connection by itself: its task for that can spin on a processor forever when
/// it runs at the moment at which a connection is returned
/// (<https://github.com/launchbadge/sqlx/issues/3645>, in `SQLx` up to 0.9.0).
pub(crate) fn usual(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(CONNECTION_TIMEOUT)
        .connect_timeout(CONNECTION_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .sqlx_logging(false);
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::{
        AccessMode, ConnectionTrait, Database, DbBackend, IsolationLevel, Statement,
        TransactionTrait,
    };

    #[test]
    fn no_pool_starts_the_task_that_closes_connections() {
        for options in [
            sqlite_reader("sqlite::memory:"),
            sqlite_writer("sqlite::memory:"),
            postgresql("postgres://127.0.0.1"),
            usual("postgres://127.0.0.1"),
        ] {
            let limits = (options.get_idle_timeout(), options.get_max_lifetime());
            assert_eq!(limits, (Some(None), Some(None)));
        }
    }

    /// Without this option, a statement with `LIMIT ?` is compiled at each execution.
    #[tokio::test]
    async fn sqlite_plans_do_not_depend_on_values() {
        let database = Database::connect(sqlite_writer("sqlite::memory:"))
            .await
            .unwrap();
        let row = database
            .query_one_raw(Statement::from_string(
                DbBackend::Sqlite,
                "SELECT sqlite_compileoption_used('ENABLE_QPSG')",
            ))
            .await
            .unwrap();
        let is_used: i64 = row.unwrap().try_get_by_index(0).unwrap();
        assert_eq!(is_used, 1, "see .cargo/config.toml");
    }

    #[tokio::test]
    async fn commits_to_sqlite_are_durable_and_seldom_wait_for_a_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("a.db").display());
        let writer = Database::connect(sqlite_writer(&url)).await.unwrap();
        let reader = Database::connect(sqlite_reader(&url)).await.unwrap();
        for (connection, name, expected) in [
            (&writer, "synchronous", 2),
            (&writer, "wal_autocheckpoint", 4000),
            (&writer, "journal_size_limit", 64 * 1024 * 1024),
            (&writer, "cache_size", -8000),
            (&reader, "cache_size", -2000),
        ] {
            let row = connection
                .query_one_raw(Statement::from_string(
                    DbBackend::Sqlite,
                    format!("PRAGMA {name}"),
                ))
                .await
                .unwrap();
            let value: i64 = row.unwrap().try_get_by_index(0).unwrap();
            assert_eq!(value, expected, "{name}");
        }
    }

    #[tokio::test]
    async fn connection_to_a_read_only_server_is_used_for_some_seconds() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let mut connection = PgConnection::connect(&url).await.unwrap();
        // A standby reports what the second statement sets.
        for (server, is_used_for_long) in [
            ("SET default_transaction_read_only = off", true),
            ("SET default_transaction_read_only = on", false),
        ] {
            raw_sql(server).execute(&mut connection).await.unwrap();
            let just_opened = is_reusable(&mut connection, Duration::ZERO).await;
            assert!(just_opened.unwrap());
            let old = is_reusable(&mut connection, READ_ONLY_LIFETIME).await;
            assert_eq!(old.unwrap(), is_used_for_long, "{server}");
        }
    }

    #[tokio::test]
    async fn connection_with_an_open_transaction_is_not_used_again() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let mut options = postgresql(&url);
        options.max_connections(1);
        let connections = Database::connect(options).await.unwrap();
        for leave_open in ["BEGIN", "BEGIN; SELECT 1"] {
            connections.execute_unprepared(leave_open).await.unwrap();
            let next = connections.begin_with_config(
                Some(IsolationLevel::RepeatableRead),
                Some(AccessMode::ReadOnly),
            );
            next.await.unwrap().commit().await.unwrap();
        }
    }
}
