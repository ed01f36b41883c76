//! Which documents an organisation has: their paths, routes, media types and caching.

use actix_web::http::header::HeaderValue;
use strum::VariantArray;

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
/// `Cache-Control` of feeds and the sitemap. Shared caches absorb any number of readers, and an
/// update is seen after two seconds.
const DOCUMENT_CACHING: HeaderValue = HeaderValue::from_static(
    "public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400",
);

/// A document, named by its path.
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
    pub(super) fn caching(self) -> HeaderValue {
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
