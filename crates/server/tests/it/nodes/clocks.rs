//! Nodes whose clocks differ.

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use allclear_server::clock::SystemClock;
use allclear_test_support::postgres;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::{Builder, Uuid};

use crate::app::{Operator, TestApp, token, until};

#[tokio::test(flavor = "multi_thread")]
async fn nodes_whose_clocks_differ_accept_each_others_tokens() {
    let Some(database) = postgres() else { return };
    let address = "http://allclear.example";
    let flags = ["--database-url", &database, "--public-url", address];
    let mut nodes = Vec::new();
    for minutes in [0, 5] {
        let clock = TestClock::system();
        clock.advance(TimeDelta::minutes(minutes));
        nodes.push(TestApp::start_at(&flags, clock).await);
    }
    let operator = nodes[0].operator("Acme").await;
    for issuing in &nodes {
        let issued = token(&operator.client, &issuing.url, &operator.organisation).await;
        for node in &nodes {
            let caller = Operator {
                token: issued.clone(),
                ..operator.at(&node.url)
            };
            let listed = caller.get("/component/list").await;
            assert_eq!(listed.status, 200, "{listed:?}");
        }
    }
}

/// The clock of a machine that is an hour ahead, as are its identifiers.
struct HourAhead;

impl Clock for HourAhead {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::hours(1)
    }

    fn id(&self) -> Uuid {
        let milliseconds = self.now().timestamp_millis().unsigned_abs();
        Builder::from_unix_timestamp_millis(milliseconds, &rand::random()).into_uuid()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_newest_first_although_the_clock_of_a_node_is_ahead() {
    let Some(database) = postgres() else { return };
    let address = "http://allclear.example";
    let flags = ["--database-url", &database, "--public-url", address];
    let right = TestApp::start_with(&flags).await;
    let ahead = TestApp::start_at(&flags, Arc::new(HourAhead)).await;
    let operator = right.operator("Acme").await;
    let subscribe = async |node: &TestApp, email: &str| {
        let operator = operator.at(&node.url);
        let subscriber = operator.create("/subscriber", json!({"email": email}));
        subscriber.await["id"].as_str().unwrap().parse().unwrap()
    };
    let ann: Uuid = subscribe(&ahead, "ann@example.com").await;
    // A correction is wrong by a second at most.
    let (seconds, _) = ann.get_timestamp().unwrap().to_unix();
    let after_ann = DateTime::from_timestamp(i64::try_from(seconds).unwrap() + 1, 0).unwrap();
    until(true, async || SystemClock.now() >= after_ann).await;
    subscribe(&right, "bob@example.com").await;
    let listed = operator.get("/subscriber/list").await;
    let newest = &listed.body["data"][0];
    assert_eq!(newest["email"], "bob@example.com", "{listed:?}");
}
