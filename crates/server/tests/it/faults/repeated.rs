//! The server is killed while it creates incidents; each request is repeated with its
//! `Idempotency-Key`.

use std::collections::BTreeMap;

use allclear_test_support::postgres;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::app::{Operator, eventually, operator_of, token};
use crate::process::{Process, command};

/// Tokens name the address of the server that gave them; it stays while ports change.
const ADDRESS: [&str; 4] = ["--public-url", "http://allclear.example", "--log", "error"];
const WRITERS: usize = 8;

fn key(title: &str) -> String {
    title.replace(' ', "-")
}

fn body(title: &str) -> Value {
    json!({"title": title, "description": "All of it"})
}

/// Creates the incident with this title; `None` if the response was lost.
async fn create(operator: &Operator, title: &str) -> Option<(bool, String)> {
    let request = operator.request(Method::POST, "/incident/create");
    let request = request
        .header("idempotency-key", key(title))
        .json(&body(title));
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

/// Sends the request that creates the incident with this title, on a connection that nobody reads.
async fn create_unread(operator: &Operator, title: &str) -> TcpStream {
    let body = body(title).to_string();
    let head = format!(
        "POST /api/v1/incident/create HTTP/1.1\r\nHost: allclear.example\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        operator.token,
        key(title),
        body.len()
    );
    let server = operator.url.strip_prefix("http://").unwrap();
    let mut connection = TcpStream::connect(server).await.unwrap();
    let request = head + &body;
    connection.write_all(request.as_bytes()).await.unwrap();
    connection
}

/// Identifiers of the incidents with this title.
async fn listed(operator: &Operator, title: &str) -> Vec<String> {
    let listed = operator.get("/incident/list").await;
    let incidents = listed.body["data"].as_array().unwrap().iter();
    incidents
        .filter(|incident| incident["title"] == title)
        .map(|incident| incident["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The change is committed, and the server is killed before the client has read the response.
async fn lost_response_is_repeated(database: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let flags = [&ADDRESS, database].concat();
    let serve = || Process::serve(command(&folder.path().join("data"), &flags));
    let mut process = serve().await;
    let mut operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    for title in ["First", "Second", "Third"] {
        let unread = create_unread(&operator, title).await;
        let committed = eventually("the incident is committed", async || {
            listed(&operator, title).await.pop()
        });
        let id = committed.await;
        process.kill().await;
        drop(unread);
        process = serve().await;
        operator.url.clone_from(&process.url);
        operator.token = token(&operator.client, &process.url, &operator.organisation).await;
        let repeated = create(&operator, title).await;
        assert_eq!(repeated, Some((true, id.clone())), "{title}");
        assert_eq!(listed(&operator, title).await, [id], "{title}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn change_whose_response_was_lost_by_a_kill_is_repeated_and_not_made_again() {
    lost_response_is_repeated(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn change_whose_response_was_lost_by_a_kill_is_repeated_and_not_made_again_on_postgresql() {
    let Some(url) = postgres() else { return };
    lost_response_is_repeated(&["--database-url", &url]).await;
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
