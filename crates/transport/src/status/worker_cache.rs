//! Each worker's own copies of the pages that are asked for there. Bytes count who holds them; workers that count in one place
//! wait for each other at every request.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use crate::status::page::Page;
use crate::status::pages::Pages;

/// How many bytes of pages each worker keeps. Beyond them the pages go that are asked for least.
const MEMORY: u64 = 16 * 1024 * 1024;
/// The largest page a worker keeps a copy of, in bytes: beyond it the copy costs more than the count.
const LARGEST: u64 = 2 * 1024 * 1024;
/// How many organisations are expected to be looked at.
const ORGANISATIONS: usize = 64;

/// Weighs a copy by the bytes it holds.
#[derive(Debug, Clone)]
struct BySize;

impl Weighter<OrganisationId, Rc<Page>> for BySize {
    fn weight(&self, _: &OrganisationId, page: &Rc<Page>) -> u64 {
        page.weight()
    }
}

/// One worker's copies.
pub(crate) struct Copies {
    pages: Arc<Pages>,
    kept: RefCell<Cache<OrganisationId, Rc<Page>, BySize>>,
}

impl Copies {
    /// No copy yet.
    pub(crate) fn of(pages: Arc<Pages>) -> Self {
        Self {
            pages,
            kept: RefCell::new(Cache::with_weighter(ORGANISATIONS, MEMORY, BySize)),
        }
    }

    /// The page of an organisation, where it is in memory and nothing has to be read or asked.
    pub(crate) fn page(&self, organisation: &str) -> Option<Rc<Page>> {
        let kept = self.kept.borrow().get(organisation).map(Rc::clone);
        if let Some(page) = kept.filter(|page| self.pages.is_current(page)) {
            return Some(page);
        }
        let organisation = OrganisationId::parse(organisation).ok()?;
        let page = self
            .pages
            .current(&organisation)
            .filter(|page| page.weight() <= LARGEST)?;
        let page = Rc::new(page.copied());
        self.kept
            .borrow_mut()
            .insert(organisation, Rc::clone(&page));
        Some(page)
    }
}
