//! Connections to SQLite, with one writer and many readers, or to PostgreSQL, with pools for both.

mod write;

use std::fmt;
use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::link::Links;
use allclear_application::usage_limit::{Concurrency, UsageLimits};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use sea_orm::{
    AccessMode, Database as Connector, DatabaseConnection, DbBackend, DbErr, IsolationLevel,
    TransactionTrait,
};
use tokio::time::timeout;

use crate::connect_options::{self, postgresql, sqlite_reader, sqlite_writer, usual};
use crate::delivery::FullQueues;
use crate::error::broken;
use crate::group_commit::GroupCommit;
use crate::last_commit::LastCommit;
use crate::readiness::Probe;
use crate::sqlite_file::OpenedFile;
use crate::timeout::TimeoutConnection;
use crate::transaction::Transaction;
use crate::{restore, schema, sqlite_file};

/// A connected database.
#[derive(Clone)]
pub struct Database {
    readers: TimeoutConnection,
    writes: Writes,
    pub(crate) probe: Probe,
    pub(crate) limits: UsageLimits,
    pub(crate) clock: Arc<dyn Clock>,
    /// Addresses of the public pages.
    pub(crate) links: Links,
    pub(crate) full_queues: FullQueues,
    /// The organisation whose notice this node expanded last; `None` if there is none.
    pub(crate) expanded_last: Arc<Mutex<Option<String>>>,
}

/// How long a connection is given to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How write transactions run.
#[derive(Clone)]
enum Writes {
    /// Sequentially, several per commit: SQLite has one writer at a time, and a commit waits for
    /// the disk.
    Together(GroupCommit),
    /// Concurrently: PostgreSQL groups commits by itself.
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
    /// Connects to `sqlite:` or `postgres:` and migrates the schema. Must be called on a tokio
    /// runtime, which the connections then use.
    ///
    /// # Errors
    /// When the database cannot be reached or opened, or its schema is newer than this program's.
    /// Also when an SQLite file has tables of another program, or lies beside the write-ahead log
    /// of another database.
    pub async fn connect(url: &str, clock: Arc<dyn Clock>) -> Result<Self, DbErr> {
        let commits = LastCommit::new();
        let (readers, writes) = if url.starts_with("sqlite:") {
            Box::pin(connect_to_sqlite(url, &*clock, commits.clone())).await?
        } else {
            Box::pin(connect_to_postgresql(url, &*clock)).await?
        };
        Ok(Self {
            readers: TimeoutConnection::new(readers),
            writes,
            probe: Probe::of(url, commits),
            limits: UsageLimits::default(),
            clock,
            links: Links::default(),
            full_queues: FullQueues::default(),
            expanded_last: Arc::default(),
        })
    }

    /// Sets limits of what is stored. By default there are none.
    #[must_use]
    pub fn limited(mut self, limits: UsageLimits) -> Self {
        self.limits = limits;
        // Counted by the former limits.
        self.full_queues = FullQueues::default();
        self
    }

    /// The same database with links below the installation's public URL. Without it they have
    /// no host.
    #[must_use]
    pub fn linked(mut self, links: Links) -> Self {
        self.links = links;
        self
    }

    /// How many requests of one organisation may use the connections at the same time.
    #[must_use]
    pub fn concurrency_of_one(&self) -> Concurrency {
        connect_options::concurrency_of_one(self.readers.backend())
    }

    /// The connections for reads of one statement.
    pub(crate) const fn read(&self) -> &TimeoutConnection {
        &self.readers
    }

    /// Runs work on the connections, for reads or writes. [`Error::Unavailable`] if it takes too
    /// long.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.readers.in_time(work).await
    }

    /// Runs several reads on one snapshot of the database.
    pub(crate) async fn read_consistently<T, F>(&self, reads: F) -> Result<T, Error>
    where
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send,
    {
        let isolation = match self.readers.backend() {
            // In WAL mode, a deferred transaction of SQLite reads one snapshot anyway.
            DbBackend::Sqlite => None,
            _ => Some(IsolationLevel::RepeatableRead),
        };
        let access = isolation.map(|_| AccessMode::ReadOnly);
        self.in_time(async {
            let begin = self.readers.inner.begin_with_config(isolation, access);
            let transaction = Transaction::new(begin.await.map_err(broken)?);
            let value = reads(&transaction).await?;
            transaction.commit().await.map_err(broken)?;
            Ok(value)
        })
        .await
    }

    /// Closes half of the connections to PostgreSQL that are idle, but the last of each pool.
    /// Called periodically, it gives the server back what a burst has opened: otherwise the reads
    /// of one node could leave no connection for the writes of all.
    pub async fn close_idle_connections(&self) {
        let Writes::SideBySide(writer) = &self.writes else {
            return;
        };
        for connections in [&self.readers.inner, writer] {
            let pool = connections.get_postgres_connection_pool();
            for _ in 0..pool.num_idle() / 2 {
                let Some(connection) = pool.try_acquire() else {
                    break;
                };
                // A lost connection is closed already.
                drop(timeout(CLOSE_TIMEOUT, connection.close()).await);
            }
        }
    }

    /// Closes every connection, after running statements have ended.
    ///
    /// # Errors
    /// The driver's error.
    pub async fn close(self) -> Result<(), DbErr> {
        self.readers.inner.close_by_ref().await?;
        match self.writes {
            Writes::Together(group) => group.close().await,
            Writes::SideBySide(writer) => writer.close_by_ref().await,
        }
    }
}

/// Opens the file, which is created if it does not exist, and migrates the schema.
async fn connect_to_sqlite(
    url: &str,
    clock: &dyn Clock,
    commits: LastCommit,
) -> Result<(DatabaseConnection, Writes), DbErr> {
    let file = sqlite_file::required_path(url)?;
    sqlite_file::refuse_foreign_log(&file)?;
    let existing = sqlite_file::open_existing(url, &file).await?;
    // The writer connects before the readers, because it creates the file.
    let writer = Connector::connect(sqlite_writer(url)).await?;
    if let Some(existing) = existing {
        existing.close().await?;
    }
    schema::bring_up_to_date(&writer, clock).await?;
    restore::after_marked_copy(&writer).await?;
    let readers = Connector::connect(sqlite_reader(url)).await?;
    let group = GroupCommit::on(writer, OpenedFile::of(url), commits);
    Ok((readers, Writes::Together(group)))
}

/// Connects to the server and migrates the schema.
async fn connect_to_postgresql(
    url: &str,
    clock: &dyn Clock,
) -> Result<(DatabaseConnection, Writes), DbErr> {
    // A connection of its own, because migrations may take longer than a statement's timeout.
    let migration = Connector::connect(usual(url)).await?;
    schema::bring_up_to_date(&migration, clock).await?;
    migration.close().await?;
    let readers = Connector::connect(postgresql(url)).await?;
    // Separate connections: writes that wait for a lock do not block reads.
    let writer = Connector::connect(postgresql(url)).await?;
    Ok((readers, Writes::SideBySide(writer)))
}

#[cfg(test)]
impl Database {
    /// Counts the statements of the writes that follow.
    pub(crate) fn count_statements(&mut self) -> Arc<AtomicUsize> {
        let count = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&count);
        let report = move |_: &sea_orm::metric::Info<'_>| {
            counted.fetch_add(1, Ordering::Relaxed);
        };
        match &mut self.writes {
            Writes::Together(group) => *group = group.reporting(report),
            Writes::SideBySide(writer) => writer.set_metric_callback(report),
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allclear_application::clock::TestClock;
    use futures_util::future::join_all;
    use sea_orm::ConnectionTrait;

    #[tokio::test]
    async fn idle_connections_of_a_burst_are_closed_but_one() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let database = Database::connect(&url, TestClock::system()).await.unwrap();
        let pool = database.readers.inner.get_postgres_connection_pool();
        let burst: Vec<_> = join_all((0..8).map(|_| pool.acquire())).await;
        drop(burst);
        while pool.num_idle() < 8 {
            tokio::task::yield_now().await;
        }
        for left in [4, 2, 1, 1] {
            database.close_idle_connections().await;
            assert_eq!(pool.size(), left);
        }
    }

    /// Runs a statement on eight connections at the same time.
    async fn use_all_connections(database: &Database) {
        let statement = || database.read().execute_unprepared("SELECT pg_sleep(0.1)");
        for outcome in join_all((0..8).map(|_| statement())).await {
            outcome.unwrap();
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn connections_outlive_the_runtime_of_the_work_that_opened_them() {
        let Some(url) = allclear_test_support::postgres() else {
            return;
        };
        let database = Database::connect(&url, TestClock::system()).await.unwrap();
        let of_worker = database.clone();
        let worker = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().unwrap();
            runtime.block_on(use_all_connections(&of_worker));
        });
        worker.join().unwrap();
        use_all_connections(&database).await;
    }
}
