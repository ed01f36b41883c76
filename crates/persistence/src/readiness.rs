//! Whether the database can do its work: it can be read and written, and its file is still the opened one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allclear_application::error::Error;
use allclear_application::health::{NotReady, Readiness};
use async_trait::async_trait;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::database::Database;
use crate::error::broken;
use crate::sqlite_file::OpenedFile;
use crate::timeout::in_time;

/// How long one try to write counts: however often somebody asks, the disk is written to this often.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// How long a write may take before the database counts as not writable.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// Bytes below which the disk counts as full. A write needs a few pages of 4 KiB in the write-ahead log.
const LEAST_SPACE: u64 = 64 * 1024;

/// What is remembered between two questions.
#[derive(Debug, Clone)]
pub(crate) struct Probe {
    file: Option<OpenedFile>,
    last_write: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Probe {
    /// For an address whose database has just been opened.
    pub(crate) fn of(url: &str) -> Self {
        Self {
            file: OpenedFile::of(url),
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
        if file.free_space().is_some_and(|bytes| bytes < LEAST_SPACE) {
            return Err(NotReady::DiskFull);
        }
        Ok(())
    }
}

#[async_trait]
impl Readiness for Database {
    async fn ready(&self) -> Result<(), NotReady> {
        let probe = self.probe.clone();
        let checked = tokio::task::spawn_blocking(move || probe.check_file());
        checked.await.unwrap_or(Err(NotReady::Unavailable))?;
        in_time(async { self.read().0.ping().await.map_err(broken) })
            .await
            .map_err(|_| NotReady::Unavailable)?;
        timeout(PROBE_TIME, self.is_writable())
            .await
            .unwrap_or(false)
            .then_some(())
            .ok_or(NotReady::NotWritable)
    }
}

impl Database {
    /// Whether a write was stored within [`PROBE_INTERVAL`]. Of many who ask at once one tries and the others wait for it.
    async fn is_writable(&self) -> bool {
        let mut last = self.probe.last_write.lock().await;
        if let Some((at, is_writable)) = *last
            && at.elapsed() < PROBE_INTERVAL
        {
            return is_writable;
        }
        let written = self.write(|transaction| Box::pin(touch(transaction))).await;
        let is_writable = written.is_ok();
        *last = Some((Instant::now(), is_writable));
        is_writable
    }
}

/// Changes the one row that is there for this. SQLite writes nothing for a value that stays the same.
async fn touch(transaction: &DatabaseTransaction) -> Result<(), Error> {
    let touch = Query::update()
        .table("readiness_probe")
        .value("counter", Expr::col("counter").add(1))
        .take();
    transaction.execute(&touch).await.map_err(broken)?;
    Ok(())
}
