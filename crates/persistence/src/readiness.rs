//! Readiness of the database: it can be read and written, and its file is still the opened one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allclear_application::error::Error;
use allclear_application::health::{NotReady, Readiness};
use async_trait::async_trait;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::error::broken;
use crate::last_commit::LastCommit;
use crate::sqlite_file::OpenedFile;
use crate::statement::RunStatement;
use crate::transaction::Transaction;

/// How long the result of a write probe is reused, which bounds the writes.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// Timeout of the read, and of the write probe.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// Age of a commit up to which it shows that the database can be written to. The probe writes
/// nothing meanwhile.
const RECENT_COMMIT: Duration = Duration::from_secs(5);
/// Bytes below which the disk counts as full. A write needs a few pages of 4 KiB in the
/// write-ahead log.
const MIN_FREE_SPACE: u64 = 64 * 1024;

/// Result of a read or a write. Its error is shared by those who reuse it.
type ProbeResult = Result<(), Arc<Error>>;

/// State between two checks.
#[derive(Debug, Clone)]
pub(crate) struct Probe {
    file: Option<OpenedFile>,
    /// The last commit of all writes that changed rows.
    pub(crate) commits: LastCommit,
    last_write: Arc<Mutex<Option<(Instant, ProbeResult)>>>,
}

impl Probe {
    /// A probe of the database at this address, which was just opened.
    pub(crate) fn of(url: &str, commits: LastCommit) -> Self {
        Self {
            file: OpenedFile::of(url),
            commits,
            last_write: Arc::default(),
        }
    }

    fn check_file(&self) -> Result<(), NotReady> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        if !file.is_in_place() {
            return Err(NotReady::Replaced);
        }
        if file
            .free_space()
            .is_some_and(|bytes| bytes < MIN_FREE_SPACE)
        {
            return Err(NotReady::DiskFull);
        }
        Ok(())
    }
}

#[async_trait]
impl Readiness for Database {
    async fn ready(&self) -> Result<(), NotReady> {
        self.ready_file().await?;
        let read = in_probe_time(self.probe_read()).await;
        read.map_err(NotReady::Unavailable)?;
        let written = in_probe_time(self.probe_write()).await;
        written.map_err(NotReady::NotWritable)
    }
}

impl Database {
    /// Checks that the file of an SQLite database is the opened one, and that its disk has space.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason.
    pub async fn check_file(&self) -> Result<(), Error> {
        let ready = self.ready_file().await;
        ready.map_err(|reason| Error::Unavailable(Box::new(reason)))
    }

    async fn ready_file(&self) -> Result<(), NotReady> {
        let probe = self.probe.clone();
        let checked = tokio::task::spawn_blocking(move || probe.check_file());
        let checked = checked
            .await
            .map_err(|error| Arc::new(Error::internal(error)));
        checked.map_err(NotReady::Unavailable)?
    }

    async fn probe_read(&self) -> ProbeResult {
        let read = self.read().ping().await;
        read.map_err(|error| Arc::new(broken(error)))
    }

    /// Writes, or returns the result of a write within [`PROBE_INTERVAL`]. Of concurrent callers
    /// one writes and the others wait. A commit of another write proves the same, so the probe
    /// need not wait for its turn behind many or slow writes.
    async fn probe_write(&self) -> ProbeResult {
        let began = Instant::now();
        let commits = &self.probe.commits;
        if commits.is_within(RECENT_COMMIT) {
            return Ok(());
        }
        let mut last = self.probe.last_write.lock().await;
        if let Some((at, written)) = &*last
            && at.elapsed() < PROBE_INTERVAL
        {
            return written.clone();
        }
        let write = self.write_unaudited(NoAuditItem::Upkeep, |transaction| {
            Box::pin(touch(transaction))
        });
        let written = tokio::select! {
            written = write => written.map_err(Arc::new),
            () = commits.reached(began) => Ok(()),
        };
        *last = Some((Instant::now(), written.clone()));
        written
    }
}

/// Ends a probe that takes longer than [`PROBE_TIME`].
async fn in_probe_time(probe: impl Future<Output = ProbeResult>) -> ProbeResult {
    timeout(PROBE_TIME, probe)
        .await
        .unwrap_or_else(|elapsed| Err(Arc::new(Error::Unavailable(Box::new(elapsed)))))
}

/// Updates a row that exists for this purpose, with a changing value: SQLite writes nothing for an
/// unchanged one.
async fn touch(transaction: &Transaction) -> Result<(), Error> {
    let touch = Query::update()
        .table("readiness_probe")
        .value("counter", Expr::col("counter").add(1))
        .take();
    transaction.run_statement(&touch).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;
    use crate::fixture::sqlite;

    /// Ends a write that holds the writer.
    type Release = oneshot::Sender<()>;

    /// A change that holds the writer until it is released, and what says that it has begun.
    fn hold(
        database: &Database,
    ) -> (
        impl Future<Output = Result<(), Error>>,
        oneshot::Receiver<()>,
        Release,
    ) {
        let (begun, has_begun) = oneshot::channel();
        let (release, released) = oneshot::channel::<()>();
        let write = database.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                touch(transaction).await?;
                let _ = begun.send(());
                let _ = released.await;
                Ok(())
            })
        });
        (write, has_begun, release)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn database_with_a_recent_commit_is_ready_while_a_write_holds_the_writer() {
        let (database, _folder) = sqlite().await;
        database.ready().await.unwrap();
        let (held, has_begun, release) = hold(&database);
        let probe = async {
            has_begun.await.unwrap();
            database.ready().await.unwrap();
            release.send(()).unwrap();
        };
        let (written, ()) = tokio::join!(held, probe);
        written.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn commit_during_the_probe_shows_that_a_busy_database_is_ready() {
        let (database, _folder) = sqlite().await;
        let (first, has_begun, release) = hold(&database);
        let (second, _, release_second) = hold(&database);
        let probe = async {
            has_begun.await.unwrap();
            let mut ready = database.ready();
            // The probe begins, and waits behind the second write.
            let began = timeout(Duration::from_millis(100), ready.as_mut()).await;
            assert!(began.is_err(), "nothing was committed");
            release.send(()).unwrap();
            ready.await.unwrap();
            release_second.send(()).unwrap();
        };
        let (first, second, ()) = tokio::join!(first, second, probe);
        first.unwrap();
        second.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn database_whose_writer_is_held_without_a_commit_is_not_ready() {
        let (database, _folder) = sqlite().await;
        let (held, has_begun, release) = hold(&database);
        let probe = async {
            has_begun.await.unwrap();
            let ready = database.ready().await;
            assert!(matches!(ready, Err(NotReady::NotWritable(_))), "{ready:?}");
            release.send(()).unwrap();
        };
        let (written, ()) = tokio::join!(held, probe);
        written.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn commit_without_a_change_does_not_show_that_the_database_can_be_written_to() {
        let (database, _folder) = sqlite().await;
        let is_shown = || database.probe.commits.is_within(RECENT_COMMIT);
        let nothing = database.write_unaudited(NoAuditItem::Upkeep, |_| Box::pin(async { Ok(()) }));
        nothing.await.unwrap();
        assert!(!is_shown());
        database.ready().await.unwrap();
        assert!(is_shown());
    }
}
