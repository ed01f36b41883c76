//! The documents of each organisation, cached in memory.
//!
//! The state of an organisation is read once per revision for all its documents, and each document is rendered once when it is first
//! requested. While the database is unavailable, all documents show the last state.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::relay::Relay;
use allclear_application::statuspage::{PublicState, PublicStateStore, Record};
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::MaintenanceStatus;
use serde::Serialize;
use tokio::runtime::Handle;

use super::document::Documents;
use super::feed;
use crate::status::page::Document;
use crate::status::revision_cache::{RevisionCache, Version, VersionCache, Weigh};

/// Bytes of cached documents. Beyond them the least requested ones are evicted.
const DOCUMENT_MEMORY: u64 = 16 * 1024 * 1024;
/// Expected number of cached documents.
const DOCUMENTS: usize = 512;
/// Bytes of cached states.
const STATE_MEMORY: u64 = 16 * 1024 * 1024;
/// Expected number of cached states.
const STATES: usize = 64;
/// The clock changes statuses of maintenances. The change has a revision as soon as it is announced; this bounds a delay, in seconds.
const LIFETIME: i64 = 60;

/// Media type of Atom.
const ATOM: &str = "application/atom+xml; charset=utf-8";
/// Media type of RSS.
const RSS: &str = "application/rss+xml; charset=utf-8";

/// The route of the Statuspage API.
pub(super) const API_ROUTE: &str = "/status/{organisation}/api/v2/{document:.*}";
/// `Cache-Control` of the Statuspage API, as in the original.
const API_CACHING: HeaderValue = HeaderValue::from_static(
    "public, max-age=10, s-maxage=10, stale-while-revalidate=20, stale-if-error=3600",
);
/// `Cache-Control` of feeds. Shared caches absorb any number of readers, and an update is seen after two seconds.
const FEED_CACHING: HeaderValue = HeaderValue::from_static(
    "public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400",
);

/// A document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

impl DocumentAddress {
    /// Names of the feeds.
    pub(crate) const FEEDS: [&str; 6] = [
        "history.atom",
        "history.rss",
        "updates.atom",
        "updates.rss",
        "feed.json",
        "maintenances.ics",
    ];

    /// How long caches may serve it.
    pub(crate) fn caching(self) -> HeaderValue {
        match self {
            Self::HistoryAtom
            | Self::HistoryRss
            | Self::UpdatesAtom
            | Self::UpdatesRss
            | Self::JsonFeed
            | Self::Calendar => FEED_CACHING,
            Self::Summary
            | Self::Status
            | Self::Components
            | Self::Incidents
            | Self::Unresolved
            | Self::Maintenances
            | Self::Upcoming
            | Self::Active => API_CACHING,
        }
    }

    /// The route of its requests, for the log and the metrics.
    pub(crate) fn route(self) -> &'static str {
        match self {
            Self::HistoryAtom => "/status/{organisation}/history.atom",
            Self::HistoryRss => "/status/{organisation}/history.rss",
            Self::UpdatesAtom => "/status/{organisation}/updates.atom",
            Self::UpdatesRss => "/status/{organisation}/updates.rss",
            Self::JsonFeed => "/status/{organisation}/feed.json",
            Self::Calendar => "/status/{organisation}/maintenances.ics",
            _ => API_ROUTE,
        }
    }

    /// The feed of a name; `None` if there is none.
    pub(crate) fn of_feed(name: &str) -> Option<Self> {
        Some(match name {
            "history.atom" => Self::HistoryAtom,
            "history.rss" => Self::HistoryRss,
            "updates.atom" => Self::UpdatesAtom,
            "updates.rss" => Self::UpdatesRss,
            "feed.json" => Self::JsonFeed,
            "maintenances.ics" => Self::Calendar,
            _ => return None,
        })
    }

    /// The document of a path below `/api/v2/`; `None` if there is none.
    pub(crate) fn of_api(path: &str) -> Option<Self> {
        Some(match path {
            "summary.json" => Self::Summary,
            "status.json" => Self::Status,
            "components.json" => Self::Components,
            "incidents.json" => Self::Incidents,
            "incidents/unresolved.json" => Self::Unresolved,
            "scheduled-maintenances.json" => Self::Maintenances,
            "scheduled-maintenances/upcoming.json" => Self::Upcoming,
            "scheduled-maintenances/active.json" => Self::Active,
            _ => return None,
        })
    }
}

impl Weigh for PublicState {
    fn weight(&self) -> u64 {
        let entries = self
            .incidents
            .iter()
            .map(Record::Incident)
            .chain(self.maintenances.iter().map(Record::Maintenance))
            .flat_map(Record::entries)
            .map(|entry| {
                let affected = entry.affected.iter().flatten();
                entry.body.len() + affected.map(|one| one.name.len() + 64).sum::<usize>() + 256
            });
        let components = self
            .components
            .iter()
            .map(|report| report.component.description.len() + 512);
        (entries.sum::<usize>() + components.sum::<usize>()) as u64 + 2048
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
            states: RevisionCache::new(relay, clock, STATES, STATE_MEMORY),
            documents: VersionCache::new(DOCUMENTS, DOCUMENT_MEMORY),
            runtime: Handle::current(),
        }
    }

    /// A document; `None` if the organisation is unknown.
    pub(crate) async fn document(
        &self,
        organisation: &OrganisationId,
        address: DocumentAddress,
    ) -> Result<Option<Arc<Document>>, Error> {
        if let Some(document) = self.current(organisation, address) {
            return Ok(Some(document));
        }
        let Some(state) = self.state(organisation).await? else {
            return Ok(None);
        };
        let version = Version::new(state.organisation.revision, state.read_at, LIFETIME);
        let render = async {
            let rendered = self
                .runtime
                .spawn_blocking(move || render(&state, address).map(Arc::new));
            rendered.await.map_err(Error::internal)?
        };
        let document = self
            .documents
            .get_or_make(organisation, version, address, render);
        document.await.map(Some)
    }

    /// A document by its path below the page, if it is in memory and current.
    pub(crate) fn cached(
        &self,
        organisation: &str,
        path: &str,
    ) -> Option<(Arc<Document>, DocumentAddress)> {
        let address = match path.strip_prefix("api/v2/") {
            Some(name) => DocumentAddress::of_api(name)?,
            None => DocumentAddress::of_feed(path)?,
        };
        let organisation = OrganisationId::parse(organisation).ok()?;
        let document = self.current(&organisation, address)?;
        Some((document, address))
    }

    fn current(
        &self,
        organisation: &OrganisationId,
        address: DocumentAddress,
    ) -> Option<Arc<Document>> {
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
        self.states.get(organisation, (), LIFETIME, read).await
    }
}

/// Renders a document. Takes milliseconds, so it must not run in a worker thread.
fn render(state: &PublicState, address: DocumentAddress) -> Result<Document, Error> {
    let documents = Documents::new(state);
    match address {
        DocumentAddress::Summary => json(&documents.summary()),
        DocumentAddress::Status => json(&documents.status()),
        DocumentAddress::Components => json(&documents.components()),
        DocumentAddress::Incidents => json(&documents.recent_incidents()),
        DocumentAddress::Unresolved => json(&documents.unresolved_incidents()),
        DocumentAddress::Maintenances => json(&documents.recent_maintenances()),
        DocumentAddress::Upcoming => json(&documents.maintenances_of(MaintenanceStatus::Scheduled)),
        DocumentAddress::Active => json(&documents.maintenances_of(MaintenanceStatus::InProgress)),
        DocumentAddress::HistoryAtom => Document::hashed(feed::history_atom(state), ATOM),
        DocumentAddress::UpdatesAtom => Document::hashed(feed::updates_atom(state), ATOM),
        DocumentAddress::HistoryRss => Document::hashed(feed::history_rss(state), RSS),
        DocumentAddress::UpdatesRss => Document::hashed(feed::updates_rss(state), RSS),
        DocumentAddress::JsonFeed => {
            let text = serde_json::to_string(&feed::json_feed(state)).map_err(Error::internal)?;
            Document::hashed(text, "application/feed+json; charset=utf-8")
        }
        DocumentAddress::Calendar => {
            Document::hashed(feed::maintenances(state), "text/calendar; charset=utf-8")
        }
    }
}

fn json(document: &impl Serialize) -> Result<Document, Error> {
    let text = serde_json::to_string(document).map_err(Error::internal)?;
    Document::hashed(text, "application/json; charset=utf-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feed_has_its_route() {
        for name in DocumentAddress::FEEDS {
            let address = DocumentAddress::of_feed(name).unwrap();
            assert_eq!(address.route(), format!("/status/{{organisation}}/{name}"));
        }
    }
}
