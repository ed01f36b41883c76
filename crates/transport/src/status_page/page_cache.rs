//! The public snapshot and page of each organisation, cached in memory.
//!
//! A page is read again when the relay knows a newer revision: once, however many requests wait. So
//! a write through this node is visible immediately, and the database serves one read per change.
//!
//! Pages of the history and documents for programs are in a `RevisionCache` instead, whose values
//! belong to one revision exactly. The page is what nearly every viewer requests, so under constant
//! writes a page that was read after the request is enough, and an old page is read again in the
//! background. It needs no bound for the reads of one organisation, because it has one address.
//! Those of all organisations together have one.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use allclear_application::clock::Clock;
use allclear_application::error::{Error, Resource};
use allclear_application::relay::Relay;
use allclear_application::status_page::SnapshotStore;
use allclear_domain::id::OrganisationId;
use arc_swap::ArcSwapOption;
use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::sync::Cache;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

use crate::byte_bounded_cache::{BySize, SLOT_BYTES, Weigh, cache};
use crate::render_slots::render;
use crate::status_page::page::Page;
use crate::status_page::parse_organisation_id;
use crate::status_page::stale_if_error::{
    READ_TIMEOUT, has_just_failed, is_unavailable, log_failed_read,
};
use crate::web_app::page_template::PageTemplate;

/// How long a page of an unchanged organisation is served before it is read again, so that
/// incidents disappear after 14 days.
const MAX_AGE: TimeDelta = TimeDelta::minutes(1);
/// Bytes of cached pages. Beyond them the least requested pages are evicted.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Expected number of organisations with visitors.
const EXPECTED_ORGANISATIONS: usize = 256;

#[derive(Default)]
struct PageSlot {
    current: ArcSwapOption<Page>,
    /// Whether the page is being read; other requests wait for the result.
    is_rendering: AtomicBool,
    /// When that read began. After [`READ_TIMEOUT`], requests are served the last page.
    began_at: ArcSwapOption<Instant>,
    /// Notified when the read has ended. A lock would wake the waiting requests one after
    /// the other.
    finished: Notify,
    failed_at: ArcSwapOption<DateTime<Utc>>,
}

/// The right to read a page; released on drop.
struct RenderGuard(Arc<PageSlot>);

/// A slot with its weight at insertion. The cache subtracts that weight on eviction, whatever the
/// slot contains by then.
#[derive(Clone)]
struct WeightedSlot {
    slot: Arc<PageSlot>,
    weight: u64,
}

impl Weigh for WeightedSlot {
    fn weight(&self) -> u64 {
        self.weight
    }
}

/// The cached pages.
pub struct PageCache {
    store: Arc<dyn SnapshotStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    template: PageTemplate,
    entries: Cache<OrganisationId, WeightedSlot, BySize>,
    /// The pages that are read at the same time. Large pages of many organisations would otherwise
    /// use all connections that read, and each takes memory.
    reads: Semaphore,
    runtime: Handle,
}

impl PageCache {
    /// Creates an empty cache. At most `reads` pages are read at the same time, in the current
    /// runtime.
    pub fn new(
        store: Arc<dyn SnapshotStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
        template: PageTemplate,
        reads: usize,
    ) -> Self {
        Self {
            store,
            relay,
            clock,
            template,
            entries: cache(EXPECTED_ORGANISATIONS, MAX_BYTES),
            reads: Semaphore::new(reads),
            runtime: Handle::current(),
        }
    }

    /// The page of an organisation; `None` if the organisation is unknown. While the database is
    /// unavailable, the last page is served.
    pub async fn page(
        self: &Arc<Self>,
        organisation: &OrganisationId,
    ) -> Result<Option<Arc<Page>>, Error> {
        let Some(WeightedSlot { slot, .. }) = self.entries.get(organisation) else {
            return self.load_first(organisation).await;
        };
        let now = self.clock.now();
        if let Some(page) = self.in_memory(&slot, now) {
            if page.age(now) >= MAX_AGE && !is_unavailable(&self.relay, slot.failed_at(), now) {
                self.refresh(organisation, &slot);
            }
            return Ok(Some(page));
        }
        self.refreshed(organisation, &slot).await
    }

    /// The page of the organisation that a path names.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the organisation is unknown.
    pub(crate) async fn require(self: &Arc<Self>, organisation: &str) -> Result<Arc<Page>, Error> {
        let page = self.page(&parse_organisation_id(organisation)?).await?;
        page.ok_or(Error::NotFound(Resource::Organisation))
    }

    /// The page of an organisation, if it is cached and current.
    pub(crate) fn current(&self, organisation: &OrganisationId) -> Option<Arc<Page>> {
        let WeightedSlot { slot, .. } = self.entries.get(organisation)?;
        slot.current
            .load_full()
            .filter(|page| self.is_current(page))
    }

    /// Whether a page shows the current state and was read recently.
    pub(crate) fn is_current(&self, page: &Page) -> bool {
        let now = self.clock.now();
        page.is_up_to_date(now) && page.age(now) < MAX_AGE
    }

    /// The cached page, if it shows every revision the relay knows, or if no newer one can be read
    /// now. Requests do not wait for a database that is known to be unavailable.
    fn in_memory(&self, slot: &PageSlot, now: DateTime<Utc>) -> Option<Arc<Page>> {
        let page = slot.current.load_full()?;
        let is_unreadable =
            || slot.is_overdue() || is_unavailable(&self.relay, slot.failed_at(), now);
        (page.is_up_to_date(now) || is_unreadable()).then_some(page)
    }

    /// Reads a page in the runtime, where no request of a worker queues behind it.
    fn read(
        self: &Arc<Self>,
        organisation: OrganisationId,
        guard: RenderGuard,
    ) -> JoinHandle<Result<Option<Arc<Page>>, Error>> {
        let pages = Arc::clone(self);
        let found = async move { pages.render_and_store(&organisation, &guard.0).await };
        self.runtime.spawn(found.in_current_span())
    }

    /// Reads an old page again in the background, unless that is happening already.
    fn refresh(self: &Arc<Self>, organisation: &OrganisationId, slot: &Arc<PageSlot>) {
        let Some(guard) = slot.guard() else {
            return;
        };
        let read = self.read(organisation.clone(), guard);
        let organisation = organisation.clone();
        self.runtime.spawn(async move {
            if let Ok(Err(error)) = read.await {
                tracing::warn!(%organisation, error = &error as &dyn std::error::Error, "refreshing a page failed");
            }
        });
    }

    async fn load_first(
        self: &Arc<Self>,
        organisation: &OrganisationId,
    ) -> Result<Option<Arc<Page>>, Error> {
        if self.relay.follow(organisation).await?.is_none() {
            return Ok(None);
        }
        let fresh = || {
            Ok::<_, Infallible>(WeightedSlot {
                slot: Arc::default(),
                weight: SLOT_BYTES,
            })
        };
        let Ok(WeightedSlot { slot, .. }) = self.entries.get_or_insert_with(organisation, fresh);
        self.refreshed(organisation, &slot).await
    }

    /// The current page, read once for all waiting requests.
    async fn refreshed(
        self: &Arc<Self>,
        organisation: &OrganisationId,
        slot: &Arc<PageSlot>,
    ) -> Result<Option<Arc<Page>>, Error> {
        let requested_at = self.clock.now();
        loop {
            let mut finished = pin!(slot.finished.notified());
            // Registered before the checks below, so no notification is missed.
            finished.as_mut().enable();
            let now = self.clock.now();
            // A page rendered after this request arrived is fresh enough. Waiting for the latest
            // revision could wait for ever under constant writes.
            let since = || {
                slot.current
                    .load_full()
                    .filter(|page| requested_at < page.read_at && page.read_at <= now)
            };
            if let Some(page) = self.in_memory(slot, now).or_else(since) {
                return Ok(Some(page));
            }
            if has_just_failed(slot.failed_at(), now) {
                return Err(Error::Unavailable(
                    "the last read of the page failed a moment ago".into(),
                ));
            }
            let guard = slot.guard();
            let read = guard.map(|guard| self.read(organisation.clone(), guard));
            let ended = async {
                if let Some(read) = read {
                    Some(read.await)
                } else {
                    finished.await;
                    None
                }
            };
            // The read goes on after the timeout.
            if let Ok(Some(read)) = timeout(READ_TIMEOUT, ended).await {
                return read.map_err(Error::internal)?;
            }
        }
    }

    async fn render_and_store(
        &self,
        organisation: &OrganisationId,
        slot: &Arc<PageSlot>,
    ) -> Result<Option<Arc<Page>>, Error> {
        match self.render(organisation).await {
            Ok(page) => {
                slot.failed_at.store(None);
                slot.current.store(page.clone());
                match &page {
                    // Inserted again to update its weight.
                    Some(page) => {
                        let weighted = WeightedSlot {
                            slot: Arc::clone(slot),
                            weight: page.weight(),
                        };
                        self.entries.insert(organisation.clone(), weighted);
                    }
                    None => drop(self.entries.remove(organisation)),
                }
                Ok(page)
            }
            Err(error @ (Error::Unavailable(_) | Error::Internal(_))) => {
                slot.failed_at.store(Some(Arc::new(self.clock.now())));
                let Some(last) = slot.current.load_full() else {
                    return Err(error);
                };
                log_failed_read(
                    organisation,
                    &error,
                    "reading a page failed; serving the last one",
                );
                Ok(Some(last))
            }
            Err(error) => Err(error),
        }
    }

    async fn render(&self, organisation: &OrganisationId) -> Result<Option<Arc<Page>>, Error> {
        let Some(position) = self.relay.follow(organisation).await? else {
            return Ok(None);
        };
        // Requests are served the last page while this takes long.
        let _read = self.reads.acquire().await.map_err(Error::internal)?;
        let now = self.clock.now();
        let Some(snapshot) = self.store.snapshot(organisation, now).await? else {
            return Ok(None);
        };
        self.relay.note_revision(organisation, snapshot.revision);
        let template = self.template.clone();
        let page = render(&self.runtime, move || {
            Page::render(&snapshot, now, position, &template)
        });
        page.await.map(|page| Some(Arc::new(page)))
    }
}

impl PageSlot {
    /// The right to read the page; `None` if it is taken.
    fn guard(self: &Arc<Self>) -> Option<RenderGuard> {
        let is_free = !self.is_rendering.swap(true, Ordering::AcqRel);
        is_free.then(|| {
            self.began_at.store(Some(Arc::new(Instant::now())));
            RenderGuard(Arc::clone(self))
        })
    }

    /// Whether the page has been read for longer than [`READ_TIMEOUT`].
    fn is_overdue(&self) -> bool {
        let began_at = self.began_at.load();
        began_at
            .as_ref()
            .is_some_and(|began_at| began_at.elapsed() >= READ_TIMEOUT)
    }

    /// When the last read failed; `None` if it did not fail.
    fn failed_at(&self) -> Option<DateTime<Utc>> {
        self.failed_at.load().as_deref().copied()
    }
}

impl Drop for RenderGuard {
    fn drop(&mut self) {
        self.0.began_at.store(None);
        self.0.is_rendering.store(false, Ordering::Release);
        self.0.finished.notify_waiters();
    }
}

#[cfg(test)]
pub(crate) mod tests;
