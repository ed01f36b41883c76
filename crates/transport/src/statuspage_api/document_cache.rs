//! The documents of each organisation, cached in memory.
//!
//! The state of an organisation is read once per revision for all its documents, and each document
//! is rendered once when it is first requested. While the database is unavailable, all documents
//! show the last state.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::{Error, Resource};
use allclear_application::relay::Relay;
use allclear_application::statuspage_api::{StatuspageState, StatuspageStateStore};
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::MaintenanceStatus;
use serde::Serialize;
use tokio::runtime::Handle;

use super::document_address::DocumentAddress;
use super::json::JsonDocuments;
use super::{feed, sitemap};
use crate::byte_bounded_cache::Weigh;
use crate::render_slots::render;
use crate::status_page::ready_response::ReadyResponse;
use crate::status_page::revision_cache::{RevisionCache, Version, VersionCache};

/// Bytes of cached documents. Beyond them the least requested documents are evicted. A document
/// that does not fit alone would be rendered for every request; the limits of texts and components
/// allow about 17 MiB.
const MAX_DOCUMENT_BYTES: u64 = 24 * 1024 * 1024;
/// Expected number of cached documents.
const EXPECTED_DOCUMENTS: usize = 512;
/// Bytes of cached states.
const MAX_STATE_BYTES: u64 = 24 * 1024 * 1024;
/// Maximum number of states that are read concurrently.
const MAX_CONCURRENT_READS: usize = 2;
/// Expected number of cached states.
const EXPECTED_STATES: usize = 64;
/// Lifetime of a document under one revision, in seconds. It bounds the delay of a maintenance's
/// start and end, whose revision follows when the scheduler has published them.
const LIFETIME: i64 = 60;

impl Weigh for StatuspageState {
    fn weight(&self) -> u64 {
        self.bytes()
    }
}

/// The cached documents.
pub struct DocumentCache {
    store: Arc<dyn StatuspageStateStore>,
    states: RevisionCache<(), StatuspageState>,
    /// By the version of their state.
    documents: VersionCache<DocumentAddress, ReadyResponse>,
    runtime: Handle,
}

impl DocumentCache {
    /// Creates an empty cache. States are read in the current runtime.
    pub fn new(
        store: Arc<dyn StatuspageStateStore>,
        relay: &Arc<Relay>,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            states: RevisionCache::new(
                relay,
                clock,
                MAX_CONCURRENT_READS,
                EXPECTED_STATES,
                MAX_STATE_BYTES,
            ),
            documents: VersionCache::new(EXPECTED_DOCUMENTS, MAX_DOCUMENT_BYTES),
            runtime: Handle::current(),
        }
    }

    /// A document; `None` if the organisation is unknown.
    pub(crate) async fn document(
        &self,
        organisation: &OrganisationId,
        address: DocumentAddress,
    ) -> Result<Option<Arc<ReadyResponse>>, Error> {
        if let Some(document) = self.current(organisation.as_str(), address) {
            return Ok(Some(document));
        }
        let Some(state) = self.state(organisation).await? else {
            return Ok(None);
        };
        let version = Version::new(state.organisation.revision, state.read_at, LIFETIME);
        let rendered = render(&self.runtime, move || {
            document(&state, address).map(Arc::new)
        });
        let document = self
            .documents
            .get_or_make(organisation, version, address, rendered);
        document.await.map(Some)
    }

    /// A document by its path below the page, if it is in memory and current.
    pub(crate) fn cached(
        &self,
        organisation: &str,
        path: &str,
    ) -> Option<(Arc<ReadyResponse>, DocumentAddress)> {
        let address = DocumentAddress::at(path)?;
        let document = self.current(organisation, address)?;
        Some((document, address))
    }

    fn current(&self, organisation: &str, address: DocumentAddress) -> Option<Arc<ReadyResponse>> {
        let version = self.states.version(organisation, LIFETIME)?;
        self.documents.get(organisation, version, address)
    }

    /// The state of an organisation; the last one while the database is unavailable.
    async fn state(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Option<Arc<StatuspageState>>, Error> {
        let read = |now| {
            let store = Arc::clone(&self.store);
            let organisation = organisation.clone();
            async move {
                let state = store.statuspage_state(&organisation, now).await?;
                state
                    .map(Arc::new)
                    .ok_or(Error::NotFound(Resource::Organisation))
            }
        };
        self.states
            .get((organisation, None), (), LIFETIME, read)
            .await
    }
}

/// Renders a document. Takes milliseconds, so it must not run in a worker thread.
fn document(state: &StatuspageState, address: DocumentAddress) -> Result<ReadyResponse, Error> {
    let documents = || JsonDocuments::new(state);
    let maintenances = |status| json(&documents().maintenances_of(status));
    let text = match address {
        DocumentAddress::Summary => json(&documents().summary())?,
        DocumentAddress::Status => json(&documents().status())?,
        DocumentAddress::Components => json(&documents().components())?,
        DocumentAddress::Incidents => json(&documents().recent_incidents())?,
        DocumentAddress::Unresolved => json(&documents().unresolved_incidents())?,
        DocumentAddress::Maintenances => json(&documents().recent_maintenances())?,
        DocumentAddress::Upcoming => maintenances(MaintenanceStatus::Scheduled)?,
        DocumentAddress::Active => maintenances(MaintenanceStatus::InProgress)?,
        DocumentAddress::HistoryAtom => feed::history_atom(state),
        DocumentAddress::UpdatesAtom => feed::updates_atom(state),
        DocumentAddress::HistoryRss => feed::history_rss(state),
        DocumentAddress::UpdatesRss => feed::updates_rss(state),
        DocumentAddress::JsonFeed => json(&feed::json_feed(state))?,
        DocumentAddress::Calendar => feed::maintenances(state),
        DocumentAddress::Sitemap => sitemap::draw(state),
    };
    let document = ReadyResponse::hashed(text, address.content_type())?;
    Ok(document.with_caching(address.caching()))
}

fn json(document: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(document).map_err(Error::internal)
}
