//! The connections: SQLite with one writer and many readers, or PostgreSQL with a pool.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::health::Readiness;
use allclear_migrations::Migrator;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, Database as Connector, DatabaseConnection, DatabaseTransaction,
    DbBackend, DbErr, IsolationLevel, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;

use crate::error::broken;

/// How long a statement waits for a connection or a lock before the database counts as away.
const PATIENCE: Duration = Duration::from_secs(5);
/// Names the lock of migrations among PostgreSQL's advisory locks: "allclear" in ASCII.
const MIGRATION_LOCK: i64 = i64::from_be_bytes(*b"allclear");
/// Readers of SQLite, and connections to PostgreSQL.
const READERS: u32 = 8;

/// A database, connected.
#[derive(Clone)]
pub struct Database {
    readers: DatabaseConnection,
    writer: DatabaseConnection,
    pub(crate) clock: Arc<dyn Clock>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("backend", &self.readers.get_database_backend()).finish_non_exhaustive()
    }
}

impl Database {
    /// Connects to `sqlite:` or `postgres:` and brings the schema up to date.
    ///
    /// # Errors
    /// When the database cannot be reached or opened, or its schema is newer than this program's.
    pub async fn connect(url: &str, clock: Arc<dyn Clock>) -> Result<Self, DbErr> {
        let database = if url.starts_with("sqlite:") {
            // The writer comes first: it creates the file.
            let writer = Connector::connect(sqlite(url, false)).await?;
            let readers = Connector::connect(sqlite(url, true)).await?;
            Self { readers, writer, clock }
        } else {
            let connection = Connector::connect(options(url, READERS)).await?;
            Self { readers: connection.clone(), writer: connection, clock }
        };
        database.migrate().await?;
        Ok(database)
    }

    /// Brings the schema up to date. Of several nodes that start at once one does it and the others wait.
    async fn migrate(&self) -> Result<(), DbErr> {
        if self.writer.get_database_backend() == DbBackend::Sqlite {
            return Migrator::up(&self.writer, None).await;
        }
        let turn = self.writer.begin().await?;
        turn.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
        Migrator::up(&self.writer, None).await?;
        turn.commit().await
    }

    /// For reads of one statement.
    pub(crate) const fn read(&self) -> &DatabaseConnection {
        &self.readers
    }

    /// Runs several reads on one state of the database.
    pub(crate) async fn read_consistently<T, F>(&self, reads: F) -> Result<T, Error>
    where
        F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, Error>> + Send,
    {
        let isolation = match self.readers.get_database_backend() {
            // A deferred transaction of SQLite in WAL mode reads one snapshot as it is.
            DbBackend::Sqlite => None,
            _ => Some(IsolationLevel::RepeatableRead),
        };
        let access = isolation.map(|_| AccessMode::ReadOnly);
        let transaction = self.readers.begin_with_config(isolation, access).await.map_err(broken)?;
        let answer = reads(&transaction).await?;
        transaction.commit().await.map_err(broken)?;
        Ok(answer)
    }

    /// Runs one transaction: everything it wrote is stored when this answers `Ok`, nothing when it answers `Err`.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, Error>> + Send,
    {
        let options = TransactionOptions {
            // Taking the write lock at once avoids a refusal later, when a read has to become a write.
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let transaction = self.writer.begin_with_options(options).await.map_err(broken)?;
        let answer = work(&transaction).await?;
        transaction.commit().await.map_err(broken)?;
        Ok(answer)
    }

    /// Closes every connection, after what runs has ended.
    ///
    /// # Errors
    /// Whatever the driver errors with.
    pub async fn close(self) -> Result<(), DbErr> {
        self.readers.close_by_ref().await?;
        self.writer.close_by_ref().await
    }
}

#[async_trait]
impl Readiness for Database {
    async fn ready(&self) -> Result<(), Error> {
        self.readers.ping().await.map_err(broken)
    }
}

fn options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options.max_connections(connections).acquire_timeout(PATIENCE).connect_timeout(PATIENCE).sqlx_logging(false);
    options
}

fn sqlite(url: &str, readers: bool) -> ConnectOptions {
    let mut options = options(url, if readers { READERS } else { 1 });
    // A connection costs memory, not a session: the writer stays, readers come back when asked for.
    options.map_sqlx_sqlite_opts(move |connection| {
        connection
            .create_if_missing(!readers)
            .pragma("journal_mode", "WAL")
            .pragma("synchronous", "FULL")
            .pragma("query_only", if readers { "ON" } else { "OFF" })
            .foreign_keys(true)
            .busy_timeout(PATIENCE)
    });
    options
}
