//! The public snapshot and page of each organisation, ready in memory.
//!
//! A page is read anew when the relay has heard of a newer revision than the one it shows: once, however many ask. So
//! what was written through this node shows at once, and the database sees one read a change.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::public::SnapshotStore;
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use arc_swap::ArcSwapOption;
use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Options, OptionsBuilder, Weighter};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tracing::Instrument;

use crate::page_template::PageTemplate;
use crate::status::page::{ENTRY, Page};

/// How long a page of an unchanged organisation is served before it is read anew: what shows for 14 days has to go.
const MAX_AGE: TimeDelta = TimeDelta::minutes(1);
/// How long after a failed read the last page is served without trying again.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(1);
/// How many bytes of pages are kept. Beyond them the pages go that are asked for least.
const MEMORY: u64 = 64 * 1024 * 1024;
/// How many organisations are expected to be looked at.
const ORGANISATIONS: usize = 256;

/// A cache of one part, so that a page may take nearly all of it: one that does not fit is read for every visitor.
fn whole_cache() -> Options {
    match OptionsBuilder::new()
        .estimated_items_capacity(ORGANISATIONS)
        .weight_capacity(MEMORY)
        .shards(1)
        .build()
    {
        Ok(options) => options,
        Err(error) => unreachable!("both capacities are set: {error}"),
    }
}

#[derive(Default)]
struct Entry {
    current: ArcSwapOption<Page>,
    /// Somebody reads the page anew; the others wait for what is found.
    is_read: AtomicBool,
    /// Told to all of them at once when that is over. By a lock they would come one after the other.
    over: Notify,
    failed_at: ArcSwapOption<DateTime<Utc>>,
}

/// The page being read anew, by whoever holds this.
struct Reading(Arc<Entry>);

/// An entry with what it counted for when it was put in: the cache subtracts that when it goes, whatever it holds by then.
#[derive(Clone)]
struct Kept {
    entry: Arc<Entry>,
    weight: u64,
}

/// Weighs an organisation by the bytes its page holds.
#[derive(Debug, Clone)]
struct BySize;

impl Weighter<OrganisationId, Kept> for BySize {
    fn weight(&self, _: &OrganisationId, kept: &Kept) -> u64 {
        kept.weight
    }
}

/// The pages somebody has asked for.
pub struct Pages {
    store: Arc<dyn SnapshotStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    template: PageTemplate,
    entries: Cache<OrganisationId, Kept, BySize>,
    runtime: Handle,
}

impl Pages {
    /// No page yet. They are read by the runtime this is called in.
    pub fn new(
        store: Arc<dyn SnapshotStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
        template: PageTemplate,
    ) -> Self {
        let entries = Cache::with_options(
            whole_cache(),
            BySize,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        );
        Self {
            store,
            relay,
            clock,
            template,
            entries,
            runtime: Handle::current(),
        }
    }

    /// The page of an organisation; none where there is no such organisation. While the database is away the last page
    /// stands.
    pub async fn page(
        self: &Arc<Self>,
        organisation: &OrganisationId,
    ) -> Result<Option<Arc<Page>>, Error> {
        let Some(Kept { entry, .. }) = self.entries.get(organisation) else {
            return self.first(organisation).await;
        };
        let now = self.clock.now();
        if let Some(page) = self.in_memory(&entry, now) {
            if page.age(now) >= MAX_AGE && !entry.in_vain(now) {
                self.refresh(organisation, &entry);
            }
            return Ok(Some(page));
        }
        self.anew(organisation, &entry).await
    }

    /// The page of an organisation, where it is in memory and nothing about it is due.
    pub(crate) fn current(&self, organisation: &OrganisationId) -> Option<Arc<Page>> {
        let Kept { entry, .. } = self.entries.get(organisation)?;
        entry
            .current
            .load_full()
            .filter(|page| self.is_current(page))
    }

    /// Whether a page shows the state of now, and was read not long ago.
    pub(crate) fn is_current(&self, page: &Page) -> bool {
        let now = self.clock.now();
        page.is_of(now) && page.age(now) < MAX_AGE
    }

    /// The page in memory, if it shows everything the relay has heard of, or if nothing newer can be read right now. Nobody
    /// waits for a database that is known to be away.
    fn in_memory(&self, entry: &Entry, now: DateTime<Utc>) -> Option<Arc<Page>> {
        let page = entry.current.load_full()?;
        (page.is_of(now) || entry.in_vain(now) || self.relay.is_cut_off()).then_some(page)
    }

    /// Reads a page anew where no request waits in front of it: not in the worker that was asked.
    fn read(
        self: &Arc<Self>,
        organisation: OrganisationId,
        reading: Reading,
    ) -> JoinHandle<Result<Option<Arc<Page>>, Error>> {
        let pages = Arc::clone(self);
        let found = async move { pages.found(&organisation, &reading.0).await };
        self.runtime.spawn(found.in_current_span())
    }

    /// Reads an old page anew while it is still being served, unless somebody does already.
    fn refresh(self: &Arc<Self>, organisation: &OrganisationId, entry: &Arc<Entry>) {
        let Some(reading) = entry.reading() else {
            return;
        };
        let read = self.read(organisation.clone(), reading);
        let organisation = organisation.clone();
        self.runtime.spawn(async move {
            if let Ok(Err(error)) = read.await {
                tracing::warn!(%organisation, error = &error as &dyn std::error::Error, "a page could not be read anew");
            }
        });
    }

    async fn first(
        self: &Arc<Self>,
        organisation: &OrganisationId,
    ) -> Result<Option<Arc<Page>>, Error> {
        if self.relay.follow(organisation).await?.is_none() {
            return Ok(None);
        }
        let fresh = || {
            Ok::<_, Infallible>(Kept {
                entry: Arc::default(),
                weight: ENTRY,
            })
        };
        let Ok(Kept { entry, .. }) = self.entries.get_or_insert_with(organisation, fresh);
        self.anew(organisation, &entry).await
    }

    /// The page as it is now: read by one, for all who wait.
    async fn anew(
        self: &Arc<Self>,
        organisation: &OrganisationId,
        entry: &Arc<Entry>,
    ) -> Result<Option<Arc<Page>>, Error> {
        let asked_at = self.clock.now();
        loop {
            let mut over = pin!(entry.over.notified());
            // From here on nothing is missed: whoever ends before the look below has left what it found.
            over.as_mut().enable();
            let now = self.clock.now();
            // Read since this was asked, it shows whatever there was by then: whoever waited for the newest of a storm of
            // changes would wait for the end of it.
            let since = || {
                entry
                    .current
                    .load_full()
                    .filter(|page| asked_at < page.read_at && page.read_at <= now)
            };
            if let Some(page) = self.in_memory(entry, now).or_else(since) {
                return Ok(Some(page));
            }
            if entry.in_vain(now) {
                return Err(Error::Unavailable(
                    "the page could not be read a moment ago".into(),
                ));
            }
            if let Some(reading) = entry.reading() {
                return self
                    .read(organisation.clone(), reading)
                    .await
                    .map_err(Error::internal)?;
            }
            over.await;
        }
    }

    async fn found(
        &self,
        organisation: &OrganisationId,
        entry: &Arc<Entry>,
    ) -> Result<Option<Arc<Page>>, Error> {
        match self.render(organisation).await {
            Ok(page) => {
                entry.failed_at.store(None);
                entry.current.store(page.clone());
                match &page {
                    // Put in anew, so that it counts by its size.
                    Some(page) => {
                        let kept = Kept {
                            entry: Arc::clone(entry),
                            weight: page.weight(),
                        };
                        self.entries.insert(organisation.clone(), kept);
                    }
                    None => drop(self.entries.remove(organisation)),
                }
                Ok(page)
            }
            Err(Error::Unavailable(cause)) => {
                entry.failed_at.store(Some(Arc::new(self.clock.now())));
                let Some(last) = entry.current.load_full() else {
                    return Err(Error::Unavailable(cause));
                };
                tracing::warn!(%organisation, error = cause.as_ref() as &dyn std::error::Error, "serving the last page known");
                Ok(Some(last))
            }
            Err(error) => Err(error),
        }
    }

    async fn render(&self, organisation: &OrganisationId) -> Result<Option<Arc<Page>>, Error> {
        let now = self.clock.now();
        let Some(followed) = self.relay.follow(organisation).await? else {
            return Ok(None);
        };
        let Some(snapshot) = self.store.snapshot(organisation, now).await? else {
            return Ok(None);
        };
        self.relay.hear(organisation, Revision(snapshot.revision));
        let template = self.template.clone();
        let page =
            tokio::task::spawn_blocking(move || Page::render(&snapshot, now, followed, &template));
        page.await
            .map_err(Error::internal)?
            .map(|page| Some(Arc::new(page)))
    }
}

impl Entry {
    /// The right to read the page anew, unless somebody has it already.
    fn reading(self: &Arc<Self>) -> Option<Reading> {
        let is_free = !self.is_read.swap(true, Ordering::AcqRel);
        is_free.then(|| Reading(Arc::clone(self)))
    }

    /// Whether the last read failed so short ago that the next one would too.
    fn in_vain(&self, now: DateTime<Utc>) -> bool {
        // Where the clock was set back, nobody knows how long ago it was.
        let ago = self
            .failed_at
            .load()
            .as_ref()
            .map(|failed_at| now - **failed_at);
        ago.is_some_and(|ago| (TimeDelta::zero()..RETRY_DELAY).contains(&ago))
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.is_read.store(false, Ordering::Release);
        self.0.over.notify_waiters();
    }
}

#[cfg(test)]
pub(crate) mod tests;
