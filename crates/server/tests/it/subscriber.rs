//! The subscriber calls, and the links in the mails they send.

mod delivery;
mod form;
mod limit;
mod one_click;
mod operator;
mod visitor;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use allclear_application::clock::Clock;
use allclear_server::app::App;
use allclear_server::clock::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;
use uuid::Uuid;

use crate::app::{Operator, TestResponse, cookie_client, founder, send, settings, sign_up};
use crate::identity::mails_in;

const ADDRESS: &str = "Ann@example.com";

/// A clock that can be put forward.
#[derive(Default)]
struct MovedClock {
    minutes: AtomicI64,
}

impl Clock for MovedClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::minutes(self.minutes.load(Ordering::Relaxed))
    }

    fn id(&self) -> Uuid {
        SystemClock.id()
    }
}

/// A server that can be stopped and started again, which waits for the mail it has to send.
struct Site {
    url: String,
    folder: TempDir,
    app: App,
    clock: Arc<MovedClock>,
}

impl Site {
    async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), Arc::default()).await
    }

    async fn start_in(folder: TempDir, clock: Arc<MovedClock>) -> Self {
        // Tokens hold across a restart, for the public address stays.
        let settings = settings(&folder, &["--public-url", "http://status.example.com"]);
        let app = App::start_at(&settings, Arc::clone(&clock) as _)
            .await
            .unwrap();
        Self {
            url: format!("http://{}", app.address()),
            folder,
            app,
            clock,
        }
    }

    /// The same server, once every mail is written.
    async fn settled(self) -> Self {
        self.app.stop().await;
        Self::start_in(self.folder, self.clock).await
    }

    async fn operator(&self, email: &str) -> Operator {
        let client = cookie_client();
        sign_up(&client, &self.url, self.folder.path(), "Ada", email).await;
        founder(client, &self.url, "Acme").await
    }

    /// Sends a request as a visitor without a token.
    async fn post(&self, path: &str, body: Value) -> TestResponse {
        send(
            cookie_client()
                .post(format!("{}/api/v1/subscriber{path}", self.url))
                .json(&body),
        )
        .await
    }

    async fn subscribe(&self, email: &str, organisation: &str) -> TestResponse {
        self.post("/public", json!({"email": email, "orgId": organisation}))
            .await
    }

    /// The list of subscribers as an operator reads it, at the server's current address.
    async fn list(&self, operator: &Operator) -> Value {
        let response = self.at(operator).get("/subscriber/list").await;
        assert_eq!(response.status, 200, "{response:?}");
        response.body["data"].clone()
    }

    fn at(&self, operator: &Operator) -> Operator {
        Operator {
            url: self.url.clone(),
            ..operator.clone()
        }
    }

    /// What the links to this page in the mails to an address carry, as the page sends it; oldest mail first.
    fn links(&self, to: &str, page: &str) -> Vec<Value> {
        let mails = mails_in(self.folder.path());
        let to_them = mails
            .iter()
            .filter(|mail| mail.contains(&format!("To: {to}\r\n")));
        to_them.map(|mail| carried(mail, page)).collect()
    }
}

/// The token in the link to this page in a mail's plain text.
pub(crate) fn carried(mail: &str, page: &str) -> Value {
    let (text, _) = mail.split_once("text/html").unwrap();
    let start = format!("http://status.example.com/{page}?");
    let link = text
        .split_whitespace()
        .find(|word| word.starts_with(&start))
        .unwrap();
    let url = Url::parse(link).unwrap();
    url.query_pairs()
        .map(|(key, value)| (key.into_owned(), Value::from(value.into_owned())))
        .collect()
}
