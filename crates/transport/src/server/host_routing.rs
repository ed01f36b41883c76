//! Routing by host, ahead of everything else: on the domain of an organisation, its public pages
//! are at the root, and nothing else of the installation is served.
//!
//! A request to a domain gets the path that it would have without a domain, so handlers, the fast
//! path and caches ignore the host. The host selects an organisation and is used for nothing else:
//! links and mails are made from stored domains and the public URL.

use std::sync::Arc;

use actix_http::Request;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::uri::PathAndQuery;
use actix_web::http::{Method, Uri, header};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse, ResponseError};
use allclear_application::custom_domain::hosts::Hosts;
use allclear_application::link::status_page_path;
use allclear_domain::id::OrganisationId;

use crate::response::problem::Problem;
use crate::server::host::host_of;
use crate::statuspage_api::document_address::{API, DocumentAddress};
use crate::web_app::WebApp;

/// Pages of the web app that are served on a domain: those that links in mails to subscribers
/// lead to.
pub(crate) const APP_PAGES: [&str; 3] = ["/verify", "/unsubscribe", "/subscription"];

const NOT_FOUND: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
    <title>Page not found</title><h1>There is no such page</h1><p><a href=\"/\">Go to the Status Page</a></p></html>";

/// Routes the requests of a worker by their hosts.
pub(crate) struct HostRouting {
    hosts: Arc<Hosts>,
    web_app: Arc<WebApp>,
}

/// Marks a request to the domain of an organisation.
#[derive(Debug, Clone)]
struct OnDomain(OrganisationId);

/// A request that no route receives.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RoutingError {
    /// The host is missing, repeated or not valid.
    BadHost,
    /// The page has another path on the domain.
    Redirect(String),
    /// The domain has no such path.
    NotFound,
}

/// The route of a request to a domain.
#[derive(Debug, PartialEq, Eq)]
enum DomainRoute<'p> {
    /// The same path.
    Unchanged,
    /// This path of the organisation's status page.
    StatusPage(&'p str),
    /// Another path of the domain, by a redirect.
    Redirect(String),
    /// No handler.
    NotFound,
}

impl HostRouting {
    pub(crate) const fn new(hosts: Arc<Hosts>, web_app: Arc<WebApp>) -> Self {
        Self { hosts, web_app }
    }

    /// Gives a request to a domain the path that it has without one. Returns whether the request
    /// was accepted; [`refuse`] responds to the others.
    pub(crate) fn route(&self, request: &mut Request) -> bool {
        let Ok(host) = host_of(request.head()) else {
            request.extensions_mut().insert(RoutingError::BadHost);
            return false;
        };
        let table = self.hosts.table();
        let host = host.as_ref().map_or("", |host| host.as_str());
        let Some(organisation) = table.organisation(host) else {
            return true;
        };
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let route = match route_of(organisation, request.path(), reads) {
            DomainRoute::NotFound if self.web_app.is_file(request.path()) => DomainRoute::Unchanged,
            route => route,
        };
        let error = match route {
            DomainRoute::Unchanged => None,
            DomainRoute::StatusPage(path) => {
                match status_page_uri(organisation, path, request.uri().query()) {
                    Some(uri) => {
                        request.head_mut().uri = uri;
                        None
                    }
                    None => Some(RoutingError::NotFound),
                }
            }
            DomainRoute::Redirect(path) => {
                Some(RoutingError::Redirect(match request.uri().query() {
                    Some(query) => format!("{path}?{query}"),
                    None => path,
                }))
            }
            DomainRoute::NotFound => Some(RoutingError::NotFound),
        };
        let is_accepted = error.is_none();
        let mut extensions = request.extensions_mut();
        extensions.insert(OnDomain(organisation.clone()));
        if let Some(error) = error {
            extensions.insert(error);
        }
        is_accepted
    }
}

/// The target of a request to a path of an organisation's status page.
fn status_page_uri(organisation: &OrganisationId, path: &str, query: Option<&str>) -> Option<Uri> {
    let mut target = status_page_path(organisation) + path;
    if let Some(query) = query {
        target.push('?');
        target.push_str(query);
    }
    let target = PathAndQuery::from_maybe_shared(Bytes::from(target)).ok()?;
    Some(Uri::from(target))
}

/// The route of a path on an organisation's domain. `reads` is whether the request only reads.
fn route_of<'p>(organisation: &OrganisationId, path: &'p str, reads: bool) -> DomainRoute<'p> {
    if path == "/" {
        return DomainRoute::StatusPage("");
    }
    if let Some(rest) = path.strip_prefix("/status/") {
        return match rest_of_own(organisation, rest) {
            // A redirect would turn the form's POST into GET.
            Some(_) if !reads => DomainRoute::Unchanged,
            // Two slashes or backslashes at the beginning would lead to another host.
            Some(rest) => {
                DomainRoute::Redirect(format!("/{}", rest.trim_start_matches(['/', '\\'])))
            }
            None => DomainRoute::NotFound,
        };
    }
    if let Some(rest) = path.strip_prefix("/api/v1/status/") {
        return match rest_of_own(organisation, rest) {
            Some("" | "/events") => DomainRoute::Unchanged,
            _ => DomainRoute::NotFound,
        };
    }
    let page = path.trim_end_matches('/');
    if is_shared(path) {
        DomainRoute::Unchanged
    } else if is_page(page) && page != path && reads {
        DomainRoute::Redirect(page.to_owned())
    } else if is_page(path) {
        DomainRoute::StatusPage(path)
    } else {
        DomainRoute::NotFound
    }
}

/// The rest of a path behind the organisation's identifier; `None` if the path names
/// another organisation.
fn rest_of_own<'p>(organisation: &OrganisationId, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(organisation.as_str())?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether a path is one of the pages, documents and pictures of an organisation.
fn is_page(path: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    matches!(path, "/history" | "/uptime" | "/subscribe" | "/embed")
        || begins(&["/history/", "/incidents/", "/maintenances/"])
        || begins(&["/badge.", "/badge/", "/embed.", "/embed/"])
        || is_document(path)
}

/// Whether a path is a document's. All paths of the API are: its own handler responds to
/// unknown ones.
fn is_document(path: &str) -> bool {
    let below = path.strip_prefix('/').unwrap_or_default();
    below.starts_with(API) || DocumentAddress::at(below).is_some()
}

/// Whether a path is the same on every host.
fn is_shared(path: &str) -> bool {
    APP_PAGES.contains(&path)
        || matches!(
            path,
            "/healthz" | "/readyz" | "/robots.txt" | "/api/v2/openapi.json"
        )
        || path.starts_with("/.well-known/")
        || path.starts_with("/assets/")
        || path
            .strip_prefix("/api/v1/subscriber/")
            .is_some_and(|call| {
                matches!(
                    call,
                    "public" | "verify" | "unsubscribe" | "subscription" | "unsubscribe/one-click"
                )
            })
}

/// Whether a request was sent to the domain of an organisation.
pub(crate) fn is_on_domain(request: &HttpRequest) -> bool {
    request.extensions().contains::<OnDomain>()
}

/// Whether the host of a request serves this organisation: another organisation's domain does not.
pub(crate) fn serves(request: &HttpRequest, organisation: &OrganisationId) -> bool {
    let extensions = request.extensions();
    extensions
        .get::<OnDomain>()
        .is_none_or(|OnDomain(own)| own == organisation)
}

/// The page for an address that a domain does not have.
pub(crate) fn not_found() -> HttpResponse {
    HttpResponse::NotFound()
        .content_type("text/html; charset=utf-8")
        .body(NOT_FOUND)
}

/// Middleware: responds to requests that [`HostRouting::route`] has not accepted.
pub(crate) async fn refuse(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody>>, Error> {
    let error = request.extensions_mut().remove::<RoutingError>();
    let response = match error {
        None => {
            let response = next.call(request).await?;
            return Ok(response.map_into_left_body());
        }
        Some(RoutingError::BadHost) => {
            Problem::bad_request("The Host header is missing, repeated or not valid")
                .error_response()
        }
        Some(RoutingError::Redirect(path)) => HttpResponse::MovedPermanently()
            .insert_header((header::LOCATION, path))
            // Clients keep it for five minutes only: the organisation may remove the domain later.
            .insert_header((header::CACHE_CONTROL, "max-age=300"))
            // Scripts of other origins that read public documents at the former address may
            // follow it.
            .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
            .finish(),
        Some(RoutingError::NotFound) if request.path().starts_with("/api/") => {
            Problem::not_found().error_response()
        }
        Some(RoutingError::NotFound) => not_found(),
    };
    Ok(request.into_response(response).map_into_right_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn acme() -> OrganisationId {
        OrganisationId::parse("acme").unwrap()
    }

    fn read(path: &str) -> DomainRoute<'_> {
        route_of(&acme(), path, true)
    }

    #[test]
    fn pages_are_below_the_status_page() {
        assert_eq!(read("/"), DomainRoute::StatusPage(""));
        for path in [
            "/history",
            "/history.atom",
            "/incidents/0123456789ab",
            "/maintenances/0123456789ab",
            "/uptime",
            "/updates.rss",
            "/feed.json",
            "/maintenances.ics",
            "/sitemap.xml",
            "/badge.svg",
            "/badge/0123456789ab.svg",
            "/embed",
            "/embed.js",
            "/api/v2/summary.json",
        ] {
            assert_eq!(read(path), DomainRoute::StatusPage(path), "{path}");
        }
        let uri = status_page_uri(&acme(), "/history", Some("page=2")).unwrap();
        assert_eq!(uri, "/status/acme/history?page=2");
    }

    #[test]
    fn page_with_a_slash_at_the_end_moves_to_the_path_without() {
        for (path, moved) in [
            ("/history/", "/history"),
            ("/uptime//", "/uptime"),
            ("/incidents/0123456789ab/", "/incidents/0123456789ab"),
        ] {
            let redirect = DomainRoute::Redirect(moved.to_owned());
            assert_eq!(read(path), redirect, "{path}");
        }
        assert_eq!(read("//evil.example/"), DomainRoute::NotFound);
    }

    #[test]
    fn shared_paths_stay_as_they_are() {
        for path in [
            "/healthz",
            "/readyz",
            "/verify",
            "/unsubscribe",
            "/subscription",
            "/robots.txt",
            "/assets/index.js",
            "/api/v2/openapi.json",
            "/.well-known/allclear-domain",
            "/api/v1/status/acme",
            "/api/v1/status/acme/events",
            "/api/v1/subscriber/public",
            "/api/v1/subscriber/unsubscribe/one-click",
        ] {
            assert_eq!(read(path), DomainRoute::Unchanged, "{path}");
        }
    }

    #[test]
    fn other_paths_have_no_handler() {
        for path in [
            "/login",
            "/dashboard",
            "/metrics",
            "/historyx",
            "/incidents",
            "/api/v2",
            "/api/v1/openapi.json",
            "/api/v1/component/list",
            "/api/v1/identity/session",
            "/api/v1/status/other",
            "/api/v1/status/acmeother",
            "/api/v1/status/acme/other",
            "/api/v1/subscriber",
            "/api/v1/subscriber/list",
            "/status/",
            "/status/other",
            "/status/acmeother",
            "/status/%61cme",
            "/index.html",
            "//status/other",
            "/./status/other",
            "/socket.io/",
            "*",
            "",
        ] {
            assert_eq!(read(path), DomainRoute::NotFound, "{path}");
        }
    }

    #[test]
    fn own_status_page_moves_to_the_root() {
        for (path, moved) in [
            ("/status/acme", "/"),
            ("/status/acme/", "/"),
            ("/status/acme/history", "/history"),
            ("/status/acme//evil.example", "/evil.example"),
            ("/status/acme/\\evil.example", "/evil.example"),
            ("/status/acme/\\/evil.example", "/evil.example"),
        ] {
            assert_eq!(
                read(path),
                DomainRoute::Redirect(moved.to_owned()),
                "{path}"
            );
        }
        let form = route_of(&acme(), "/status/acme/subscribe", false);
        assert_eq!(form, DomainRoute::Unchanged);
    }

    proptest! {
        #[test]
        fn no_path_of_a_domain_names_another_organisation(path in "/[a-z/.]{0,30}") {
            if let DomainRoute::StatusPage(rest) = read(&path) {
                let uri = status_page_uri(&acme(), rest, None).unwrap();
                prop_assert!(uri.path().starts_with("/status/acme"));
            }
        }
    }
}
