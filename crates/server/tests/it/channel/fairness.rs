use std::collections::HashSet;
use std::time::{Duration, Instant};

use allclear_domain::channel::Channel;
use serde_json::json;

use super::ready::subscribe;
use super::receiver::Receiver;
use crate::app::{Operator, TestApp, founder};

struct Shared {
    app: TestApp,
    receiver: Receiver,
}

impl Shared {
    async fn start() -> Self {
        Self {
            app: TestApp::start_with(&["--webhook-allow", "127.0.0.1"]).await,
            receiver: Receiver::start().await,
        }
    }

    /// An organisation with `count` webhooks, whose paths begin with `prefix`.
    async fn organisation(&self, prefix: &str, count: usize) -> Operator {
        let operator = self.app.operator(prefix).await;
        self.subscribe(&operator, prefix, count).await;
        operator
    }

    /// Subscribes `count` webhooks, whose paths begin with `prefix`.
    async fn subscribe(&self, operator: &Operator, prefix: &str, count: usize) {
        let database = self.app.database().await;
        let targets: Vec<_> = (0..count)
            .map(|number| self.receiver.url(&format!("{prefix}/{number}")))
            .collect();
        subscribe(
            &database,
            &operator.organisation,
            Channel::Webhook,
            &targets,
        )
        .await;
    }
}

async fn incident(operator: &Operator) -> Instant {
    let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
    operator.create("/incident/create", body).await;
    Instant::now()
}

#[tokio::test(flavor = "multi_thread")]
async fn receiver_that_never_responds_does_not_delay_others() {
    let mut shared = Shared::start().await;
    let operator = shared.organisation("/acme", 100).await;
    shared.receiver.fall_silent("/acme/0");
    let started = incident(&operator).await;
    let mut reached = HashSet::new();
    let mut last = started;
    while reached.len() < 100 {
        let received = shared.receiver.next().await;
        last = received.at;
        reached.insert(received.path);
    }
    assert_eq!(
        shared.receiver.hanging(),
        1,
        "all others were reached while the silent one was waited for"
    );
    // The request to the silent receiver times out after 15 s.
    let taken = last - started;
    assert!(taken < Duration::from_secs(10), "{taken:?}");
    let rest = shared.receiver.rest();
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_with_thousands_queued_does_not_delay_another() {
    const MANY: usize = 3_000;
    let mut shared = Shared::start().await;
    let large = shared.organisation("/large", MANY).await;
    let small = shared.organisation("/small", 1).await;
    shared.receiver.fall_silent("/large");
    incident(&large).await;
    // The receivers of the large organisation occupy all places that it may have.
    while shared.receiver.hanging() < 56 {
        shared.receiver.next().await;
    }
    let started = incident(&small).await;
    let received = loop {
        let received = shared.receiver.next().await;
        if received.path.starts_with("/small") {
            break received;
        }
    };
    let taken = received.at.duration_since(started);
    assert!(taken < Duration::from_secs(5), "{taken:?}");
    let counts = large.get("/subscriber/deliveries").await;
    let waiting = counts.body["data"]["waiting"].as_u64().unwrap();
    assert!(waiting >= 500, "{waiting}");
    assert!(shared.receiver.hanging() >= 56, "no place was given up");
}

#[tokio::test(flavor = "multi_thread")]
async fn organisations_of_one_person_do_not_delay_those_of_others() {
    let mut shared = Shared::start().await;
    let first = shared.organisation("/slow/first", 40).await;
    let second = founder(first.client.clone(), &shared.app.url, "Second").await;
    shared.subscribe(&second, "/slow/second", 40).await;
    let other = shared.organisation("/other", 1).await;
    shared.receiver.fall_silent("/slow");
    incident(&first).await;
    incident(&second).await;
    while shared.receiver.hanging() < 56 {
        shared.receiver.next().await;
    }
    let started = incident(&other).await;
    let received = loop {
        let received = shared.receiver.next().await;
        if received.path.starts_with("/other") {
            break received;
        }
    };
    let taken = received.at.duration_since(started);
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}
