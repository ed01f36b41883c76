//! Groups writes to SQLite into commits, because each commit waits for the disk. Writes that arrive
//! during a commit share the next one. Each write runs in a savepoint, so a failed write rolls back
//! only itself. A write returns when the commit is on disk.
//!
//! Nothing is written to a file that was moved or removed: nobody would open it again, and an
//! acknowledged write would be lost.

mod queue;
mod spin_executor;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use allclear_application::error::Error;
use allclear_application::health::NotReady;
use allclear_application::line_limit::LineLimit;
use allclear_domain::id::OrganisationId;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::{
    DatabaseConnection, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use self::queue::FairQueue;
use crate::error::broken;
use crate::last_commit::LastCommit;
use crate::sqlite_file::OpenedFile;
use crate::transaction::Transaction;

/// Maximum number of writes per commit.
const MAX_BATCH: usize = 64;
/// Maximum time of a commit's writes: the first one waits for the last.
const MAX_BATCH_TIME: Duration = Duration::from_millis(10);
/// Number of writes that wait for their turn, and of those that have arrived after them. Further
/// ones wait for a place.
const QUEUE_LENGTH: usize = 1024;

/// Completes a write when the result of the commit is known.
type Completion = Box<dyn FnOnce(Result<(), DbErr>) + Send>;

/// Result of a write in its savepoint.
enum Done {
    /// It has succeeded and waits for the commit.
    Succeeded(Completion),
    /// It has failed and is completed; its writes must be rolled back.
    Failed,
    /// Its future was dropped before it began, so it did not run.
    Nothing,
}

type Job = Box<dyn for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Done> + Send>;

/// A write and the organisation that it is counted for.
type QueuedJob = (Option<OrganisationId>, Job);

/// The queue of writes.
#[derive(Clone)]
pub(crate) struct GroupCommit {
    writer: Writer,
    jobs: mpsc::Sender<QueuedJob>,
}

/// The connection that writes.
#[derive(Clone)]
struct Writer {
    connection: DatabaseConnection,
    /// `None` if it is not known.
    file: Option<OpenedFile>,
    commits: LastCommit,
}

impl GroupCommit {
    /// Starts the queue for a connection to this file. Its thread ends with the last handle.
    pub(crate) fn on(
        connection: DatabaseConnection,
        file: Option<OpenedFile>,
        commits: LastCommit,
    ) -> Self {
        let writer = Writer {
            connection,
            file,
            commits,
        };
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        spin_executor::spawn(work(writer.clone(), Jobs::new(receiver)));
        Self {
            writer,
            jobs: sender,
        }
    }

    /// Runs a write. Once begun it completes, even if the future is dropped. The organisations
    /// whose writes wait take turns, fewer after slow writes; a write that names no organisation
    /// has a turn of its own.
    pub(crate) async fn write<T, F>(
        &self,
        organisation: Option<OrganisationId>,
        write: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
    {
        let (sender, outcome) = oneshot::channel();
        let dropped = || Error::Unavailable("the database takes no writes now".into());
        self.jobs
            .send((organisation, job(write, sender)))
            .await
            .map_err(|_| dropped())?;
        outcome.await.unwrap_or_else(|_| Err(dropped()))
    }

    /// The same connection, which reports its statements.
    #[cfg(test)]
    pub(crate) fn reporting(
        &self,
        report: impl Fn(&sea_orm::metric::Info<'_>) + Send + Sync + 'static,
    ) -> Self {
        let Writer {
            mut connection,
            file,
            commits,
        } = self.writer.clone();
        connection.set_metric_callback(report);
        Self::on(connection, file, commits)
    }

    /// Closes the connection, after the current commit.
    pub(crate) async fn close(self) -> Result<(), DbErr> {
        self.writer.connection.close_by_ref().await
    }
}

fn job<T, F>(write: F, sender: oneshot::Sender<Result<T, Error>>) -> Job
where
    T: Send + 'static,
    F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
{
    Box::new(move |transaction| {
        Box::pin(async move {
            if sender.is_closed() {
                return Done::Nothing;
            }
            let outcome = AssertUnwindSafe(async {
                let value = write(transaction).await?;
                // Their errors are those of this write.
                transaction.execute_deferred().await.map_err(broken)?;
                Ok(value)
            })
            .catch_unwind()
            .await;
            // An error means that the future was dropped.
            match outcome.unwrap_or_else(|_| Err(Error::internal("a write panicked"))) {
                Ok(value) => Done::Succeeded(Box::new(move |commit| {
                    let _ = sender.send(
                        commit
                            .map(|()| value)
                            .map_err(|error| Error::Unavailable(Box::new(error))),
                    );
                })),
                Err(error) => {
                    let _ = sender.send(Err(error));
                    Done::Failed
                }
            }
        })
    })
}

/// The writes that wait.
struct Jobs {
    arrived: mpsc::Receiver<QueuedJob>,
    waiting: FairQueue<Job>,
}

impl Jobs {
    fn new(arrived: mpsc::Receiver<QueuedJob>) -> Self {
        Self {
            arrived,
            waiting: FairQueue::new(),
        }
    }

    /// Waits for the next write; `None` after the last handle is gone.
    async fn next(&mut self) -> Option<QueuedJob> {
        if let Some(queued) = self.try_next() {
            return Some(queued);
        }
        self.arrived.recv().await
    }

    /// The next write; `None` if none waits.
    fn try_next(&mut self) -> Option<QueuedJob> {
        while self.waiting.len() < QUEUE_LENGTH
            && let Ok((organisation, job)) = self.arrived.try_recv()
        {
            self.waiting.push(organisation, job);
        }
        self.waiting.pop()
    }

    /// Runs a write, and counts its time for its organisation.
    async fn run(&mut self, (organisation, job): QueuedJob, transaction: &Transaction) -> Done {
        let start = Instant::now();
        let done = job(transaction).await;
        if let Some(organisation) = organisation {
            self.waiting.charge(organisation, start.elapsed());
        }
        done
    }
}

async fn work(writer: Writer, mut jobs: Jobs) {
    while let Some(first) = jobs.next().await {
        let mut completions = Vec::new();
        let committed = commit(&writer, first, &mut jobs, &mut completions).await;
        if let Err(error) = &committed {
            static LINES: LineLimit = LineLimit::new(20);
            writer.commits.failed();
            if LINES.allows() {
                tracing::warn!(
                    error = error as &dyn std::error::Error,
                    "writes were not committed"
                );
            }
            // The waiting writes would fail as slowly, one after the other. Dropping them makes
            // them fail as unavailable.
            while jobs.try_next().is_some() {}
        }
        for complete in completions {
            complete(committed.clone());
        }
    }
}

/// Runs one commit: the first job, and those that arrive while it runs. `completions` are the
/// callbacks of the writes in it.
async fn commit(
    writer: &Writer,
    first: QueuedJob,
    jobs: &mut Jobs,
    completions: &mut Vec<Completion>,
) -> Result<(), DbErr> {
    if let Some(file) = &writer.file
        && !file.is_in_place()
    {
        return Err(DbErr::Custom(NotReady::Replaced.to_string()));
    }
    let options = TransactionOptions {
        // The write lock is taken first, because upgrading a read lock later can fail.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let begun = writer.connection.begin_with_options(options).await?;
    let transaction = Transaction::new(begun);
    let end = Instant::now() + MAX_BATCH_TIME;
    // The first write has the transaction to itself, so it needs no savepoint.
    match jobs.run(first, &transaction).await {
        Done::Succeeded(completion) => completions.push(completion),
        Done::Failed | Done::Nothing => return transaction.rollback().await,
    }
    while completions.len() < MAX_BATCH && Instant::now() < end {
        let Some(job) = jobs.try_next() else { break };
        transaction.set_savepoint();
        match jobs.run(job, &transaction).await {
            Done::Succeeded(completion) => completions.push(completion),
            Done::Failed => transaction.roll_back_to_savepoint().await?,
            Done::Nothing => {}
        }
    }
    let has_changed = transaction.has_changed();
    transaction.commit().await?;
    // Without a change, nothing was written to the disk.
    if has_changed {
        writer.commits.succeeded();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
