//! The product with Clerk, against a fake Clerk.

mod api_key;
pub(crate) mod fake_clerk;
mod page;
mod secret;
mod start;
mod token;
mod webhook;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use self::fake_clerk::{FakeClerk, HOST, WEBHOOK_SECRET, encoded};
use crate::app::{TestApp, TestResponse, cookie_client, send};

/// A server whose people sign in with Clerk, and the Clerk that it asks.
struct Setup {
    app: TestApp,
    clerk: FakeClerk,
}

/// The settings of a server with Clerk at these addresses.
fn flags(clerk: &FakeClerk) -> Vec<String> {
    let key = format!("pk_test_{}", encoded(format!("{HOST}$").as_bytes()));
    let key_set = format!("{}/.well-known/jwks.json", clerk.url);
    [
        ("--clerk-publishable-key", key.as_str()),
        ("--clerk-secret-key", "sk_test_abc"),
        ("--clerk-webhook-secret", WEBHOOK_SECRET),
        ("--clerk-api-url", &clerk.url),
        ("--clerk-jwks-url", &key_set),
        ("--public-url", "https://status.example.com"),
        ("--allowed-origins", "https://other.example.com"),
        // Interval of the checks of access.
        ("--ping-interval", "200"),
    ]
    .iter()
    .flat_map(|(flag, value)| [(*flag).to_owned(), (*value).to_owned()])
    .collect()
}

impl Setup {
    async fn start() -> Self {
        let clerk = FakeClerk::start();
        let flags = flags(&clerk);
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        Self {
            app: TestApp::start_with(&flags).await,
            clerk,
        }
    }

    fn request(&self, method: Method, path: &str, token: &str) -> RequestBuilder {
        cookie_client()
            .request(method, self.app.call(path))
            .bearer_auth(token)
    }

    /// The status of a call that needs an organisation.
    async fn components(&self, token: &str) -> u16 {
        send(self.request(Method::GET, "/component/list", token))
            .await
            .status
    }

    async fn create(&self, token: &str, path: &str, body: Value) -> TestResponse {
        let created = send(self.request(Method::POST, path, token).json(&body)).await;
        assert_eq!(created.status, 201, "{created:?}");
        created
    }

    /// The public snapshot of an organisation.
    async fn status(&self, organisation: &str) -> TestResponse {
        send(cookie_client().get(self.app.call(&format!("/status/{organisation}")))).await
    }

    async fn name_of(&self, organisation: &str) -> Value {
        self.status(organisation).await.body["data"]["organisation"]["name"].clone()
    }

    /// Sends a webhook as Svix does, now.
    async fn notify(&self, id: &str, kind: &str, data: Value) -> TestResponse {
        let now = fake_clerk::now();
        let event = json!({"type": kind, "object": "event", "data": data, "timestamp": now * 1000, "instance_id": "ins_1"});
        self.deliver(id, now, &event.to_string()).await
    }

    /// Sends a body that was signed at this time.
    async fn deliver(&self, id: &str, at: i64, body: &str) -> TestResponse {
        self.deliver_signed(id, at, body, &fake_clerk::signature(id, at, body))
            .await
    }

    async fn deliver_signed(
        &self,
        id: &str,
        at: i64,
        body: &str,
        signatures: &str,
    ) -> TestResponse {
        let request = crate::app::client()
            .post(self.app.call("/clerk/webhooks"))
            .header("content-type", "application/json")
            .header("svix-id", id)
            .header("svix-timestamp", at.to_string())
            .header("svix-signature", signatures)
            .body(body.to_owned());
        send(request).await
    }
}
