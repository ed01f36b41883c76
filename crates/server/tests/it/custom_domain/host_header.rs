//! Hosts that no well-behaved client sends: they change no link, no mail and no cached response.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::hosts::HOST;
use super::start_with;
use crate::app::{Operator, TestApp, mailed_token};
use crate::built_in::mails;

const PUBLIC_URL: &str = "http://app.example";
const OTHER: &str = "status.other.example";
/// Parts of hosts in this file that must never be repeated.
const FOREIGN: [&str; 6] = [
    "unknown.example",
    "evil.example",
    ":8443",
    "2001:db8",
    "[::1]",
    "aaaaaaaa",
];
const FORM: &str = "application/x-www-form-urlencoded";

/// Whose pages a request leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// Those of Acme, at the root.
    ToAcme,
    /// Those of Other, at the root.
    ToOther,
    /// Those of the installation.
    ToInstallation,
    /// Nowhere: 400.
    Nowhere,
}

/// How a request names its host.
struct Naming {
    /// Before the path of the request target.
    target: String,
    version: &'static str,
    /// The header lines.
    lines: String,
    leads: Leads,
}

/// The complete response to a request with these header lines.
pub(super) async fn raw(app: &TestApp, head: &str, body: &str) -> String {
    let address = app.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{head}Connection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes)).await;
    read.unwrap().unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Every way to name a host.
fn namings() -> Vec<Naming> {
    use Leads::{Nowhere, ToAcme, ToInstallation, ToOther};
    let host = |lines: String, leads| Naming {
        target: String::new(),
        version: "1.1",
        lines,
        leads,
    };
    let one = |name: &str, leads| host(format!("Host: {name}\r\n"), leads);
    let absolute = |target: &str, header: &str, leads| Naming {
        target: target.to_owned(),
        ..one(header, leads)
    };
    let without = |version, leads| Naming {
        target: String::new(),
        version,
        lines: String::new(),
        leads,
    };
    let behind = |line: &str, leads| host(format!("{line}\r\nHost: localhost\r\n"), leads);
    let longest = format!("{}.example", ["aaaaaaaa"; 27].join("."));
    let too_long = format!("{}.example", ["aaaaaaaa"; 28].join("."));
    let huge = "aaaaaaaa.".repeat(1000) + "example";
    vec![
        one(HOST, ToAcme),
        one("STATUS.Acme.EXAMPLE", ToAcme),
        one(&format!("{HOST}."), ToAcme),
        one(&format!("{HOST}:8443"), ToAcme),
        one(&format!("{HOST}.:8443"), ToAcme),
        one(&format!("{HOST}:"), ToAcme),
        one(&format!("  {HOST}\t"), ToAcme),
        one("STATUS.OTHER.example.:8443", ToOther),
        absolute(&format!("http://{HOST}"), OTHER, ToAcme),
        absolute(&format!("http://{HOST}:8443"), "unknown.example", ToAcme),
        absolute(&format!("http://{OTHER}"), HOST, ToOther),
        absolute("http://unknown.example", HOST, ToInstallation),
        absolute(&format!("http://ann@{HOST}"), HOST, Nowhere),
        absolute(&format!("http://ann:x@{HOST}"), HOST, Nowhere),
        absolute(&format!("http://{HOST}"), &format!("ann@{HOST}"), Nowhere),
        one("unknown.example", ToInstallation),
        one("UNKNOWN.example.:8443", ToInstallation),
        one("localhost:8443", ToInstallation),
        one("127.0.0.1", ToInstallation),
        one("[::1]", ToInstallation),
        one("[2001:DB8::1]:8443", ToInstallation),
        one(&longest, ToInstallation),
        behind("X-Forwarded-Host: evil.example", ToInstallation),
        behind("X-Forwarded-Host: status.other.example", ToInstallation),
        behind("Forwarded: host=evil.example;proto=https", ToInstallation),
        behind("X-Original-Host: evil.example", ToInstallation),
        without("1.0", ToInstallation),
        without("1.1", Nowhere),
        one("", Nowhere),
        one(&too_long, Nowhere),
        one(&huge, Nowhere),
        one(&format!("ann@{HOST}"), Nowhere),
        one(&format!("{HOST}/x"), Nowhere),
        one(&format!("{HOST}?x"), Nowhere),
        one(&format!("{HOST}#x"), Nowhere),
        one(&format!("{HOST}\\x"), Nowhere),
        one(&format!("{HOST}, evil.example"), Nowhere),
        one(&format!("{HOST} evil.example"), Nowhere),
        one(&format!("{HOST}:port"), Nowhere),
        one(&format!("{HOST}:80:80"), Nowhere),
        one(&format!("{HOST}:123456"), Nowhere),
        one("status%2eacme.example", Nowhere),
        one("státus.acme.example", Nowhere),
        one("[::1", Nowhere),
        one("[::1]evil.example", Nowhere),
        one("::1", Nowhere),
        host(format!("Host: {HOST}\r\nHost: {HOST}\r\n"), Nowhere),
        host(format!("Host: {HOST}\r\nHost: evil.example\r\n"), Nowhere),
        host("Host: localhost\r\nhost: evil.example\r\n".into(), Nowhere),
    ]
}

/// A response in parts.
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).unwrap_or_default();
        Self {
            status: status.parse().unwrap_or_else(|_| panic!("{text}")),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// The scheme and host of every absolute address.
    fn origins(&self) -> BTreeSet<&str> {
        let is_end =
            |letter: char| !(letter.is_ascii_alphanumeric() || "-.:[]@_%".contains(letter));
        let mut origins = BTreeSet::new();
        for scheme in ["http://", "https://"] {
            for (start, _) in self.body.match_indices(scheme) {
                let host = &self.body[start + scheme.len()..];
                let length = scheme.len() + host.find(is_end).unwrap_or(host.len());
                origins.insert(&self.body[start..start + length]);
            }
        }
        origins
    }

    fn tag(&self) -> Option<&str> {
        let line = self.head.lines().find(|line| line.starts_with("etag: "))?;
        line.strip_prefix("etag: ")
    }

    fn assert_repeats_no_host(&self, context: &str) {
        for foreign in FOREIGN {
            assert!(!self.head.contains(foreign), "{context}: {}", self.head);
            assert!(!self.body.contains(foreign), "{context}: {}", self.body);
        }
    }
}

/// A server with two organisations that have a domain.
struct DomainSetup {
    app: TestApp,
    acme: Operator,
    /// Below the address of a status page.
    paths: Vec<String>,
}

impl DomainSetup {
    async fn start() -> Self {
        let flags = [
            "--public-url",
            PUBLIC_URL,
            "--limit-subscribe",
            "1000/1000",
            "--limit-reset",
            "1000/1000",
        ];
        let app = start_with(tempfile::tempdir().unwrap(), &flags).await;
        let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
        let incident = json!({"title": "Down", "description": "All", "components": []});
        acme.create("/incident/create", incident).await;
        acme.take(HOST).await;
        other.take(OTHER).await;
        let paths = [
            "",
            "/history",
            "/uptime",
            "/subscribe",
            "/updates.atom",
            "/history.rss",
            "/feed.json",
            "/maintenances.ics",
            "/sitemap.xml",
            "/api/v2/summary.json",
            "/badge.svg",
            "/embed",
            "/embed.js",
        ];
        Self {
            app,
            acme,
            paths: paths.map(str::to_owned).into(),
        }
    }

    /// The path below the status page that a request leads to.
    fn path(&self, leads: Leads, below: &str) -> String {
        match leads {
            Leads::ToInstallation => format!("/status/{}{below}", self.acme.organisation),
            _ if below.is_empty() => "/".to_owned(),
            _ => below.to_owned(),
        }
    }

    async fn get(&self, naming: &Naming, below: &str, lines: &str) -> Response {
        let path = self.path(naming.leads, below);
        let head = format!(
            "GET {}{path} HTTP/{}\r\n{}{lines}",
            naming.target, naming.version, naming.lines
        );
        Response::parse(&raw(&self.app, &head, "").await)
    }

    /// Sends a body by POST.
    async fn post(&self, naming: &Naming, path: &str, kind: &str, body: &str) -> Response {
        let head = format!(
            "POST {}{path} HTTP/{}\r\n{}Content-Type: {kind}\r\nContent-Length: {}\r\n",
            naming.target,
            naming.version,
            naming.lines,
            body.len()
        );
        Response::parse(&raw(&self.app, &head, body).await)
    }

    /// What well-behaved clients read.
    async fn plain(&self, leads: Leads, below: &str) -> Response {
        let host = match leads {
            Leads::ToAcme => HOST,
            Leads::ToOther => OTHER,
            Leads::ToInstallation | Leads::Nowhere => "localhost",
        };
        let naming = Naming {
            target: String::new(),
            version: "1.1",
            lines: format!("Host: {host}\r\n"),
            leads,
        };
        let response = self.get(&naming, below, "").await;
        assert_eq!(response.status, 200, "{host} {below}: {}", response.body);
        response
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn host_header_does_not_change_links_or_cached_responses() {
    let setup = DomainSetup::start().await;
    for naming in namings() {
        for below in &setup.paths {
            let context = format!("{}{below} {}", naming.target, naming.lines);
            let response = setup.get(&naming, below, "").await;
            response.assert_repeats_no_host(&context);
            if naming.leads == Leads::Nowhere {
                assert_eq!(response.status, 400, "{context}: {}", response.head);
                assert_eq!(response.origins(), BTreeSet::new(), "{context}");
                continue;
            }
            assert_eq!(response.status, 200, "{context}: {}", response.head);
            // Read by a well-behaved client afterwards: the abused request has left nothing in
            // a cache.
            let plain = setup.plain(naming.leads, below).await;
            assert_eq!(response.origins(), plain.origins(), "{context}");
            assert_eq!(response.tag(), plain.tag(), "{context}");
            if let Some(tag) = plain.tag() {
                let known = format!("If-None-Match: {tag}\r\n");
                let again = setup.get(&naming, below, &known).await;
                assert!([200, 304].contains(&again.status), "{context}");
            }
        }
    }
    let page = setup.plain(Leads::ToInstallation, "").await;
    let canonical = format!(r#"<link rel="canonical" href="https://{HOST}">"#);
    assert!(page.body.contains(&canonical), "{}", page.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn host_header_does_not_change_mails() {
    let setup = DomainSetup::start().await;
    let organisation = &setup.acme.organisation;
    let mut unmailed = Vec::new();
    let mut subscribed = Vec::new();
    let mut resets = Vec::new();
    for (number, naming) in (0..).zip(namings()) {
        let context = format!("{} {}", naming.target, naming.lines);
        let mut addresses = vec![format!("call{number}@example.com")];
        let body = json!({"email": addresses[0], "orgId": organisation}).to_string();
        let path = "/api/v1/subscriber/public";
        let called = setup.post(&naming, path, "application/json", &body).await;
        called.assert_repeats_no_host(&context);
        let mut statuses = vec![called.status];
        // Others subscribe to Other by the form of its page.
        if naming.leads != Leads::ToOther {
            addresses.push(format!("form{number}@example.com"));
            let body = format!("email={}", addresses[1].replace('@', "%40"));
            let path = setup.path(naming.leads, "/subscribe");
            let sent = setup.post(&naming, &path, FORM, &body).await;
            sent.assert_repeats_no_host(&context);
            statuses.push(sent.status);
        }
        if naming.leads == Leads::ToInstallation {
            let address = format!("reset{number}@example.com");
            setup.app.account(&address).await;
            let body = json!({"email": address}).to_string();
            let path = "/api/v1/identity/password-reset";
            let response = setup.post(&naming, path, "application/json", &body).await;
            assert_eq!(response.status, 200, "{context}: {}", response.body);
            resets.push(address);
        }
        let status = match naming.leads {
            Leads::Nowhere => 400,
            Leads::ToOther => 404,
            _ => 200,
        };
        assert!(
            statuses.iter().all(|one| *one == status),
            "{context}: {statuses:?}"
        );
        if status == 200 {
            subscribed.extend(addresses);
        } else {
            unmailed.extend(addresses);
        }
    }
    let folder = setup.app.folder.path();
    for address in &subscribed {
        let word = format!("https://{HOST}/verify?");
        mailed_token(folder, address, &word).await;
    }
    for address in &resets {
        mailed_token(folder, address, &format!("{PUBLIC_URL}/")).await;
    }
    for mail in mails(&setup.app) {
        for foreign in FOREIGN {
            assert!(!mail.contains(foreign), "{foreign}: {mail}");
        }
        for address in &unmailed {
            assert!(!mail.contains(address.as_str()), "{address}: {mail}");
        }
    }
}
