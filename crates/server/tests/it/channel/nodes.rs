use std::collections::HashMap;
use std::sync::Arc;

use allclear_domain::channel::Channel;
use allclear_persistence::database::Database;
use allclear_server::clock::SystemClock;
use serde_json::json;

use super::ready::subscribe;
use super::receiver::Receiver;
use crate::app::{operator_of, until};
use crate::nodes::installation::Installation;

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_deliver_each_message_once_and_in_order() {
    const HOOKS: usize = 150;
    const STATES: [&str; 4] = ["investigating", "identified", "monitoring", "resolved"];
    let Some(installation) = Installation::start().await else {
        return;
    };
    let operator = operator_of(&installation.url, "ada@example.com", "Acme").await;
    let mut receiver = Receiver::start().await;
    let clock = Arc::new(SystemClock);
    let database = Database::connect(&installation.database, clock)
        .await
        .unwrap();
    let targets: Vec<_> = (0..HOOKS)
        .map(|number| receiver.url(&format!("/{number}")))
        .collect();
    subscribe(
        &database,
        &operator.organisation,
        Channel::Webhook,
        &targets,
    )
    .await;

    let body = json!({"title": "Down", "description": "All of it", "status": "INVESTIGATING"});
    let incident = operator.create("/incident/create", body).await;
    let path = format!(
        "/incident/{}/updates/create",
        incident["id"].as_str().unwrap()
    );
    for status in &STATES[1..] {
        let body = json!({"status": status.to_uppercase(), "message": "It goes on"});
        operator.create(&path, body).await;
    }
    let mut seen: HashMap<String, Vec<String>> = HashMap::new();
    for _ in 0..STATES.len() * HOOKS {
        let request = receiver.next().await;
        let status = request.json()["incident"]["status"].clone();
        let statuses = seen.entry(request.path).or_default();
        statuses.push(status.as_str().unwrap().to_owned());
    }
    let waiting = async || {
        let counts = operator.get("/subscriber/deliveries").await;
        counts.body["data"]["waiting"].clone()
    };
    until(json!(0), waiting).await;
    let rest = receiver.rest();
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!(seen.len(), HOOKS);
    for (path, seen) in seen {
        assert_eq!(seen, STATES, "{path}");
    }
    assert_eq!(
        operator.get("/subscriber/deliveries").await.body["data"]["sent"],
        STATES.len() * HOOKS
    );
}
