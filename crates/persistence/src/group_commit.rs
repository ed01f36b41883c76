//! Several writes in one commit. SQLite writes to the disk once a commit, and waits for it; whoever comes in the meantime
//! shares the next one. Each write begins at a savepoint: one that fails takes back what it did, and nothing else.
//! Nobody is answered before the commit is on the disk.

mod spin_executor;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use allclear_application::error::Error;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// How many writes share a commit at most.
const MOST: usize = 64;
/// How long writes are taken into a commit: the first of them waits for the last.
const MAX_BATCH_TIME: Duration = Duration::from_millis(10);
/// How many writes may wait; more wait for a place among them.
const WAITING: usize = 1024;

/// Tells a caller of its write, once it is known what became of the commit.
type Completion = Box<dyn FnOnce(Result<(), DbErr>) + Send>;

/// Marks where the first write after another begins, and where a later one does: one trip to the thread of the connection,
/// which costs more than what it carries. The commit takes the last mark away.
const MARK: &str = "SAVEPOINT turn";
const NEXT_MARK: &str = "RELEASE turn; SAVEPOINT turn";
const BACK: &str = "ROLLBACK TO turn";

/// What a write has done since its savepoint.
enum Done {
    /// It has written; the answer waits for the commit.
    Written(Completion),
    /// It has failed and is answered; what it has written has to go.
    Failed,
    /// Its caller was gone before it began.
    Nothing,
}

type Job = Box<dyn for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Done> + Send>;

/// The queue of writes.
#[derive(Clone)]
pub(crate) struct GroupCommit {
    writer: DatabaseConnection,
    jobs: mpsc::Sender<Job>,
}

impl GroupCommit {
    /// Writes through a connection, by a thread that ends with the last handle.
    pub(crate) fn on(writer: DatabaseConnection) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        spin_executor::spawn(work(writer.clone(), receiver));
        Self {
            writer,
            jobs: sender,
        }
    }

    /// Runs a write to its end, also where the caller goes away after it has begun.
    pub(crate) async fn write<T, F>(&self, write: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, Error>>
            + Send
            + 'static,
    {
        let (sender, outcome) = oneshot::channel();
        let dropped = || Error::Unavailable("the database takes no writes now".into());
        self.jobs
            .send(job(write, sender))
            .await
            .map_err(|_| dropped())?;
        outcome.await.unwrap_or_else(|_| Err(dropped()))
    }

    /// Closes the connection, after the commit that is under way.
    pub(crate) async fn close(self) -> Result<(), DbErr> {
        self.writer.close_by_ref().await
    }
}

fn job<T, F>(write: F, sender: oneshot::Sender<Result<T, Error>>) -> Job
where
    T: Send + 'static,
    F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
{
    Box::new(move |transaction| {
        Box::pin(async move {
            if sender.is_closed() {
                return Done::Nothing;
            }
            let outcome = AssertUnwindSafe(async { write(transaction).await })
                .catch_unwind()
                .await;
            // An error says that the caller has gone away in the meantime.
            match outcome.unwrap_or_else(|_| Err(Error::internal("a write panicked"))) {
                Ok(value) => Done::Written(Box::new(move |commit| {
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

async fn work(writer: DatabaseConnection, mut jobs: mpsc::Receiver<Job>) {
    while let Some(first) = jobs.recv().await {
        let mut completions = Vec::new();
        let committed = commit(&writer, first, &mut jobs, &mut completions).await;
        if let Err(error) = &committed {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "writes were not committed"
            );
            // Whoever waits would wait as long, each in turn. Dropped, a job answers that nothing can be written now.
            while jobs.try_recv().is_ok() {}
        }
        for complete in completions {
            complete(committed.clone());
        }
    }
}

/// One commit: the first job, and those that wait or come while others run. Callers whose write is in it are in `completions`.
async fn commit(
    writer: &DatabaseConnection,
    first: Job,
    jobs: &mut mpsc::Receiver<Job>,
    completions: &mut Vec<Completion>,
) -> Result<(), DbErr> {
    let options = TransactionOptions {
        // Taking the write lock at once avoids a refusal later, when a read has to become a write.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = writer.begin_with_options(options).await?;
    let end = Instant::now() + MAX_BATCH_TIME;
    // The first has the transaction to itself so far: it needs no savepoint.
    match first(&transaction).await {
        Done::Written(completion) => completions.push(completion),
        Done::Failed | Done::Nothing => return transaction.rollback().await,
    }
    let mut mark = MARK;
    while completions.len() < MOST && Instant::now() < end {
        let Ok(job) = jobs.try_recv() else { break };
        transaction.execute_unprepared(mark).await?;
        mark = NEXT_MARK;
        match job(&transaction).await {
            Done::Written(completion) => completions.push(completion),
            Done::Failed => {
                transaction.execute_unprepared(BACK).await?;
            }
            Done::Nothing => {}
        }
    }
    transaction.commit().await
}

#[cfg(test)]
mod tests;
