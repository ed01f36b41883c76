//! Nodes whose clocks differ.

use allclear_application::clock::TestClock;
use allclear_test_support::postgres;
use chrono::TimeDelta;

use crate::app::{Operator, TestApp, token};

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
