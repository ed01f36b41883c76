//! The subscriber calls, and the links in the mails they send.

mod delivery;
mod form;
mod limit;
mod link_form;
mod one_click;
mod operator;
mod visitor;

use std::ops::Deref;
use std::sync::Arc;

use allclear_application::clock::TestClock;
use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

use crate::app::{Operator, TestApp, TestResponse, cookie_client, send};
use crate::built_in::mails_in;

const ADDRESS: &str = "Ann@example.com";

/// A server that can be stopped and started again, which waits for the mail it has to send.
struct SubscriberSetup {
    app: TestApp,
    clock: Arc<TestClock>,
}

impl Deref for SubscriberSetup {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.app
    }
}

impl SubscriberSetup {
    async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), TestClock::system()).await
    }

    async fn start_in(folder: TempDir, clock: Arc<TestClock>) -> Self {
        // Tokens stay valid across a restart, because the public address stays the same.
        let flags = ["--public-url", "http://status.example.com"];
        let app = TestApp::start_in_at(folder, &flags, Arc::clone(&clock) as _).await;
        Self { app, clock }
    }

    /// The same server, once every mail is written.
    async fn restart_and_drain(self) -> Self {
        Self::start_in(self.app.stop().await, self.clock).await
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
        operator.at(&self.url)
    }

    /// What the links to this page in the mails to an address carry, as the page sends it; oldest
    /// mail first.
    fn links(&self, to: &str, page: &str) -> Vec<Value> {
        let (header, link) = (
            format!("To: {to}\r\n"),
            format!("http://status.example.com/{page}?"),
        );
        let mails = mails_in(self.folder.path());
        let with_link = mails
            .iter()
            .filter(|mail| mail.contains(&header) && mail.contains(&link));
        with_link.map(|mail| carried(mail, page)).collect()
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
