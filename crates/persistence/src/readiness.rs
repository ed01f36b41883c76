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
use crate::sqlite_file::OpenedFile;
use crate::statement::RunStatement;
use crate::transaction::Transaction;

/// How long the result of a write probe is reused, which bounds the writes.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// Timeout of the read, and of the write probe.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// Bytes below which the disk counts as full. A write needs a few pages of 4 KiB in the
/// write-ahead log.
const MIN_FREE_SPACE: u64 = 64 * 1024;

/// State between two checks.
#[derive(Debug, Clone)]
pub(crate) struct Probe {
    file: Option<OpenedFile>,
    last_write: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Probe {
    /// A probe of the database at this address, which was just opened.
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
        let probe = self.probe.clone();
        let checked = tokio::task::spawn_blocking(move || probe.check_file());
        checked.await.unwrap_or(Err(NotReady::Unavailable))?;
        let read = timeout(PROBE_TIME, self.read().0.ping()).await;
        if !matches!(read, Ok(Ok(()))) {
            return Err(NotReady::Unavailable);
        }
        let is_writable = timeout(PROBE_TIME, self.is_writable()).await;
        if !is_writable.unwrap_or(false) {
            return Err(NotReady::NotWritable);
        }
        Ok(())
    }
}

impl Database {
    /// Whether a write was stored within [`PROBE_INTERVAL`]. Of concurrent callers one probes and
    /// the others wait.
    async fn is_writable(&self) -> bool {
        let mut last = self.probe.last_write.lock().await;
        if let Some((at, is_writable)) = *last
            && at.elapsed() < PROBE_INTERVAL
        {
            return is_writable;
        }
        let written = self
            .write_unaudited(NoAuditItem::Upkeep, |transaction| {
                Box::pin(touch(transaction))
            })
            .await;
        let is_writable = written.is_ok();
        *last = Some((Instant::now(), is_writable));
        is_writable
    }
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
