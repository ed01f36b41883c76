//! The documents of each organisation, cached in memory.
//!
//! The state of an organisation is read once per revision for all its documents, and each document is rendered once when it is first
//! requested. While the database is unavailable, all documents show the last state.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::relay::Relay;
use allclear_application::statuspage_api::{PublicState, PublicStateStore};
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::MaintenanceStatus;
use serde::Serialize;
use strum::VariantArray;
use tokio::runtime::Handle;

use super::document::Documents;
use super::{feed, sitemap};
use crate::render::render;
use crate::status_page::page::Document;
use crate::status_page::revision_cache::{RevisionCache, Version, VersionCache};
use crate::weight::Weigh;

/// Bytes of cached documents. Beyond them the least requested documents are evicted. A document that does not fit alone would be
/// rendered for every request; the limits of texts and components allow about 17 MiB.
const MAX_DOCUMENT_BYTES: u64 = 24 * 1024 * 1024;
/// Expected number of cached documents.
const EXPECTED_DOCUMENTS: usize = 512;
/// Bytes of cached states.
const MAX_STATE_BYTES: u64 = 24 * 1024 * 1024;
/// Maximum number of states that are read concurrently.
const MAX_CONCURRENT_READS: usize = 2;
/// Expected number of cached states.
const EXPECTED_STATES: usize = 64;
/// Lifetime of a document under one revision, in seconds. It bounds the delay of a maintenance's start and end, whose revision
/// follows when the scheduler has published them.
const LIFETIME: i64 = 60;

/// Pattern of the paths below the status page of an organisation.
const STATUS_PAGE: &str = "/status/{organisation}/";
/// Path of the Statuspage API below the status page.
pub(crate) const API: &str = "api/v2/";
/// The route of the Statuspage API.
pub(super) const API_ROUTE: &str = "/status/{organisation}/api/v2/{document:.*}";
/// `Cache-Control` of the Statuspage API, as in the original.
const API_CACHING: HeaderValue = HeaderValue::from_static(
    "public, max-age=10, s-maxage=10, stale-while-revalidate=20, stale-if-error=3600",
);
/// `Cache-Control` of feeds and the sitemap. Shared caches absorb any number of readers, and an update is seen after two seconds.
const DOCUMENT_CACHING: HeaderValue = HeaderValue::from_static(
    "public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400",
);

/// A document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub(crate) enum DocumentAddress {
    /// `summary.json`.
    Summary,
    /// `status.json`.
    Status,
    /// `components.json`.
    Components,
    /// `incidents.json`.
    Incidents,
    /// `incidents/unresolved.json`.
    Unresolved,
    /// `scheduled-maintenances.json`.
    Maintenances,
    /// `scheduled-maintenances/upcoming.json`.
    Upcoming,
    /// `scheduled-maintenances/active.json`.
    Active,
    /// `history.atom`.
    HistoryAtom,
    /// `history.rss`.
    HistoryRss,
    /// `updates.atom`.
    UpdatesAtom,
    /// `updates.rss`.
    UpdatesRss,
    /// `feed.json`.
    JsonFeed,
    /// `maintenances.ics`.
    Calendar,
    /// `sitemap.xml`.
    Sitemap,
}

impl DocumentAddress {
    /// The feeds and the sitemap.
    pub(crate) fn outside_api() -> impl Iterator<Item = Self> {
        Self::VARIANTS
            .iter()
            .copied()
            .filter(|address| !address.is_api())
    }

    /// The document at a path below the status page; `None` if there is none.
    pub(crate) fn at(below: &str) -> Option<Self> {
        let mut all = Self::VARIANTS.iter().copied();
        all.find(|address| address.below() == below)
    }

    /// The path of its requests, as a pattern.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Summary => "/status/{organisation}/api/v2/summary.json",
            Self::Status => "/status/{organisation}/api/v2/status.json",
            Self::Components => "/status/{organisation}/api/v2/components.json",
            Self::Incidents => "/status/{organisation}/api/v2/incidents.json",
            Self::Unresolved => "/status/{organisation}/api/v2/incidents/unresolved.json",
            Self::Maintenances => "/status/{organisation}/api/v2/scheduled-maintenances.json",
            Self::Upcoming => "/status/{organisation}/api/v2/scheduled-maintenances/upcoming.json",
            Self::Active => "/status/{organisation}/api/v2/scheduled-maintenances/active.json",
            Self::HistoryAtom => "/status/{organisation}/history.atom",
            Self::HistoryRss => "/status/{organisation}/history.rss",
            Self::UpdatesAtom => "/status/{organisation}/updates.atom",
            Self::UpdatesRss => "/status/{organisation}/updates.rss",
            Self::JsonFeed => "/status/{organisation}/feed.json",
            Self::Calendar => "/status/{organisation}/maintenances.ics",
            Self::Sitemap => "/status/{organisation}/sitemap.xml",
        }
    }

    /// Its path below the status page.
    pub(crate) fn below(self) -> &'static str {
        self.path().strip_prefix(STATUS_PAGE).unwrap_or_default()
    }

    /// The route of its requests, for the log and the metrics.
    pub(crate) fn route(self) -> &'static str {
        if self.is_api() {
            API_ROUTE
        } else {
            self.path()
        }
    }

    /// Its media type.
    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::Summary
            | Self::Status
            | Self::Components
            | Self::Incidents
            | Self::Unresolved
            | Self::Maintenances
            | Self::Upcoming
            | Self::Active => "application/json; charset=utf-8",
            Self::HistoryAtom | Self::UpdatesAtom => "application/atom+xml; charset=utf-8",
            Self::HistoryRss | Self::UpdatesRss => "application/rss+xml; charset=utf-8",
            Self::JsonFeed => "application/feed+json; charset=utf-8",
            Self::Calendar => "text/calendar; charset=utf-8",
            Self::Sitemap => "application/xml; charset=utf-8",
        }
    }

    /// How long caches may serve it.
    fn caching(self) -> HeaderValue {
        if self.is_api() {
            API_CACHING
        } else {
            DOCUMENT_CACHING
        }
    }

    fn is_api(self) -> bool {
        self.below().starts_with(API)
    }
}

impl Weigh for PublicState {
    fn weight(&self) -> u64 {
        self.bytes()
    }
}

/// The cached documents.
pub struct StatuspageDocuments {
    store: Arc<dyn PublicStateStore>,
    states: RevisionCache<(), PublicState>,
    /// By the version of their state.
    documents: VersionCache<DocumentAddress, Document>,
    runtime: Handle,
}

impl StatuspageDocuments {
    /// Creates an empty cache. States are read in the current runtime.
    pub fn new(
        store: Arc<dyn PublicStateStore>,
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
    ) -> Result<Option<Arc<Document>>, Error> {
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
    ) -> Option<(Arc<Document>, DocumentAddress)> {
        let address = DocumentAddress::at(path)?;
        let document = self.current(organisation, address)?;
        Some((document, address))
    }

    fn current(&self, organisation: &str, address: DocumentAddress) -> Option<Arc<Document>> {
        let version = self.states.version(organisation, LIFETIME)?;
        self.documents.get(organisation, version, address)
    }

    /// The state of an organisation; the last one while the database is unavailable.
    async fn state(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Option<Arc<PublicState>>, Error> {
        let read = |now| {
            let store = Arc::clone(&self.store);
            let organisation = organisation.clone();
            async move {
                let state = store.public_state(&organisation, now).await?;
                state.map(Arc::new).ok_or(Error::NotFound("Organisation"))
            }
        };
        self.states
            .get((organisation, None), (), LIFETIME, read)
            .await
    }
}

/// Renders a document. Takes milliseconds, so it must not run in a worker thread.
fn document(state: &PublicState, address: DocumentAddress) -> Result<Document, Error> {
    let documents = Documents::new(state);
    let text = match address {
        DocumentAddress::Summary => json(&documents.summary())?,
        DocumentAddress::Status => json(&documents.status())?,
        DocumentAddress::Components => json(&documents.components())?,
        DocumentAddress::Incidents => json(&documents.recent_incidents())?,
        DocumentAddress::Unresolved => json(&documents.unresolved_incidents())?,
        DocumentAddress::Maintenances => json(&documents.recent_maintenances())?,
        DocumentAddress::Upcoming => {
            json(&documents.maintenances_of(MaintenanceStatus::Scheduled))?
        }
        DocumentAddress::Active => json(&documents.maintenances_of(MaintenanceStatus::InProgress))?,
        DocumentAddress::HistoryAtom => feed::history_atom(state),
        DocumentAddress::UpdatesAtom => feed::updates_atom(state),
        DocumentAddress::HistoryRss => feed::history_rss(state),
        DocumentAddress::UpdatesRss => feed::updates_rss(state),
        DocumentAddress::JsonFeed => json(&feed::json_feed(state))?,
        DocumentAddress::Calendar => feed::maintenances(state),
        DocumentAddress::Sitemap => sitemap::draw(state),
    };
    let document = Document::hashed(text, address.content_type())?;
    Ok(document.with_caching(address.caching()))
}

fn json(document: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(document).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::HashSet;

    #[test]
    fn every_document_is_found_at_its_path() {
        for address in DocumentAddress::VARIANTS {
            assert_eq!(DocumentAddress::at(address.below()), Some(*address));
        }
        for other in ["", "summary.json", "api/v2/", "api/v2/history.atom"] {
            assert_eq!(DocumentAddress::at(other), None, "{other}");
        }
    }

    #[test]
    fn the_api_has_one_route_and_other_documents_one_each() {
        let routes: HashSet<_> = DocumentAddress::VARIANTS
            .iter()
            .map(|address| address.route())
            .collect();
        assert_eq!(routes.len(), 8);
        assert!(routes.contains(API_ROUTE));
        assert!(routes.contains("/status/{organisation}/feed.json"));
    }
}
