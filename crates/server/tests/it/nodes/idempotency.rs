//! One `Idempotency-Key` at two nodes.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::installation::Installation;
use crate::app::{Operator, TestResponse, operator_of, send};

const ROUNDS: usize = 8;
/// Number of requests that each node receives at the same time.
const CONCURRENT_REQUESTS: usize = 4;

async fn incident(node: Operator, key: String, title: String) -> TestResponse {
    let request = node.request(Method::POST, "/incident/create");
    let body = json!({"title": title, "description": "All of it", "components": []});
    send(request.header("idempotency-key", key).json(&body)).await
}

fn is_first(response: &TestResponse) -> bool {
    response.status == 201 && !response.headers.contains_key("idempotency-replayed")
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_with_one_key_at_both_nodes_at_once_are_executed_once() {
    let Some(installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let nodes: Vec<_> = installation
        .nodes
        .iter()
        .map(|node| operator.at(&node.url))
        .collect();
    for round in 0..ROUNDS {
        let (key, title) = (format!("key-{round}"), format!("Incident {round}"));
        let mut requests = JoinSet::new();
        for _ in 0..CONCURRENT_REQUESTS {
            for node in &nodes {
                requests.spawn(incident(node.clone(), key.clone(), title.clone()));
            }
        }
        let responses = requests.join_all().await;
        let first: Vec<_> = responses
            .iter()
            .filter(|response| is_first(response))
            .collect();
        assert_eq!(first.len(), 1, "{responses:?}");
        for response in &responses {
            match response.status {
                201 => assert_eq!(response.body, first[0].body),
                status => assert_eq!(status, 409, "{response:?}"),
            }
        }
        for node in &nodes {
            let again = incident(node.clone(), key.clone(), title.clone()).await;
            assert_eq!(again.status, 201, "{again:?}");
            assert_eq!(again.headers["idempotency-replayed"], "true");
            assert_eq!(again.body, first[0].body);
            let other = incident(node.clone(), key.clone(), "Another".to_owned()).await;
            assert_eq!(other.status, 422, "{other:?}");
        }
    }
    let listed = nodes[1].get("/incident/list").await;
    let mut titles: Vec<_> = listed.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|incident| incident["title"].clone())
        .collect();
    titles.reverse();
    let expected: Vec<_> = (0..ROUNDS)
        .map(|round| Value::from(format!("Incident {round}")))
        .collect();
    assert_eq!(titles, expected);
}
