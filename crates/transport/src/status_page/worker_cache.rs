//! A cache of pages per worker. Shared bytes have a reference count, and workers that update the
//! same count slow each other down.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use quick_cache::unsync::Cache;

use crate::byte_bounded_cache::{BySize, Weigh as _};
use crate::status_page::page::Page;
use crate::status_page::page_cache::PageCache;

/// Bytes of pages that each worker caches. Beyond them the least requested pages are evicted.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Largest page that is copied for a worker, in bytes; copying a larger one costs more than the
/// shared count.
const MAX_WEIGHT: u64 = 2 * 1024 * 1024;
/// Expected number of organisations with visitors.
const EXPECTED_ORGANISATIONS: usize = 64;

/// The cache of one worker.
pub(crate) struct WorkerCache {
    pages: Arc<PageCache>,
    cached: RefCell<Cache<OrganisationId, Rc<Page>, BySize>>,
}

impl WorkerCache {
    pub(crate) fn of(pages: Arc<PageCache>) -> Self {
        Self {
            pages,
            cached: RefCell::new(Cache::with_weighter(
                EXPECTED_ORGANISATIONS,
                MAX_BYTES,
                BySize,
            )),
        }
    }

    /// The page of an organisation, if it is in memory and current.
    pub(crate) fn page(&self, organisation: &str) -> Option<Rc<Page>> {
        let cached = self.cached.borrow().get(organisation).map(Rc::clone);
        if let Some(page) = cached.filter(|page| self.pages.is_current(page)) {
            return Some(page);
        }
        let organisation = OrganisationId::parse(organisation).ok()?;
        let page = self
            .pages
            .current(&organisation)
            .filter(|page| page.weight() <= MAX_WEIGHT)?;
        let page = Rc::new(page.deep_copy());
        self.cached
            .borrow_mut()
            .insert(organisation, Rc::clone(&page));
        Some(page)
    }
}
