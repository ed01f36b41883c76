//! A server for a test, and its users.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use allclear_application::account::{AccountStore, Admission, CreationOutcome, NewAccount};
use allclear_application::clock::Clock;
use allclear_application::membership::NewOrganisation;
use allclear_application::organisation::OrganisationStore;
use allclear_application::password::PasswordHash;
use allclear_application::secret::SecretToken;
use allclear_application::session::{NewSession, Sessions};
use allclear_domain::account::User;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_persistence::database::Database;
use allclear_server::app::App;
use allclear_server::clock::SystemClock;
use allclear_server::settings::Settings;
use clap::{Command, FromArgMatches};
use reqwest::cookie::Jar;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::built_in::mailed_in;

/// How long a test waits for what happens soon, also on a busy machine.
pub(crate) const WAIT_LIMIT: Duration = Duration::from_mins(1);

pub(crate) const PASSWORD: &str = "correct horse battery";

/// The hash of [`PASSWORD`].
const PASSWORD_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbiBieXRlcyBvaw$RJ1sY/uLSiHi0TP1oW8rw19AvL2Hwpt7ELvhU4n7eXg";

/// A running server in a folder of its own. It ends with the test's runtime.
pub(crate) struct TestApp {
    pub(crate) url: String,
    pub(crate) folder: TempDir,
    database: String,
    connected: OnceCell<Database>,
    app: App,
}

/// A signed-in member of an organisation.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) url: String,
    pub(crate) organisation: String,
    pub(crate) token: String,
    pub(crate) client: reqwest::Client,
}

/// A response whose body has been read.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl TestResponse {
    /// The fields that a refusal names, each with its message:
    /// `title: Title is required; status: Select Any One`.
    pub(crate) fn invalid(&self) -> String {
        let rows = self.body["errors"].as_array().into_iter().flatten();
        let row = |row: &Value| format!("{}: {}", row["field"], row["message"]).replace('"', "");
        rows.map(row).collect::<Vec<_>>().join("; ")
    }

    /// Whether the response is 403 because the caller has to authenticate again.
    pub(crate) fn needs_authentication(&self) -> bool {
        self.is_forbidden_by("/re-authentication-required")
    }

    /// Whether the response is 403 because the caller has to use a second factor.
    pub(crate) fn needs_factor(&self) -> bool {
        self.is_forbidden_by("/second-factor-required")
    }

    /// Whether the response is 403 with a `type` that ends so.
    fn is_forbidden_by(&self, problem: &str) -> bool {
        let kind = self.body["type"].as_str().unwrap_or_default();
        self.status == 403 && kind.ends_with(problem)
    }
}

/// Settings with these flags, on a free port.
pub(crate) fn settings(folder: &TempDir, flags: &[&str]) -> Settings {
    let data = folder.path().join("data").display().to_string();
    let mut fixed = vec![
        "allclear",
        "--data-dir",
        &data,
        "--limit-sign-up",
        "1000/1000",
    ];
    if !flags.contains(&"--listen") {
        fixed.extend(["--listen", "127.0.0.1:0"]);
    }
    // Tests write and mail faster than people. Tests of a limit set it.
    let limits = [
        "--limit-writes",
        "--limit-mail-mailbox",
        "--limit-mail-account",
        "--limit-mail-organisation",
        "--limit-mail-installation",
    ];
    let off: Vec<_> = limits
        .into_iter()
        .filter(|limit| !flags.contains(limit))
        .flat_map(|limit| [limit, "0"])
        .collect();
    let command = <Settings as clap::Args>::augment_args(Command::new("allclear"));
    let matches = command.get_matches_from([fixed.as_slice(), off.as_slice(), flags].concat());
    Settings::from_arg_matches(&matches).unwrap()
}

impl TestApp {
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    pub(crate) async fn start_with(flags: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), flags).await
    }

    /// A server with an operator of the organisation Acme.
    pub(crate) async fn with_operator() -> (Self, Operator) {
        let app = Self::start().await;
        let operator = app.operator("Acme").await;
        (app, operator)
    }

    pub(crate) async fn start_in(folder: TempDir, flags: &[&str]) -> Self {
        Self::start_in_at(folder, flags, Arc::new(SystemClock)).await
    }

    /// A server whose time the test decides.
    pub(crate) async fn start_at(flags: &[&str], clock: Arc<dyn Clock>) -> Self {
        Self::start_in_at(tempfile::tempdir().unwrap(), flags, clock).await
    }

    /// Likewise, in this folder.
    pub(crate) async fn start_in_at(
        folder: TempDir,
        flags: &[&str],
        clock: Arc<dyn Clock>,
    ) -> Self {
        let settings = settings(&folder, flags);
        if let Some(file) = settings.database().strip_prefix("sqlite:").map(Path::new)
            && !file.exists()
        {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            allclear_test_support::migrated_sqlite(file, migrate).await;
        }
        let app = App::start_at(&settings, clock).await.unwrap();
        Self {
            url: format!("http://{}", app.address()),
            folder,
            database: settings.database(),
            connected: OnceCell::new(),
            app,
        }
    }

    /// Stops the server as SIGTERM does, and gives its folder back.
    pub(crate) async fn stop(self) -> TempDir {
        if let Some(database) = self.connected.into_inner() {
            database.close().await.unwrap();
        }
        self.app.stop().await;
        self.folder
    }

    pub(crate) fn call(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.url)
    }

    /// Creates an account with a new organisation in the database, and signs in.
    pub(crate) async fn operator(&self, organisation: &str) -> Operator {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (client, user) = self.account(&format!("person{number}@example.com")).await;
        let id = OrganisationId::parse(&format!("org_{}", SystemClock.id().simple())).unwrap();
        let new = NewOrganisation {
            id: id.clone(),
            name: organisation.into(),
            creator: user.id,
            created_at: user.created_at,
        };
        let database = self.database().await;
        OrganisationStore::create(&database, new).await.unwrap();
        Operator {
            token: token(&client, &self.url, id.as_str()).await,
            url: self.url.clone(),
            organisation: id.to_string(),
            client,
        }
    }

    /// Creates an account in the database. Returns a client that is signed in.
    pub(crate) async fn account(&self, email: &str) -> (reqwest::Client, User) {
        let (session, created_at) = (SecretToken::generate(), SystemClock.now());
        let account = NewAccount {
            user: User {
                id: UserId(SystemClock.id()),
                name: "Ada".into(),
                email: email.into(),
                administrator: false,
                needs_address: false,
                created_at,
            },
            password: PasswordHash::new(PASSWORD_HASH.into()),
            admission: Admission::Proven,
            session: NewSession {
                id: SessionId(SystemClock.id()),
                digest: session.digest(),
                created_at,
                expires_at: created_at + Sessions::IDLE,
                device: None,
                address: None,
            },
        };
        let database = self.database().await;
        let created = AccountStore::create(&database, account).await.unwrap();
        let CreationOutcome::Created(user) = created else {
            panic!("{created:?}")
        };
        let cookies = Jar::default();
        let (name, path) = if self.app.public_url().starts_with("https:") {
            ("__Host-allclear_session", "/; Secure")
        } else {
            ("allclear_session", "/api/v1/identity")
        };
        let cookie = format!("{name}={}; Path={path}", session.reveal());
        cookies.add_cookie_str(&cookie, &self.url.parse().unwrap());
        let client = client_builder().cookie_provider(Arc::new(cookies));
        (client.no_proxy().build().unwrap(), user)
    }

    /// Address of the server's database.
    pub(crate) fn database_url(&self) -> &str {
        &self.database
    }

    /// The server's database, which `stop` closes.
    pub(crate) async fn database(&self) -> Database {
        let connected = self.connected.get_or_init(|| connect(&self.database));
        connected.await.clone()
    }
}

async fn connect(url: &str) -> Database {
    Database::connect(url, Arc::new(SystemClock)).await.unwrap()
}

async fn migrate(url: &str) {
    connect(url).await.close().await.unwrap();
}

/// Signs a person up at a server, and follows the mailed link, which the first account does
/// not need.
pub(crate) async fn sign_up(
    client: &reqwest::Client,
    url: &str,
    folder: &Path,
    name: &str,
    email: &str,
) -> TestResponse {
    let identity = |call: &str| format!("{url}/api/v1/identity/{call}");
    let body = json!({"name": name, "email": email, "password": PASSWORD});
    let signed_up = send(client.post(identity("sign-up")).json(&body)).await;
    if signed_up.status == 201 {
        return signed_up;
    }
    assert_eq!(signed_up.status, 202, "{signed_up:?}");
    let token = confirmation_link(folder, email).await;
    let confirm = client.post(identity("sign-up/confirm"));
    let confirmed = send(confirm.json(&json!({"token": token}))).await;
    assert_eq!(confirmed.status, 201, "{confirmed:?}");
    confirmed
}

/// The token of the newest confirmation mail to an address, once it is written.
pub(crate) async fn confirmation_link(folder: &Path, email: &str) -> String {
    mailed_token(folder, email, "confirmation=").await
}

/// The text after this word in the newest mail to an address that contains it. Waits for that mail.
pub(crate) async fn mailed_token(folder: &Path, email: &str, word: &str) -> String {
    eventually("the mail arrives", async || {
        let has_mails = folder.join("data/mail").exists();
        has_mails.then(|| mailed_in(folder, email, word).pop())?
    })
    .await
}

/// Signs the first person up at a server, with an organisation of their own.
pub(crate) async fn operator_of(url: &str, email: &str, organisation: &str) -> Operator {
    let client = cookie_client();
    let sign_up = json!({"name": "Ada", "email": email, "password": PASSWORD});
    let call = format!("{url}/api/v1/identity/sign-up");
    let signed_up = send(client.post(call).json(&sign_up)).await;
    assert_eq!(signed_up.status, 201, "{signed_up:?}");
    founder(client, url, organisation).await
}

/// Creates an organisation of the user signed in with this client.
pub(crate) async fn founder(client: reqwest::Client, url: &str, organisation: &str) -> Operator {
    let identity = |call: &str| format!("{url}/api/v1/identity/{call}");
    let created = send(
        client
            .post(identity("organisations"))
            .json(&json!({"name": organisation})),
    )
    .await;
    assert_eq!(created.status, 201, "{created:?}");
    let organisation = created.body["data"]["id"].as_str().unwrap().to_owned();
    let token = token(&client, url, &organisation).await;
    Operator {
        url: url.to_owned(),
        organisation,
        token,
        client,
    }
}

impl Operator {
    /// The same person, with the server at another address.
    pub(crate) fn at(&self, url: &str) -> Self {
        Self {
            url: url.to_owned(),
            ..self.clone()
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}/api/v1{path}", self.url))
            .bearer_auth(&self.token)
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> TestResponse {
        send(self.request(Method::POST, path).json(&body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> TestResponse {
        send(self.request(Method::PATCH, path).json(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> TestResponse {
        send(self.request(Method::DELETE, path)).await
    }

    /// Creates something and returns it.
    pub(crate) async fn create(&self, path: &str, body: Value) -> Value {
        let mut created = self.post(path, body).await;
        assert_eq!(created.status, 201, "{path}: {created:?}");
        created.body["data"].take()
    }

    /// Creates a component and returns its identifier.
    pub(crate) async fn component(&self, name: &str) -> String {
        let created = self
            .create("/component/create", json!({"name": name}))
            .await;
        created["id"].as_str().unwrap().to_owned()
    }

    /// Asserts that each body is refused for exactly these fields.
    pub(crate) async fn assert_invalid(&self, method: Method, path: &str, rows: &[(Value, &str)]) {
        for (body, expected) in rows {
            let response = send(self.request(method.clone(), path).json(body)).await;
            assert_eq!(
                (response.status, &*response.invalid()),
                (422, *expected),
                "{body}"
            );
        }
    }

    /// The organisation's public snapshot.
    pub(crate) async fn snapshot(&self) -> Value {
        let response =
            send(client().get(format!("{}/api/v1/status/{}", self.url, self.organisation))).await;
        assert_eq!(response.status, 200, "{response:?}");
        response.body["data"].clone()
    }
}

/// Asks until there is an answer, and returns it. Fails after [`WAIT_LIMIT`].
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let answered = tokio::time::timeout(WAIT_LIMIT, asking).await;
    answered.unwrap_or_else(|_| panic!("not in time: {what}"))
}

/// Asks until the answer is the expected one. Fails after [`WAIT_LIMIT`].
pub(crate) async fn until<T: PartialEq + Debug>(expected: T, mut ask: impl AsyncFnMut() -> T) {
    let what = format!("{expected:?}");
    eventually(&what, async || (ask().await == expected).then_some(())).await;
}

/// Asserts the status of a response.
pub(crate) async fn assert_status(response: impl Future<Output = TestResponse>, status: u16) {
    let response = response.await;
    assert_eq!(response.status, status, "{response:?}");
}

/// Builder of a client. It needs a cryptography provider even without TLS.
pub(crate) fn client_builder() -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    // The certificates of the machine, which no server of a test uses, take longer to read than
    // most requests.
    reqwest::Client::builder().tls_certs_only([])
}

pub(crate) fn client() -> reqwest::Client {
    client_builder().build().unwrap()
}

pub(crate) fn cookie_client() -> reqwest::Client {
    client_builder()
        .cookie_store(true)
        .no_proxy()
        .build()
        .unwrap()
}

pub(crate) async fn token(client: &reqwest::Client, url: &str, organisation: &str) -> String {
    let body = json!({"organisationId": organisation});
    let response = send(
        client
            .post(format!("{url}/api/v1/identity/token"))
            .json(&body),
    )
    .await;
    assert_eq!(response.status, 200, "{response:?}");
    response.body["data"]["token"].as_str().unwrap().to_owned()
}

pub(crate) async fn send(request: RequestBuilder) -> TestResponse {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let etag = headers
        .get("etag")
        .map(|tag| tag.to_str().unwrap().to_owned());
    let bytes = response.bytes().await.unwrap();
    let body = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into()));
    assert!(
        headers.contains_key("x-request-id"),
        "every response carries its request's id"
    );
    if status.is_client_error() && headers["content-type"].to_str().unwrap().contains("json") {
        assert_eq!(headers["content-type"], "application/problem+json");
        assert_eq!(body["status"], status.as_u16());
        assert!(
            body["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{body}"
        );
    }
    assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR, "{body}");
    TestResponse {
        status: status.as_u16(),
        etag,
        headers,
        body,
    }
}
