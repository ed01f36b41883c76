//! Subscribers by webhook and chat, with a receiver on this machine.

mod confirmation;
mod crash;
mod failure;
mod fairness;
mod import;
mod manage;
mod message;
mod nodes;
mod ready;
pub(crate) mod receiver;
mod rotation;
mod scope;
mod target;

use std::sync::Arc;

use allclear_application::clock::TestClock;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{Operator, TestApp, TestResponse, client, eventually, send, token};
use receiver::{Received, Receiver};

/// A server that may send to the receiver, with an operator.
struct WebhookSetup {
    app: TestApp,
    clock: Arc<TestClock>,
    receiver: Receiver,
    operator: Operator,
}

/// A confirmed subscriber.
struct Hook {
    id: String,
    path: String,
    secret: String,
    /// The parameters of its manage link.
    manage: Value,
}

const ALLOWED: [&str; 2] = ["--webhook-allow", "127.0.0.1"];

async fn app(folder: TempDir, clock: &Arc<TestClock>, flags: &[&str]) -> TestApp {
    // Tokens stay valid across a restart, because the public address stays the same.
    let fixed = ["--public-url", "http://status.example.com"];
    let flags = [&fixed, flags].concat();
    TestApp::start_in_at(folder, &flags, Arc::clone(clock) as _).await
}

impl WebhookSetup {
    async fn start() -> Self {
        let clock = TestClock::system();
        let app = app(tempfile::tempdir().unwrap(), &clock, &ALLOWED).await;
        let operator = app.operator("Acme").await;
        Self {
            receiver: Receiver::start().await,
            operator,
            app,
            clock,
        }
    }

    /// The same server after a restart with these flags. Before it stops it sends what is due.
    async fn restarted(self, flags: &[&str]) -> Self {
        let app = app(self.app.stop().await, &self.clock, flags).await;
        let operator = self.operator.at(&app.url);
        Self {
            app,
            operator,
            ..self
        }
    }

    /// The requests about everything that has happened so far.
    async fn restart_and_drain(self) -> (Self, Vec<Received>) {
        let mut setup = self.restarted(&ALLOWED).await;
        let rest = setup.receiver.rest();
        (setup, rest)
    }

    /// Replaces the operator's token, which has expired.
    async fn sign_in_again(&mut self) {
        let operator = &mut self.operator;
        operator.token = token(&operator.client, &operator.url, &operator.organisation).await;
    }

    /// Sends a request as a visitor without a token.
    async fn post(&self, path: &str, body: &Value) -> TestResponse {
        let call = self.app.call(&format!("/subscriber{path}"));
        send(client().post(call).json(body)).await
    }

    async fn patch(&self, path: &str, body: &Value) -> TestResponse {
        let call = self.app.call(&format!("/subscriber{path}"));
        send(client().patch(call).json(body)).await
    }

    /// Adds a subscriber with a target at the receiver, and follows the link in its first message.
    async fn hook(&mut self, channel: &str, path: &str) -> Hook {
        self.hook_of(path, json!({"channel": channel})).await
    }

    /// Likewise, with more fields.
    async fn hook_of(&mut self, path: &str, mut body: Value) -> Hook {
        body["target"] = json!(self.receiver.url(path));
        let added = self.operator.create("/subscriber", body).await;
        let first = self.receiver.next_at(path).await;
        let verified = self.post("/verify", &first.link("verify")).await;
        assert_eq!(verified.status, 200, "{verified:?}");
        Hook {
            id: added["id"].as_str().unwrap().to_owned(),
            path: path.to_owned(),
            secret: added["secret"].as_str().unwrap_or_default().to_owned(),
            manage: first.link("subscription"),
        }
    }

    async fn incident(&self, title: &str) -> String {
        let body = json!({"title": title, "description": "All of it", "status": "INVESTIGATING"});
        self.created("incident", body).await
    }

    async fn created(&self, kind: &str, body: Value) -> String {
        let path = format!("/{kind}/create");
        let created = self.operator.create(&path, body).await;
        created["id"].as_str().unwrap().to_owned()
    }

    async fn update(&self, incident: &str, status: &str, message: &str) {
        let path = format!("/incident/{incident}/updates/create");
        let body = json!({"status": status, "message": message});
        self.operator.create(&path, body).await;
    }

    /// The subscriber as operators see it.
    async fn subscriber(&self, hook: &Hook) -> Value {
        let listed = self.operator.get("/subscriber/list").await;
        assert_eq!(listed.status, 200, "{listed:?}");
        let rows = listed.body["data"].as_array().unwrap();
        let found = rows.iter().find(|row| row["id"] == json!(hook.id));
        found.unwrap().clone()
    }

    /// The subscriber, once the condition holds.
    async fn subscriber_once(&self, hook: &Hook, condition: fn(&Value) -> bool) -> Value {
        eventually("the subscriber changes", async || {
            let subscriber = self.subscriber(hook).await;
            condition(&subscriber).then_some(subscriber)
        })
        .await
    }
}
