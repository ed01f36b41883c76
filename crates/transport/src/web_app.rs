//! The web app and its pages for the public.

pub(crate) mod csp_hashes;
mod file;
pub(crate) mod page_template;
pub(crate) mod sprite;

use std::collections::HashMap;

use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, web};
use allclear_domain::id::OrganisationId;

use self::csp_hashes::InlineHashes;
use self::file::{File, NOT_BUILT, built_page, embed_script, files, send};
use self::page_template::PageTemplate;
use crate::clerk::policy::PagePolicy;
use crate::response::problem::Problem;
use crate::server::headers::{CONTENT_SECURITY_POLICY, FRAME_POLICY};
use crate::server::host_routing;
use crate::server::methods::{Methods, READ};
use crate::status_page::encoded::Encoded;
use crate::status_page::history::template::HistoryTemplate;
use crate::status_page::markup::{self, LinkOutcome, SubscribePage};
use crate::status_page::page_cache::PageCache;
use crate::status_page::ready_response::{ReadyResponse, boxed};
use crate::status_page::response::PublicResponses;
use crate::status_page::unavailable::page_unavailable;

/// The routes of the web app, one per line; a name in braces stands for one segment. The web app's
/// tests compare them with its router.
const ROUTES: &str = include_str!("../../../apps/web/src/routes.txt");

/// The title of the app's page, until the app sets its own.
const TITLE: &str = "<title>Allclear</title>";

/// What the app's page shows without scripts.
const NO_SCRIPT: &str = "<noscript>Allclear needs JavaScript.</noscript>";

/// The files of the web app, ready to send.
pub struct WebApp {
    files: HashMap<String, File>,
    /// The app's page at the paths of links in messages to subscribers. Without scripts it
    /// shows a form.
    link_pages: HashMap<&'static str, File>,
    unknown_page: Encoded,
    template: PageTemplate,
    /// Content security policy of the public page.
    public_policy: HeaderValue,
    /// Content security policy of the pages of the history.
    history_policy: HeaderValue,
    /// Content security policy of the page in the frame of the embedded banner.
    frame_policy: HeaderValue,
    embed_script: ReadyResponse,
    policy: Option<PagePolicy>,
}

impl WebApp {
    /// Loads all files. `policy` replaces the default content security policy.
    #[must_use]
    pub fn load(policy: Option<PagePolicy>) -> Self {
        let hashes = InlineHashes::of(&built_page("status.html"));
        let template = Self::page_template("");
        Self {
            files: files(),
            link_pages: link_pages(&built_page("index.html")),
            unknown_page: Encoded::new(template.unknown().into_bytes()),
            template,
            // Leaked, because the value lives as long as the process, and a reference count shared
            // by all workers would slow them down.
            public_policy: HeaderValue::from_static(
                hashes.allowed_by(CONTENT_SECURITY_POLICY).leak(),
            ),
            history_policy: HeaderValue::from_static(
                InlineHashes::of(&built_page("history.html"))
                    .allowed_by(CONTENT_SECURITY_POLICY)
                    .leak(),
            ),
            frame_policy: HeaderValue::from_static(
                InlineHashes::of(&built_page("embed.html"))
                    .allowed_by(FRAME_POLICY)
                    .leak(),
            ),
            embed_script: embed_script(),
            policy: policy.map(|policy| policy.with(&hashes)),
        }
    }

    /// The template of the public page, for the origin of the public URL.
    #[must_use]
    pub fn page_template(origin: &str) -> PageTemplate {
        PageTemplate::new(built_page("status.html"), built_page("embed.html"), origin)
    }

    /// The template of the pages of the history, for the origin of the public URL.
    #[must_use]
    pub fn history_template(origin: &str) -> HistoryTemplate {
        HistoryTemplate::new(built_page("history.html"), origin)
    }

    /// The page for an unknown organisation.
    pub(crate) fn unknown(&self, request: &HttpRequest) -> HttpResponse {
        let mut page = send(
            &mut HttpResponse::NotFound(),
            self.unknown_page.pick(request.headers()),
            HeaderValue::from_static("text/html; charset=utf-8"),
        );
        self.put_page_policy(request.headers(), page.headers_mut());
        page
    }

    /// The page with the plain form that subscribes.
    pub(crate) fn subscribe_page(&self, organisation: &str, shown: &SubscribePage) -> String {
        let page = markup::subscribe_page(organisation, shown);
        self.template.plain("Subscribe to updates", &page)
    }

    /// The page that shows the outcome of a link to a browser without scripts. It leads to the
    /// status page with this path, if any.
    pub(crate) fn link_page(
        &self,
        title: &str,
        outcome: &LinkOutcome,
        status_page: Option<&str>,
    ) -> String {
        let page = markup::link_page(title, outcome, status_page);
        self.template.plain(title, &page)
    }

    /// Inserts the content security policy of the public page, for a request with these headers.
    pub(crate) fn put_page_policy(&self, request_headers: &HeaderMap, headers: &mut HeaderMap) {
        headers.insert(header::CONTENT_SECURITY_POLICY, self.public_policy.clone());
        if let Some(policy) = &self.policy {
            policy.on_status_page(request_headers, headers);
        }
    }

    /// Inserts the content security policy of the pages of the history.
    pub(crate) fn put_history_policy(&self, headers: &mut HeaderMap) {
        headers.insert(header::CONTENT_SECURITY_POLICY, self.history_policy.clone());
    }

    /// Inserts the content security policy of the page in the frame of the embedded banner.
    pub(crate) fn put_frame_policy(&self, headers: &mut HeaderMap) {
        headers.insert(header::CONTENT_SECURITY_POLICY, self.frame_policy.clone());
    }

    /// The script of the embedded banner.
    pub(crate) const fn embed_script(&self) -> &ReadyResponse {
        &self.embed_script
    }

    /// Whether a path is that of a file which is no page, such as a picture.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| !file.is_page)
    }

    /// Whether a path is a file, or a page for the public.
    fn is_public(&self, path: &str) -> bool {
        self.is_file(path) || (host_routing::APP_PAGES.contains(&path) && is_route(path))
    }

    /// Responds with a file, with the app for one of its routes, or with the app's not-found page.
    fn respond(&self, request: &HttpRequest) -> HttpResponse {
        let path = request.path();
        if let Some(file) = self.file(path) {
            return file.respond(request, StatusCode::OK);
        }
        let status = if is_route(path) {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        };
        let index = self.link_pages.get(path);
        let mut page = match index.or_else(|| self.files.get("/index.html")) {
            Some(index) => index.respond(request, status),
            None => HttpResponse::build(status)
                .content_type("text/html; charset=utf-8")
                .body(NOT_BUILT),
        };
        if let Some(policy) = &self.policy {
            policy.on_app(&mut page);
        }
        page
    }

    /// Pages are not files: they have their own addresses.
    fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path).filter(|file| !file.is_page)
    }
}

/// The app's page with each form of a link.
fn link_pages(index: &str) -> HashMap<&'static str, File> {
    let pages = markup::LINK_FORMS.map(|form| {
        let title = format!("<title>{}</title>", form.title);
        let content = format!("<noscript>{}</noscript>", form.markup().0);
        let page = index.replace(TITLE, &title).replace(NO_SCRIPT, &content);
        (form.path, File::of_html(page))
    });
    HashMap::from(pages)
}

/// Whether the web app has a route for a path.
fn is_route(path: &str) -> bool {
    ROUTES.lines().any(|route| matches_route(path, route))
}

/// Whether a path matches a route, in which a name in braces stands for one segment.
pub(crate) fn matches_route(path: &str, route: &str) -> bool {
    let path = if path.len() > 1 {
        path.strip_suffix('/').unwrap_or(path)
    } else {
        path
    };
    let (mut segments, mut pattern) = (path.split('/'), route.split('/'));
    loop {
        match (segments.next(), pattern.next()) {
            (None, None) => return true,
            (Some(segment), Some(wanted)) if wanted.starts_with('{') && !segment.is_empty() => {}
            (Some(segment), Some(wanted)) if segment == wanted => {}
            _ => return false,
        }
    }
}

/// `GET /status/{organisation}`: the public page.
pub(crate) async fn status_page(
    request: HttpRequest,
    organisation: web::Path<String>,
    pages: web::Data<PageCache>,
    app: web::Data<WebApp>,
    responses: web::Data<PublicResponses>,
) -> Result<HttpResponse, Problem> {
    let page = match OrganisationId::parse(&organisation) {
        Ok(organisation) => match pages.page(&organisation).await {
            Ok(page) => page,
            Err(error) => return page_unavailable(&request, error),
        },
        Err(_) => None,
    };
    Ok(match page {
        Some(page) => boxed(responses.page(&page, request.headers())),
        None => app.unknown(&request),
    })
}

/// The default service: files, routes of the web app, and unknown paths.
pub(crate) async fn fallback(
    request: HttpRequest,
    app: web::Data<WebApp>,
) -> Result<HttpResponse, Problem> {
    let path = request.path();
    if path.starts_with("/api/") {
        return api_fallback(request).await;
    }
    if host_routing::is_on_domain(&request) && !app.is_public(path) {
        return Ok(host_routing::not_found());
    }
    if matches!(request.method().as_str(), "GET" | "HEAD") {
        return Ok(app.respond(&request));
    }
    let is_there = app.file(path).is_some() || is_route(path) || is_served(&request);
    Err(if is_there {
        Problem::method_not_allowed(READ)
    } else {
        Problem::not_found()
    })
}

/// The default service of the API: 405 or 404; OPTIONS lists the methods.
pub(crate) async fn api_fallback(request: HttpRequest) -> Result<HttpResponse, Problem> {
    // Described API calls may be disabled in this installation.
    let described = request
        .app_data::<web::Data<Methods>>()
        .filter(|_| is_served(&request));
    let methods = described.and_then(|methods| methods.at(request.path()));
    match methods {
        Some(methods) if request.method() == Method::OPTIONS => Ok(HttpResponse::NoContent()
            .insert_header((header::ALLOW, methods))
            .finish()),
        Some(methods) => Err(Problem::method_not_allowed(methods)),
        None => Err(Problem::not_found()),
    }
}

/// Whether the app has a route for the path, for any method.
fn is_served(request: &HttpRequest) -> bool {
    request
        .resource_map()
        .match_pattern(request.path())
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_matches_its_route_only() {
        assert!(matches_route("/", "/") && matches_route("/components/", "/components"));
        assert!(matches_route(
            "/components/component/edit/7",
            "/components/component/edit/{id}"
        ));
        assert!(!matches_route(
            "/components/component/edit/",
            "/components/component/edit/{id}"
        ));
        assert!(!matches_route(
            "/components/component/edit/7/8",
            "/components/component/edit/{id}"
        ));
        assert!(!matches_route("/nowhere", "/"));
    }
}
