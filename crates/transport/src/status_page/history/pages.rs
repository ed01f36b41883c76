//! The rendered pages of the history, cached in memory.
//!
//! A page is read once per revision of its organisation, however many requests there are.

use std::net::IpAddr;
use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::{Error, Resource};
use allclear_application::relay::Relay;
use allclear_application::status_page::history::{
    History, HistoryDetails, HistorySelection, PublicHistoryStore,
};
use allclear_application::status_page::uptime::{UptimePage, UptimeSelection};
use allclear_domain::code::Code;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use tokio::runtime::Handle;

use crate::render_slots::render;
use crate::status_page::history::template::HistoryTemplate;
use crate::status_page::ready_response::ReadyResponse;
use crate::status_page::revision_cache::RevisionCache;

/// Bytes of cached pages. Beyond them the least requested pages are evicted.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Expected number of cached pages.
const EXPECTED_PAGES: usize = 512;
/// How long a page may stay the same under a revision, in seconds. Uptime changes without one while
/// an outage is open, a month begins without one, and this node's clock may be behind that of the
/// node that started a maintenance.
const LIFETIME: i64 = 60;

/// A page of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum HistoryAddress {
    /// Three months.
    History(HistorySelection),
    /// Uptime by month.
    Uptime(UptimeSelection),
    /// An incident.
    Incident(Code),
    /// A maintenance.
    Maintenance(Code),
}

/// The cached pages of the history.
pub struct HistoryPages {
    store: Arc<dyn PublicHistoryStore>,
    template: Arc<HistoryTemplate>,
    lists: RevisionCache<HistoryAddress, ReadyResponse>,
    /// Incidents and maintenances. A stranger can choose among far more lists, whose reads must not
    /// delay the page of a new incident.
    entries: RevisionCache<HistoryAddress, ReadyResponse>,
}

impl HistoryPages {
    /// Creates an empty cache. Pages are read in the current runtime.
    pub fn new(
        store: Arc<dyn PublicHistoryStore>,
        relay: &Arc<Relay>,
        clock: &Arc<dyn Clock>,
        template: HistoryTemplate,
    ) -> Self {
        Self {
            store,
            template: Arc::new(template),
            lists: RevisionCache::new(relay, clock, 1, EXPECTED_PAGES / 2, MAX_BYTES / 2),
            entries: RevisionCache::new(relay, clock, 1, EXPECTED_PAGES / 2, MAX_BYTES / 2),
        }
    }

    /// The page at an address, for a client; `None` if there is none. [`Error::TooMany`] if too
    /// many pages are being read.
    pub(crate) async fn page(
        &self,
        organisation: &OrganisationId,
        address: HistoryAddress,
        client: IpAddr,
    ) -> Result<Option<Arc<ReadyResponse>>, Error> {
        let read = |now| self.read(organisation.clone(), address, now);
        let cache = match address {
            HistoryAddress::History(_) | HistoryAddress::Uptime(_) => &self.lists,
            HistoryAddress::Incident(_) | HistoryAddress::Maintenance(_) => &self.entries,
        };
        let requester = (organisation, Some(client));
        cache.get(requester, address, LIFETIME, read).await
    }

    /// The newest months of the history of all components, if they are in memory and current.
    pub(crate) fn cached_start(&self, organisation: &str) -> Option<Arc<ReadyResponse>> {
        let address = HistoryAddress::History(HistorySelection {
            page: 1,
            component: None,
        });
        self.lists.cached(organisation, address, LIFETIME)
    }

    /// The page for an unknown address, as HTML.
    pub(crate) fn unknown(&self, organisation: Option<&OrganisationId>) -> String {
        self.template.unknown(organisation)
    }

    /// Reads and renders a page.
    fn read(
        &self,
        organisation: OrganisationId,
        address: HistoryAddress,
        now: DateTime<Utc>,
    ) -> impl Future<Output = Result<Arc<ReadyResponse>, Error>> + Send + 'static {
        let store = Arc::clone(&self.store);
        let template = Arc::clone(&self.template);
        async move {
            let shown = match address {
                HistoryAddress::History(selection) => store
                    .history(&organisation, selection, now)
                    .await?
                    .map(|history| Shown::History(history, selection)),
                HistoryAddress::Uptime(selection) => store
                    .uptime(&organisation, selection, now)
                    .await?
                    .map(|page| Shown::Uptime(page, selection)),
                HistoryAddress::Incident(code) => store
                    .incident_details(&organisation, code)
                    .await?
                    .map(Shown::Entry),
                HistoryAddress::Maintenance(code) => store
                    .maintenance_details(&organisation, code, now)
                    .await?
                    .map(Shown::Entry),
            };
            let shown = shown.ok_or(Error::NotFound(Resource::Page))?;
            render(&Handle::current(), move || shown.render(&template)).await
        }
    }
}

/// What a page shows.
enum Shown {
    History(History, HistorySelection),
    Uptime(UptimePage, UptimeSelection),
    Entry(HistoryDetails),
}

impl Shown {
    fn render(&self, template: &HistoryTemplate) -> Result<Arc<ReadyResponse>, Error> {
        let html = match self {
            Self::History(history, selection) => template.history(history, *selection),
            Self::Uptime(page, selection) => template.uptime(page, *selection),
            Self::Entry(details) => template.entry(details),
        };
        ReadyResponse::hashed(html, "text/html; charset=utf-8").map(Arc::new)
    }
}
