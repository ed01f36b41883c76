//! Every public path on every host: nothing of one organisation is ever served on the host of
//! another one.

use reqwest::header::{ETAG, HOST, IF_NONE_MATCH, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode};

use super::public_path::{CALLS, PublicPath, public_paths};
use super::tenant::Tenant;
use crate::app::{Operator, TestApp, client_builder};
use crate::custom_domain::start;

/// A host without an organisation.
const UNKNOWN: &str = "unknown.example";

/// A response as text.
struct Seen {
    status: StatusCode,
    /// Names and values.
    headers: String,
    location: Option<String>,
    tag: Option<String>,
    body: String,
}

impl Seen {
    /// Reads a response of a public path, which sets no cookie. An event stream has no end, so it
    /// counts as empty.
    async fn of(response: Response) -> Self {
        let header = |name| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap().to_owned())
        };
        let status = response.status();
        let headers = format!("{:?}", response.headers());
        assert!(!headers.contains("set-cookie"), "{headers}");
        let location = header(LOCATION);
        let tag = header(ETAG);
        let is_stream = headers.contains("text/event-stream");
        let body = if is_stream {
            String::new()
        } else {
            response.text().await.unwrap()
        };
        Self {
            status,
            headers,
            location,
            tag,
            body,
        }
    }

    fn assert_names_nothing_of(&self, tenant: &Tenant, context: &str) {
        for text in [&self.headers, &self.body] {
            let named = tenant.named_in(text);
            assert_eq!(named, None, "{context}: {text}");
        }
    }
}

/// A server with two organisations that have domains.
pub(crate) struct Hosts {
    url: String,
    client: Client,
    owners: [Owner; 2],
}

/// An organisation and its domain.
pub(crate) struct Owner {
    tenant: Tenant,
    domain: String,
}

impl Owner {
    /// Fills an organisation whose name contains the word, and takes a domain.
    pub(crate) async fn create(operator: Operator, word: &'static str) -> Self {
        let tenant = Tenant::create(operator, word).await;
        let domain = format!("status.{word}.example");
        tenant.operator.take(&domain).await;
        Self { tenant, domain }
    }

    fn is(&self, other: &Self) -> bool {
        self.domain == other.domain
    }
}

impl Hosts {
    /// The server at an address, which knows both domains.
    pub(crate) fn at(url: &str, owners: [Owner; 2]) -> Self {
        let client = client_builder().redirect(Policy::none()).no_proxy();
        Self {
            url: url.to_owned(),
            client: client.build().unwrap(),
            owners,
        }
    }

    async fn of(app: &TestApp) -> Self {
        let owners = [
            Owner::create(app.operator("northwind").await, "northwind").await,
            Owner::create(app.operator("contoso").await, "contoso").await,
        ];
        Self::at(&app.url, owners)
    }

    /// Waits until the server shows both organisations at their domains.
    pub(crate) async fn are_known(&self) {
        for Owner { tenant, domain } in &self.owners {
            while tenant
                .named_in(&self.ask(&Method::GET, domain, "/").await.body)
                .is_none()
            {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Walks every public path of both organisations on both domains.
    pub(crate) async fn walk_domains(&self) {
        for owner in &self.owners {
            self.walk_shared(&owner.domain).await;
            for named in &self.owners {
                self.walk_domain(owner, named).await;
            }
        }
    }

    /// Walks every public path of both organisations on hosts without one.
    pub(crate) async fn walk_other_hosts(&self) {
        for host in ["localhost", UNKNOWN] {
            self.walk_shared(host).await;
            for named in &self.owners {
                self.walk_installation(host, named).await;
            }
        }
    }

    /// The other organisation.
    fn other(&self, owner: &Owner) -> &Tenant {
        let [first, second] = &self.owners;
        let other = if owner.is(first) { second } else { first };
        &other.tenant
    }

    async fn ask(&self, method: &Method, host: &str, path: &str) -> Seen {
        let url = format!("{}{path}", self.url);
        let request = self.client.request(method.clone(), url).header(HOST, host);
        Seen::of(request.send().await.unwrap()).await
    }

    /// Reads a path by GET, and checks that HEAD returns the same head.
    async fn read(&self, host: &str, path: &str) -> Seen {
        let got = self.ask(&Method::GET, host, path).await;
        let head = self.ask(&Method::HEAD, host, path).await;
        let context = format!("{host}{path}");
        assert_eq!(head.status, got.status, "{context}");
        assert_eq!(head.location, got.location, "{context}");
        assert_eq!(head.tag, got.tag, "{context}");
        assert_eq!(head.body, "", "{context}");
        for Owner { tenant, .. } in &self.owners {
            if tenant.named_in(&got.headers).is_none() {
                head.assert_names_nothing_of(tenant, &context);
            }
        }
        got
    }

    /// Asserts that a response shows one organisation, by its own addresses only.
    fn assert_shows(&self, seen: &Seen, owner: &Owner, path: &PublicPath, context: &str) {
        assert_eq!(seen.status, StatusCode::OK, "{context}: {}", seen.body);
        seen.assert_names_nothing_of(self.other(owner), context);
        // The script is the same for all organisations.
        if path.plain() != "/embed.js" {
            assert!(
                owner.tenant.named_in(&seen.body).is_some(),
                "{context}: {}",
                seen.body
            );
        }
        assert!(!seen.body.contains(UNKNOWN), "{context}: {}", seen.body);
        let plain = path.plain();
        let is_document = plain.starts_with("/api/v2/")
            || DOCUMENT_ENDINGS
                .iter()
                .any(|ending| plain.ends_with(ending));
        let is_page = !(is_document || NO_CANONICAL.iter().any(|start| plain.starts_with(start)));
        if is_document {
            let own = format!("https://{}", owner.domain);
            assert!(seen.body.contains(&own), "{context}: {}", seen.body);
            for foreign in ["localhost", "127.0.0.1", "/status/"] {
                assert!(!seen.body.contains(foreign), "{context}: {}", seen.body);
            }
        }
        if is_page {
            let canonical = format!(
                r#"<link rel="canonical" href="https://{}{}"#,
                owner.domain,
                path.plain()
            );
            assert!(seen.body.contains(&canonical), "{context}: {}", seen.body);
        }
    }

    /// Walks the paths of one organisation on the domain of an organisation.
    async fn walk_domain(&self, owner: &Owner, named: &Owner) {
        let is_own = owner.is(named);
        let host = &owner.domain;
        for path in public_paths(&named.tenant) {
            let root = path.on_domain();
            let context = format!("{host}{root}");
            let seen = self.read(host, &root).await;
            if is_own || !path.has_code {
                self.assert_shows(&seen, owner, &path, &context);
            } else {
                assert_eq!(seen.status, StatusCode::NOT_FOUND, "{context}");
                seen.assert_names_nothing_of(self.other(owner), &context);
            }
            let below = path.on_installation(&named.tenant.operator.organisation);
            let context = format!("{host}{below}");
            let seen = self.read(host, &below).await;
            if is_own {
                assert_eq!(seen.status, StatusCode::MOVED_PERMANENTLY, "{context}");
                assert_eq!(seen.location, Some(root), "{context}");
            } else {
                assert_eq!(seen.status, StatusCode::NOT_FOUND, "{context}");
            }
            seen.assert_names_nothing_of(self.other(owner), &context);
        }
        for call in CALLS {
            let path = named.tenant.fill(call);
            let context = format!("{host}{path}");
            let seen = self.read(host, &path).await;
            let status = if is_own {
                StatusCode::OK
            } else {
                StatusCode::NOT_FOUND
            };
            assert_eq!(seen.status, status, "{context}: {}", seen.body);
            seen.assert_names_nothing_of(self.other(owner), &context);
        }
    }

    /// Reads what is the same on every host: it names no organisation.
    async fn walk_shared(&self, host: &str) {
        for path in SHARED {
            let seen = self.read(host, path).await;
            assert_eq!(seen.status, StatusCode::OK, "{host}{path}: {}", seen.body);
            for Owner { tenant, .. } in &self.owners {
                seen.assert_names_nothing_of(tenant, path);
            }
        }
    }

    /// Walks the paths of an organisation on a host without one.
    async fn walk_installation(&self, host: &str, named: &Owner) {
        for path in public_paths(&named.tenant) {
            let below = path.on_installation(&named.tenant.operator.organisation);
            let context = format!("{host}{below}");
            let seen = self.read(host, &below).await;
            self.assert_shows(&seen, named, &path, &context);

            let root = path.on_domain();
            let context = format!("{host}{root}");
            let seen = self.read(host, &root).await;
            let status = if path.plain().is_empty() {
                StatusCode::OK
            } else {
                StatusCode::NOT_FOUND
            };
            assert_eq!(seen.status, status, "{context}");
            for Owner { tenant, .. } in &self.owners {
                seen.assert_names_nothing_of(tenant, &context);
            }
        }
        for call in CALLS {
            let path = named.tenant.fill(call);
            let seen = self.read(host, &path).await;
            assert_eq!(seen.status, StatusCode::OK, "{host}{path}: {}", seen.body);
            seen.assert_names_nothing_of(self.other(named), &path);
        }
    }
}

/// Public paths that every host has.
const SHARED: [&str; 6] = [
    "/api/v2/openapi.json",
    "/healthz",
    "/readyz",
    "/robots.txt",
    "/unsubscribe",
    "/verify",
];
/// Endings of feeds and the sitemap.
const DOCUMENT_ENDINGS: [&str; 5] = [".atom", ".rss", "/feed.json", ".ics", "/sitemap.xml"];
/// Beginnings of paths that search engines do not list.
const NO_CANONICAL: [&str; 3] = ["/subscribe", "/badge", "/embed"];

#[tokio::test(flavor = "multi_thread")]
async fn domain_serves_every_public_path_of_its_organisation_and_nothing_of_another() {
    let app = start().await;
    Hosts::of(&app).await.walk_domains().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_hosts_serve_every_public_path_below_its_organisation() {
    let app = start().await;
    Hosts::of(&app).await.walk_other_hosts().await;
}

/// A cache that has the page of the previous organisation of a domain sends its tag for the page of
/// the present one.
#[tokio::test(flavor = "multi_thread")]
async fn entity_tag_of_one_organisation_is_unknown_to_another() {
    let app = start().await;
    let north = app.operator("Northwind").await;
    let south = app.operator("Contoso").await;
    let hosts = ["status.northwind.example", "status.contoso.example"];
    // Both have the same revision.
    north.take(hosts[0]).await;
    south.take(hosts[1]).await;
    let client = client_builder().no_proxy().build().unwrap();
    let ask = |host: &str, path: &str, tag: &str| {
        let request = client.get(format!("{}{path}", app.url)).header(HOST, host);
        let request = request.header(IF_NONE_MATCH, tag);
        async { Seen::of(request.send().await.unwrap()).await }
    };
    for path in super::public_path::shared_paths() {
        let [first, second] = [
            ask(hosts[0], &path, "\"\"").await,
            ask(hosts[1], &path, "\"\"").await,
        ];
        assert_eq!(first.status, StatusCode::OK, "{path}");
        let Some(tag) = first.tag else {
            assert!(
                first.headers.contains("no-store"),
                "{path}: {}",
                first.headers
            );
            continue;
        };
        let response = ask(hosts[1], &path, &tag).await;
        if first.body == second.body {
            assert_eq!(response.status, StatusCode::NOT_MODIFIED, "{path}");
        } else {
            assert_eq!(response.status, StatusCode::OK, "{path} {tag}");
            assert_eq!(response.body, second.body, "{path}");
        }
    }
}
