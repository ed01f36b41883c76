//! How connections are made, and how long they wait.

use std::time::Duration;

use sea_orm::ConnectOptions;
use sea_orm::sqlx::{Connection, Error};
use tokio::time::timeout;

/// How long to wait for a connection, and in SQLite for another process to let go of the file, before the database counts as
/// away.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long PostgreSQL lets a statement wait for another transaction: somebody holds the organisation.
const LOCK: Duration = Duration::from_secs(4);
/// How long PostgreSQL works on a statement, and keeps a transaction open for somebody who is gone.
const STATEMENT: Duration = Duration::from_secs(10);
/// A connection that was idle for longer is tried before it is used.
const IDLE: Duration = Duration::from_secs(1);
/// Connections for reads, and as many again for writes to PostgreSQL.
const CONNECTIONS: u32 = 8;

/// The one connection that writes to SQLite. A connection costs memory, not a session: it stays.
pub(crate) fn sqlite_writer(url: &str) -> ConnectOptions {
    let mut options = sqlite(url, false);
    options.max_connections(1);
    // When a commit fails, the driver and SQLite may differ over whether a transaction is open: such a connection is of no use.
    options.map_sqlx_sqlite_before_acquire(|connection, _| {
        Box::pin(async { Ok(!connection.is_in_transaction()) })
    });
    options
}

/// The connections that read from SQLite.
pub(crate) fn sqlite_reader(url: &str) -> ConnectOptions {
    sqlite(url, true)
}

fn sqlite(url: &str, reads: bool) -> ConnectOptions {
    let mut options = usual(url);
    options
        .test_before_acquire(false)
        .map_sqlx_sqlite_opts(move |connection| {
            connection
                .create_if_missing(!reads)
                .pragma("journal_mode", "WAL")
                .pragma("synchronous", "FULL")
                .pragma("query_only", if reads { "ON" } else { "OFF" })
                .foreign_keys(true)
                .busy_timeout(PATIENCE)
        });
    options
}

/// Connections to PostgreSQL that serve requests.
pub(crate) fn postgresql(url: &str) -> ConnectOptions {
    let mut options = usual(url);
    options.test_before_acquire_if_idle_for(IDLE);
    options.map_sqlx_postgres_opts(|connection| {
        let milliseconds = |time: Duration| time.as_millis().to_string();
        connection.options([
            ("lock_timeout", milliseconds(LOCK)),
            ("statement_timeout", milliseconds(STATEMENT)),
            (
                "idle_in_transaction_session_timeout",
                milliseconds(STATEMENT),
            ),
        ])
    });
    options.map_sqlx_postgres_pool_opts(|pool| {
        // A server that no longer answers would keep the connections given back, and with them everybody's turn, until the
        // operating system gives them up a quarter of an hour later.
        pool.after_release(|connection, _| {
            Box::pin(async {
                match timeout(PATIENCE, connection.ping()).await {
                    Ok(alive) => alive.map(|()| true),
                    Err(_) => Err(Error::PoolTimedOut),
                }
            })
        })
    });
    options
}

/// Connections to PostgreSQL that change the schema, which takes the time it takes.
pub(crate) fn usual(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(CONNECTIONS)
        .acquire_timeout(PATIENCE)
        .connect_timeout(PATIENCE)
        .sqlx_logging(false);
    options
}
