//! The connections: SQLite with one writer and many readers, or PostgreSQL with a pool for either.

use std::fmt;
use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::usage_limit::UsageLimits;
use futures_util::future::BoxFuture;
use sea_orm::{
    AccessMode, Database as Connector, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    IsolationLevel, TransactionTrait,
};

use crate::error::broken;
use crate::group_commit::GroupCommit;
use crate::options::{postgresql, sqlite_reader, sqlite_writer};
use crate::readiness::Probe;
use crate::timeout::{TimeoutConnection, in_time};
use crate::{restore, schema};

/// A database, connected.
#[derive(Clone)]
pub struct Database {
    readers: TimeoutConnection,
    writes: Writes,
    pub(crate) probe: Probe,
    pub(crate) limits: UsageLimits,
    pub(crate) clock: Arc<dyn Clock>,
}

/// How transactions that write run.
#[derive(Clone)]
enum Writes {
    /// One after the other, several in one commit: SQLite has one writer at a time, and a commit waits for the disk.
    Together(GroupCommit),
    /// Side by side: PostgreSQL brings the commits of its connections together by itself.
    SideBySide(DatabaseConnection),
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database")
            .field("backend", &self.readers.backend())
            .finish_non_exhaustive()
    }
}

impl Database {
    /// Connects to `sqlite:` or `postgres:` and brings the schema up to date. Runs on the present tokio runtime from then on.
    ///
    /// # Errors
    /// When the database cannot be reached or opened, or its schema is newer than this program's.
    pub async fn connect(url: &str, clock: Arc<dyn Clock>) -> Result<Self, DbErr> {
        if url.starts_with("sqlite:") {
            // The writer comes first: it creates the file.
            let writer = Connector::connect(sqlite_writer(url)).await?;
            schema::bring_up_to_date(&writer).await?;
            restore::after_marked_copy(&writer).await?;
            let readers = TimeoutConnection(Connector::connect(sqlite_reader(url)).await?);
            Ok(Self {
                readers,
                writes: Writes::Together(GroupCommit::on(writer)),
                probe: Probe::of(url),
                limits: UsageLimits::default(),
                clock,
            })
        } else {
            schema::bring_server_up_to_date(url).await?;
            let readers = TimeoutConnection(Connector::connect(postgresql(url)).await?);
            // Connections of their own: however many writes wait for a lock, reads go on.
            let writer = Connector::connect(postgresql(url)).await?;
            Ok(Self {
                readers,
                writes: Writes::SideBySide(writer),
                probe: Probe::of(url),
                limits: UsageLimits::default(),
                clock,
            })
        }
    }

    /// The same database with limits to what is stored. Without them there are none.
    #[must_use]
    pub const fn limited(mut self, limits: UsageLimits) -> Self {
        self.limits = limits;
        self
    }

    /// For reads of one statement.
    pub(crate) const fn read(&self) -> &TimeoutConnection {
        &self.readers
    }

    /// Runs several reads on one state of the database.
    pub(crate) async fn read_consistently<T, F>(&self, reads: F) -> Result<T, Error>
    where
        F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, Error>> + Send,
    {
        let isolation = match self.readers.backend() {
            // A deferred transaction of SQLite in WAL mode reads one snapshot as it is.
            DbBackend::Sqlite => None,
            _ => Some(IsolationLevel::RepeatableRead),
        };
        let access = isolation.map(|_| AccessMode::ReadOnly);
        in_time(async {
            let transaction = self
                .readers
                .0
                .begin_with_config(isolation, access)
                .await
                .map_err(broken)?;
            let value = reads(&transaction).await?;
            transaction.commit().await.map_err(broken)?;
            Ok(value)
        })
        .await
    }

    /// Runs one transaction: everything it wrote is stored when this answers `Ok`, nothing when it answers `Err`; where that
    /// is [`Error::Unavailable`], the database may have lost the answer and stored it all the same.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, Error>>
            + Send
            + 'static,
    {
        let writer = match &self.writes {
            Writes::Together(group) => return in_time(group.write(work)).await,
            Writes::SideBySide(writer) => writer,
        };
        in_time(async {
            let transaction = writer.begin().await.map_err(broken)?;
            let value = work(&transaction).await?;
            transaction.commit().await.map_err(broken)?;
            Ok(value)
        })
        .await
    }

    /// Closes every connection, after what runs has ended.
    ///
    /// # Errors
    /// Whatever the driver errors with.
    pub async fn close(self) -> Result<(), DbErr> {
        self.readers.0.close_by_ref().await?;
        match self.writes {
            Writes::Together(group) => group.close().await,
            Writes::SideBySide(writer) => writer.close_by_ref().await,
        }
    }
}
