//! Bounds the memory of large lists that are being sent: each client gets a copy of its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::request::Refused;

/// Lists of pages below this size fit into a client's queue many times.
pub(super) const SMALL: usize = 8 * 1024;
/// Bytes of all large lists that are being sent.
const MEMORY: usize = 64 * 1024 * 1024;
/// Bytes in which they are counted.
const UNIT: usize = 1024;
/// How long a list waits for others to be received.
const WAIT: Duration = Duration::from_secs(30);

/// The memory of large lists.
pub(super) struct LargeLists(Arc<Semaphore>);

/// Memory of a list that is being sent.
#[derive(Debug)]
pub(super) struct LargeList(
    #[expect(dead_code, reason = "dropped at the end")] OwnedSemaphorePermit,
);

impl LargeLists {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MEMORY / UNIT)))
    }

    /// Waits until there is memory for a list of a page of this size. `None` for a small one.
    pub(super) async fn begin(&self, size: usize) -> Result<Option<LargeList>, Refused> {
        if size < SMALL {
            return Ok(None);
        }
        let units = size.div_ceil(UNIT).min(MEMORY / UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let memory = Arc::clone(&self.0).acquire_many_owned(units);
        match timeout(WAIT, memory).await {
            Ok(Ok(permit)) => Ok(Some(LargeList(permit))),
            Ok(Err(_)) | Err(_) => Err(Refused::because(
                "Too many clients read large lists, please read the status page's snapshot",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt as _;

    #[tokio::test(start_paused = true)]
    async fn large_lists_are_bounded_together() {
        let lists = LargeLists::new();
        let first = lists.begin(MEMORY - SMALL).await.ok().unwrap();
        assert!(lists.begin(SMALL - 1).await.ok().unwrap().is_none());
        let fits = lists.begin(SMALL).await.ok().unwrap();
        assert!(fits.is_some());
        assert!(lists.begin(SMALL).await.is_err());
        drop(first);
        assert!(lists.begin(SMALL).await.ok().unwrap().is_some());
    }

    #[tokio::test]
    async fn list_larger_than_all_memory_is_sent_alone() {
        let lists = LargeLists::new();
        let all = lists.begin(2 * MEMORY).await.ok().unwrap();
        assert!(all.is_some());
        assert!(lists.begin(SMALL).now_or_never().is_none());
    }
}
