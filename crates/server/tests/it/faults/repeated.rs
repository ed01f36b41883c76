//! The server is killed while it creates incidents; each request is repeated with its `Idempotency-Key`.

use std::collections::BTreeMap;

use allclear_test_support::postgres;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::app::{Operator, operator_of, token};
use crate::process::{Process, command};

/// Tokens name the address of the server that gave them; it stays while ports change.
const ADDRESS: [&str; 4] = ["--public-url", "http://allclear.example", "--log", "error"];
const WRITERS: usize = 8;

/// Creates the incident with this title; `None` if the response was lost.
async fn create(operator: &Operator, title: &str) -> Option<(bool, String)> {
    let body = json!({"title": title, "description": "All of it"});
    let request = operator.request(Method::POST, "/incident/create");
    let request = request
        .header("idempotency-key", title.replace(' ', "-"))
        .json(&body);
    let response = request.send().await.ok()?;
    let status = response.status();
    let is_replayed = response.headers().contains_key("idempotency-replayed");
    let body: Value = response.json().await.ok()?;
    if status == 503 {
        return None;
    }
    assert_eq!(status, 201, "{body}");
    Some((is_replayed, body["data"]["id"].as_str().unwrap().to_owned()))
}

async fn one_incident_per_key(database: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let flags = [&ADDRESS, database].concat();
    let serve = || Process::serve(command(&folder.path().join("data"), &flags));
    let process = serve().await;
    let mut operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let (sender, mut created) = mpsc::unbounded_channel();
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (operator, sender) = (operator.clone(), sender.clone());
        writers.spawn(async move {
            for count in 0.. {
                let title = format!("Incident {writer}-{count}");
                match create(&operator, &title).await {
                    Some((_, id)) => sender.send((title, id)).unwrap(),
                    None => return title,
                }
            }
            unreachable!("the server ends")
        });
    }
    drop(sender);
    let mut ids = BTreeMap::new();
    for _ in 0..40 {
        let (title, id) = created.recv().await.expect("a writer creates");
        ids.insert(title, id);
    }
    process.kill().await;
    let interrupted = writers.join_all().await;
    while let Some((title, id)) = created.recv().await {
        ids.insert(title, id);
    }

    let process = serve().await;
    operator.url.clone_from(&process.url);
    operator.token = token(&operator.client, &process.url, &operator.organisation).await;
    for (title, id) in &ids {
        let repeated = create(&operator, title).await.unwrap();
        assert_eq!(repeated, (true, id.clone()), "{title}");
    }
    for title in &interrupted {
        let (_, id) = create(&operator, title).await.unwrap();
        let again = create(&operator, title).await.unwrap();
        assert_eq!(again, (true, id), "{title}");
    }
    let listed = operator.get("/incident/list").await;
    let mut titles: Vec<_> = listed.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|incident| incident["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    let mut expected: Vec<_> = ids.into_keys().chain(interrupted).collect();
    expected.sort();
    expected.truncate(500);
    assert_eq!(titles.len(), expected.len(), "one incident for each key");
    titles.dedup();
    assert_eq!(titles.len(), expected.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_requests_after_a_kill_find_one_incident_for_each_key() {
    one_incident_per_key(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_requests_after_a_kill_find_one_incident_for_each_key_on_postgresql() {
    let Some(url) = postgres() else { return };
    one_incident_per_key(&["--database-url", &url]).await;
}
