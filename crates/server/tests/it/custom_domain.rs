//! Domains of organisations: claims, the check, and what a domain serves.

mod host_header;
mod hosts;
mod release;

use reqwest::Method;
use reqwest::header::HOST;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::app::{Operator, TestApp, TestResponse, assert_status, client_builder, send};
use crate::built_in::Person;
use crate::process::lasting_port;

/// A server whose checks of domains come back to itself, on a fixed port.
pub(crate) async fn start_with(folder: TempDir, flags: &[&str]) -> TestApp {
    let address = format!("127.0.0.1:{}", lasting_port());
    let fixed = ["--listen", &address, "--domain-check-address", &address];
    TestApp::start_in(folder, &[&fixed, flags].concat()).await
}

pub(crate) async fn start() -> TestApp {
    start_with(tempfile::tempdir().unwrap(), &[]).await
}

/// Reads a path of a host, without following redirects.
pub(crate) async fn read(app: &TestApp, host: &str, path: &str) -> TestResponse {
    ask(app, Method::GET, host, path).await
}

pub(crate) async fn ask(app: &TestApp, method: Method, host: &str, path: &str) -> TestResponse {
    let client = client_builder().redirect(Policy::none()).no_proxy();
    let request = client
        .build()
        .unwrap()
        .request(method, format!("{}{path}", app.url));
    send(request.header(HOST, host)).await
}

impl Operator {
    pub(crate) async fn claim(&self, name: &str) -> TestResponse {
        let body = json!({"name": name});
        send(
            self.request(Method::PUT, "/organisation/domain")
                .json(&body),
        )
        .await
    }

    pub(crate) async fn verify(&self) -> TestResponse {
        self.post("/organisation/domain/verify", json!({})).await
    }

    /// Claims a domain and verifies it.
    pub(crate) async fn take(&self, name: &str) {
        assert_status(self.claim(name), 200).await;
        assert_status(self.verify(), 200).await;
    }

    async fn domain(&self) -> Value {
        self.get("/organisation").await.body["data"]["domain"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_is_claimed_verified_and_removed() {
    let app = start().await;
    let operator = app.operator("Acme").await;
    let claimed = operator.claim("Status.Acme.Example").await;
    let domain = &claimed.body["data"];
    assert_eq!(domain["name"], "status.acme.example");
    assert_eq!(domain["status"], "PENDING");
    assert_eq!(domain.get("checkedAt"), Some(&Value::Null));
    assert_eq!(
        domain["checkUrl"],
        "https://status.acme.example/.well-known/allclear-domain"
    );
    let token = domain["token"].as_str().unwrap();
    let tokens = "/.well-known/allclear-domain";
    let served = read(&app, "STATUS.acme.example.:80", tokens).await;
    assert_eq!(served.body, format!("{token}\n"));
    assert_eq!(served.headers["content-type"], "text/plain; charset=utf-8");
    assert_status(read(&app, "other.example", tokens), 404).await;
    assert_eq!(operator.domain().await, *domain);

    let verified = operator.verify().await;
    assert_eq!(verified.body["data"]["status"], "VERIFIED");
    assert!(verified.body["data"]["checkedAt"].is_string());
    assert_status(read(&app, "status.acme.example", tokens), 404).await;
    let page = read(&app, "status.acme.example", "/").await;
    let canonical = r#"<link rel="canonical" href="https://status.acme.example">"#;
    assert!(page.body.as_str().unwrap().contains(canonical), "{page:?}");
    let history = read(&app, "status.acme.example", "/history").await;
    let canonical = r#"<link rel="canonical" href="https://status.acme.example/history">"#;
    assert!(history.body.as_str().unwrap().contains(canonical));
    let snapshot = operator.snapshot().await;
    assert_eq!(
        snapshot["organisation"]["url"],
        "https://status.acme.example"
    );
    let settings = operator.get("/organisation").await;
    assert_eq!(settings.body["data"]["url"], "https://status.acme.example");

    let removed = operator.delete("/organisation/domain").await;
    assert_eq!(
        (removed.status, &removed.body["data"]["id"]),
        (200, &json!("status.acme.example"))
    );
    assert_eq!(operator.domain().await, Value::Null);
    assert_status(operator.delete("/organisation/domain"), 404).await;
    assert_status(operator.verify(), 404).await;
    // The host is the installation's again.
    assert_status(read(&app, "status.acme.example", "/login"), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_names_are_refused() {
    let app = TestApp::start_with(&["--public-url", "https://status.example.com"]).await;
    let operator = app.operator("Acme").await;
    let message =
        "name: Must be a domain name such as status.example.com, without https://, port or path";
    let mut rows: Vec<_> = [
        json!(null),
        json!(7),
        json!(""),
        json!("localhost"),
        json!("https://status.acme.example"),
        json!("status.acme.example:443"),
        json!("status.acme.example/x"),
        json!("status.acme.example."),
        json!("192.0.2.1"),
        json!("[::1]"),
        json!("x.".repeat(127)),
    ]
    .map(|name| (json!({"name": name}), message))
    .into();
    let own = "name: This is the address of the installation itself";
    rows.push((json!({"name": "STATUS.example.com"}), own));
    rows.push((json!({}), message));
    operator
        .assert_invalid(Method::PUT, "/organisation/domain", &rows)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_that_points_to_another_host_is_not_accepted() {
    // The check reaches no server: the domain has no address.
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    operator.claim("status.acme.invalid").await;
    let response = operator.verify().await;
    assert_eq!(response.status, 409);
    let message = response.body["message"].as_str().unwrap();
    assert!(message.contains("status.acme.invalid"), "{message}");
    assert_eq!(operator.domain().await["status"], "PENDING");

    // The check reaches another installation, which does not know the token.
    let other = TestApp::start().await;
    let address = other.url.strip_prefix("http://").unwrap();
    let app = TestApp::start_with(&["--domain-check-address", address]).await;
    let operator = app.operator("Acme").await;
    operator.claim("status.acme.example").await;
    assert_status(operator.verify(), 409).await;
    assert_status(read(&app, "status.acme.example", "/login"), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn check_of_a_domain_does_not_delay_other_changes_of_admins() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let app = TestApp::start_with(&["--domain-check-address", &address]).await;
    let operator = app.operator("Acme").await;
    let body = json!({"name": "Deploys"});
    let key = operator.create("/api-key/create", body).await;
    let path = format!("/api-key/{}", key["id"].as_str().unwrap());
    operator.claim("status.acme.example").await;
    let admin = operator.clone();
    let verifying = tokio::spawn(async move { admin.verify().await });
    let unanswered = silent.accept().await.unwrap();
    assert_status(operator.delete(&path), 200).await;
    assert!(!verifying.is_finished(), "the check still waits");
    drop((unanswered, silent));
    assert_status(async { verifying.await.unwrap() }, 409).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_checks_are_rate_limited() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    // A check without a claim sends nothing, but counts.
    for _ in 0..10 {
        assert_status(operator.verify(), 404).await;
    }
    let response = operator.verify().await;
    assert_eq!(response.status, 429);
    assert!(response.headers.contains_key("retry-after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_belongs_to_the_first_organisation_that_verifies_it() {
    let app = start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let host = "status.acme.example";
    acme.claim(host).await;
    other.claim(host).await;
    let tokens = read(&app, host, "/.well-known/allclear-domain").await;
    assert_eq!(tokens.body.as_str().unwrap().lines().count(), 2);
    assert_status(other.verify(), 200).await;

    let error_response = acme.verify().await;
    assert_eq!(error_response.status, 409, "{error_response:?}");
    assert_status(acme.claim("STATUS.acme.example"), 409).await;
    acme.claim("other.acme.example").await;
    let error_response = acme.claim(host).await;
    assert_eq!(
        error_response.body["message"],
        "Another organisation has this domain"
    );
    assert_eq!(error_response.status, 409);
    let title = |response: TestResponse| response.body["data"]["organisation"]["name"].clone();
    let own = |operator: &Operator| format!("/api/v1/status/{}", operator.organisation);
    assert_eq!(title(read(&app, host, &own(&other)).await), "Other");
    assert_status(read(&app, host, &own(&acme)), 404).await;

    assert_status(other.delete("/organisation/domain"), 200).await;
    acme.take(host).await;
    assert_eq!(title(read(&app, host, &own(&acme)).await), "Acme");
    assert_status(read(&app, host, &own(&other)), 404).await;
    let url = other.snapshot().await["organisation"]["url"].clone();
    let path = format!("/status/{}", other.organisation);
    assert!(url.as_str().unwrap().ends_with(&path), "{url}");
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_for_verified_domains_and_the_own_host() {
    let folder = tempfile::tempdir().unwrap();
    let app = start_with(folder, &["--public-url", "https://status.example.com"]).await;
    let operator = app.operator("Acme").await;
    operator.claim("status.acme.example").await;
    let status_of = |query: &str| {
        let path = format!("/.well-known/allclear-tls-ask{query}");
        let app = &app;
        async move { read(app, "127.0.0.1", &path).await.status }
    };
    assert_eq!(status_of("?domain=status.acme.example").await, 404);
    operator.verify().await;
    for (query, status) in [
        ("?domain=status.acme.example", 200),
        ("?domain=STATUS.Acme.Example.", 200),
        ("?domain=status.example.com", 200),
        ("?domain=other.example", 404),
        ("?domain=a%20b", 404),
        ("?domain=", 400),
        ("", 400),
    ] {
        assert_eq!(status_of(query).await, status, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_token_is_shown_only_to_admins() {
    let app = start().await;
    let ada = Person::signed_up(&app, "ada@example.com").await;
    let organisation = ada.organisation().await;
    let bob = Person::member(&app, &ada, &organisation, "bob@example.com", "member").await;
    let operator = operator_of(&app, &ada, &organisation).await;
    let member = operator_of(&app, &bob, &organisation).await;
    operator.claim("status.acme.example").await;
    let seen = member.domain().await;
    assert_eq!(seen["name"], "status.acme.example");
    assert_eq!(seen.get("token"), None);
    assert_status(member.claim("other.acme.example"), 403).await;
    assert_status(member.verify(), 403).await;
    assert_status(member.delete("/organisation/domain"), 403).await;
}

async fn operator_of(app: &TestApp, person: &Person, organisation: &str) -> Operator {
    Operator {
        url: app.url.clone(),
        organisation: organisation.to_owned(),
        token: person.token(organisation).await,
        client: person.client.clone(),
    }
}
