//! Bounds the memory of large lists that are being sent: each client gets a copy of its own.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_domain::id::OrganisationId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::request::Refused;

/// Lists of pages below this size fit into a client's queue many times.
pub(super) const SMALL: usize = 8 * 1024;
/// Bytes of all large lists that are being sent.
const MEMORY: usize = 64 * 1024 * 1024;
/// Bytes in which they are counted.
const UNIT: usize = 1024;
/// Maximum number of large lists of one organisation that are being sent.
const OF_ORGANISATION: usize = 8;
/// Maximum number of clients that wait for a list of an organisation.
const MAX_WAITING: usize = 1024;
/// How long a list waits for others to be received.
const WAIT: Duration = Duration::from_secs(30);

/// The memory of large lists.
pub(super) struct LargeLists {
    organisations: KeyedSemaphore<OrganisationId>,
    memory: Arc<Semaphore>,
}

/// Memory of a list that is being sent.
#[derive(Debug)]
pub(super) struct LargeList {
    _turn: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
}

impl LargeLists {
    pub(super) fn new() -> Self {
        Self {
            organisations: KeyedSemaphore::new(OF_ORGANISATION, MAX_WAITING),
            memory: Arc::new(Semaphore::new(MEMORY / UNIT)),
        }
    }

    /// Waits until there is memory for a list of a page of this size. `None` for a small one.
    pub(super) async fn begin(
        &self,
        organisation: &OrganisationId,
        size: usize,
    ) -> Result<Option<LargeList>, Refused> {
        if size < SMALL {
            return Ok(None);
        }
        let units = size.div_ceil(UNIT).min(MEMORY / UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let begun = async {
            let turn = self.organisations.acquire(organisation).await?;
            let memory = Arc::clone(&self.memory).acquire_many_owned(units);
            Some(LargeList {
                _turn: turn,
                _memory: memory.await.ok()?,
            })
        };
        match timeout(WAIT, begun).await {
            Ok(Some(list)) => Ok(Some(list)),
            Ok(None) | Err(_) => Err(Refused::because(
                "Too many clients read large lists, please read the status page's snapshot",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt as _;

    fn organisation(number: usize) -> OrganisationId {
        OrganisationId::parse(&format!("organisation{number}")).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn large_lists_are_bounded_together() {
        let lists = LargeLists::new();
        let begin = async |number, size| lists.begin(&organisation(number), size).await.ok();
        let first = begin(1, MEMORY - SMALL).await.unwrap();
        assert!(begin(2, SMALL - 1).await.unwrap().is_none());
        let fits = begin(2, SMALL).await.unwrap();
        assert!(fits.is_some());
        assert!(begin(2, SMALL).await.is_none());
        drop(first);
        assert!(begin(2, SMALL).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn large_lists_of_an_organisation_are_few() {
        let lists = LargeLists::new();
        let begin = async |number| lists.begin(&organisation(number), SMALL).await.ok();
        let mut sent = Vec::new();
        for _ in 0..OF_ORGANISATION {
            sent.push(begin(1).await.unwrap());
        }
        assert!(begin(1).await.is_none());
        assert!(begin(2).await.is_some());
        sent.pop();
        assert!(begin(1).await.is_some());
    }

    #[tokio::test]
    async fn list_larger_than_all_memory_is_sent_alone() {
        let lists = LargeLists::new();
        let (one, other) = (organisation(1), organisation(2));
        let all = lists.begin(&one, 2 * MEMORY).await.ok().unwrap();
        assert!(all.is_some());
        assert!(lists.begin(&other, SMALL).now_or_never().is_none());
    }
}
